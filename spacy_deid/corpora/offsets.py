"""Offsets of tools that count other units than characters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate


def unit_offsets(text: str, *, utf16: bool = False, crlf_as_one: bool = False) -> list[int]:
    """The offset of each character of a text, and that of its end, as a tool counts them.

    utf16 (bool): Whether characters beyond 16 bits count two, as in Java and JavaScript.
    crlf_as_one (bool): Whether CR and LF count one, as on a web page.
    """
    widths = (
        0 if crlf_as_one and char == "\r" and after == "\n" else 1 + (utf16 and char > "\uffff")
        for char, after in zip(text, f"{text[1:]} ", strict=True)
    )
    return list(accumulate(widths, initial=0)) if text else [0]


def places(offsets: Sequence[int]) -> dict[int, int]:
    """The first character at each offset; the inverse of `unit_offsets`."""
    return {offset: place for place, offset in reversed(list(enumerate(offsets)))}
