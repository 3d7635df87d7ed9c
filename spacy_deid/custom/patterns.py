"""Regular expressions of the user, matched in linear time by RE2 (the package google-re2)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ..errors import install
from ..text.folding import folded_characters

LONGEST = 200
"""Characters that a match may have at most."""

_CLASS = re.compile(r"\[([^\]]*)\]")
_RANGE = re.compile(r"(?<=.)-(?=.)")
_WINDOW = 1000  # RE2 is linear for one match, but may read to the end of the text for each


def check_pattern(pattern: str) -> None:
    """Check that a pattern can be matched in linear time, and in normalised text.

    RAISES (ValueError): If it cannot, matches nothing, or google-re2 is not installed.
    """
    try:
        empty = compile_pattern(pattern).search("") is not None
    except ImportError:
        raise ValueError(f"column pattern: it needs {install('terms')}") from None
    if empty:
        raise ValueError("column pattern: it matches the empty text, and so everywhere")
    if "|" in pattern:  # an alternative may have the plain character
        return
    classes = [_RANGE.sub("", each) for each in _CLASS.findall(pattern)]
    for char, plain in folded_characters(pattern):
        if any(char in each and plain in each for each in classes):
            continue
        name = char if char.isascii() else " ".join(f"U+{ord(part):04X}" for part in char)
        raise ValueError(
            f"column pattern: the normalised text that it is matched in has '{plain}' in place of "
            f"{name}"
        )


@lru_cache(maxsize=1024)
def compile_pattern(pattern: str) -> Any:
    """Compile a pattern.

    RAISES (ValueError): If RE2, which matches only in linear time, refuses it.
    """
    import re2

    quiet = re2.Options()
    quiet.log_errors = False
    try:
        return re2.compile(pattern, quiet)
    except re2.error as error:
        reason = error.args[0]
        reason = reason.decode() if isinstance(reason, bytes) else reason
        raise ValueError(
            f"column pattern: RE2 cannot match it in linear time ({reason}); there are no "
            "look-arounds and back-references"
        ) from None


def find_pattern(pattern: str, text: str) -> Iterator[tuple[int, int]]:
    """The matches of a pattern in a text: first character, end."""
    compiled = compile_pattern(pattern)
    for start in range(0, len(text), _WINDOW):
        begin = max(0, start - 1)  # for the \b before the first character
        for match in compiled.finditer(text[begin : start + _WINDOW + LONGEST], start - begin):
            first, end = match.start() + begin, match.end() + begin
            if start <= first < start + _WINDOW and first < end:
                yield first, end
