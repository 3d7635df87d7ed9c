"""What forms, mail and web pages put between the characters of a note."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_deid.text.folding import fold

FOLDED = {
    # cells of forms
    "MR# |0|0|4|1|9|2|7| seen": "MR# |0041927| seen",
    "DOB: |0|4|/|1|7|/|1|9|5|2|": "DOB: |04/17/1952|",
    "SSN ___4___1___2___-___7___7___-___0___0___9___1___": "SSN ___412-77-0091___",
    "Medicare No. [1][E][G][4][T]": "Medicare No. [1EG4T]",
    "LAST NAME |O|K|A|F|O|R| FIRST |L|E|E|": "LAST NAME |OKAFOR| FIRST |LEE|",
    # blanks of forms
    "Tel ( _218_ ) _555_ - _0146_": "Tel (218)555-0146_",
    "DOB __04__/__17__/__1952__": "DOB __04/17/1952__",
    # letters that are spaced out
    "O A K   H I L L   E N T": "OAK HILL ENT",
    "R U I Z ,   A N A": "RUIZ , ANA",
    # lines
    "seen by Tuc-\n  son, a new on-\nset": "seen by Tucson, a new onset",
    "> a 04/\n> b\n>> c": "a 04/\nb\nc",
    # tags
    'M<b>\u00fc</b>ller <span class="a1">Gre<wbr/>tchen</span>': "M\u00fcller Gretchen",
    # mail and web addresses
    "Mu=F1oz, Jos=C3=A9l, Beaver=\nton": "Mu\u00f1oz, Jos\u00e9l, Beaverton",
    "dob=04%2F12%2F1961": "dob=04/12/1961",
}
"""Texts, and what is searched in their place."""

PLAIN = [
    "pain |0|1|2|3|4|5|6|7|",
    "| 4 | 4 | 1 | 2 | 3 |",
    "CN II-XII |5|5|4|",
    "hepatitis A B C",
    "301 | SMITH\n302 | JONES\n303 | LEE\n304 | EMPTY",  # rooms
    "1. Na\n2. K\n3. Cl",
    "> 140/90\nx\n> 3 days",
    '<a title="dr. lee">x</a> <span title="lee"> <span class="Lee">',
    "HR=80 K=3.9 FiO2=C",
    "sats 92%20 min, 40%",
    "04/17/1952, (218) 555-0146, 412-77-0091",
]


@pytest.mark.parametrize("text, folded", FOLDED.items())
def test_what_breaks_up_words_is_left_out(text, folded):
    assert fold(text).text == folded


@pytest.mark.parametrize("text", PLAIN)
def test_other_texts_stay(text):
    assert fold(text) is None


@pytest.mark.parametrize(
    "text, part, original",
    [
        ("MR# |0|0|4|1|9|2|7| seen", "0041927", "0|0|4|1|9|2|7"),
        ("seen by Tuc-\n  son, on 11", "Tucson", "Tuc-\n  son"),
        ("by M<b>\u00fc</b>ller", "M\u00fcller", "M<b>\u00fc</b>ller"),
        ("Mu=F1oz, Mu=F1oz", "Mu\u00f1oz", "Mu=F1oz"),
    ],
)
def test_ranges_map_to_the_original(text, part, original):
    folded = fold(text)
    start = folded.text.index(part)
    begin, end = folded.original(start, start + len(part))
    assert text[begin:end] == original


@given(st.text(alphabet="A1b|[]_-/ \n><2%F=", max_size=60))
def test_folding_keeps_letters_and_digits_or_maps_them(text):
    folded = fold(text)
    if folded is not None:
        assert len(folded.text) == len(folded.starts) == len(folded.ends)
        assert (folded.starts < folded.ends).all() and (folded.ends <= len(text)).all()
        assert (folded.starts[1:] >= folded.starts[:-1]).all()
