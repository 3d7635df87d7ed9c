"""The data files for surrogates; `data/SOURCES.md` lists their sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from ...tsv import read_rows

_DATA = Path(__file__).with_name("data")


def data_rows(name: str) -> Iterator[list[str]]:
    """The fields of each row of a data file."""
    return read_rows(_DATA / name)


@cache
def read_list(name: str) -> tuple[str, ...]:
    """The lines of a data file."""
    return tuple(row[0] for row in data_rows(name))


@cache
def read_words(name: str, separator: str | None = None) -> Mapping[str, tuple[str, ...]]:
    """The words of each kind, from a data file of kinds and words."""
    return {kind: tuple(words.split(separator)) for kind, words in data_rows(name)}


@cache
def word_set(name: str, *kinds: str) -> frozenset[str]:
    """The words of some kinds, from a data file of kinds and words."""
    return frozenset(word for kind in kinds for word in read_words(name)[kind])
