"""The names of columns and keys in messages: only those that cannot be data."""

from __future__ import annotations

import re
from collections.abc import Sequence

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


def list_columns(names: Sequence[str]) -> str:
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
