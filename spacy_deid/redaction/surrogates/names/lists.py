"""Names by kind, gender and culture: the group of a word, and the names that may replace it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import NamedTuple

from ..tables import data_rows, read_words

LETTERS = "abcdefghjklmnprst"
"""First letters of surrogates: those with enough names of each kind."""

_FEWEST = 5
_END_SIZES = (4, 3, 2)
_LONG_ENOUGH = 5  # fewest letters of a word whose ending is informative


class NameGroup(NamedTuple):
    """A group of names that may replace each other; `names.tsv` lists the cultures."""

    kind: str  # "given", "family" or "both", for names used as either
    gender: str  # "f", "m", or "u" for unisex and family names
    culture: str  # "anglo", "hispanic", "european", "slavic" …


UNKNOWN = NameGroup("both", "u", "anglo")
"""The group of unlisted words without an informative ending; its names fit anywhere."""

_SECOND_KIND = {("both", "u"): "family", ("both", "f"): "given", ("both", "m"): "given"}
_BEGINNINGS = re.compile(r"mc\w{3}|o(?:br|co|do|ha|ma|ne|re|su|ke|le|to)\w{3}|fitz\w{3}")


def group_of(word: str) -> NameGroup:
    """The group of a name, by the lists, or else by its beginning and ending.

    word (str): The word in lower case, without accents and marks.
    """
    if group := _groups().get(word):
        return group
    if _BEGINNINGS.match(word):
        return NameGroup("family", "u", "anglo")
    if len(word) < _LONG_ENOUGH:
        return UNKNOWN
    for ends, group in _culture_ends():
        if word.endswith(ends):
            return group
    endings = (_endings().get(word[-size:]) for size in _END_SIZES)
    return next(filter(None, endings), UNKNOWN)


def is_listed(word: str) -> bool:
    """Whether a lower-case word is in the name lists."""
    return word in _groups() or word in full_forms()


@cache
def pool(group: NameGroup, letter: str) -> tuple[str, ...]:
    """The surrogates of a group with a first letter of `LETTERS`, or else of similar groups.

    RETURNS (tuple[str, ...]): At least five names, in a fixed order.
    """
    names: dict[str, None] = {}
    for similar in _similar_groups(group):
        members = _members().get(similar, ())
        names |= dict.fromkeys(
            name for name in members if name[0].lower() == letter and not name.endswith("*")
        )
        if len(names) >= _FEWEST:
            break
    return tuple(names)


@cache
def full_forms() -> Mapping[str, list[str]]:
    """Full names by short form, the most common first: "bill" to ["william"]."""
    forms: dict[str, list[str]] = defaultdict(list)
    for full, shorts in read_words("nicknames.tsv").items():
        for short in shorts:
            forms[short.strip("*-").lower()].append(full)
    return dict(forms)


@cache
def own_names() -> frozenset[str]:
    """Short forms that are also full names ("jack")."""
    shorts = " ".join(map(" ".join, read_words("nicknames.tsv").values()))
    return frozenset(short.strip("*").lower() for short in shorts.split() if short.endswith("*"))


def short_forms(full: str) -> tuple[str, ...]:
    """The short forms of a lower-case given name; empty if none is common."""
    shorts = read_words("nicknames.tsv").get(full, ())
    return tuple(short.strip("*") for short in shorts if not short.endswith("-"))


def _similar_groups(group: NameGroup) -> Iterator[NameGroup]:
    """The group, then the most similar ones: gender takes precedence over culture."""
    kinds = (group.kind, _SECOND_KIND.get((group.kind, group.gender), "both"))
    for genders in (group.gender if group.gender in "fm" else "umf", "umf"):
        for culture, kind, gender in product((group.culture, "anglo"), kinds, genders):
            yield NameGroup(kind, gender, culture)


@cache
def _members() -> Mapping[NameGroup, tuple[str, ...]]:
    """The names of each group; those with "*" are not used as surrogates."""
    return {NameGroup(*group): tuple(names.split()) for *group, names in data_rows("names.tsv")}


@cache
def _groups() -> Mapping[str, NameGroup]:
    """The group of each listed name."""
    return {name.strip("*").lower(): g for g, names in _members().items() for name in names}


@cache
def _culture_ends() -> list[tuple[tuple[str, ...], NameGroup]]:
    """Endings that tell the culture; `_endings` has those for kind and gender only."""
    rows = data_rows("cultures.tsv")
    return [(tuple(ends.split()), NameGroup(*group)) for *group, ends in rows]


@cache
def _endings() -> Mapping[str, NameGroup]:
    """The group of most names with an ending."""
    rows = data_rows("endings.tsv")
    return {
        end: NameGroup(kind, gender, "anglo") for kind, gender, ends in rows for end in ends.split()
    }
