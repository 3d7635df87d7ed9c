"""CONTRIBUTING says where things go; the files and names in its table are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SUFFIXES = "py|js|cfg|tsv|yml|yaml|md|jsonl|jinja|txt"
ROWS = [
    line
    for line in (ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()
    if re.match(r"\| (?!to add)", line)
]


def places(row: str) -> Iterator[tuple[str, list[Path]]]:
    """The paths that a row names, each with what is there; one without a folder is in the last."""
    folder = ROOT
    for name in re.findall(rf"`([\w./<>-]*(?:/|\.(?:{SUFFIXES})))`", row):
        pattern = re.sub(r"<\w+>", "*", name).rstrip("/")
        here = folder if "/" not in pattern and list(folder.glob(pattern)) else ROOT
        found = list(here.glob(pattern))
        if found:
            folder = found[0] if found[0].is_dir() else found[0].parent
        yield name, found


def test_every_place_of_the_table_is_there():
    assert len(ROWS) > 15
    assert [name for row in ROWS for name, found in places(row) if not found] == []


def test_every_name_of_the_table_is_in_one_of_its_files():
    missing = []
    for row in ROWS:
        files = [
            path
            for _, found in places(row)
            for place in found
            for path in ([place] if place.is_file() else place.rglob("*.py"))
            if path.suffix == ".py"
        ]
        code = "\n".join(path.read_text("utf-8") for path in files)
        names = re.findall(r"`@?([A-Za-z_]{4,})(?:\(\))?`", row)
        missing += [name for name in names if code and name not in code]
    assert missing == []
