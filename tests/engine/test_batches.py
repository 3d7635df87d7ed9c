from __future__ import annotations

import pytest

from spacy_deid import deidentify
from spacy_deid.engine.batches import CHARACTERS, TEXTS, batches
from spacy_deid.engine.search import Search
from spacy_deid.engine.work import TextRedactor


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([], []),
        ([1] * (2 * TEXTS + 1), [TEXTS, TEXTS, 1]),
        ([CHARACTERS - 1, 1, 1], [2, 1]),
        ([1, 9 * CHARACTERS, 1], [1, 1, 1]),
    ],
)
def test_batches_are_small_in_texts_and_in_characters(sizes, expected):
    assert [len(batch) for batch in batches(sizes, int)] == expected
    assert [size for batch in batches(sizes, int, 7) for size in batch] == sizes


def test_long_texts_are_no_batch(nlp, monkeypatch):
    lengths = []
    redact = TextRedactor.redact

    def record(self, texts):
        lengths.append([len(text.text) for text in texts])
        return redact(self, texts)

    monkeypatch.setattr(TextRedactor, "redact", record)
    text = "Well. " * (CHARACTERS // 10)
    assert [each.text for each in deidentify([text, "Maria", text], model=nlp)][1] == "[PATIENT]"
    assert lengths == [[len(text), 5], [len(text)]]


def test_the_pieces_of_a_long_text_are_several_batches(nlp, monkeypatch):
    monkeypatch.setattr("spacy_deid.engine.search.LONGEST", 200)
    monkeypatch.setattr("spacy_deid.engine.batches.CHARACTERS", 500)
    sizes = []
    pipe = nlp.pipe

    def record(pieces, **settings):
        sizes.append(sum(len(text) for text, _ in pieces))
        return pipe(pieces, **settings)

    monkeypatch.setattr(nlp, "pipe", record)
    (found,) = Search(nlp).find(["Maria. " * 300], [{}])
    assert len(found.spans) == 300 and len(sizes) > 3 and max(sizes) <= 500
