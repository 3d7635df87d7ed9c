"""The lists of names that ship, and the script that builds them."""

import importlib.util
import re
from pathlib import Path

import pytest

from spacy_deid.redaction.surrogates.names.lists import full_forms, group_of, is_listed, short_forms
from spacy_deid.text.gazetteers import read_entries

ROOT = Path(__file__).parents[3]
DATA = ROOT / "spacy_deid" / "redaction" / "surrogates" / "data"


def read_groups(folder: Path) -> dict[tuple[str, str, str], list[str]]:
    rows = [line.split("\t") for line in (folder / "names.tsv").read_text("utf8").splitlines()]
    return {tuple(group): names.split() for *group, names in rows}


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("names", ROOT / "scripts/surrogate_names.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_enough_names_once_each():
    groups = read_groups(DATA)
    names = [name for members in groups.values() for name in members]
    assert len(names) == len({name.strip("*").lower() for name in names})
    usable = {
        kind: sum(
            n.isalpha() for group, members in groups.items() if kind in group for n in members
        )
        for kind in ("given", "family", "both")
    }
    assert usable["given"] > 1200
    assert usable["family"] > 1500
    assert usable["both"] > 500
    assert all(re.fullmatch(r"[A-Z][A-Za-z]+\*?", name) for name in names)


def test_no_everyday_word_is_given_out():
    words = {word.lower() for word in read_entries(ROOT / "assets/gazetteers/common_words.txt")}
    given_out = {n for members in read_groups(DATA).values() for n in members if n.isalpha()}
    assert not words & {name.lower() for name in given_out}


def test_short_forms():
    assert short_forms("william")[:2] == ("Bill", "Billy")
    assert "Wm" not in short_forms("william")
    assert full_forms()["wm"] == ["william"]
    assert all(map(is_listed, full_forms()))
    assert all(group_of(full).kind != "family" for fulls in full_forms().values() for full in fulls)


def test_script_tells_kinds_and_genders_apart(script, tmp_path):
    tables = {
        "f": {"Mary": 2.6, "Kelly": 0.28, "Jordan": 0.03},
        "m": {"James": 3.3, "Kelly": 0.06, "Jordan": 0.05, "Will": 0.1},
        "family": {"Smith": 1.0, "James": 0.1, "Kelly": 0.1, "Jordan": 0.08, "Will": 0.01},
    }
    script.surrogate_names(tables, tmp_path)
    groups = read_groups(tmp_path)
    assert "Mary" in groups["given", "f", "anglo"]
    assert "James" in groups["both", "m", "anglo"]
    assert {"Jordan", "Kelly"} <= {n.strip("*") for n in groups["both", "u", "anglo"]}
    assert "Will*" in groups["both", "m", "anglo"]
    assert "Smith*" in groups["family", "u", "anglo"]
    assert "Lopez" in groups["family", "u", "hispanic"]


def test_script_reads_the_census(script, tmp_path):
    for name in ("all.last", "female.first", "male.first"):
        (tmp_path / f"dist.{name}").write_text("MCDONALD       0.105 16.131     71\n", "utf8")
    assert script.census_tables(tmp_path)["family"] == {"McDonald": 0.105}


def test_endings_tell_most_names(script):
    assert script._lean(*map(script._endings, (["anna", "hanna"], ["annas", "hannas"])), 2) == {
        "a": 0,
        **dict.fromkeys(("na", "nna"), 0),
        **dict.fromkeys(("s", "as", "nas", "nnas"), 1),
    }
