"""Check that the files have the columns or keys asked for, before anything is written."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..files import open_regular
from ..records import Fields
from ..redaction import RedactionError
from .reader import Task

_MOST = 20
_NAME = re.compile(r"(?!.*[0-9]{3})[A-Za-z][A-Za-z0-9_ .-]{0,39}")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_USUAL = frozenset(
    """
    id key no nr num number index row code mrn ssn dob patient subject person encounter visit
    admission hadm stay note notes text txt body content report document doc comment comments
    description narrative message title section name date time datetime timestamp created updated
    year type category class label status source author provider sex gender age race birth
    department ward hospital site
    """.split()
)
"""Words that columns are named with, and people hardly ever."""


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
        wrong = wrong or f"{task.source} has {number} '{name}' ({how}); {_list_columns(names)}"
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


def _list_columns(names: Sequence[str]) -> str:
    """The columns that exist; their names only if they cannot be data, as without a header row."""
    usual = any(
        (words := _WORD.findall(name)) and _USUAL.issuperset(map(str.lower, words))
        for name in names
    )
    if not usual or not all(_NAME.fullmatch(name) for name in names if name):
        return (
            f"its {len(names)} columns are not named here, as they may be data; does the file have "
            "a header row?"
        )
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return f"its columns are {', '.join(names[:_MOST])}{more}"
