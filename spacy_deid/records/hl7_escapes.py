r"""The delimiters of an HL7 message, and the escapes in its texts.

Escapes must not hide the text beside them. For the search each becomes one character that the text
does not otherwise hold, so that it can be written back: a delimiter becomes itself, `\.br\` a line
break, formatting a blank of its own kind. Hexadecimal letters are written back as letters, and
highlighting inside a word or number is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from unicodedata import category

_SIGN = rb"[!-/:-@\[-`{-~]"
_HEADER = re.compile(rb"(?:MSH|FHS|BHS)(%b)((?:(?!\1)%b){4,5})(?:\1|\Z)" % (_SIGN, _SIGN))
_FORMATS = r"\.[A-Za-z]{2}[ ]?[+-]?[0-9]{0,4}|[CM][0-9A-Fa-f]{4,6}|Z[0-9]{0,8}|[HN]"
_UNSEEN = ("Cc", "Cn", "Zl", "Zp")  # categories of characters that cannot occur in a text
_BLANKS = "\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029"
"""White space that hardly any report contains, one for each kind of escape in a text."""
_BETWEEN = {"|": "\u2003", "^": "\u2004", "~": "\u2005"}
"""A blank for each delimiter that stands between parts, and nowhere else in a text."""
_WIDE = 0xFEE0  # from an ASCII sign to its full-width form


@dataclass(frozen=True)
class Delimiters:
    r"""The encoding characters of a message, "|^~\&" in most; `truncation` since HL7 2.7."""

    field: str
    component: str
    repetition: str
    escape: str
    subcomponent: str
    truncation: str = ""

    @classmethod
    def read(cls, header: bytes) -> Delimiters:
        """Read them from a header: MSH, FHS or BHS.

        RAISES (ValueError): If it does not name four or five different signs.
        """
        found = _HEADER.match(header)
        signs = (found[1] + found[2]).decode("ascii") if found else ""
        if not signs or len(set(signs)) < len(signs):
            raise ValueError("its header segment names no valid set of delimiters")
        return cls(*signs)


class Escapes:
    """The escapes of one text, each with the character that it becomes.

    error (str): Why they cannot be replaced; empty if they can.
    """

    def __init__(self, signs: Delimiters, lines: Sequence[str]) -> None:
        self.error = ""
        self._frame = signs.escape
        self._codes = {
            sign: self._framed(code)
            for code, sign in zip("FSRETP", vars(signs).values(), strict=True)
            if sign
        }
        self._pattern = _pattern(signs)
        units = [unit for line in lines for unit in self._units(line)]
        raw = frozenset("".join(text for text, is_escape in units if not is_escape))
        self._taken = set(raw)
        self._marks: dict[str, str] = {}
        self._choose(self._framed(".br"), "\r")
        self._choose(signs.repetition, "\x0b")
        for sign, escape in self._codes.items():
            self._choose(escape, _BETWEEN.get(sign, sign), sign, chr(ord(sign) + _WIDE))
        for text in dict.fromkeys(text for text, is_escape in units if is_escape):
            self._choose(text)
        self._escapes = {sign: escape for sign, escape in self._codes.items() if sign not in raw}
        self._escapes |= {mark: escape for escape, mark in self._marks.items()}
        self._marked = re.compile("|".join(map(re.escape, self._escapes)))
        marks = (self._marks.get(self._framed(code), "") for code in "HN")
        self._highlight = _within_words("".join(marks))

    def decode(self, line: str) -> str:
        """A line for the search."""
        line = "".join(
            self._marks.get(text, " ") if is_escape else text
            for text, is_escape in self._units(line)
        )
        return self._highlight.sub("", line) if self._highlight else line

    def encode(self, line: str) -> str:
        """A redacted line for the message."""
        return self._marked.sub(lambda found: self._escapes[found[0]], line)

    def _units(self, line: str) -> Iterator[tuple[str, bool]]:
        """The pieces of a line, and whether each is an escape."""
        done = 0
        for found in self._pattern.finditer(line):
            yield line[done : found.start()], False
            yield from self._letters(found["hex"]) if found["hex"] else [(found[0], True)]
            done = found.end()
        yield line[done:], False

    def _letters(self, code: str) -> Iterator[tuple[str, bool]]:
        """Hexadecimal letters; delimiters and control characters stay escapes."""
        data = bytes.fromhex(re.sub("[^0-9A-Fa-f]", "", code))
        text, encoding = _decode(data)
        for char in text:
            if char in self._codes:
                yield self._codes[char], True
            elif category(char) in _UNSEEN:
                yield self._framed(f"X{char.encode(encoding).hex().upper()}"), True
            else:
                yield char, False

    def _framed(self, code: str) -> str:
        return f"{self._frame}{code}{self._frame}"

    def _choose(self, escape: str, *wanted: str) -> None:
        if escape in self._marks:
            return
        mark = next((mark for mark in (*wanted, *_BLANKS) if mark not in self._taken), "")
        if not mark:
            self.error = "it has too many kinds of escapes"
            return
        self._marks[escape] = mark
        self._taken.add(mark)


def _pattern(signs: Delimiters) -> re.Pattern[str]:
    """Finds the escapes of a message, and its signs between repetitions."""
    at, codes = re.escape(signs.escape), "FSTRE" + ("P" if signs.truncation else "")
    return re.compile(
        rf"{re.escape(signs.repetition)}|{at}(?:[{codes}]|{_FORMATS}){at}"
        rf"|(?P<hex>(?:{at}[Xx](?:[0-9A-Fa-f]{{2}})+{at})+)"
    )


def _decode(data: bytes) -> tuple[str, str]:
    """Bytes as text, and their encoding."""
    for encoding in ("utf-8", "cp1252"):
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1"), "latin-1"


def _within_words(marks: str) -> re.Pattern[str] | None:
    """Finds these marks inside a word or number; None if there are no marks."""
    if not marks:
        return None
    return re.compile(
        rf"(?<=[^\W\d_])[{marks}]{{1,4}}(?=[a-zß-öø-ÿ])"
        rf"|(?:(?<=[\d_])|(?<=[^\w\s]))[{marks}]{{1,4}}(?=[\d_]|[^\w\s])"
    )
