"""The values of a JSON text and their positions, to replace some and keep all other characters."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

_DECODER = json.JSONDecoder(strict=False)
_BLANK = re.compile(r"[ \t\r\n]*")


class Node(NamedTuple):
    """A value and its position."""

    start: int  # its first character
    end: int  # one past its last
    value: Any  # what JSON says, or the parts of an object or an array
    members: Sequence[tuple[str, Node]] = ()  # of an object: names and values, duplicates included
    items: Sequence[Node] = ()  # of an array: its values

    def get(self, name: str) -> Any:
        """The plain value of a member, as JSON readers see it: the last of its name."""
        found = self.named(name)
        return found[-1].value if found else None

    def named(self, name: str) -> list[Node]:
        """The members of this name; valid JSON has at most one."""
        return [node for key, node in self.members if key == name]


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


def _parse(text: str, start: int, depth: int) -> Node:
    if not depth or text[start] not in "{[":
        value, end = _DECODER.raw_decode(text, start)
        return Node(start, end, value)
    is_object = text[start] == "{"
    members: list[tuple[str, Node]] = []
    at = _skip(text, start + 1)
    while text[at] != ("}" if is_object else "]"):
        if members:
            at = _after(text, at, ",")
        name = ""
        if is_object:
            name, at = _DECODER.raw_decode(text, at)
            if not isinstance(name, str):
                raise ValueError
            at = _after(text, _skip(text, at), ":")
        members.append((name, _parse(text, at, depth - 1)))
        at = _skip(text, members[-1][1].end)
    if is_object:
        return Node(start, at + 1, members, members=members)
    items = [node for _, node in members]
    return Node(start, at + 1, items, items=items)


def _after(text: str, at: int, sign: str) -> int:
    """Where the next value begins, behind a comma or colon."""
    if text[at] != sign:
        raise ValueError
    return _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
