"""Check that the files have the columns or keys asked for, before anything is written."""

from __future__ import annotations

from collections.abc import Sequence

from ..files import open_regular
from ..records import Fields
from ..records.names import list_columns
from ..redaction import RedactionError
from .reader import Task


def check_columns(tasks: Sequence[Task], fields: Fields) -> None:
    """Check that some file has the columns or keys that were asked for.

    A single file without them is withheld later; if no file has them, they are misspelt.

    RAISES (RedactionError): If no file has them.
    """
    asked = [("fields.text", name) for name in fields.text]
    if fields.patient:
        asked.append(("fields.patient", fields.patient))
    if fields.id != Fields().id:  # the default may be missing
        asked.append(("fields.id", fields.id))
    wrong = ""
    for task in tasks:
        names = _names_in(task)
        if not names:
            continue
        lacking = [(how, name) for how, name in asked if names.count(name) != 1]
        if not lacking:
            return
        how, name = lacking[0]
        number = f"{names.count(name)} columns" if name in names else "no column"
        wrong = wrong or f"{task.source} has {number} '{name}' ({how}); {list_columns(names)}"
    if wrong and (fields != Fields() or all(task.format.columns for task in tasks)):
        raise RedactionError(wrong)


def _names_in(task: Task) -> list[str]:
    if task.format.columns is None:
        return []
    try:
        with open_regular(task.source) as file:
            return task.format.columns(file)
    except Exception:  # it is reported when the file is read
        return []
