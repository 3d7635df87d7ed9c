"""The templates of one set: whole notes and grammar entries, parsed and checked.

A file of notes or blocks holds one writer's batch, each under a header with its id, its kind, and
the patients it fits. A grammar file holds one entry per line; an entry that does not fit all
patients is preceded by a header.

    %% lg14 | kind: abid | ages: 16-110 | sex: f
    %% ages: 18-110 | sex: any %% Retired {job}.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from .template import Choice, Entry, Nodes, TemplateError, parse_template
from .values import SETS, unescape

_COMMON = "common"
_NOTE_FOLDERS = ("notes", "blocks")
_HEADER_LINE = re.compile(r"^%%(.*)$\n?", re.MULTILINE)
_FITS = r"ages: (?P<least>\d+)-(?P<greatest>\d+) \| sex: (?P<sex>any|f|m)"
_NOTE_HEADER = re.compile(rf"(?P<id>\w+) \| kind: (?P<kind>\w+) \| {_FITS}")
_ENTRY_HEADER = re.compile(_FITS)
_ANYONE = "ages: 0-110 | sex: any"


class Source(NamedTuple):
    """A template in a file, with its first line, the first line of its text, and its header."""

    path: Path
    line: int
    text_line: int
    header: re.Match[str] | None
    name: str
    text: str


@dataclass(frozen=True)
class Template:
    """A whole note or one grammar entry."""

    name: str  # kind and id of a note ("abid_lg14"), file and line of an entry ("train/social:12")
    nodes: Nodes
    sex: str  # sex of the patients it fits: "f", "m" or "any"
    ages: tuple[int, int]  # minimum and maximum age of the patients it fits

    def fits(self, sex: str, age: int) -> bool:
        """Whether it fits a patient."""
        return self.sex in ("any", sex) and self.ages[0] <= age <= self.ages[1]


class Library(NamedTuple):
    """The templates of one set: whole notes, blocks and grammar entries by file name.

    Blocks are parts of charts with hardly any PHI; like notes, they are sorted by name.
    """

    notes: tuple[Template, ...]
    blocks: tuple[Template, ...]
    grammar: Mapping[str, tuple[Template, ...]]


@lru_cache(maxsize=8)
def load_library(assets: Path, set_name: str) -> Library:
    """Read the notes and the grammar of one set, and the common grammar.

    RAISES (FileNotFoundError): If the set has neither notes nor grammar.
    RAISES (TemplateError): If a template is wrong.
    """
    notes, blocks = (
        tuple(sorted(map(_parse, _notes(assets / kind / set_name)), key=attrgetter("name")))
        for kind in _NOTE_FOLDERS
    )
    own_entries = list(_entries(assets, set_name))
    if not notes and not own_entries:
        raise FileNotFoundError(
            f"no templates for the set '{set_name}' in {assets}: "
            f"it needs notes/{set_name}/*.txt or grammar/{set_name}/*.txt"
        )
    grammar: dict[str, tuple[Template, ...]] = {}
    for source in (*_entries(assets, _COMMON), *own_entries):
        name = source.path.stem
        grammar[name] = (*grammar.get(name, ()), _parse(source))
    return Library(notes, blocks, grammar)


def check_assets(assets: Path) -> list[str]:
    """The errors in the templates of all sets, one line each with file and line number."""
    problems: list[str] = []
    common = {source.path.stem for source in _entries(assets, _COMMON)}
    for folder in (*SETS, _COMMON):
        entries = list(_entries(assets, folder))
        known = common.union(source.path.stem for source in entries)
        notes = (source for kind in _NOTE_FOLDERS for source in _notes(assets / kind / folder))
        for source in (*notes, *entries):
            try:
                nodes = _parse(source).nodes
            except TemplateError as error:
                problems.append(str(error))
                continue
            problems += (
                f"{source.path}:{source.line}: the grammar has no file '{name}.txt', "
                f"which '{{@{name}}}' names"
                for name in sorted(_entry_names(nodes) - known)
            )
    return problems


def _entry_names(nodes: Nodes) -> set[str]:
    """Names of the grammar files that a template refers to."""
    names = {node.name for node in nodes if isinstance(node, Entry)}
    choices = [node for node in nodes if isinstance(node, Choice)]
    return names.union(*(_entry_names(option) for node in choices for option in node.options))


def _notes(folder: Path) -> Iterator[Source]:
    """Notes or blocks in a folder; text before the first header of a file has no header."""
    for path in sorted(folder.glob("*.txt")):
        before, *parts = _HEADER_LINE.split(path.read_text(encoding="utf8"))
        if before.strip():
            yield Source(path, 1, 1, None, "", before)
        line = 1 + before.count("\n")
        for header_text, text in zip(parts[::2], parts[1::2], strict=True):
            header = _NOTE_HEADER.fullmatch(header_text.strip())
            name = f"{header['kind']}_{header['id']}" if header else ""
            yield Source(path, line, line + 1, header, name, text.rstrip())
            line += 1 + text.count("\n")


def _entries(assets: Path, folder: str) -> Iterator[Source]:
    """Entries of the grammar, one per line."""
    for path in sorted((assets / "grammar" / folder).glob("*.txt")):
        for line, text in enumerate(path.read_text(encoding="utf8").split("\n"), 1):
            if text.strip() and not text.startswith("#"):
                header = _ANYONE
                if text.startswith("%%"):
                    header, _, text = text[2:].partition("%% ")
                fits = _ENTRY_HEADER.fullmatch(header.strip())
                name = f"{folder}/{path.stem}:{line}"
                yield Source(path, line, line, fits, name, unescape(text))


def _parse(source: Source) -> Template:
    header = source.header
    if not header or not source.text or int(header["least"]) > int(header["greatest"]):
        raise TemplateError(
            f"{source.path}:{source.line}: wrong header, or no text after it; headers look like "
            "'%% lg14 | kind: abid | ages: 16-110 | sex: f' above a note and "
            "'%% ages: 16-110 | sex: f %%' before a grammar entry (sex: f, m or any)"
        )
    nodes = parse_template(source.text, str(source.path), source.text_line)
    return Template(
        source.name, nodes, header["sex"], (int(header["least"]), int(header["greatest"]))
    )
