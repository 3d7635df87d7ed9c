from functools import partial

import numpy as np
import pytest
import spacy
import torch
from spacy.vectors import Vectors
from spacy.vocab import Vocab

from spacy_deid.tagger import features
from spacy_deid.tagger.features import WORD_CLASSES, Word, char_ids, word_class
from spacy_deid.tagger.parts.base import WordPart
from spacy_deid.tagger.parts.chars import CharBiLSTM, CharCNN, CharVectors
from spacy_deid.tagger.parts.form import Orthography, WordLists
from spacy_deid.tagger.parts.identity import HashedWords, ListedWords, WordVectors
from spacy_deid.text.gazetteers import WORD_LISTS

WORDS = ["Ann", "ward", "12", "the", "Krankenhausaufenthaltsdauer", "\n\n\n", "é"]
PARTS = {
    "char_bilstm": partial(CharBiLSTM, width=5, max_chars=8),
    "char_coupled": partial(CharBiLSTM, width=5, cell="coupled_lstm", max_chars=8),
    "char_cnn": partial(CharCNN, width=5, char_width=4, max_chars=8),
    "char_vectors": CharVectors,
    "hashed": partial(HashedWords, width=5, rows=50),
    "listed": partial(ListedWords, width=5),
    "vectors": WordVectors,
    "trained_vectors": partial(WordVectors, trainable=True),
    "projected_vectors": partial(WordVectors, width=4),
    "orthography": partial(Orthography, width=5),
    "lists": partial(WordLists, width=5),
}


@pytest.fixture
def vocab() -> Vocab:
    vocab = spacy.blank("en").vocab
    data = np.asarray([[1, 0], [0, 2], [3, 3]], dtype="float16")
    keys = [vocab.strings.add(word) for word in ("ab", "b", "ward")]
    vocab.vectors = Vectors(strings=vocab.strings, data=data, keys=keys)
    return vocab


def embed(part: WordPart, vocab: Vocab, words: list[str]) -> torch.Tensor:
    return part(torch.from_numpy(describe(part, vocab, words)), vocab)


def describe(part: WordPart, vocab: Vocab, words: list[str]) -> np.ndarray:
    described = part.describe([Word(vocab, vocab.strings.add(word)) for word in words])
    return described.astype(np.int64)


def built(part: WordPart, vocab: Vocab, counts: dict[str, int] | None = None) -> WordPart:
    torch.manual_seed(0)
    by_orth = {vocab.strings.add(word): count for word, count in (counts or {}).items()}
    part.initialize(vocab, by_orth)
    return part.eval()


@pytest.mark.parametrize("name", PARTS)
def test_a_word_alone_equals_itself_in_any_company(name, vocab):
    part = built(PARTS[name](), vocab, dict.fromkeys(WORDS[:4], 1))
    together = embed(part, vocab, WORDS)
    assert together.shape == (len(WORDS), part.width)
    for word, embedded in zip(WORDS, together, strict=True):
        assert torch.allclose(embed(part, vocab, [word])[0], embedded, atol=1e-6)


@pytest.mark.parametrize("name", PARTS)
def test_saved_part_is_rebuilt_from_its_sizes(name, vocab):
    part = built(PARTS[name](), vocab, dict.fromkeys(WORDS[:4], 1))
    other = PARTS[name]()
    other.build(**part.sizes)
    other.load_state_dict(part.state_dict())
    assert torch.equal(embed(part, vocab, WORDS), embed(other.eval(), vocab, WORDS))


@pytest.mark.parametrize("name", PARTS)
def test_unknown_is_as_long_as_a_description(name, vocab):
    part = built(PARTS[name](), vocab)
    assert describe(part, vocab, ["ward"]).shape == (1, len(part.unknown))
    assert part(torch.tensor([part.unknown]), vocab).shape == (1, part.width)


def test_long_words_keep_both_ends(vocab):
    part = CharBiLSTM(max_chars=4)
    expected = [[98, 99, 102, 103], [98, 99, 0, 0]]
    assert describe(part, vocab, ["abcdef", "ab"]).tolist() == expected


def test_char_cnn_is_the_maximum_of_its_filters(vocab):
    part = built(CharCNN(width=5, char_width=4), vocab)
    letters = part.chars(torch.from_numpy(describe(part, vocab, ["ox"])[0, :2]))
    padded = torch.cat([torch.zeros(1, 4), letters, torch.zeros(1, 4)])
    windows = torch.stack([padded[0:3], padded[1:4]])
    scores = torch.einsum("nwc,fcw->nf", windows, part.filters.weight) + part.filters.bias
    assert torch.allclose(embed(part, vocab, ["ox"])[0], torch.tanh(scores.amax(0)), atol=1e-6)


def test_character_vectors_are_means_over_the_words_they_occur_in(vocab):
    part = built(CharVectors(), vocab)
    assert part.table[char_ids(ord("a"))].tolist() == [2, 1.5]  # "ab" and "ward"
    assert part.table[char_ids(ord("b"))].tolist() == [0.5, 1]  # "ab" and "b"
    assert embed(part, vocab, ["ab", "q"]).tolist() == [[1.25, 1.25], [0, 0]]
    assert not list(part.parameters())


def test_character_vectors_need_word_vectors():
    with pytest.raises(ValueError, match="needs word vectors"):
        CharVectors().initialize(spacy.blank("en").vocab, {})


def test_hashed_words_fold_case_and_digits(vocab):
    part = built(HashedWords(rows=5000), vocab)
    upper, lower, first, second, other = embed(part, vocab, ["ANN", "ann", "a12", "A07", "a1"])
    assert torch.equal(upper, lower) and torch.equal(first, second)
    assert not torch.equal(first, other) and not torch.equal(upper, other)


def test_listed_words_are_those_seen_often_enough(vocab):
    part = built(ListedWords(min_count=3), vocab, {"Ann": 1, "ann": 2, "ward": 2, "1": 2, "2": 1})
    assert part.sizes == {"n_words": 2}
    ann, nine, ward, unseen = embed(part, vocab, ["ANN", "9", "ward", "unseen"])
    assert torch.equal(ward, unseen) and torch.equal(ward, part.table.weight[0])
    assert not torch.equal(ann, ward) and not torch.equal(nine, ward)


@pytest.mark.parametrize("trainable", [True, False])
def test_word_vectors_as_they_are(vocab, trainable):
    part = built(WordVectors(trainable=trainable), vocab)
    assert embed(part, vocab, ["ward", "Ward", "none"]).tolist() == [[3, 3], [3, 3], [0, 0]]
    assert len(list(part.parameters())) == trainable


def test_word_vectors_prefer_the_word_itself_to_its_lower_case(vocab):
    vocab.vectors.resize((4, 2))
    vocab.vectors.add(vocab.strings.add("WARD"), vector=np.asarray([7, 7], dtype="float16"))
    part = built(WordVectors(), vocab)
    assert embed(part, vocab, ["WARD", "Ward"]).tolist() == [[7, 7], [3, 3]]


def test_word_vectors_find_words_that_spacy_has_as_symbols(vocab):
    vocab.vectors.resize((4, 2))
    vocab.vectors.add(vocab.strings.add("cc"), vector=np.asarray([7, 7], dtype="float16"))
    assert embed(built(WordVectors(), vocab), vocab, ["CC"]).tolist() == [[7, 7]]


def test_without_vectors_the_part_is_empty():
    vocab = spacy.blank("en").vocab
    for part in (WordVectors(width=64), WordVectors(trainable=True)):
        assert embed(built(part, vocab), vocab, ["ward"]).shape == (1, 0)
        assert part.width == 0


def test_word_lists_project_the_memberships(vocab, monkeypatch):
    part = built(WordLists(), vocab)
    assert part.sizes == {"n_lists": len(WORD_LISTS)}
    monkeypatch.setattr(features, "word_masks", lambda vocab, lower: np.asarray([0b101]))
    weight, bias = part.project.weight, part.project.bias
    in_two_lists = weight[:, 0] + weight[:, 2] + bias
    assert torch.allclose(embed(part, vocab, ["Maria"])[0], in_two_lists)
    assert torch.allclose(part(torch.tensor([part.unknown]), vocab)[0], bias)


def test_model_saved_with_fewer_lists_goes_on_without_the_others(vocab):
    part = WordLists()
    part.build(n_lists=2)
    rows = torch.tensor([[0b101], [0b001]])
    assert torch.equal(*part(rows, vocab))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\n", "newline"),
        ("\n\n", "blank_line"),
        (" ", "space"),
        ("ward", "lower"),
        ("Ann", "title"),
        ("ICU", "upper"),
        ("J", "initial"),
        ("McDonald", "mixed"),
        ("O'Neil", "mixed"),
        ("7", "digit_1"),
        ("1961", "digit_4"),
        ("5550116", "digits"),
        ("3/4", "slashed"),
        ("555-0116", "dashed"),
        ("1.5", "dotted"),
        ("1,5", "digits_other"),
        ("A12", "letters_digits"),
        (",", "comma"),
        (".", "period"),
        (":", "colon"),
        ("(", "punctuation"),
        ("\u2013", "other"),
    ],
)
def test_each_word_has_one_orthographic_class(text, expected):
    assert word_class(text) == expected
    assert expected in WORD_CLASSES
