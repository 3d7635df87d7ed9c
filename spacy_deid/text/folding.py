"""Folding of text into a plain form: each character becomes the simplest one that looks like it.

Text from word processors, web pages and scanners, or deliberately obfuscated text, may contain
full-width digits, non-breaking spaces, invisible characters, letters of other scripts that look
Latin, escapes of HTML, JSON and mail, UTF-8 read in another encoding and misread characters.
Folding undoes this and maps each folded character back to the original text.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from string import ascii_uppercase
from typing import NamedTuple

import numpy as np

from ..tsv import read_rows
from .dashes import hyphenate
from .english import MONTH_WORDS
from .layout import STRAY
from .rtf import CONTROL, is_rtf, read_control
from .scans import repair_scan

_QUOTES = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
}
QUOTES = str.maketrans(_QUOTES)
"""Typographic quotes and apostrophes, for `str.translate`."""

_SIGNS = {
    **_QUOTES,
    **dict.fromkeys("\u2010\u2011\u2012\ufe58\ufe63", "-"),
    "\u2800": " ",  # a Braille cell without dots
    **{chr(0xE0000 + code): chr(code) for code in range(0x20, 0x7F)},  # invisible tags
    **{  # letters in black circles and squares
        chr(first + number): letter
        for first in (0x1F150, 0x1F170)
        for number, letter in enumerate(ascii_uppercase)
    },
}
"""Characters that cannot be folded by their Unicode category."""

_UNSEEN = "\0"
"""Placeholder for invisible characters until they are removed."""

_UNSEEN_MARKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0") | frozenset(
    map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
"""Fillers and variation selectors, which Unicode classifies as letters and marks."""

_LAYOUT = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85")
_FORMS = ("<wide>", "<narrow>", "<font>", "<compat>")
"""Decompositions of compatibility characters and mathematical letters."""

_FRAMES = ("<circle>", "<square>")
"""Decompositions of letters in circles and squares; numbers in them are those of lists."""

_ACCENTS = "\u0300-\u036f"
_JOINED_LETTERS = "\u0132\u0133\u01c4-\u01cc\u01f1-\u01f3\u2116\u2160-\u217f\ufb00-\ufb06"
_ENTITY = (
    r"&(?:amp;){0,3}(?:[A-Za-z]{2,8}|#[0-9]{2,5}|#[xX][0-9A-Fa-f]{2,4});"
    r"|\\u(?![Dd][89A-Fa-f])[0-9A-Fa-f]{4}"
)
"""An escaped character of HTML or JSON."""
_BARE_CR = re.compile(r"\r(?!\n)")
_RESIZED = re.compile(
    rf"\r\n|{_ENTITY}|{_UNSEEN}+|[^\W_][{_UNSEEN}{_ACCENTS}]+|[{_JOINED_LETTERS}]",
)
"""Sequences whose length changes."""

_CHARACTER = re.compile(rf"{_ENTITY}|.[{_ACCENTS}]*", re.DOTALL)
"""A character, however it is written."""

_IN_ASCII = re.compile(rf"[\0-\x08\x0e-\x1b\x7f\r]|{_ENTITY}")
"""Sequences that folding changes in ASCII text."""

# The characters that Windows-1252 has for the bytes that continue a character in UTF-8.
_BYTES = {chr(byte): byte for byte in range(0x80, 0xC0)} | {
    bytes([byte]).decode("cp1252"): byte
    for byte in range(0x80, 0xC0)
    if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}
_MORE = f"[{re.escape(''.join(_BYTES))}]"
_MOJIBAKE = re.compile(f"[\u00c2-\u00c5]{_MORE}|\u00e2{_MORE}{{2}}")
"""Letters and punctuation of UTF-8 that were read as Windows-1252 or Latin-1."""
_MOST_READINGS = 2  # without a bound, a note could be made that takes as many as it has characters


def _utf8(sign: str) -> str:
    """A pattern of a character in UTF-8 of which each byte is written with a sign in front."""
    more = f"{sign}[89AB][0-9A-F]"
    return f"{sign}(?:[CD][0-9A-F]{more}|E[0-9A-F]{more}{more})"


_QUOTED = re.compile(rf"{_utf8('=')}|=(?:[0-9A-F]{{2}}|\r?\n)")
"""Quoted-printable characters of mail, in UTF-8 or Windows-1252, and soft line breaks."""
_QUOTED_LETTER = re.compile(
    rf"{_utf8('=')}|=(?<=[A-Za-z]=)(?:[C-F][0-9A-F]|\r?\n)(?=[a-z])"
    r"|=(?<=[0-9/.-]=)\r?\n(?=[0-9])"
    r"|=20(?:(?<=[a-z\u00df-\u00ff.,:]=20)|(?<=[A-Z]{3}=20)|(?<==20[A-Z]=20)|(?<==[89AB][0-9A-F]=20))"
    r"(?=[A-Z](?:[a-z.]|[A-Z]{2}|=20))"
    rf"(?![A-Za-z]+[-/._]?[0-9]|(?i:{'|'.join(MONTH_WORDS)})(?![A-Za-z]|=20))"
)
"""Quoted-printable letters, and soft line breaks and blanks between letters.

Numbers are no blanks ("HR=20"), nor are those of dates and ids ("DOB=20Mar1956", "MRN=20ABC-4711").
"""
_SURELY_QUOTED = re.compile(r"=(?:3D|[C-F][0-9A-F])|[^=\s]=\r?\n")

_JSON = re.compile(r'\\[nrt"/\\]')
"""Escapes of JSON for layout and signs."""
_JSON_HEAD = re.compile(
    r'\ufeff?\s{0,9}(?:[\[{]\s{0,99}){0,3}"[^"\\]*(?:\\.[^"\\]*)*"\s{0,9}(?:[,:\]}]|\Z)'
)
"""The first string of a JSON document, and what follows it."""
_JSON_SIGNS = {"n": "\n", "r": "\r", "t": "\t"}

_PERCENT = re.compile("%[0-9A-Fa-f]{2}")
"""A percent-encoded byte of a web address."""
_PERCENT_LETTER = re.compile(rf"(?i:{_utf8('%')})|%27(?<=[A-Za-z]%27)(?=[A-Z])")
"""A percent-encoded letter, or an apostrophe within a name."""
_PERCENT_SIGN = re.compile("%(?:2[1-9A-Fa-f]|3[ADad]|40)")
"""A percent-encoded sign, as in a part of a web address: one alone may be a percentage."""
_PERCENT_BLANK = re.compile("%20(?<=[A-Za-z\u00c0-\u024f.,]%20)(?=[A-Z\u00c0-\u00de])")
"""A percent-encoded blank before a capital: others may be percentages."""
_ENDS = r'\s"<>|,;'
"""What ends a field of JSON, HTML or CSV."""
_ADDRESS_OR_BLANK = re.compile(
    r'(?:https?|ftp)://[^\s"<>]*'
    rf"|(?<![^{_ENDS}])(?![0-9]+/)[^{_ENDS}/%]*/[^{_ENDS}]*|{_PERCENT_BLANK.pattern}"
)
"""A web address (no date), which with blanks would be cut in pieces, or such a blank."""

_FEWEST_ESCAPES = 5
"""Escapes of one kind from which on a text is taken to be written with them."""

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")


class Folded(NamedTuple):
    """A text in its plain form.

    text (str): The plain form.
    starts (np.ndarray): Start of each character in the original. *Shape:* `(n,)`
    ends (np.ndarray): End of each character in the original, exclusive. *Shape:* `(n,)`
    """

    text: str
    starts: np.ndarray
    ends: np.ndarray

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Map a non-empty range of the plain form to the original."""
        return int(self.starts[start]), int(self.ends[end - 1])


class _Folds(dict[int, str]):
    """A table for `str.translate` that folds single characters, computed lazily."""

    def __missing__(self, code: int) -> str:
        self[code] = _fold_character(chr(code))
        return self[code]


def _fold_character(char: str) -> str:
    """Fold a character to exactly one character."""
    category = unicodedata.category(char)
    if category == "Cf" or char in _UNSEEN_MARKS or (category == "Cc" and char not in _LAYOUT):
        return _SIGNS.get(char, _UNSEEN)
    if category == "Zs":
        return " "
    if category == "Nd":
        return str(unicodedata.digit(char))
    decomposition = unicodedata.decomposition(char)
    if decomposition.startswith((*_FORMS, *_FRAMES)):
        form = unicodedata.normalize("NFKC", char)
        is_letter = form.isalpha() or decomposition.startswith(_FORMS)
        char = form if len(form) == 1 and form.isascii() and is_letter else char
    return _SIGNS.get(char, char)


_FOLDS = _Folds()
_LOOK_ALIKES = {
    ord(letter): latin for letter, latin in read_rows(Path(__file__).with_name("confusables.tsv"))
}
_LOOK_ALIKE = re.compile(f"[{''.join(map(chr, _LOOK_ALIKES))}]")


def fold(text: str) -> Folded | None:
    """Fold a text into its plain form.

    Digits, spaces, quotes and hyphens of all kinds become ASCII; full-width letters, mathematical
    letters and ligatures become plain letters; accents are composed; invisible characters are
    removed; CR and CR LF become LF; escapes of HTML, JSON, RTF, web addresses and quoted-printable
    mail become their characters, and so does UTF-8 that was read as Windows-1252, even twice. In
    words with Latin letters, look-alikes from other scripts become Latin (the confusables of
    Unicode Technical Standard #39). What breaks up words and numbers in forms, mail and HTML is
    removed (`layout`). Dashes in dates and numbers become hyphens (`hyphenate`). In scans, misread
    characters are corrected (`repair_scan`).

    text (str): The text.
    RETURNS (Folded | None): The plain form; None if the text does not change.
    """
    new, places = _fold_characters(text)
    for find in STRAY:
        if ranges := find(new):
            new, places = _drop(new, places, ranges)
    new = repair_scan(hyphenate(new))
    if new == text:
        return None
    starts, ends = places or (np.arange(len(text)), np.arange(1, len(text) + 1))
    return Folded(new, starts, ends)


def plain(text: str) -> str:
    """The plain form of the characters of a text that is no whole note.

    This is `fold` without what `layout`, `dashes` and `scans` do.
    """
    return _fold_characters(text)[0]


def folded_characters(text: str) -> Iterator[tuple[str, str]]:
    """The characters of a text that no plain form has, each with its own plain form."""
    for match in _CHARACTER.finditer(text):
        char, folded = match.group(), plain(match.group())
        if char != folded:
            yield char, folded


def _fold_characters(text: str) -> tuple[str, list[np.ndarray] | None]:
    """Fold each character; also returns the original offsets if any moved."""
    new, places = text, None
    if _is_quoted(text):
        new, places = resize(new, places, _QUOTED, _unquoted)
    elif _QUOTED_LETTER.search(text):
        new, places = resize(new, places, _QUOTED_LETTER, _unquoted)
    if is_rtf(new):
        new, places = resize(new, places, CONTROL, read_control)
    elif _is_json(new):
        new, places = resize(new, places, _JSON, _from_json)
    if _PERCENT_LETTER.search(new):
        new, places = resize(new, places, _PERCENT_LETTER, _unquoted)
    if _is_mostly(new, "%20", " "):
        new, places = resize(new, places, _PERCENT, _unquoted)
    else:
        if _PERCENT_BLANK.search(new):
            new, places = resize(new, places, _ADDRESS_OR_BLANK, _with_blank)
        if len(_PERCENT_SIGN.findall(new)) > 1:
            new, places = resize(new, places, _PERCENT_SIGN, _unquoted)
    if new.isascii() and not _IN_ASCII.search(new):
        return new, places
    for _ in range(_MOST_READINGS):
        if _MOJIBAKE.search(new):
            new, places = resize(new, places, _MOJIBAKE, _decoded)
    new = _BARE_CR.sub("\n", new.translate(_FOLDS))
    if _RESIZED.search(new):
        new, places = resize(new, places, _RESIZED, _resized)
    if _LOOK_ALIKE.search(new):
        new = _WORD.sub(_without_look_alikes, new)
    return new, places


def _is_quoted(text: str) -> bool:
    """Whether a text is quoted-printable: nearly every "=" of it begins such a character."""
    signs = text.count("=")
    if signs < _FEWEST_ESCAPES or len(_SURELY_QUOTED.findall(text)) < _FEWEST_ESCAPES:
        return False
    escapes = sum(match.group().count("=") for match in _QUOTED.finditer(text))
    return escapes >= 0.8 * signs


def _is_json(text: str) -> bool:
    """Whether a text is a JSON document, or writes its line breaks as JSON does."""
    is_whole = _JSON_HEAD.match(text) and text.rstrip().endswith(('"', "}", "]"))
    return bool(is_whole) or _is_mostly(text, r"\n", "\n")


def _is_mostly(text: str, escape: str, char: str) -> bool:
    """Whether a text writes a character as an escape more often than not, and not by chance."""
    return text.count(escape) >= max(_FEWEST_ESCAPES, text.count(char) + 1)


def resize(
    text: str,
    places: list[np.ndarray] | None,
    pattern: re.Pattern[str],
    resized: Callable[[str], str],
) -> tuple[str, list[np.ndarray]]:
    """Replace the matches of a pattern; also returns the original offsets, given those before."""
    pieces: list[str] = []
    starts: list[np.ndarray] = []
    ends: list[np.ndarray] = []
    done = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        new = resized(match.group())
        pieces += (text[done:start], new)
        kept = np.arange(done, start)
        # Each character of a changed sequence maps to one before, the last to all the rest.
        at = np.minimum(np.arange(start, start + len(new)), end - 1)
        starts += (kept, at)
        ends += (kept, np.append(at[:-1], end - 1) if new else at)
        done = end
    rest = np.arange(done, len(text))
    pieces.append(text[done:])
    first, last = np.concatenate([*starts, rest]), np.concatenate([*ends, rest])
    if places:
        return "".join(pieces), [places[0][first], places[1][last]]
    return "".join(pieces), [first, last + 1]


def _drop(
    text: str, places: list[np.ndarray] | None, ranges: Iterable[tuple[int, int]]
) -> tuple[str, list[np.ndarray]]:
    """Drop ranges of a text; also returns the original offsets, given those before."""
    kept = np.ones(len(text), dtype=bool)
    for start, end in ranges:
        kept[start:end] = False
    at = np.flatnonzero(kept)
    starts, ends = places or (np.arange(len(text)), np.arange(1, len(text) + 1))
    return "".join(text[i] for i in at.tolist()), [starts[at], ends[at]]


def _resized(text: str) -> str:
    if text[0] == "\r":
        return "\n"
    if text[0] == "&":
        return _unescape(text)
    if text[0] == "\\":
        return chr(int(text[2:], 16)).translate(_FOLDS).replace(_UNSEEN, "")
    return unicodedata.normalize("NFKC" if len(text) == 1 else "NFC", text.replace(_UNSEEN, ""))


def _decoded(text: str) -> str:
    return bytes([ord(text[0]), *(_BYTES[char] for char in text[1:])]).decode("utf-8")


def _from_json(text: str) -> str:
    return _JSON_SIGNS.get(text[1], text[1])


def _with_blank(text: str) -> str:
    return " " if text == "%20" else text


def _unquoted(text: str) -> str:
    """The character of bytes that are written with "=" or "%" in front."""
    if text[-1] == "\n":
        return ""
    data = bytes.fromhex(text.replace(text[0], ""))
    return data.decode("utf-8" if len(data) > 1 else "cp1252", "replace")


def _unescape(entity: str) -> str:
    """The character of an HTML entity, even if escaped several times ("&amp;nbsp;")."""
    char = entity
    while (unescaped := html.unescape(char)) != char:
        char = unescaped
    return char.translate(_FOLDS).replace(_UNSEEN, "") if len(char) == 1 else entity


def _without_look_alikes(word: re.Match[str]) -> str:
    text = word.group()
    return text.translate(_LOOK_ALIKES) if _LATIN.search(text) else text
