from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.redaction import STYLES, Key, RedactionError, Redactor, find_policy
from spacy_deid.review import Finding, find_in_docs, write_review
from spacy_deid.review.show import _view

KEY = Key(b"a secret of some length")


def redactor(policy="tag"):
    return Redactor(find_policy(policy), KEY)


def finding(text, *spans, note_id="lopez"):
    return Finding(Note(note_id, text, tuple(PhiSpan(*span) for span in spans)))


@pytest.fixture
def write(tmp_path, read_page):
    def write(findings, policy="tag", **options):
        path = tmp_path / "review.html"
        write_review(findings, path, "Notes", redactor(policy), **options)
        return read_page(path)

    return write


def test_review_shows_both_sides_line_by_line(write):
    page = write([finding("Maria\n\n saw  Chen.\r\n", (0, 5, "PATIENT"), (13, 17, "DOCTOR"))])
    assert page.all("th") == ["Original", "De-identified"]
    cells = page.all("td")
    assert cells == ["Maria", "[PATIENT]", "", "", " saw  Chen.", " saw  [DOCTOR].", "", ""]


def test_review_tells_where_phi_is_from(write, nlp):
    page = write(find_in_docs([(nlp("Maria saw Chen"), "a")]))
    marks = page.find("mark")
    hint = "PATIENT · found by review_names and review_all · rule review_names_rule · score 0.90"
    assert [a["title"] for a, _ in marks[::2]] == [hint, hint]
    assert [a["data-n"] for a, _ in marks] == ["0", "1", "0", "1"]
    assert marks[0][0]["class"] == "phi NAME"
    assert [a.get("data-label") for a, _ in marks] == ["PATIENT", "DOCTOR", None, None]


def test_review_without_origins_tells_the_type(write):
    page = write([finding("Maria", (0, 5, "PATIENT"))])
    assert [a["title"] for a, _ in page.find("mark")] == ["PATIENT", "PATIENT"]


def test_review_keeps_phi_over_a_line_end_whole(write):
    page = write([finding("at 555\n0116 or", (3, 11, "PHONE"))])
    assert page.all("td") == ["at 555\n0116 or", "at [PHONE] or"]
    assert page.all("mark") == ["555\n0116", "[PHONE]"]


def test_review_counts_by_type_in_canonical_order(tmp_path, read_page):
    findings = [
        finding("Monday Maria Maria", (0, 6, "DATE"), (7, 12, "PATIENT"), (13, 18, "PATIENT")),
        finding("Chen", (0, 4, "DOCTOR")),
        finding("none"),
    ]
    path = tmp_path / "r.html"
    assert write_review(findings, path, "x", redactor()) == Counter(PATIENT=2, DOCTOR=1, DATE=1)
    page = read_page(path)
    legend = [(a["data-type"], a["class"]) for a, _ in page.find("button") if "data-type" in a]
    assert legend == [("PATIENT", "NAME"), ("DOCTOR", "NAME"), ("DATE", "DATE")]
    assert [a["data-types"] for a, _ in page.find("article")] == ["DATE PATIENT", "DOCTOR", ""]
    assert page.all("span", **{"class": "badge"}) == ["3", "1", "0"]


def test_review_without_notes(write):
    assert "No PHI in any note" in write([]).text


@pytest.mark.parametrize("policy", ["tag", "mask", "remove", "template"])
def test_redacted_only_leaves_the_notes_out(write, policy, tmp_path):
    page = write(
        [finding("Maria saw Chen", (0, 5, "PATIENT"), (10, 14, "DOCTOR"))],
        policy,
        redacted_only=True,
    )
    html = (tmp_path / "review.html").read_text("utf-8")
    assert not any(word in html for word in ("Maria", "Chen", "lopez", "This file holds PHI"))
    assert page.all("th") == ["De-identified"] and len(page.all("mark")) == 2
    assert page.all("h2") == ["Note 1"]
    labelled = [a for a, _ in page.find("mark") if "data-label" in a]
    assert len(labelled) == (0 if policy == "tag" else 2)


def test_review_warns_of_phi(write):
    assert "This file holds PHI" in write([finding("Maria")]).text


def test_review_escapes_what_notes_hold(write, tmp_path):
    text = "<script>alert(1)</script> & </td><b>Ann</b>\x00\x1b\u202e"
    page = write([finding(text, (34, 37, "PATIENT"), note_id='<em x="')])
    html = (tmp_path / "review.html").read_text("utf-8")
    assert html.count("<script>") == 1 and "<b>Ann" not in html and "<em" not in html
    assert page.all("td")[0] == text.replace("\x00", "\u2400").replace("\x1b", "\u241b")


def test_review_of_a_failing_policy_quotes_nothing(write, monkeypatch, tmp_path):
    def broken(note):
        raise ValueError(note.text)

    monkeypatch.setitem(STYLES, "broken", broken)
    with pytest.raises(
        RedactionError, match=r"'broken' failed on note lopez \(ValueError\)"
    ) as error:
        write([finding("Maria", (0, 5, "PATIENT"))], "broken")
    assert "Maria" not in str(error.value) and error.value.__cause__ is None
    assert list(tmp_path.iterdir()) == []


@st.composite
def findings(draw):
    text = draw(st.text("ab \n\r\t<&\u2028\x00", max_size=40))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    return finding(text, *((start, end, "PATIENT") for start, end in pairs))


@given(findings())
def test_views_lose_no_text(found):
    """Either side, read line by line, is the note and its redaction."""
    view = _view(found, "x", redactor("mask"))
    new = redactor("mask").redact(found.note.text, found.note.spans).text
    for side, text in (("old", found.note.text), ("new", new)):
        lines = ("".join(getattr(piece, side) for piece in line) for line in view.lines)
        shown = "\n".join(lines).replace("\u2400", "\0")
        assert squeeze(shown) == squeeze(text)
    assert [p.number for line in view.lines for p in line if p.type] == list(
        range(len(found.note.spans))
    )


def squeeze(text):
    """A text with one sign for any line end, even one that PHI cuts in two."""
    return re.sub(r"[\r\n]+", "\n", text)


def test_review_is_self_contained(write, tmp_path):
    page = write([finding("Maria", (0, 5, "PATIENT"))])
    assert {tag for tag, _, _ in page.tags}.isdisjoint({"link", "iframe", "base", "img", "a"})
    assert not any({"src", "href"} & set(a) for _, a, _ in page.tags)
    policy = next(a["content"] for _, a, _ in page.tags if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'")
    assert [file.name for file in tmp_path.iterdir()] == ["review.html"]
