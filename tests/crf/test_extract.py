import pickle

import pytest
import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_deid.crf.extract import FeatureExtractor
from spacy_deid.crf.features import FEATURE_GROUPS, Knowledge, feature_group
from spacy_deid.crf.sequences import DocView, split

NLP = spacy.blank("en")


def extract(unit: str, tokens: list[str], features: list[str], window: int, **windows: int) -> list:
    extractor = FeatureExtractor(unit, features, window, windows, Knowledge(Vocab()))
    (sequence,) = split(DocView(Doc(NLP.vocab, words=tokens)), unit)
    return extractor(sequence)


def test_window_of_words():
    items = extract("token", ["a", "b", "c"], ["words"], 1)
    assert items == [
        {"-1": ["<start>"], "+0": ["word=a"], "+1": ["word=b"]},
        {"-1": ["word=a"], "+0": ["word=b"], "+1": ["word=c"]},
        {"-1": ["word=b"], "+0": ["word=c"], "+1": ["<end>"]},
    ]


def test_each_group_has_its_own_window():
    items = extract("token", ["a", "bc"], ["words", "affixes", "sentence"], 1, words=0, affixes=1)
    length = ["length=2", "end_mark=none"]
    affixes = ["prefix=b", "suffix=c"]
    assert items == [
        {"-1": ["<start>"], "+0": ["word=a", *length], "+1": affixes},
        {"-1": [], "+0": ["word=bc", *affixes, *length], "+1": ["<end>"]},
    ]


def test_ngrams_stay_inside_the_window():
    items = extract("token", list("abcdefg"), ["word_bigrams", "word_trigrams"], 2)
    names = sorted(name for names in items[3].values() for name in names)
    assert names == [
        *("words2=b|c", "words2=c|d", "words2=d|e", "words2=e|f"),
        *("words3=b|c|d", "words3=c|d|e", "words3=d|e|f"),
    ]


def test_white_space_has_one_feature():
    items = extract("token", ["a", "\n \n"], ["words", "shapes", "affixes"], 0)
    assert items[1] == {"+0": ["space=<blank_line>"]}


def test_characters_know_their_token():
    items = extract("character", ["ab"], ["characters", "words", "sentence"], 1)
    token = ["word=ab", "length=1", "end_mark=none"]
    assert items[0] == {"-1": ["<start>"], "+0": ["char=a"], "+1": ["char=b"], "token": token}
    assert items[2]["+0"] == ["char= "] and items[2]["token"] == []


def test_equal_words_are_computed_once(monkeypatch):
    calls = []

    @feature_group("counted", by_form=True)
    def counted(word, knowledge):
        calls.append(word)
        return []

    try:
        extractor = FeatureExtractor("token", ["counted"], 2, {}, Knowledge(Vocab()))
        for _ in range(3):
            (sequence,) = split(DocView(Doc(NLP.vocab, words=["a", "b", "a"])), "token")
            extractor(sequence)
        assert calls == ["a", "b"]
        assert pickle.loads(pickle.dumps(extractor)).cache == [{}]
    finally:
        del FEATURE_GROUPS["counted"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (("word", [], 2, {}), "unknown unit 'word'"),
        (("token", ["wrods"], 2, {}), "unknown feature group 'wrods'"),
        (("token", ["characters"], 2, {}), "needs the unit 'character'"),
        (("token", ["words"], 2, {"shapes": 1}), "'windows' names 'shapes'"),
        (("character", ["words"], 2, {"words": 1}), "'words', but a group of tokens has no window"),
        (("token", ["words", "words"], 2, {}), "'words' is there twice"),
        (("token", ["words"], -1, {}), "window is -1"),
        (("token", ["words"], 2, {"words": -3}), "window of 'words' is -3"),
    ],
)
def test_mistakes_are_told(settings, message):
    with pytest.raises(ValueError, match=message):
        FeatureExtractor(*settings, Knowledge(Vocab()))


def test_characters_of_mary_was_born():
    """Around the "w" stand five characters to either side, the blanks among them (Liu 2015)."""
    items = extract("character", ["Mary", "was", "born"], ["characters", "char_bigrams"], 5)
    w = items["Mary was born".index("w")]
    around = [w[f"{place:+d}"] for place in range(-5, 6)]
    assert [attributes[0] for attributes in around] == [f"char={char}" for char in "Mary was bo"]
    pairs = ["Ma", "ar", "ry", "y ", " w", "wa", "as", "s ", " b", "bo"]
    # The pair that begins at the last character would reach beyond the window.
    assert [a[1] for a in around[:-1]] == [f"chars2={pair}" for pair in pairs]
    assert len(around[-1]) == 1


def test_bigrams_alone_have_no_place_on_a_character():
    items = extract("character", ["Mary", "Smith"], ["word_bigrams"], 2)
    assert [item["token"] for item in items] == [[]] * len(items)
