"""The templates of one set: whole notes and grammar entries, parsed and checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .template import Choice, Entry, Nodes, TemplateError, parse_template
from .values import SETS

_COMMON = "common"
_FEMALE = re.compile(r"\b(?:she|her|hers|herself|Ms|Mrs|woman|female|G\dP\d)\b", re.IGNORECASE)
_MALE = re.compile(r"\b(?:he|his|him|himself|Mr|male|gentleman|prostate)\b", re.IGNORECASE)
_DEPARTMENT_AGES = (
    (re.compile(r"newborn|nicu|neonat|picu_neo"), (0, 0)),
    (re.compile(r"ped|child|school|picu"), (1, 17)),
    (re.compile(r"^ob(?!s)|obstet|labor|deliver|prenatal|midwi|matern"), (17, 44)),
    (re.compile(r"geri|hospice|nursing_?home|snf|dementia|palliat"), (60, 110)),
)
_ADULT = (16, 110)
_ANY_AGE = (0, 110)
# What an entry says of the patient's age, where it says anything.
_TEXT_AGES = tuple(
    (re.compile(words), ages)
    for words, ages in (
        (r"\bG\d+ ?P\d|[Gg]ravida|\b[Pp]rimip|weeks pregnant|\b(?:ante|post)partum", (16, 45)),
        (r"\b[Nn]ewborn\b|\bNICU\b|\bApgars?\b|\b[Bb]irth weight\b", (0, 1)),
        (
            r"\b[Dd]aycare\b|\b[Kk]indergarten|(?:\dth|\d[snr][tdh]|\b[fst]\w+)[- ]grader?\b",
            (1, 18),
        ),
        (r"\bretired\b|\bgrand(?:child|son|daughter)|\bnursing home\b", (45, 110)),
        (
            r"\b(?:[Mm]arried|[Dd]ivorced|[Ww]idow(?:ed|er)?|[Ss]mok\w+|ETOH|drinks)\b|\{(?:job|profession)\}",
            (18, 110),
        ),
    )
)


@dataclass(frozen=True)
class Template:
    """A whole note or one grammar entry.

    name (str): File, and line for a grammar entry ("train/social:12").
    nodes (Nodes): Its tree.
    gender (str): The patient's gender as its pronouns tell: "f", "m" or empty.
    ages (tuple[int, int]): The patient's least and greatest age, by department or wording.
    """

    name: str
    nodes: Nodes
    gender: str
    ages: tuple[int, int]

    def fits(self, gender: str, age: int) -> bool:
        """Whether it may be written about a patient."""
        return self.gender in ("", gender) and self.ages[0] <= age <= self.ages[1]


@dataclass(frozen=True)
class Library:
    """The templates of one set.

    notes (tuple[Template, ...]): Whole notes.
    grammar (Mapping[str, tuple[Template, ...]]): Entries by the name of their file.
    entries (Mapping[str, tuple[Nodes, ...]]): The trees of the entries, for `{@name}`.
    """

    notes: tuple[Template, ...]
    grammar: Mapping[str, tuple[Template, ...]]
    entries: Mapping[str, tuple[Nodes, ...]]


@lru_cache(maxsize=8)
def load_library(assets: Path, set_name: str) -> Library:
    """Read the notes and the grammar of one set, with the grammar common to all.

    assets (Path): Folder with `notes` and `grammar`.
    set_name (str): One of `SETS`.
    RAISES (FileNotFoundError): If the set has neither notes nor grammar.
    RAISES (TemplateError): If a template is wrong.
    """
    notes = tuple(_read_note(path) for path in _note_paths(assets, set_name))
    grammar: dict[str, list[Template]] = {}
    for folder in (_COMMON, set_name):
        for path in _grammar_paths(assets, folder):
            grammar.setdefault(path.stem, []).extend(_read_entries(path))
    if not notes and not any(_grammar_paths(assets, set_name)):
        raise FileNotFoundError(
            f"no templates for the set '{set_name}' in {assets}: "
            f"it needs notes/{set_name}/*.txt or grammar/{set_name}/*.txt"
        )
    frozen = {name: tuple(entries) for name, entries in grammar.items()}
    trees = {name: tuple(entry.nodes for entry in entries) for name, entries in frozen.items()}
    return Library(notes, frozen, trees)


def check_assets(assets: Path) -> list[str]:
    """What is wrong in the templates of all sets: one line a mistake, with file and line.

    assets (Path): Folder with `notes` and `grammar`.
    """
    problems: list[str] = []
    for set_name in SETS:
        names = {path.stem for path in _grammar_paths(assets, _COMMON)}
        names |= {path.stem for path in _grammar_paths(assets, set_name)}
        for path in _note_paths(assets, set_name):
            problems += _problems(path, path.read_text(encoding="utf8"), 1, names)
        for path in _grammar_paths(assets, set_name):
            for line, text in _entry_lines(path):
                problems += _problems(path, text, line, names)
    for path in _grammar_paths(assets, _COMMON):
        for line, text in _entry_lines(path):
            problems += _problems(path, text, line, set())
    return problems


def _problems(path: Path, text: str, line: int, names: set[str]) -> Iterator[str]:
    try:
        nodes = parse_template(text, str(path), line)
    except TemplateError as error:
        yield str(error)
        return
    for name in sorted(_named(nodes) - names):
        yield f"{path}:{line}: the grammar has no file '{name}.txt', which '{{@{name}}}' names"


def _named(nodes: Nodes) -> set[str]:
    """Names of the grammar files that a template calls."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, Entry):
            names.add(node.name)
        elif isinstance(node, Choice):
            names.update(*(_named(option) for option in node.options))
    return names


def _note_paths(assets: Path, set_name: str) -> list[Path]:
    return sorted((assets / "notes" / set_name).glob("*.txt"))


def _grammar_paths(assets: Path, folder: str) -> list[Path]:
    return sorted((assets / "grammar" / folder).glob("*.txt"))


def _read_note(path: Path) -> Template:
    text = path.read_text(encoding="utf8").rstrip()
    ages = next((ages for name, ages in _DEPARTMENT_AGES if name.search(path.stem)), _ADULT)
    name = f"{path.parent.name}/{path.stem}"
    return Template(name, parse_template(text, str(path)), guess_gender(text), ages)


def _read_entries(path: Path) -> Iterator[Template]:
    for line, text in _entry_lines(path):
        name = f"{path.parent.name}/{path.stem}:{line}"
        ages = next((ages for words, ages in _TEXT_AGES if words.search(text)), _ANY_AGE)
        yield Template(name, parse_template(text, str(path), line), guess_gender(text), ages)


def _entry_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Entries of a grammar file with the numbers of their lines; "\\n" becomes a line break."""
    for line, text in enumerate(path.read_text(encoding="utf8").split("\n"), 1):
        if text.strip() and not text.startswith("#"):
            yield line, text.replace("\\n", "\n").replace("\\t", "\t")


def guess_gender(text: str) -> str:
    """The gender that most pronouns of a text have, or empty where it is even."""
    female, male = len(_FEMALE.findall(text)), len(_MALE.findall(text))
    return "f" if female > 2 * male else "m" if male > 2 * female else ""
