"""Misread characters: what is corrected in a scan, and that other notes stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_deid.text.scans import repair_scan

SCAN = "HOSPlTAL REGI0NAL "
"""Makes any note a scan."""

CORRECTED = {
    "2O24": "2024",
    "l7/O7/2O18": "17/07/2018",
    "lO/O2/23": "10/02/23",
    "6l2-555-Ol42": "612-555-0142",
    "Rs. l6,OOO": "Rs. 16,000",
    "MRN OO4-8l-93": "MRN 004-81-93",
    "CT-9O447": "CT-90447",
    "DRlVER": "DRIVER",
    "MISSl0N": "MISSION",
    "D0B": "DOB",
    "MRl": "MRI",
    "metf0rmin": "metformin",
    "dr1ver": "driver",
    "mi11wright": "millwright",
    "Ju1ia": "Julia",
    "lnvestigations": "Investigations",
}
STAYS = [
    "SpO2 95 %, O2 2 L",
    "ll26 0zz",  # a postcode in small letters
    "V0N 1B0",
    "Olivia lives in Oslo",
    "unit ll, O/E, l/min",
    "G2P1 A1c q1h T10 B12",
    "MB-25-0417 CAF2-0417",
]


@pytest.mark.parametrize(("misread", "correct"), CORRECTED.items())
def test_misread_characters_of_a_scan_are_corrected(misread, correct):
    assert repair_scan(f"{SCAN}{misread}.") == f"HOSPITAL REGIONAL {correct}."


@pytest.mark.parametrize("text", STAYS)
def test_what_is_not_misread_stays(text):
    assert repair_scan(f"{SCAN}{text}.") == f"HOSPITAL REGIONAL {text}."


@pytest.mark.parametrize("text", [*STAYS, "2l of fluid on l7/7", "HCl and AlCl3, plate 7KO21"])
def test_other_notes_stay_as_they_are(text):
    assert repair_scan(text) == text


@given(st.text("0O1lIoABab2 ./-\n", max_size=80))
def test_no_character_is_lost(text):
    repaired = repair_scan(text)
    assert len(repaired) == len(text)
    assert [c.isspace() for c in repaired] == [c.isspace() for c in text]
