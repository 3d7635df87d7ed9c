"""Known data of a patient or a note: how it is given, and which values count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..annotation.phi import CATEGORY, normalize_type
from ..ids import id_text
from ..tsv import read_rows
from .forms import forms_of

_PLACEHOLDERS = frozenset(row[0] for row in read_rows(Path(__file__).with_name("placeholders.tsv")))
_MISSING = frozenset(("nan", "NaN", "NaT"))  # but "Nan" is a name

KnownData = Mapping[str, str | Sequence[str]]
"""Known data of a patient or a note: PHI types, each with its value or values."""


def check_known(known: KnownData) -> None:
    """Check known data before a pipeline, whose messages are hidden, does.

    RAISES (ValueError): If a key is not a PHI type, a value is neither text nor a number, or a DATE
        is not written as year-month-day.
    """
    for name, values in known.items():
        try:
            phi_type = normalize_type(name)
        except (ValueError, AttributeError):
            types = ", ".join(CATEGORY)
            raise ValueError(f"a type of known data is not a PHI type; they are {types}") from None
        for value in known_values(values):
            forms_of(phi_type, value)


def known_values(given: Any) -> list[str]:
    """The values of a type of known data, without those that say that nothing is known.

    given (Any): A value or several; None, NaN and "Test, Patient" are none.
    RAISES (ValueError): If a value is not text or a number, but bytes or a mapping, for instance,
        or they can be read only once, as those of a generator.
    """
    if isinstance(given, Iterator):
        raise ValueError("the values of a type of known data can be read only once; give a list")
    several = isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping))
    each = list(given) if several else [given]
    for value in each:
        if isinstance(value, Iterable) and not isinstance(value, str):
            kind = type(value).__name__
            raise ValueError(f"a value of known data is {kind}; give texts, or lists of them")
    values = [id_text(value) for value in each]
    return [
        value
        for value in values
        if value not in _MISSING
        and not _PLACEHOLDERS.issuperset(value.casefold().replace(",", " ").split())
    ]
