from __future__ import annotations

import re

import pytest
from places_cases import make_note

from spacy_deid.redaction.styles import SPARSE
from spacy_deid.redaction.surrogates.places.atlas import (
    US,
    Region,
    key_of,
    read_atlas,
    shares_word,
    surrogate_country,
    surrogate_region,
)

NOTES = [make_note(patient=f"patient {number}") for number in range(100)]
STATES = [region for region in read_atlas().regions if region.country == US]


def test_atlas_knows_the_states():
    assert len(STATES) == 51
    assert sum(len(state.cities) for state in STATES) > 1400
    for state in STATES:
        assert state.areas and state.zips
        assert all(re.fullmatch("[2-9][0-9]{2}", area) for area in state.areas)
        assert all(prefix in state.zips for _, prefix in state.cities)


def test_atlas_has_no_sparse_zip_areas():
    assert not SPARSE & {code for state in STATES for code in state.zips}


@pytest.mark.parametrize(
    "table, key, abbr",
    [
        ("by_name", "pennsylvania", "PA"),
        ("by_name", "pa", "PA"),
        ("by_name", "penn", "PA"),
        ("by_name", "wa", "WA"),
        ("by_name", "ontario", "ON"),
        ("by_city", "pittsburgh", "PA"),
        ("by_city", "toronto", "ON"),
        ("by_zip", "152", "PA"),
        ("by_zip", "021", "MA"),
        ("by_zip", "900", "CA"),
        ("by_area", "412", "PA"),
        ("by_area", "617", "MA"),
    ],
)
def test_atlas_finds_regions(table, key, abbr):
    assert getattr(read_atlas(), table)[key].abbr == abbr


def test_key_of():
    assert key_of(" New\n York ") == "new york"
    assert key_of("D.C.") == "dc"


@pytest.mark.parametrize(
    "name, other, shared",
    [
        ("New York", "new jersey", True),
        ("Ohio", "Utah", False),
        ("the Gambia", "the Congo", False),
        ("", "", False),
    ],
)
def test_shares_word(name, other, shared):
    assert shares_word(name, other) is shared


@pytest.mark.parametrize("abbr", ["PA", "NY", "DC", "ON", "NSW"])
def test_surrogate_region_is_another_region_of_the_country(abbr):
    region = read_atlas().by_name[abbr.lower()]
    drawn = [surrogate_region(note, region) for note in NOTES]
    assert {other.country for other in drawn} == {region.country}
    assert len(set(drawn)) > 3
    assert not any(shares_word(other.name, region.name) for other in drawn)


def test_surrogate_region_keeps_clear_of_names_of_the_note():
    region = read_atlas().by_name["pa"]
    for note in NOTES:
        first = surrogate_region(note, region)
        other = surrogate_region(note, region, {key_of(first.abbr)})
        assert other != first
        assert surrogate_region(note, region, {"ohio"} - {key_of(first.name)}) == first


def test_surrogate_region_of_an_unknown_region_and_of_a_country():
    for note in NOTES:
        assert surrogate_region(note, Region(US, "zembla", "zembla")) in STATES
        country = surrogate_region(note, Region("kenya")).country
        assert country == surrogate_country(note, "Kenya") != "Kenya"
        assert surrogate_region(note, None) in STATES
