"""The templates of one set: whole notes and grammar entries, parsed and checked.

A file of notes holds one writer's batch, each note under a header with its id, its kind, and the
patients it fits. A grammar file holds one entry per line; an entry that does not fit all patients
is preceded by a header.

    %% lg14 | kind: abid | ages: 16-110 | sex: f
    %% ages: 18-110 | sex: any %% Retired {job}.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from .template import Choice, Entry, Nodes, TemplateError, parse_template
from .values import SETS

_COMMON = "common"
_NOTES = re.compile(r"^%%(.*)$\n?", re.MULTILINE)
_FITS = r"ages: (?P<least>\d+)-(?P<greatest>\d+) \| sex: (?P<sex>any|f|m)"
_NOTE_HEADER = re.compile(rf"(?P<id>\w+) \| kind: (?P<kind>\w+) \| {_FITS}")
_ENTRY_HEADER = re.compile(_FITS)
_ANYONE = "ages: 0-110 | sex: any"


class Source(NamedTuple):
    """A template in a file: its first line number, header and text."""

    path: Path
    line: int
    header: str
    text: str


@dataclass(frozen=True)
class Template:
    """A whole note or one grammar entry.

    name (str): Kind and id of a note ("abid_lg14"), file and line of an entry ("train/social:12").
    nodes (Nodes): Its tree.
    sex (str): Sex of the patients it fits: "f", "m" or "any".
    ages (tuple[int, int]): Minimum and maximum age of the patients it fits.
    """

    name: str
    nodes: Nodes
    sex: str
    ages: tuple[int, int]

    def fits(self, sex: str, age: int) -> bool:
        """Whether it fits a patient."""
        return self.sex in ("any", sex) and self.ages[0] <= age <= self.ages[1]


@dataclass(frozen=True)
class Library:
    """The templates of one set.

    notes (tuple[Template, ...]): Whole notes, by name.
    grammar (Mapping[str, tuple[Template, ...]]): Entries by file name.
    entries (Mapping[str, tuple[Nodes, ...]]): Trees of the entries, for `{@name}`.
    """

    notes: tuple[Template, ...]
    grammar: Mapping[str, tuple[Template, ...]]
    entries: Mapping[str, tuple[Nodes, ...]]


@lru_cache(maxsize=8)
def load_library(assets: Path, set_name: str) -> Library:
    """Read the notes and the grammar of one set, and the common grammar.

    assets (Path): Folder with `notes` and `grammar`.
    set_name (str): One of `SETS`.
    RAISES (FileNotFoundError): If the set has neither notes nor grammar.
    RAISES (TemplateError): If a template is wrong.
    """
    notes = tuple(sorted(map(_parse_note, _notes(assets, set_name)), key=attrgetter("name")))
    if not notes and not any(_entries(assets, set_name)):
        raise FileNotFoundError(
            f"no templates for the set '{set_name}' in {assets}: "
            f"it needs notes/{set_name}/*.txt or grammar/{set_name}/*.txt"
        )
    grammar: dict[str, list[Template]] = {}
    for source in chain(_entries(assets, _COMMON), _entries(assets, set_name)):
        grammar.setdefault(source.path.stem, []).append(_parse_entry(source))
    frozen = {name: tuple(entries) for name, entries in grammar.items()}
    trees = {name: tuple(entry.nodes for entry in entries) for name, entries in frozen.items()}
    return Library(notes, frozen, trees)


def check_assets(assets: Path) -> list[str]:
    """The errors in the templates of all sets, one line each with file and line number.

    assets (Path): Folder with `notes` and `grammar`.
    """
    problems: list[str] = []
    common = {source.path.stem for source in _entries(assets, _COMMON)}
    for folder in (*SETS, _COMMON):
        own = {source.path.stem for source in _entries(assets, folder)}
        known = set() if folder == _COMMON else common | own
        notes = ((_parse_note, source) for source in _notes(assets, folder))
        entries = ((_parse_entry, source) for source in _entries(assets, folder))
        for parse, source in chain(notes, entries):
            try:
                unknown = _named(parse(source).nodes) - known
            except TemplateError as error:
                problems.append(str(error))
                continue
            where = f"{source.path}:{source.line}"
            problems += (
                f"{where}: the grammar has no file '{name}.txt', which '{{@{name}}}' names"
                for name in sorted(unknown)
            )
    return problems


def _named(nodes: Nodes) -> set[str]:
    """Names of the grammar files that a template refers to."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, Entry):
            names.add(node.name)
        elif isinstance(node, Choice):
            names.update(*(_named(option) for option in node.options))
    return names


def _notes(assets: Path, set_name: str) -> Iterator[Source]:
    """Notes of a set; text before the first header of a file is a note without header."""
    for path in sorted((assets / "notes" / set_name).glob("*.txt")):
        before, *parts = _NOTES.split(path.read_text(encoding="utf8"))
        if before.strip():
            yield Source(path, 1, "", before)
        line = 1 + before.count("\n")
        for header, text in zip(parts[::2], parts[1::2], strict=True):
            yield Source(path, line, header.strip(), text.rstrip())
            line += 1 + text.count("\n")


def _entries(assets: Path, folder: str) -> Iterator[Source]:
    """Entries of the grammar, one per line; "\\n" becomes a line break."""
    for path in sorted((assets / "grammar" / folder).glob("*.txt")):
        for line, text in enumerate(path.read_text(encoding="utf8").split("\n"), 1):
            if text.strip() and not text.startswith("#"):
                header = _ANYONE
                if text.startswith("%%"):
                    header, _, text = text[2:].partition("%% ")
                text = text.replace("\\n", "\n").replace("\\t", "\t")
                yield Source(path, line, header.strip(), text)


def _parse_note(source: Source) -> Template:
    header = _NOTE_HEADER.fullmatch(source.header)
    name = f"{header['kind']}_{header['id']}" if header else ""
    return _parse(source, source.line + 1, header, name)


def _parse_entry(source: Source) -> Template:
    path, line, header, _ = source
    name = f"{path.parent.name}/{path.stem}:{line}"
    return _parse(source, line, _ENTRY_HEADER.fullmatch(header), name)


def _parse(source: Source, line: int, header: re.Match[str] | None, name: str) -> Template:
    """The template of a source whose text starts on `line`."""
    if not header or not source.text or int(header["least"]) > int(header["greatest"]):
        raise TemplateError(
            f"{source.path}:{source.line}: wrong header, or no text after it; headers look like "
            "'%% lg14 | kind: abid | ages: 16-110 | sex: f' above a note and "
            "'%% ages: 16-110 | sex: f %%' before a grammar entry (sex: f, m or any)"
        )
    nodes = parse_template(source.text, str(source.path), line)
    return Template(name, nodes, header["sex"], (int(header["least"]), int(header["greatest"])))
