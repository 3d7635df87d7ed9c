"""Build the lists that surrogates of names need, names.tsv and endings.tsv.

American names come with their frequencies in the 1990 census (dist.all.last, dist.female.first and
dist.male.first of the US Census Bureau, public domain; the PyPI package "names" carries them),
names of other cultures from assets/names/cultures.txt. What is also an everyday word, a drug, a
medical eponym or the short form of a name is marked "*": known as a name, but never given out. The
endings, of up to four letters, tell given names from family names and women's from men's, as
counted in the gazetteers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import typer
from wasabi import msg

from spacy_deid.text.gazetteers import read_entries

ASSETS = Path(__file__).parent.parent / "assets"
OUTPUT = Path(__file__).parent.parent / "spacy_deid" / "redaction" / "surrogates" / "data"

_WORDS = (
    *("gazetteers/common_words.txt", "gazetteers/drugs.txt", "gazetteers/medical_eponyms.txt"),
    *("values/given_words.txt", "values/family_words.txt"),
)
_SIZES = {"f": 900, "m": 650, "family": 2100}
_BOTH = 0.01  # a given name that is a family name this often, or the other way round
_FAMILY_AS_GIVEN = 0.05
_EITHER = 0.08  # share of the rarer gender in a name of both
_AMERICAN = 0.05  # per cent of people: European names as common as that are American too
_NEAR = ("european", "slavic")
_SHORTEST = 3
_FAMILIES = 40_000
_OFTEN, _SOMETIMES = 20, 8  # names with an ending
_MOSTLY = 4  # times as many of one kind as of the other

Names = dict[str, tuple[str, str, str]]  # kind, gender, culture of each name


def census_tables(census: Path) -> dict[str, dict[str, float]]:
    """How many per cent of people bear a name: female ("f"), male ("m") and family names."""
    files = (("f", "female.first"), ("m", "male.first"), ("family", "all.last"))
    return {kind: _frequencies(census / f"dist.{name}") for kind, name in files}


def surrogate_names(tables: dict[str, dict[str, float]], output: Path) -> int:
    """Write the names by kind, gender and culture; returns how many there are."""
    american = _american(tables)
    names = _cultures(tables, american)
    spelled = set(map(str.lower, names))
    names.update((name, group) for name, group in american.items() if name.lower() not in spelled)
    words = {entry.lower() for path in _WORDS for entry in read_entries(ASSETS / path)}
    words.update(*(entry.lower().split() for entry in read_entries(ASSETS / "names" / "words.txt")))
    for entry in read_entries(OUTPUT / "nicknames.tsv"):
        words.update(short for short in entry.lower().split()[1:] if short.isalpha())
    groups: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for name, group in sorted(names.items()):
        spare = "*" if name.lower() in words or len(name) < _SHORTEST else ""
        groups[group].append(name + spare)
    lines = ["\t".join((*group, " ".join(members))) for group, members in sorted(groups.items())]
    (output / "names.tsv").write_text("\n".join(lines) + "\n", encoding="utf8")
    return len(names)


def _frequencies(path: Path) -> dict[str, float]:
    rows = (line.split() for line in path.read_text(encoding="utf8").splitlines())
    return {_spelling(row[0]): float(row[1]) for row in rows}


def _spelling(capitals: str) -> str:
    """The census writes capitals alone."""
    name = capitals.capitalize()
    return f"Mc{name[2:].capitalize()}" if name.startswith("Mc") and len(name) > 4 else name


def _american(tables: dict[str, dict[str, float]]) -> Names:
    female, male, family = tables["f"], tables["m"], tables["family"]
    names: Names = {}
    for kind in ("f", "m", "family"):
        for name in list(tables[kind])[: _SIZES[kind]]:
            given = female.get(name, 0.0) + male.get(name, 0.0)
            if family.get(name, 0.0) < _BOTH * given:
                names[name] = ("given", _gender(name, tables), "anglo")
            elif given < _FAMILY_AS_GIVEN * family.get(name, 0.0):
                names[name] = ("family", "u", "anglo")
            else:
                names[name] = ("both", _gender(name, tables), "anglo")
    return names


def _gender(name: str, tables: dict[str, dict[str, float]]) -> str:
    female, male = tables["f"].get(name, 0.0), tables["m"].get(name, 0.0)
    if min(female, male) >= _EITHER * max(female, male):
        return "u"
    return "f" if female > male else "m"


def _cultures(tables: dict[str, dict[str, float]], american: Names) -> Names:
    """The names of the hand-written lists; one in two lists of other kinds stands for both."""
    names: Names = {}
    for entry in read_entries(ASSETS / "names" / "cultures.txt"):
        head, members = entry.split(": ")
        kind, gender, culture = head.split()
        for name in members.split():
            if culture in _NEAR and name in american and _share(name, tables) >= _AMERICAN:
                continue
            group = (kind, gender, culture)
            if name in names and name in american and names[name][2] != culture:
                group = american[name]
            elif (known := names.get(name) or american.get(name)) is not None:
                group = _merged(group, known, name in names)
            names[name] = group
    return names


def _share(name: str, tables: dict[str, dict[str, float]]) -> float:
    return max(tables["f"].get(name, 0.0), tables["m"].get(name, 0.0))


def _merged(
    group: tuple[str, str, str], known: tuple[str, str, str], by_hand: bool
) -> tuple[str, str, str]:
    kind = group[0] if group[0] == known[0] else "both"
    genders = {group[1], known[1]} - {"u"}
    gender = genders.pop() if len(genders) == 1 else "u"
    return kind, gender, known[2] if by_hand else group[2]


def surrogate_endings(tables: dict[str, dict[str, float]], output: Path) -> int:
    """Write the endings by kind and gender; returns how many there are."""
    given = _gazetteer("given_names.txt") | _gazetteer("world_given_names.txt")
    family = _gazetteer("world_family_names.txt")
    family.update(name.lower() for name in list(tables["family"])[:_FAMILIES])
    kinds = _lean(_endings(given - family), _endings(family - given), _OFTEN)
    female, male = (_endings(map(str.lower, tables[gender])) for gender in "fm")
    genders = _lean(female, male, _SOMETIMES)
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for ending in sorted(ending for ending in kinds if len(ending) > 1):
        tails = (ending[start:] for start in range(len(ending)))
        gender = next(("fm"[genders[tail]] for tail in tails if tail in genders), "u")
        groups[("family", "u") if kinds[ending] else ("given", gender)].append(ending)
    lines = ["\t".join((*group, " ".join(members))) for group, members in sorted(groups.items())]
    (output / "endings.tsv").write_text("\n".join(lines) + "\n", encoding="utf8")
    return sum(map(len, groups.values()))


def _gazetteer(filename: str) -> set[str]:
    names = map(str.lower, read_entries(ASSETS / "gazetteers" / filename))
    return {name for name in names if name.isascii() and name.isalpha()}


def _endings(names: Iterable[str]) -> Counter[str]:
    return Counter(name[-size:] for name in names for size in (1, 2, 3, 4) if len(name) > size)


def _lean(one: Counter[str], other: Counter[str], fewest: int) -> dict[str, int]:
    """0 for the endings that names of the first kind mostly have, 1 for those of the second."""
    scale = other.total() / one.total()
    shares = {ending: (one[ending] * scale, other[ending]) for ending in one | other}
    often = {ending: share for ending, share in shares.items() if sum(share) >= fewest}
    return {
        ending: int(first < second)
        for ending, (first, second) in often.items()
        if max(first, second) >= _MOSTLY * min(first, second)
    }


def main(census: Path, output: Path = OUTPUT) -> None:
    """Build the lists from a folder with the census files."""
    tables = census_tables(census)
    msg.good(f"{surrogate_names(tables, output)} names in {output}")
    msg.good(f"{surrogate_endings(tables, output)} endings in {output}")


if __name__ == "__main__":
    typer.run(main)
