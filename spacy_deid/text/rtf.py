"""Rich Text Format (RTF), in which some record systems keep and export notes.

Control words stand between the words of a note ("\\b P. Kaur\\b0\\par"). For the search, those that
stand for characters or white space become these; the others, braces and the table of fonts are
dropped. Escaped bytes are read as Windows-1252, whatever code page the note declares.
"""

from __future__ import annotations

import re

_HEAD = re.compile(r"[\s\ufeff]{0,20}\{\\rtf[0-9]?")
_PARAGRAPH = re.compile(r"\\par(?![a-z])")
_FEWEST_PARAGRAPHS = 5
"""Paragraph marks from which on a text without a head is a part of a document."""
CONTROL = re.compile(
    # Fonts only: a table whose end is missing must not swallow the note.
    r"\{\\fonttbl\s{0,4}(?:(?:\{\\f[a-z]{0,20}[0-9]{0,5}(?:\{[^{}]{0,200}\}|[^{};]){0,200};?\}"
    r"|\\f[0-9]{1,5}[^{};]{0,100};)\s{0,4}){0,500}\}"
    r"|\\'(?P<byte>[0-9a-fA-F]{2})"
    r"|\\u(?P<code>-?[0-9]{1,5})(?: ?\?| ?\\'[0-9a-fA-F]{2}| )?"
    r"|\\(?:yr|mo|dy)(?=[0-9])"
    r"|\\(?P<word>[a-z]{1,32})(?:-?[0-9]{1,10})?(?: |\r?\n)?"
    r"|\\(?P<sign>[^A-Za-z0-9])"
    r"|\}\}|[{}]"
)
"""A control word or sign with the space that ends it, an escaped character, a brace, or the fonts.

A date ("\\yr2018\\mo8\\dy14") keeps its numbers. Two braces close title, author and dates.
"""

_WORDS = {
    **dict.fromkeys("par line row nestrow sect page column header footer footnote".split(), "\n"),
    **dict.fromkeys("title subject author operator company creatim revtim generator".split(), "\n"),
    **dict.fromkeys(("tab", "cell", "nestcell"), "\t"),
    **dict.fromkeys(("emspace", "enspace", "qmspace"), " "),
    **dict.fromkeys(("lquote", "rquote"), "'"),
    **dict.fromkeys(("ldblquote", "rdblquote"), '"'),
    "endash": "\u2013",
    "emdash": "\u2014",
    "bullet": "\u2022",
    **dict.fromkeys(("mo", "dy"), "-"),
}
_SIGNS = {"~": " ", "_": "-", "{": "{", "}": "}", "\\": "\\", "\n": "\n"}
_SURROGATES = range(0xD800, 0xE000)
"""Halves of characters that UTF-16 writes in two, as emoji."""


def is_rtf(text: str) -> bool:
    """Whether a text is Rich Text Format, or a part of it."""
    return bool(_HEAD.match(text)) or len(_PARAGRAPH.findall(text)) >= _FEWEST_PARAGRAPHS


def read_control(text: str) -> str:
    """The characters that a match of `CONTROL` stands for, if any."""
    match = CONTROL.match(text)
    if not match or text[0] in "{}":
        return "\n" * (text == "}}")
    if match["byte"]:
        return bytes.fromhex(match["byte"]).decode("cp1252", "replace")
    if match["code"]:
        code = int(match["code"]) % 0x10000  # negative from 0x8000 on
        return "" if code in _SURROGATES else chr(code)
    return _SIGNS.get(match["sign"], "") if match["sign"] else _WORDS.get(match["word"], "")
