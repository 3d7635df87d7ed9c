import pytest
import spacy
from spacy.tokens import Doc

from spacy_deid.tagger.model import build_phi_tagger
from spacy_deid.tagger.parts.chars import CharBiLSTM
from spacy_deid.tagger.segments import batch_docs, segment_lengths, sentence_lengths


def doc_of(*sentence_lengths: int) -> Doc:
    words = ["w"] * sum(sentence_lengths)
    starts = [i == 0 for length in sentence_lengths for i in range(length)]
    return Doc(spacy.blank("en").vocab, words=words, sent_starts=starts)


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        ((), []),
        ((3,), [3]),
        ((4, 4, 4), [8, 4]),
        ((4, 6, 1), [10, 1]),
        ((25,), [10, 10, 5]),
        ((3, 25, 2), [3, 10, 10, 7]),
        ((10, 10), [10, 10]),
    ],
)
def test_segments_are_whole_sentences_where_they_fit(sentences, expected):
    assert sentence_lengths(doc_of(*sentences)).tolist() == list(sentences)
    assert segment_lengths(sentences, 10) == expected


def test_segments_without_sentences_are_cut_by_length():
    doc = Doc(spacy.blank("en").vocab, words=["w"] * 23)
    assert segment_lengths(sentence_lengths(doc), 10) == [10, 10, 3]


def test_batches_keep_order_and_bound():
    docs = [doc_of(n) if n else doc_of() for n in (5, 5, 1, 30, 2, 0)]
    batches = batch_docs(docs, 10)
    assert [len(doc) for batch in batches for doc in batch] == [5, 5, 1, 30, 2, 0]
    assert [[len(doc) for doc in batch] for batch in batches] == [[5, 5], [1], [30], [2, 0]]


def test_a_tagger_needs_segments_of_a_token_or_more():
    with pytest.raises(ValueError, match="max_segment is 0"):
        build_phi_tagger(None, None, None, max_segment=0)


def test_characters_are_the_first_and_the_last():
    with pytest.raises(ValueError, match="max_chars is 1"):
        CharBiLSTM(max_chars=1)
