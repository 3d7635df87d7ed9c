"""The value lists of one set (train, dev, test), split by a stable hash.

Every value belongs to exactly one set, whatever the order of files, so that no name, street, city,
institution or carrier occurs in two sets. Names of persons that training also shows as no names
(in eponyms, brands and sentences without PHI) belong to the training set: a model that only saw
"Brown syndrome" would not find Mrs. Brown.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ..tsv import read_rows
from .roles import ROLES

_SAINT = re.compile(r"\A(?:st\.?|saint)\s")

SETS = ("train", "dev", "test")
"""The sets; they share no templates and no identifying values."""

_LISTS = dict(read_rows(Path(__file__).with_name("lists.tsv")))
_NO_NAMES = ("gazetteers/medical_eponyms", "values/terms", "grammar/train/negative")
_WORD = re.compile(r"[^\W\d_]+")


def set_of(value: str) -> str:
    """The set of a value: one tenth each dev and test, the rest train.

    Saints, their towns and their hospitals stay together: "Paul", "St. Paul", "St Paul's".
    """
    name = _SAINT.sub("", value.strip().casefold()).removesuffix("'s")
    digest = hashlib.blake2b(name.encode(), digest_size=4).digest()
    bucket = int.from_bytes(digest, "big") % 10
    return {0: "dev", 1: "test"}.get(bucket, "train")


def read_lines(path: Path) -> Iterator[str]:
    """The lines of an asset file, without comments ("#") and empty lines.

    RAISES (FileNotFoundError): If there is no such file.
    """
    if not path.is_file():
        raise FileNotFoundError(
            f"the asset file {path} is missing; give the folder that holds it with --assets"
        )
    for line in path.read_text(encoding="utf8").split("\n"):
        if line.strip() and not line.startswith("#"):
            yield line.rstrip("\r")


def unescape(text: str) -> str:
    r"""Text of an asset file with "\n", "\t" and "\s" (blank) replaced by what they mean."""
    return text.replace("\\n", "\n").replace("\\t", "\t").replace("\\s", " ")


class Relative(NamedTuple):
    """A relative of a patient."""

    gender: str = ""  # "f", "m" or empty if the word is neutral
    older: tuple[int, int] | None = None  # minimum and maximum of years by which they are older
    same_family: float = 0.0  # probability that they share the patient's family name


NO_RELATIVE = Relative()


@dataclass(frozen=True)
class Values:
    """The values for the PHI of one set.

    Shapes are the formats of dates, numbers and headings by use ("date long", "id mrn"), each
    repeated according to its weight.
    """

    set_name: str
    lists: Mapping[str, tuple[str, ...]]  # plain lists by "folder/file" without suffix
    patterns: Mapping[str, tuple[str, ...]]  # of institution and place names, by role
    nicknames: Mapping[str, tuple[str, ...]]  # by given name
    states: list[list[str]]  # name and abbreviation of each US state
    regions: list[list[str]]  # abbreviation, name and postcode shape outside the US
    shapes: Mapping[str, tuple[str, ...]]
    headings: Mapping[str, list[str]]  # by section
    relatives: Mapping[str, Relative]  # by role

    def owns(self, value: str) -> bool:
        """Whether a value belongs to this set."""
        return set_of(value) == self.set_name


@lru_cache(maxsize=8)
def load_values(assets: Path, set_name: str) -> Values:
    """Read the value lists and keep the part of one set.

    RAISES (FileNotFoundError): If an asset file is missing.
    RAISES (ValueError): If a list is too short to have values of the set, or no row says how the
        values of a role are written.
    """
    folder = assets / "values"
    return Values(
        set_name,
        lists={name: _read_list(assets, name, set_name) for name in _LISTS},
        patterns=_group(
            (role, pattern)
            for role, pattern in _rows(folder / "patterns.tsv")
            if "{" in pattern or set_of(pattern) == set_name  # without braces it is a fixed name
        ),
        nicknames={
            name: tuple(short for short in shorts.split(",") if set_of(short) == set_name)
            for name, shorts in _rows(folder / "nicknames.tsv")
        },
        states=list(_rows(assets / "gazetteers" / "states.tsv")),
        regions=list(_rows(folder / "postcodes.tsv")),
        shapes=_read_shapes(folder / "shapes.tsv"),
        headings={name: texts.split("|") for name, texts in _rows(folder / "headings.tsv")},
        relatives={
            role: Relative(
                gender.strip("-"), None if low == "-" else (int(low), int(high)), float(share)
            )
            for role, gender, low, high, share in _rows(folder / "relatives.tsv")
        },
    )


@lru_cache(maxsize=4)
def words_of_no_names(assets: Path) -> frozenset[str]:
    """The capitalised words that training shows as no names, in lower case."""
    lines = (line for name in _NO_NAMES for line in read_lines(assets / f"{name}.txt"))
    words = (word for line in lines for word in _WORD.findall(line))
    return frozenset(word.casefold() for word in words if word[0].isupper())


def _read_list(assets: Path, name: str, set_name: str) -> tuple[str, ...]:
    path = assets / f"{name}.txt"
    trained = words_of_no_names(assets) if _LISTS[name] == "names" else frozenset()
    own = tuple(
        line
        for line in read_lines(path)
        if _LISTS[name] == "common"
        or ("train" if line.casefold() in trained else set_of(line)) == set_name
    )
    if not own:
        raise ValueError(f"the list {path} is too short: none of it belongs to '{set_name}'")
    return own


def _read_shapes(path: Path) -> dict[str, tuple[str, ...]]:
    shapes = _group(
        (use, unescape(shape)) for use, weight, shape in _rows(path) for _ in range(int(weight))
    )
    for name, role in ROLES.items():  # a post box is written as "pobox" says
        if role.kind in ("id", "ssn") and name != "pobox" and f"id {name}" not in shapes:
            raise ValueError(f"{path} has no row 'id {name}', so the role '{name}' has no values")
    return shapes


def _rows(path: Path) -> Iterator[list[str]]:
    return (line.split("\t") for line in read_lines(path))


def _group(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    groups: dict[str, list[str]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in groups.items()}
