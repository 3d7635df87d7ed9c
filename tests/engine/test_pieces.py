from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_deid.engine import search
from spacy_deid.engine.search import Search, cut
from spacy_deid.redaction import RedactionError


@given(st.text(alphabet="ab \n", max_size=300), st.integers(20, 80))
def test_every_word_is_whole_in_a_piece(text, longest):
    words = {(match.start(), match.end()) for match in re.finditer(r"\S+", text)}
    try:
        parts = list(cut(text, longest))
    except RedactionError:
        assert any(end - start > longest // 4 for start, end in words)
        return
    assert all(text[start : start + len(part)] == part for start, part in parts)
    assert all(len(part) <= longest for _, part in parts)
    found = {
        (start + match.start(), start + match.end())
        for start, part in parts
        for match in re.finditer(r"\S+", part)
    }
    assert found == words


def test_pieces_overlap_by_their_margin():
    text = "word " * 1_000
    parts = list(cut(text, 1_000))
    ends = [start + len(part) for start, part in parts]
    margins = [end - start for end, (start, _) in zip(ends, parts[1:], strict=False)]
    assert min(margins) >= 250 and max(margins) < 260
    assert ends[-1] == len(text)


def test_short_text_is_one_piece():
    assert list(cut("a" * 100, 100)) == [(0, "a" * 100)]
    assert list(cut("")) == [(0, "")]


def test_long_text_is_searched_to_its_end(nlp, monkeypatch):
    monkeypatch.setattr("spacy_deid.engine.search.LONGEST", 200)
    text = "".join(f"Maria {i} on 3/4/{i}.\r\n" for i in range(10, 99))
    (found,) = Search(nlp).find([text], [{}])
    assert [text[span.start : span.end] for span in found.spans[:2]] == ["Maria", "3/4/10"]
    assert len(found.spans) == 178 and found.sources == {"toy_detector": 178}


def test_a_name_of_one_piece_is_looked_for_in_all(nlp, monkeypatch):
    monkeypatch.setattr("spacy_deid.engine.search.LONGEST", 200)
    monkeypatch.setattr("toy_pipeline.PHI", re.compile("(?P<PATIENT>Wren Sorrel)"))
    text = f"Seen: Wren Sorrel. {'He slept well. ' * 60}then Sorrel left"
    (found,) = Search(nlp).find([text], [{}])
    assert [text[span.start : span.end] for span in found.spans] == ["Wren Sorrel", "Sorrel"]
    assert found.sources == {"toy_detector": 1, "phi_merger": 1}


def test_long_text_without_blanks_is_withheld(nlp, monkeypatch):
    monkeypatch.setattr("spacy_deid.engine.search.LONGEST", 200)
    long, short = Search(nlp).find(["Maria" * 100, "Maria"], [{}, {}])
    assert long.error == "it is too long, and has no spaces to cut it at"
    assert len(short.spans) == 1


def test_failure_in_one_piece_withholds_the_note(nlp, monkeypatch):
    monkeypatch.setattr("spacy_deid.engine.search.LONGEST", 200)
    (found,) = Search(nlp).find(["Maria " * 100 + "BOOM " + "Maria " * 100], [{}])
    assert found.error == "the pipe 'toy_detector' failed (ValueError)"


def test_margin_is_small_beside_a_piece():
    assert 8 * search._MARGIN < search.LONGEST


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\x00", "\ufeff"])
def test_blank_text_has_no_phi(nlp, text):
    (found,) = Search(nlp).find([text], [{}])
    assert (found.spans, found.error) == ((), "")
