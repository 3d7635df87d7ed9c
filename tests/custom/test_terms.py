"""The CSV file of own terms, and what is wrong with one."""

from __future__ import annotations

import pickle

import pytest

from spacy_deid.custom import NEVER, Term, Terms, read_terms
from spacy_deid.files import FormatError


def write(tmp_path, text):
    path = tmp_path / "ours.csv"
    path.write_text(text, "utf-8-sig")
    return path


def test_terms_are_read(tmp_path):
    path = write(
        tmp_path,
        'name,type,term,context\nstaff,doctor,"Lind, Astrid",\n,never, Marinol ,dose daily\n\n',
    )
    assert [*read_terms(path)] == [
        Term("DOCTOR", "Lind, Astrid", name="staff"),
        Term(NEVER, "Marinol", context="dose daily"),
    ]
    assert [term.id for term in read_terms(path)] == ["custom.staff", "never.terms"]


def test_a_file_is_read_again_only_if_it_changed(tmp_path):
    path = write(tmp_path, "type,term\nCITY,Zorg\n")
    first = read_terms(path)
    assert read_terms(path) is first
    assert pickle.loads(pickle.dumps(first)) != first  # equal only to itself
    write(tmp_path, "type,term\nCITY,Zorgstad\n")
    assert [*read_terms(path)] == [Term("CITY", "Zorgstad")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: it needs the columns type, and term or pattern"),
        ("type,name\n", "line 1: it needs the columns type, and term or pattern"),
        ("type,term,contex\n", "line 1, column 3: it is unknown; the columns are type, term"),
        ("type;term\nCITY;Zorg\n", "line 1, column 1: it is unknown"),
        ("type,term\nCITY,Zorg\nTOWN,Lopez\n", "line 3, column type: it is neither never nor"),
        ("type,term\nCITY,\n", "line 2, it needs a value in one of the columns term and pattern"),
        ("type,term,pattern\nCITY,a,b\n", "line 2, it needs a value in one of the columns"),
        ("type,term\nCITY,A.\n", "line 2, column term: it has fewer than 2 letters or digits"),
        ("type,term\nDOCTOR,Lopez, Maria\n", "line 2: it has more cells than columns; put quotes"),
        ('type,term\nCITY,"Lopez\n', "is not CSV in UTF-8"),
    ],
)
def test_what_is_wrong_is_told_without_the_term(tmp_path, text, message):
    with pytest.raises(FormatError, match=message) as caught:
        read_terms(write(tmp_path, text))
    assert str(tmp_path) in str(caught.value) and "Lopez" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FormatError, match="cannot be read: No such file"):
        read_terms(tmp_path / "gone.csv")


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (r"(?<=MRN )\d+", "RE2 cannot match it in linear time .*look-arounds"),
        (r"(\d)\1", "RE2 cannot match it in linear time"),
        ("[", "RE2 cannot match it"),
        (r"\d*", "it matches the empty text"),
    ],
)
def test_patterns_that_are_refused(tmp_path, pattern, message):
    pytest.importorskip("re2")
    with pytest.raises(FormatError, match=f"line 2, column pattern: {message}"):
        read_terms(write(tmp_path, f"type,pattern\nIDNUM,{pattern}\n"))


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("Ref\u00a0NX", r"has ' ' in place of U\+00A0"),
        ("NX[\u2010-\u2015]7", r"has '-' in place of U\+2010"),
        ("\u2018Q7\u2019", r"has ''' in place of U\+2018"),
        ("\uff31\\d", r"has 'Q' in place of U\+FF31"),
        ("o\ufb03ce", r"has 'ffi' in place of U\+FB03"),
        ("Q&amp;A", r"has '&' in place of &amp;$"),
        ("Zo\u0308rbex", r"has 'ö' in place of U\+006F U\+0308"),
        ("NX\u200b7", r"has '' in place of U\+200B"),
    ],
)
def test_patterns_of_what_no_normalised_text_has_are_refused(pattern, message):
    pytest.importorskip("re2")
    with pytest.raises(ValueError, match=f"^column pattern: .*{message}"):
        Term("IDNUM", pattern=pattern)


@pytest.mark.parametrize("pattern", ["O['\u2019]Brien", "NX(-|\u2010)7", "NX[\u2010-]7"])
def test_patterns_with_the_plain_character_beside_it_are_taken(pattern):
    pytest.importorskip("re2")
    Term("IDNUM", pattern=pattern)


@pytest.mark.parametrize(
    "pattern",
    [r"Str[ö-ü]me\d{1,2}", r"\bКлиника [0-9]", r"A&[a-z]+;", "\\r?\\n–x€", r"[^\x00-\x7f]"],
)
def test_other_patterns_may_have_any_characters(pattern):
    pytest.importorskip("re2")
    assert Term("IDNUM", pattern=pattern).pattern == pattern


def test_patterns_need_a_package(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "re2", None)
    with pytest.raises(ValueError, match=r'pip install "spacy_deid\[terms\]"'):
        Term("IDNUM", pattern=r"unheard-of-\d+")


def test_empty_terms_are_as_good_as_none():
    assert not Terms() and Terms() != Terms()
