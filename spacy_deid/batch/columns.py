"""Check that the files have the columns or keys asked for, before anything is written."""

from __future__ import annotations

from collections.abc import Sequence

from ..files import open_regular
from ..records import Fields
from ..records.names import missing_column
from ..redaction import RedactionError
from .reader import Task


def check_columns(tasks: Sequence[Task], fields: Fields) -> None:
    """Check that some file has the columns or keys that were asked for.

    A single file without them is withheld later; if no file has them, they are misspelt.

    RAISES (RedactionError): If no file has them.
    """
    asked = list(fields.needed)
    if fields.id != Fields().id:  # the default may be missing
        asked.append(fields.id)
    wrong = ""
    for task in tasks:
        if names := _names_in(task):
            problem = missing_column(names, asked, fields)
            if not problem:
                return
            wrong = wrong or f"{task.source} {problem}"
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
