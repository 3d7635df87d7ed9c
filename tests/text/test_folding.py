"""Folding: what becomes of each kind of character, and where it stood."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear import steps

from spacy_deid.text.folding import fold

FOLDED = {
    "\uff14\uff11\uff12-\uff15\uff15\uff15": "412-555",
    "\u0664\u0661\u0662": "412",
    "412\u202f555\u00a00142": "412 555 0142",
    "Mar\u200bia": "Maria",
    "Whit\u00adacre": "Whitacre",
    "\ufeffMaria": "Maria",
    "Mar\x00ia": "Maria",
    "L\u043epez": "Lopez",  # a Cyrillic o
    "\u0399rving": "Irving",  # a Greek capital iota
    "\u041e\u2019Brien": "O'Brien",
    "\u201cGus\u201d": '"Gus"',
    "555\u20110142": "555-0142",
    "\uff2d\uff41\uff52\uff49\uff41": "Maria",
    "\U0001d40c\U0001d41a\U0001d42bia": "Maria",
    "Gri\ufb03n": "Griffin",
    "Jose\u0301": "Jos\u00e9",
    "Jose\u200b\u0301": "Jos\u00e9",
    "one\r\ntwo": "one\ntwo",
    "one\rtwo\r\r\n": "one\ntwo\n\n",
    "Odhr&aacute;n&nbsp;O&#8217;Brien&amp;amp;Co": "Odhr\u00e1n O'Brien&Co",
    "&shy;R&amp;D &lt;10": "R&D <10",
    r"Vukovi\u0107\u00a0O\u2019Brien": "Vukovi\u0107 O'Brien",
    "Genevi\u00c3\u00a8ve O\u00e2\u20ac\u2122Brien\u00c2\u00a0": "Genevi\u00e8ve O'Brien ",
    "\u00c3\u0089lodie O\u00e2\u0080\u0099Brien": "\u00c9lodie O'Brien",  # Latin-1
    "Anto\u0144czyk Kov\u00c3\u00a1\u00c4\u008d": "Anto\u0144czyk Kov\u00e1\u010d",
    "Genevi\u00c3\u0192\u00c2\u00a8ve": "Genevi\u00e8ve",  # read so twice
    # RTF
    r"{\rtf1{\fonttbl{\f0 A;}}\b P. Kaur\b0\par C\'f4t\'e9\tab 7\~May \{x\} \u8211? \u-8704?}": (
        "P. Kaur\nC\u00f4t\u00e9\t7 May {x} \u2013 "
    ),
    r"{\rtf1{\fonttbl\f0\fswiss Arial;{\f1{\*\panose 02}Times;}} Ren\u233\'e9e O\u8217\'92Brien": (
        " Ren\u00e9e O'Brien"
    ),
    # a table of fonts without its end
    r"{\rtf1{\fonttbl{\f0 Arial;} Pt: Priya\emspace Kaur C:\Users}": (
        r"Arial; Pt: Priya Kaur C:\Users"
    ),
    # a part of a document
    r"Pt \b P. Kaur\b0\par" + 4 * r" C\'f4t\'e9\par": ("Pt P. Kaur\n" + 4 * "C\u00f4t\u00e9\n"),
    r"{\rtf1{\info{\title Kaur}{\creatim\yr2018\mo8\dy14}}\ul Ann\ul0\line Dr\rquote s}": (
        "\nKaur\n2018-8-14\nAnn\nDr's"
    ),
    # JSON
    r"Pt:\n\"Ann\" Lee\n\n1\/9\tok\n\\ \r\n": 'Pt:\n"Ann" Lee\n\n1/9\tok\n\\ \n',
    r'"Seen.\nLopez, Ann\r\nDOB: 3/4/67"': '"Seen.\nLopez, Ann\nDOB: 3/4/67"',
    r'{"note": "Seen.\nLopez"}': '{"note": "Seen.\nLopez"}',
    '[\n  {\n            "a": "\\nLopez"}]': '[\n  {\n            "a": "\nLopez"}]',
    "DOB: 03/04/195=\n6, 406-=\n555-0175": "DOB: 03/04/1956, 406-555-0175",
    "{\\rtf1 Tanner Fork\\par\nHospital}": "Tanner Fork\nHospital",
    # web addresses
    "NOK%3A%20Zo%C3%A9%20O%92Lee%20tel%20555%200142%3C/p": "NOK: Zo\u00e9 O'Lee tel 555 0142</p",
    # mail
    "Bj=F6rn W=E4ster=E5, MRN 61=\n0904 BP =3D 120=20": (
        "Bj\u00f6rn W\u00e4ster\u00e5, MRN 610904 BP = 120 "
    ),
    "=C3=85sa=E2=80=99s W=C3=A4=\r\nster, char=\nset=utf-8 W=C3=A4": (
        "\u00c5sa's W\u00e4ster, charset=utf-8 W\u00e4"
    ),
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
    "R U I Z ,   A N A": "RUIZ, ANA",
    "P a t i e n t :   J a n e   Q u i s t": "Patient: Jane Quist",
    "by J a n e   Q u i s t\nD O B :   3 1   M a y   6 7": "by Jane Quist\nDOB: 31 May 67",
    "DOB: 0 3 / 0 4 / 2 0 6 7, 1 - 0 - 1 - 0": "DOB: 03/04/2067, 1 - 0 - 1 - 0",
    "on M a r c h   4 ,   1 9 5 6, J A N   1 2 , 2 0 6 7": "on March 4, 1956, JAN 12, 2067",
    "0 3 / 0 4 / 2 0 6 7 , 1 2 : 3 0   4 , 1": "03/04/2067 , 1 2 : 3 0   4 , 1",
    "T e l   4 1 2 - 5 5 5 - 0 1 4 6": "Tel 412-555-0146",
    # dashes
    "on 03\u201304\u20132067, 3\u20135 April": "on 03-04-2067, 3\u20135 April",
    # lines
    "seen by Tuc-\n  son, a new on-\nset": "seen by Tucson, a new onset",
    "> a 04/\n> b\n>> c": "a 04/\nb\nc",
    # tags
    'M<b>\u00fc</b>ller <span class="a1">Gre<wbr/>tchen</span>': "M\u00fcller Gretchen",
    # letters in circles and squares, and invisible tags
    "\u24c2\u24d0ria \U0001f158 \U0001f17f \U0001f130": "Maria I P A",
    "\U000e004d\U000e0061ria": "Maria",
    # mail and web addresses
    "Mu=F1oz, Jos=C3=A9l, Beaver=\nton": "Mu\u00f1oz, Jos\u00e9l, Beaverton",
    "dob=04%2F12%2F1961": "dob=04/12/1961",
    "Zo%C3%A9 Mu%c3%b1oz, Nguy%E1%BB%85n": "Zo\u00e9 Mu\u00f1oz, Nguy\u1ec5n",
    "Lopez,%20Maria%20J.%20Ann": "Lopez, Maria J. Ann",
    '{"v":"1/2/67","n":"Ann%20Lee","u":"https://x.example/A%20Plan"}': (
        '{"v":"1/2/67","n":"Ann Lee","u":"https://x.example/A%20Plan"}'
    ),
    "<td>Ann%20Lee</td><td>3/4/67</td> Ann%20Lee,3/4/67;Ann%20Lee|N/A|Ann%20Lee": (
        "<td>Ann Lee</td><td>3/4/67</td> Ann Lee,3/4/67;Ann Lee|N/A|Ann Lee"
    ),
    "3/4/67:Ann%20Lee%203/4/67": "3/4/67:Ann Lee%203/4/67",
    "Zo=C3=A9 Qu=C3=A9ntin, =C3=85sa": "Zo\u00e9 Qu\u00e9ntin, \u00c5sa",
    "Zo=C3=A9=20Lopez, Zo\u00e9=20Lopez, Jos%C3%A9%20%C3%81lvarez%20O%27Brien": (
        "Zo\u00e9 Lopez, Zo\u00e9 Lopez, Jos\u00e9 \u00c1lvarez O'Brien"
    ),
    "Patient:=20Orville=20Whitacre": "Patient: Orville Whitacre",
    "Seen by:=20May=20Marchetti, Ann=20Mayer": "Seen by: May Marchetti, Ann Mayer",
    "Orville=20J=20Whitacre, Ann=20J.=20Lee": "Orville J Whitacre, Ann J. Lee",
    "ORVILLE=20J=20WHITACRE, LEE,=20ANN=20LI": "ORVILLE J WHITACRE, LEE, ANN=20LI",
}
STAYS = [
    "\u24603/04/2067 \u246189 yo \U0001f1fa\U0001f1f8",  # numbers of a list, and a flag
    "Maria Lopez, 03/04/2067\n\tPLAN:",
    "Jos\u00e9 \u2192 \u2265 90 \u2013 120 \u00b5g, 10\u2079/L, \u00bd tab, c\u0304, \u2026",
    "\u041c\u0430\u0440\u0438\u044f",  # a word of another script only
    "\u03b2-blocker",
    "A&E; &ward; &notes;",
    "JO\u00c3O P\u00c2T\u00c9 \u00c4rztin \u00c5se m\u00e2t \u00e2\u20ac",
    r"C:\users\u123 \ud83d",
    r"C:\new\notes\nurse\n {\b no RTF\par}",
    "sats 92%20 min, a%20b%20c%20d, x.example/A%20Plan, 5%C3, 3%C3%8x",
    "chart https://x.example/e?b=Lee,%20Ann/plan and https://x.example/a|b;n=A%20Plan",
    "see https://x.example/a%20b%20c%20d%20e%20f for the plan of next week, please",
    "BP=80 HR=72 SpO2=95 FiO2=D5 fluid=D5W Na=\n138 GCS=15",
    "=====\nPLAN\n=====\nx=y\n=====\nE=E4",
    "",
    "pain |0|1|2|3|4|5|6|7|",
    "| 4 | 4 | 1 | 2 | 3 |",
    "CN II-XII |5|5|4|",
    "hepatitis A B C",
    "q t c y m r s, b y  v, 1 1 2 / 1 2 1, 8 4 3 1 0 0",
    "cell  Rh      D C E c e   K k   Fya",
    "301 | SMITH\n302 | JONES\n303 | LEE\n304 | EMPTY",  # rooms
    "1. Na\n2. K\n3. Cl",
    "> 140/90\nx\n> 3 days",
    '<a title="dr. lee">x</a> <span title="lee"> <span class="Lee">',
    "HR=80 K=3.9 FiO2=C dose=20mg HR=20 RR=20Breaths MAP=20MM",
    "DOB=20MAR1956, admitted=20Mar2067, LMP=20Dec. seen:=20May, DOS=20 APR=20Apr67",
    "MRN=20ABC4711, Acct:=20AB12, MRN=20ABC-4711, ID=20SUR.22-1, LMP=20Febr.2015",
    "04/17/1952, (218) 555-0146, 412-77-0091",
]


@pytest.mark.parametrize(("text", "plain"), FOLDED.items())
def test_fold(text, plain):
    folded = fold(text)
    assert folded is not None and folded.text == plain
    assert fold(plain) is None


@pytest.mark.parametrize("text", STAYS)
def test_plain_text_stays(text):
    assert fold(text) is None


def test_what_was_misread_is_read_again_twice_at_most():
    folded = fold("\u00c3" + "\u0192" * 5)
    assert folded is not None and folded.text == "\u00c3" + "\u0192" * 3


def test_bare_line_ends_are_folded_all_at_once():
    assert steps(lambda: fold("a\r" * 10_000)) < 1000


def test_places_of_what_became_shorter_or_longer():
    text = "\u200bMar\u00adia Gri\ufb03n\r\nJose\u0301 L\u00c3\u00a9a\u200b\u00e2\u20ac\u2122s"
    folded = fold(text)
    assert folded.text == "Maria Griffin\nJos\u00e9 L\u00e9a's"

    def original(part):
        start = folded.text.index(part)
        return text[slice(*folded.original(start, start + len(part)))]

    assert original("Maria") == "Mar\u00adia"
    assert original("Griffin") == "Gri\ufb03n"
    assert original("\n") == "\r\n"
    assert original("Jos\u00e9") == "Jose\u0301"
    assert original("L\u00e9a") == "L\u00c3\u00a9a\u200b"
    assert original("'s") == "\u00e2\u20ac\u2122s"
    assert original("f") == "\ufb03"  # part of a character is the whole of it


@pytest.mark.parametrize(
    "text, part, original",
    [
        ("MR# |0|0|4|1|9|2|7| seen", "0041927", "0|0|4|1|9|2|7"),
        ("seen by Tuc-\n  son, on 11", "Tucson", "Tuc-\n  son"),
        ("by M<b>\u00fc</b>ller", "M\u00fcller", "M<b>\u00fc</b>ller"),
        ("Mu=F1oz, Mu=F1oz", "Mu\u00f1oz", "Mu=F1oz"),
    ],
)
def test_places_of_what_was_broken_up(text, part, original):
    folded = fold(text)
    start = folded.text.index(part)
    begin, end = folded.original(start, start + len(part))
    assert text[begin:end] == original


WIDE = (
    "Roberta Stone of 12 Elm Rd, Tucson, called on 04/12/2019 from 406.555.0172 about pain since "
    "the fall. The wound is clean and dry. Her sister, Ann Whitacre, drove. She called Dr. Okafor "
    "and will call again next week."
)


def broken_at(text: str, width: int) -> str:
    return "\n".join(text[i : i + width] for i in range(0, len(text), width))


def justified(text: str, width: int) -> str:
    """Lines with wider gaps, so that all but the last are as long."""
    *lines, last = textwrap.wrap(text, width)
    full = (line.replace(" ", " " * (1 + width - len(line)), 1) for line in lines)
    return "\n".join((*full, last))


def test_lines_of_a_fixed_width():
    text = f"PLAN:\n{broken_at(WIDE, 53)}\nrest"
    folded = fold(text)
    assert folded.text == "PLAN:\n" + WIDE.replace("The ", "The \n") + "\nrest"
    start = folded.text.index("04/12/2019")
    assert text[slice(*folded.original(start, start + 10))] == "04/12/2\n019"


@pytest.mark.parametrize(
    "text",
    [
        broken_at(WIDE, 30),  # too narrow
        broken_at(WIDE, 150),  # too few lines
        textwrap.fill(WIDE, 53),
        justified(WIDE, 53),
        "\n".join(f"0{hour}:15 HR 72 BP 118/70 SpO2 97 RR 16 T 36.9 RA" for hour in range(9)),
    ],
)
def test_other_lines_stay(text):
    assert fold(text) is None


@given(st.text(max_size=80) | st.text(alphabet="A1b|[]_-/ \n><2%F=", max_size=60))
def test_places_cover_the_text_in_order(text):
    folded = fold(text)
    if folded is None:
        return
    assert len(folded.starts) == len(folded.ends) == len(folded.text)
    assert np.all(folded.starts < folded.ends)
    assert np.all(np.diff(folded.starts) >= 0) and np.all(np.diff(folded.ends) >= 0)
    assert folded.text == "" or folded.ends[-1] <= len(text)


@given(st.text(max_size=80))
def test_folding_twice_changes_nothing_more(text):
    folded = fold(text)
    plain = text if folded is None else folded.text
    again = fold(plain)
    assert again is None or fold(again.text) is None
