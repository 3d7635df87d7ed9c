"""Common names that stand in eponyms and sentences without PHI are names in training, too."""

from __future__ import annotations

from pathlib import Path

from spacy_deid.synthesis.values import SETS, load_values, words_of_no_names

ROOT = Path(__file__).parents[2]
ASSETS = ROOT / "assets"
FAMILY_NAMES = (
    "values/family_common values/family_words gazetteers/family_names gazetteers/world_family_names"
).split()


GIVEN_NAMES = (
    "values/given_female values/given_male values/given_words gazetteers/given_names "
    "gazetteers/world_given_names"
).split()


def common_names() -> list[str]:
    """The most frequent family names of the US: the first group of the benchmark's names."""
    lines = (ROOT / "benchmarks" / "behaviour" / "names.tsv").read_text(encoding="utf8").split("\n")
    kind, _, names = lines[1].split("\t")
    assert kind == "family" and names.count(",") == 999
    return names.split(", ")


def test_common_names_in_negatives_are_drawn_as_names():
    """A name of a long gazetteer is drawn once in 100,000 times: it must be in a short list."""
    lists = load_values(ASSETS, "train").lists
    drawn = {name for key in FAMILY_NAMES[:2] for name in lists[key]}
    no_names = words_of_no_names(ASSETS)
    assert {"brown", "foley"} <= no_names
    assert [n for n in common_names() if n.casefold() in no_names and n not in drawn] == []


def test_names_in_negatives_belong_to_no_other_set():
    no_names = words_of_no_names(ASSETS)
    for name in SETS[1:]:
        lists = load_values(ASSETS, name).lists
        names = (n for key in (*FAMILY_NAMES, *GIVEN_NAMES) for n in lists[key])
        assert [n for n in names if n.casefold() in no_names] == []
