"""The columns and keys asked for, and how messages name those that there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

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


def missing_column(
    names: Sequence[str], asked: Iterable[str], setting_of: Callable[[str], str | None]
) -> str:
    """Which column asked for is missing, or there several times, as a clause; empty if none is.

    setting_of (Callable[[str], str | None]): Names the setting that asks for a column.
    """
    for name in asked:
        if (count := names.count(name)) != 1:
            number = f"{count} columns" if count else "no column"
            existing = _list_columns([str(each) for each in names])  # pandas may have numbers
            return f"has {number} '{name}' ({setting_of(name)}); {existing}"
    return ""


def _list_columns(names: Sequence[str]) -> str:
    """The columns that exist, by name only if no name can be data, as without a header row."""
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
