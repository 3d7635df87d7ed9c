import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span

from spacy_deid.annotation.tagging import SCHEMES
from spacy_deid.crf import sequences
from spacy_deid.crf.sequences import DocView, cover_tokens, gold_sequences, split, trim_spaces

NLP = spacy.blank("en")


def view_of(text: str, starts: tuple[int, ...] = ()) -> DocView:
    doc = NLP.make_doc(text)
    for i in starts:
        doc[i].is_sent_start = True
    return DocView(doc)


def test_sentences_hold_all_tokens_and_fold_white_space():
    view = view_of("Seen today .\n\n Dr. Lopez", starts=(0, 4))
    assert [(s.start, s.end, s.words) for s in split(view, "token")] == [
        (0, 4, ["Seen", "today", ".", "<blank_line>"]),
        (4, 6, ["Dr.", "Lopez"]),
    ]


def test_lines_hold_tabs_and_double_blanks():
    text = "MRN:\t77  A\n\n  b \n"
    view = view_of(text)
    found = list(split(view, "character"))
    assert [line.words for line in found] == ["MRN:\t77  A", "  b "]
    assert [text[line.start : line.end] for line in found] == [line.words for line in found]
    words = [
        [line.sentence.words[token] if token >= 0 else "" for token in line.tokens]
        for line in found
    ]
    assert words[0] == ["MRN"] * 3 + [":", "<space>", "77", "77", "", "<space>", "A"]
    assert words[1] == ["<blank_line>"] * 2 + ["b", ""]


@pytest.mark.parametrize("text", ["", " ", "\n", "\n\n\t\n"])
@pytest.mark.parametrize("unit", ["token", "character"])
def test_blank_docs_have_no_empty_sequence(text, unit):
    assert all(len(sequence) > 0 for sequence in split(view_of(text), unit))


@pytest.mark.parametrize("unit", ["token", "character"])
def test_long_sequences_are_cut(unit, monkeypatch):
    monkeypatch.setattr(sequences, "MAX_ITEMS", 4)
    assert [len(s) for s in split(view_of("a b c d e f"), unit)] == (
        [4, 2] if unit == "token" else [4, 4, 3]
    )


def gold_of(view: DocView, reference: Doc, unit: str, scheme: str) -> list[str]:
    return [" ".join(tags) for _, tags in gold_sequences(view, reference, unit, SCHEMES[scheme])]


def test_gold_of_tokens_is_cut_at_sentences():
    view = view_of("Ann Mary Lee saw", starts=(2,))
    reference = view.doc.copy()
    reference.set_ents([Span(reference, 0, 3, label="DOCTOR")])
    assert gold_of(view, reference, "token", "BIO") == ["B-DOCTOR I-DOCTOR", "B-DOCTOR O"]
    assert gold_of(view, reference, "token", "BIOES") == ["B-DOCTOR E-DOCTOR", "S-DOCTOR O"]


def test_gold_of_characters_is_exact_where_tokens_differ():
    view = view_of("MD7 x\ny7")
    reference = Doc(
        NLP.vocab,
        words=["MD", "7", "x", "\n", "y", "7"],
        spaces=[False, True, False, False, False, False],
    )
    spans = [Span(reference, 1, 2, label="AGE"), Span(reference, 4, 6, label="IDNUM")]
    reference.set_ents(spans)
    expected = ["O O S-AGE O O", "B-IDNUM E-IDNUM"]
    assert gold_of(view, reference, "character", "BIOES") == expected
    assert gold_of(view, reference, "token", "BIO") == ["B-AGE O O B-IDNUM"]


def test_gold_of_characters_is_cut_at_line_breaks():
    view = view_of("ab\ncd")
    reference = view.doc.copy()
    reference.set_ents([Span(reference, 0, len(reference), label="AGE")])
    assert gold_of(view, reference, "character", "BIOES") == ["B-AGE E-AGE"] * 2


def test_sequences_with_unknown_gold_are_left_out():
    view = view_of("one two three", starts=(2,))
    reference = view.doc.copy()
    reference.set_ents([Span(reference, 0, 2, label="AGE")], default="missing")
    assert gold_of(view, reference, "token", "BIO") == ["B-AGE I-AGE"]


def test_other_text_is_an_error():
    with pytest.raises(ValueError, match="different texts"):
        gold_of(view_of("one"), NLP.make_doc("two"), "token", "BIO")


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([(1, 2, "AGE", 0.9)], [(0, 1, "AGE", 0.9)]),
        ([(0, 1, "AGE", 0.9), (2, 3, "AGE", 0.7)], [(0, 1, "AGE", 0.7)]),
        ([(2, 5, "AGE", 0.9), (6, 7, "AGE", 0.8)], [(0, 2, "AGE", 0.8)]),
        ([(0, 2, "AGE", 0.9), (2, 3, "DATE", 0.8)], [(0, 1, "AGE", 0.9), (0, 1, "DATE", 0.8)]),
        ([(0, 3, "AGE", 0.9), (4, 7, "AGE", 0.8)], [(0, 1, "AGE", 0.9), (1, 2, "AGE", 0.8)]),
        ([(3, 4, "AGE", 0.9)], []),
    ],
)
def test_characters_grow_to_tokens(spans, expected):
    assert cover_tokens(Doc(NLP.vocab, words=["abc", "def"]), spans) == expected


def test_white_space_at_the_ends_is_no_part_of_a_span():
    doc = Doc(NLP.vocab, words=["\n", "a", "\n", "b", "\n"])
    assert trim_spaces(doc, [(0, 5, "AGE", 0.9), (2, 3, "DATE", 0.9)]) == [(1, 4, "AGE", 0.9)]


@given(st.text(st.sampled_from("ab1. \t\n\r\u00e9"), max_size=60))
def test_sequences_cover_the_doc_once(text):
    view = view_of(text)
    tokens = [i for s in split(view, "token") for i in range(s.start, s.end)]
    assert tokens == list(range(len(view.doc)))
    found = list(split(view, "character"))
    assert [i for line in found for i in range(line.start, line.end)] == [
        i for i, char in enumerate(text) if char != "\n"
    ]
    for line in found:
        for char, token in zip(line.words, line.tokens, strict=True):
            assert char == " " if token < 0 else char in view.doc[line.sentence.start + token].text
