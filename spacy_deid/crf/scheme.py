"""Tagging schemes: conversion between entities and one tag per item."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

SCHEMES: tuple[str, ...] = ("BIO", "BIOES")
"""B begins an entity, I is inside, E ends it, S is a whole entity of one item, O is outside."""

OUTSIDE = "O"


def encode_tags(entities: Iterable[tuple[int, str] | None], scheme: str) -> list[str]:
    """The tags of a sequence.

    entities (Iterable): For each item, its entity as a PHI type and a number that distinguishes it
        from neighbouring entities, or None.
    scheme (str): One of `SCHEMES`.
    RETURNS (list[str]): A tag for each item, such as "B-DATE" or "O".
    """
    tags: list[str] = []
    for entity, run in groupby(entities):
        length = sum(1 for _ in run)
        if entity is None:
            tags += [OUTSIDE] * length
        else:
            tags += [f"{prefix}-{entity[1]}" for prefix in _prefixes(length, scheme)]
    return tags


def decode_tags(tags: Iterable[str]) -> list[tuple[int, int, str]]:
    """The entities of tags in either scheme, as first item, one past the last, PHI type.

    Illegal sequences lose nothing: a tag that cannot continue the current entity begins another.
    """
    entities: list[tuple[int, int, str]] = []
    is_open = False
    for i, tag in enumerate(tags):
        prefix, _, label = tag.partition("-")
        if prefix == OUTSIDE:
            is_open = False
            continue
        if is_open and prefix in "IE" and entities[-1][2] == label:
            entities[-1] = (entities[-1][0], i + 1, label)
        else:
            entities.append((i, i + 1, label))
        is_open = prefix in "BI"
    return entities


def _prefixes(length: int, scheme: str) -> str:
    if scheme == "BIO":
        return "B" + "I" * (length - 1)
    return "S" if length == 1 else "B" + "I" * (length - 2) + "E"
