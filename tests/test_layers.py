"""Which parts of the package may import which: those in the lines above their own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "spacy_deid"
LAYERS = [
    "draws errors files ids lock tsv",
    "annotation pages tables text training xml",
    "corpora crf matcher merger tagger",
    "custom known synthesis",
    "records redaction",
    "engine http",
    "api arrow batch frames presidio",
    "evaluation spark",
    "prove",
    "adapt review serve",
    "cli",
]
LAYER = {name: number for number, line in enumerate(LAYERS) for name in line.split()}


def imports() -> Iterator[tuple[Path, str, str]]:
    """Every import: the file, the part of the package that it is in, and the part imported."""
    for path in PACKAGE.rglob("*.py"):
        folders = path.relative_to(PACKAGE).with_suffix("").parts
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                whole = (*folders[: len(folders) - node.level], *(node.module or "").split("."))
                first = next(filter(None, whole), "")
                for name in [first] if first else [alias.name for alias in node.names]:
                    yield path, folders[0], name


def test_imports_go_down():
    found = [(one, other) for _, one, other in imports() if other in LAYER and one in LAYER]
    assert len(found) > 500
    assert {
        (one, other) for one, other in found if one != other and LAYER[one] <= LAYER[other]
    } == set()


def test_every_part_has_its_layer():
    parts = {path.stem for path in PACKAGE.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert parts - {"__init__", "__pycache__"} == {*LAYER}
