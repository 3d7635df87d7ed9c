from __future__ import annotations

import pickle
from pathlib import Path

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from linear import assert_linear
from spacy.language import Language

from spacy_deid.text.tokenizer import TOKEN

CONFIG = {"nlp": {"tokenizer": {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}}}
NLP = spacy.blank("en", config=CONFIG)

# What hypothesis' plain text seldom holds: blanks of all kinds, NUL, zero-width and combining
# characters, emoji, right-to-left text, and pieces of the patterns themselves.
FRAGMENTS = st.sampled_from(
    [" ", "  ", "\t", "\r\n", "\n\n", "\x00", "\x1c", "\u00a0", "\u200b", "\u200d", "\ufeff"]
    + ["e\u0301", "\u0301", "👩\u200d⚕️", "שלום", "مرحبا", "中文", "ǅ", "½", "٣", "\u2019"]
    + ["3/4/61", "2067-03-04", "a@b.com", "www.", "http://", "n't", "McA", "MD", "DOB", ".", "--"]
)


@pytest.fixture
def nlp() -> Language:
    return spacy.blank("en", config=CONFIG)


def words(text: str) -> list[str]:
    return [token.text for token in NLP(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a26", "a 26"),
        ("10/6/2098SOS", "10/6/2098 SOS"),
        ("USMeaningful", "US Meaningful"),
        ("WhalenChief", "Whalen Chief"),
        ("09/14/2067CPT", "09/14/2067 CPT"),
        ("109 121 1400Prior", "109 121 1400 Prior"),
        ("hcuutaj@bdd.comOther", "hcuutaj@bdd.com Other"),
        ("SamLee", "Sam Lee"),
        ("70yo", "70 yo"),
        ("53RHM", "53 RHM"),
        ("3041023MARY", "3041023 MARY"),
        ("Educare-Fargo\\,", "Educare - Fargo \\ ,"),
        ("20880703SMITHJOHN", "20880703 SMITHJOHN"),
        ("DOB:3/4/61MRN:00123", "DOB : 3/4/61 MRN : 00123"),
    ],
)
def test_tokenizer_splits_published_run_together_text(text: str, expected: str) -> None:
    assert words(text) == expected.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3/4-5/6", "3/4 - 5/6"),
        ("2066-2068", "2066 - 2068"),
        ("10/6/2066-3/4/2067", "10/6/2066 - 3/4/2067"),
        ("09/14/20671622", "09/14/2067 1622"),
        ("|206709141622|", "| 20670914 1622 |"),
        ("20670914162259-0500", "20670914 162259 - 0500"),
        ("Smith/Jones", "Smith / Jones"),
        ("MD/PhD", "MD / PhD"),
        ("Fri/Sat", "Fri / Sat"),
        ("((212)", "( ( 212 )"),
        ("Inc..", "Inc . ."),
        ("NORWOOD,ELLEN TDOB:", "NORWOOD , ELLEN T DOB :"),
        ("NORWOODMD", "NORWOOD MD"),
        ("BMD", "BMD"),
        ("p40417", "p 40417"),
        ("www.ward.orgOther", "www.ward.org Other"),
        ("http://a.org/x,http://b.org/y", "http://a.org/x , http://b.org/y"),
        ("JohnNorwood,MD(617)555-0123x12", "John Norwood , MD ( 617 ) 555-0123 x 12"),
        ("2067-03-04T12:30:00Z", "2067-03-04 T 12:30:00 Z"),
        ("Norwood's", "Norwood 's"),
        ("5.Chest", "5 . Chest"),
        ("J.Q.Norwood", "J.Q. Norwood"),
        ("J.Norwood", "J . Norwood"),
    ],
)
def test_tokenizer_sets_phi_apart_from_its_neighbours(text: str, expected: str) -> None:
    assert words(text) == expected.split()


@pytest.mark.parametrize(
    "text",
    ["3/4/61", "2067-03-04", "1-17-89", "412-555-0116", "1-800-555-0116", "586-91-9128", "0.25"]
    + ["10.0.0.12", "12:30", "120/80", "175,000", "ann.lee@ward.example.org", "A_B@X.COM"]
    + [
        "https://x.example.org/a?b=1#c",
        "www.example.co.uk",
        "Example.com/path",
        "http://a.com.example:8080/b",
        "www.ward.example/b",
        "M.D.",
        "q.d.",
        "206709142622",
        "206719141622",
        "2067091416225",
    ]
    + ["McDonald", "O'Brien", "o'brien", "O\u2019BRIEN", "LFTs", "PhD", "Jose\u0301", "Nguyễn"]
    + ["中文", "-----", "..."],
)
def test_tokenizer_keeps_whole(text: str) -> None:
    assert words(text) == [text]


@pytest.mark.parametrize("end", [".", ",", ")", ";", ">"])
def test_tokenizer_leaves_punctuation_outside_web_addresses(end: str) -> None:
    for address in ("https://example.org/a", "www.example.org", "ann@example.org"):
        assert words(address + end) == [address, end]


def test_tokenizer_splits_contractions_as_word_vectors_do() -> None:
    assert words("don't DON'T he\u2019ll") == ["do", "n't", "DO", "N'T", "he", "\u2019ll"]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | FRAGMENTS))
def test_tokenizer_never_changes_text(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert NLP(text).text == text


@settings(max_examples=100, deadline=None)
@given(st.lists(FRAGMENTS | st.sampled_from(["a", "B", "7", "-", "/", "@"])))
def test_tokenizer_pattern_covers_every_blank_free_string(pieces: list[str]) -> None:
    chunk = "".join("".join(pieces).split())
    assert "".join(match.group() for match in TOKEN.finditer(chunk)) == chunk
    assert all(match.group() for match in TOKEN.finditer(chunk))


@pytest.mark.parametrize(
    "unit",
    ["a", "A", ".", "(", "1", "a1", "1/", "a@", "a@a.", "a.", "1.", "a-", "Aa", "n't", "AAs"]
    + ["http://", "HTTP://.", "www.", "www..", "a.com/.", "co.uk", "O'", "\u0301", "\x00"],
)
def test_tokenizer_takes_linear_time(nlp: Language, unit: str) -> None:
    text = unit * (60_000 // len(unit))
    assert nlp(text).text == text
    assert_linear(nlp, unit, 60_000)


def test_tokenizer_empty_and_blank_text() -> None:
    assert len(NLP("")) == 0
    assert words("\n\n  ") == ["\n\n  "]


def test_tokenizer_survives_saving(nlp: Language, tmp_path: Path) -> None:
    text = "53RHM seen 10/6/2098SOS by SamLee, O'Brien"
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert loaded.config["nlp"]["tokenizer"] == CONFIG["nlp"]["tokenizer"]
    copies = [loaded, spacy.blank("en", config=CONFIG).from_bytes(nlp.to_bytes())]
    copies.append(spacy.util.load_model_from_config(nlp.config))
    for copy in copies:
        assert [token.text for token in copy(text)] == words(text)
    tokenizer = pickle.loads(pickle.dumps(nlp.tokenizer))
    assert [token.text for token in tokenizer(text)] == words(text)


def test_tokenizer_n_process(nlp: Language) -> None:
    texts = ["70yo", "SamLee 3/4/61MRN", ""]
    docs = nlp.pipe(texts, n_process=2)
    assert [[token.text for token in doc] for doc in docs] == [words(text) for text in texts]


def test_tokenizer_explains_itself() -> None:
    text = "DOB:3/4/61MRN:00123 (SamLee)"
    assert [token for _, token in NLP.tokenizer.explain(text)] == words(text)
