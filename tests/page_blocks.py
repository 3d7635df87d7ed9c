"""The blocks of code on the pages: the README's and those of docs/.

Comments before a block:

- `<!-- file NAME -->`: it is a file that later blocks read.
- `<!-- needs PACKAGE -->`: it runs only if that package is installed.
- `<!-- run by TEST -->`: that test runs it, as it needs more than a folder.

An `output` block is what the last line of the block before it prints, or the whole Python block.
Only the standard library is imported, as .ci/first_hour starts from an empty environment.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
_BLOCK = re.compile(r"(?:<!-- (file|needs|run by) (\S+) -->\n)?^```(\S*)\n(.*?)^```$", re.M | re.S)


class Block(NamedTuple):
    """A block of code; `output` is what it prints, if the page says so."""

    rule: str
    value: str
    language: str
    code: str
    output: str | None

    @property
    def lines(self) -> list[str]:
        """Its lines, continued ones joined."""
        return self.code.replace("\\\n", " ").splitlines()

    def write(self, folder: Path) -> None:
        """Write the file that the block is."""
        path = folder / self.value
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.code, "utf-8")


def blocks_of(page: str) -> list[Block]:
    """The blocks in the text of a page."""
    found = _BLOCK.findall(page)
    pairs = pairwise([*found, ("", "", "", "")])
    return [Block(*block, after[3] if after[2] == "output" else None) for block, after in pairs]
