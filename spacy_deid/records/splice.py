"""JSON with some values replaced; all other characters stay, blanks and numbers too."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

_DECODER = json.JSONDecoder(strict=False)
_BLANK = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True)
class Node:
    """A value and its position.

    start (int): Its first character.
    end (int): One past its last.
    value (Any): Pairs of name and node for an object, nodes for an array, or what JSON says.
    """

    start: int
    end: int
    value: Any

    def members(self) -> list[tuple[str, Node]]:
        """The names and values of an object, doubles too; none if it is something else."""
        return self.value if isinstance(self.value, Members) else []

    def items(self) -> list[Node]:
        """The values of an array; none if it is something else."""
        return self.value if isinstance(self.value, Items) else []

    def get(self, name: str) -> Any:
        """The plain value of a member, as JSON readers see it: the last of its name."""
        found = [node.value for key, node in self.members() if key == name]
        return found[-1] if found else None


class Members(list[tuple[str, Node]]):
    """The members of an object."""


class Items(list[Node]):
    """The values of an array."""


class Edit(NamedTuple):
    """A part of JSON to replace.

    start (int): Its first character.
    end (int): One past its last.
    new (str): The JSON in its place.
    """

    start: int
    end: int
    new: str


def parse(text: str, *, depth: int = 1000) -> Node:
    """Read a JSON text; values nested more than `depth` levels deep are read without positions.

    RAISES (ValueError): If the text is not JSON, or nested too deeply.
    """
    try:
        node = _parse(text, _skip(text, 0), depth)
    except RecursionError:
        raise ValueError("nested too deeply to be read") from None
    except (ValueError, IndexError):
        raise ValueError("not valid JSON") from None
    if _skip(text, node.end) != len(text):
        raise ValueError("not valid JSON")
    return node


def splice(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits applied, which must not overlap."""
    pieces: list[str] = []
    done = 0
    for start, end, new in sorted(edits):
        pieces += (text[done:start], new)
        done = end
    return "".join([*pieces, text[done:]])


def _parse(text: str, at: int, depth: int) -> Node:
    if depth and text[at] == "{":
        members = Members()
        end = _each(text, at, "}", lambda place: _member(text, place, depth, members))
        return Node(at, end, members)
    if depth and text[at] == "[":
        items = Items()
        end = _each(text, at, "]", lambda place: _item(text, place, depth, items))
        return Node(at, end, items)
    value, end = _DECODER.raw_decode(text, at)
    return Node(at, end, value)


def _each(text: str, at: int, close: str, read: Callable[[int], int]) -> int:
    """Read what is between two brackets, separated by commas; returns where it ends."""
    at = _skip(text, at + 1)
    if text[at] == close:
        return at + 1
    while True:
        at = _skip(text, read(at))
        if text[at] == close:
            return at + 1
        if text[at] != ",":
            raise ValueError
        at = _skip(text, at + 1)


def _member(text: str, at: int, depth: int, members: Members) -> int:
    name, at = _DECODER.raw_decode(text, at)
    at = _skip(text, at)
    if not isinstance(name, str) or text[at] != ":":
        raise ValueError
    node = _parse(text, _skip(text, at + 1), depth - 1)
    members.append((name, node))
    return node.end


def _item(text: str, at: int, depth: int, items: Items) -> int:
    node = _parse(text, at, depth - 1)
    items.append(node)
    return node.end


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
