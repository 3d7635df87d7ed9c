"""Write the letters that look like Latin ones, `spacy_deid/text/confusables.tsv`.

Reads `confusables.txt` of Unicode Technical Standard #39 (unicode.org/Public/security), which maps
each character to its prototype, and keeps the letters of other scripts, and of phonetic alphabets,
whose prototype is one of the letters A to Z.

    python scripts/confusables.py confusables.txt spacy_deid/text/confusables.tsv
"""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Annotated

import typer

HEADER = """\
# Letters that look like one of A to Z: the letter, and what it looks like.
# From confusables.txt of Unicode Technical Standard #39, made by scripts/confusables.py.
"""
_FIRST = 0x250  # before it are the letters of languages that are written in Latin letters


def look_alikes(lines: list[str]) -> dict[str, str]:
    """The letters and what they look like, from the lines of `confusables.txt`."""
    pairs = {}
    for line in lines:
        fields = line.partition("#")[0].split(";")
        if len(fields) < 3:
            continue
        source, target = ("".join(chr(int(code, 16)) for code in f.split()) for f in fields[:2])
        if _is_letter(source) and len(target) == 1 and target.isascii() and target.isalpha():
            # The prototype of a capital I is a small L.
            pairs[source] = "I" if target == "l" and source.isupper() else target
    return pairs


def _is_letter(text: str) -> bool:
    return (
        len(text) == 1
        and ord(text) >= _FIRST
        and text.isalpha()
        and unicodedata.normalize("NFKC", text) == text
    )


def main(
    source: Annotated[Path, typer.Argument(help="Unicode's confusables.txt.")],
    target: Annotated[Path, typer.Argument(help="The file to write.")],
) -> None:
    """Write the letters of other scripts that look like Latin ones."""
    pairs = look_alikes(source.read_text("utf-8-sig").splitlines())
    rows = (f"{letter}\t{pairs[letter]}\n" for letter in sorted(pairs))
    target.write_text(HEADER + "".join(rows), "utf8")


if __name__ == "__main__":
    typer.run(main)
