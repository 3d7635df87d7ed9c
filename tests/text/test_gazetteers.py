from __future__ import annotations

import pickle
import unicodedata
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.lookups import Lookups
from spacy.util import is_package, load_model_from_config, registry
from spacy.vocab import Vocab
from thinc.api import Config

from spacy_deid.text.gazetteers import (
    GAZETTEERS,
    PHRASE_TABLE,
    PHRASE_TYPES,
    WORD_LISTS,
    WORD_TABLE,
    create_gazetteers,
    in_word_list,
    normalize_phrase,
    phrase_mask,
    read_entries,
    word_mask,
)

ASSETS = Path(__file__).parents[2] / "assets" / "gazetteers"
FILES = sorted({gazetteer.filename for gazetteer in GAZETTEERS})

ENTRIES = {
    "given_names.txt": "# a comment\nWilma\n\nGrace\n",
    "world_given_names.txt": "José\nİpek\nJean-Baptiste\n",
    "family_names.txt": "Hargrove\nGrace\n",
    "world_family_names.txt": "Sørensen\nO'Brien\nDos Santos\n",
    "cities.txt": "St. Louis\nGeorgia\nWinston-Salem\n",
    "hospitals.txt": "St. Mary's Hospital\n",
    "states.tsv": "Georgia\tGA\nNew York\tNY\n",
    "countries.txt": "Georgia\nU.S.A.\nCôte d'Ivoire\n",
    "professions.txt": "X-ray Technician\n",
    "common_words.txt": "grace\nhospital\n",
    "medical_eponyms.txt": "Parkinson\n",
}

CONFIG = """
[paths]
gazetteers = null

[nlp]
lang = "en"
pipeline = []

[nlp.tokenizer]
@tokenizers = "spacy_deid.ClinicalTokenizer.v1"

[initialize]

[initialize.lookups]
@misc = "spacy_deid.Gazetteers.v1"
path = ${paths.gazetteers}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gazetteers")
    for filename in FILES:
        (path / filename).write_text(ENTRIES.get(filename, "# none\n"), encoding="utf8")
    return path


@pytest.fixture(scope="module")
def nlp(folder: Path) -> Language:
    config = Config().from_str(CONFIG, overrides={"paths.gazetteers": str(folder)})
    nlp = load_model_from_config(config, auto_fill=True)
    nlp.initialize()
    return nlp


def word_lists(vocab: Vocab, word: str) -> set[str]:
    return {name for name in WORD_LISTS if in_word_list(vocab, word, name)}


def phrase_types(vocab: Vocab, phrase: str) -> set[str]:
    mask = phrase_mask(vocab, phrase)
    return {phi_type for bit, phi_type in enumerate(PHRASE_TYPES) if mask >> bit & 1}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("wilma", {"given_name"}),
        ("grace", {"given_name", "family_name", "common_word"}),
        ("josé", {"given_name"}),
        ("jose", {"given_name"}),
        ("sorensen", {"family_name"}),
        ("ipek", {"given_name"}),
        ("baptiste", {"given_name"}),
        ("o'brien", {"family_name"}),
        ("santos", {"family_name"}),
        ("louis", {"city_word"}),
        ("georgia", {"city_word", "state_word", "country_word"}),
        ("ga", {"state_word"}),
        ("mary", {"hospital_word"}),
        ("hospital", {"hospital_word", "common_word"}),
        ("technician", {"profession_word"}),
        ("parkinson", {"eponym"}),
        ("Wilma", set()),
        ("-", set()),
        ("comment", set()),
        ("", set()),
    ],
)
def test_gazetteers_words(nlp: Language, word: str, expected: set[str]) -> None:
    assert word_lists(nlp.vocab, word) == expected
    assert word_mask(nlp.vocab, nlp.vocab.strings.add(word)) == word_mask(nlp.vocab, word)


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("St. Louis", {"CITY"}),
        ("ST  LOUIS", {"CITY"}),
        ("winston salem", {"CITY"}),
        ("georgia", {"CITY", "STATE", "COUNTRY"}),
        ("GA", set()),
        ("New\nYork", {"STATE"}),
        ("USA", {"COUNTRY"}),
        ("Cote d\u2019Ivoire", {"COUNTRY"}),
        ("St Mary's hospital", {"HOSPITAL"}),
        ("Mary's hospital", set()),
        ("x-ray technician", {"PROFESSION"}),
        ("Hargrove", set()),
        ("", set()),
    ],
)
def test_gazetteers_phrases(nlp: Language, phrase: str, expected: set[str]) -> None:
    assert phrase_types(nlp.vocab, phrase) == expected


def test_gazetteers_words_are_the_tokens_of_text(nlp: Language) -> None:
    doc = nlp("Pt of Dr. O'Brien at St. Mary's Hospital, SORENSEN, Jean-Baptiste")
    known = [token.text for token in doc if word_mask(nlp.vocab, token.lower)]
    assert known == "O'Brien St Mary Hospital SORENSEN Jean Baptiste".split()


def test_gazetteers_absent() -> None:
    vocab = Vocab()
    assert word_mask(vocab, "wilma") == 0
    assert phrase_mask(vocab, "St. Louis") == 0
    assert not in_word_list(vocab, "wilma", "given_name")


def test_gazetteers_unknown_list(nlp: Language) -> None:
    with pytest.raises(ValueError):
        in_word_list(nlp.vocab, "wilma", "first_name")


def test_gazetteers_masks_tell_hashes_apart(nlp: Language) -> None:
    keys = memoryview(nlp.vocab.lookups.get_table(WORD_TABLE)["keys"]).cast("Q").tolist()
    assert keys == sorted(keys)
    assert all(word_mask(nlp.vocab, key) for key in keys)
    assert not any(word_mask(nlp.vocab, key + 1) for key in keys)
    assert word_mask(nlp.vocab, 0) == word_mask(nlp.vocab, 2**64 - 1) == 0


def test_gazetteers_round_trips(nlp: Language, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path / "model")
    copies = [
        spacy.load(tmp_path / "model"),
        pickle.loads(pickle.dumps(nlp)),
        spacy.blank("en").from_bytes(nlp.to_bytes(), exclude=["tokenizer"]),
    ]
    for copy in copies:
        assert copy.vocab.lookups.tables == [WORD_TABLE, PHRASE_TABLE]
        assert word_mask(copy.vocab, "wilma") == word_mask(nlp.vocab, "wilma") != 0
        assert phrase_types(copy.vocab, "st. louis") == {"CITY"}


def test_gazetteers_same_bytes_each_time(folder: Path, nlp: Language) -> None:
    assert create_gazetteers(str(folder)).to_bytes() == nlp.vocab.lookups.to_bytes()


def test_gazetteers_registered() -> None:
    assert registry.misc.get("spacy_deid.Gazetteers.v1") is create_gazetteers


@pytest.mark.parametrize("missing", ["nowhere", "."])
def test_gazetteers_missing(tmp_path: Path, missing: str) -> None:
    with pytest.raises(FileNotFoundError, match=r"common_words\.txt is missing; set the path"):
        create_gazetteers(str(tmp_path / missing))


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("Łódź", "lodz"),
        ("SÃO  Paulo", "sao paulo"),
        ("Stoke-on-Trent", "stoke on trent"),
        ("U.S.", "us"),
        (" St. John\u2019s,\n", "st john's"),
        ("", ""),
    ],
)
def test_normalize_phrase(phrase: str, expected: str) -> None:
    assert normalize_phrase(phrase) == expected
    assert normalize_phrase(expected) == expected


@pytest.mark.parametrize("filename", FILES)
def test_assets_are_tidy(filename: str) -> None:
    text = (ASSETS / filename).read_text(encoding="utf8")
    entries = list(read_entries(ASSETS / filename))
    assert text.startswith("# ") and text.endswith("\n")
    assert text.split("\n")[1:-1] == entries == sorted(set(entries))
    assert unicodedata.is_normalized("NFC", text)
    columns = 2 if filename.endswith(".tsv") else 1
    assert all(len(entry.split("\t")) == columns for entry in entries)
    assert filename in (ASSETS / "SOURCES.md").read_text(encoding="utf8")


@pytest.mark.parametrize(
    ("word", "word_list"),
    [
        ("adeyemi", "family_name"),
        ("nguyen", "family_name"),
        ("krzysztof", "given_name"),
        ("siobhán", "given_name"),
        ("albuquerque", "city_word"),
        ("nairobi", "city_word"),
        ("massachusetts", "state_word"),
        ("saskatchewan", "state_word"),
        ("haiti", "country_word"),
        ("welder", "profession_word"),
        ("patient", "common_word"),
        ("crohn", "eponym"),
    ],
)
def test_assets_know_words(gazetteers: Lookups, word: str, word_list: str) -> None:
    assert in_word_list(Vocab(lookups=gazetteers), word, word_list)


@pytest.mark.parametrize(
    ("phrase", "phi_type"),
    [
        ("Massachusetts General Hospital", "HOSPITAL"),
        ("Salt Lake City", "CITY"),
        ("Kuala Lumpur", "CITY"),
        ("District of Columbia", "STATE"),
        ("Nova Scotia", "STATE"),
        ("U.K.", "COUNTRY"),
        ("registered nurse", "PROFESSION"),
    ],
)
def test_assets_know_phrases(gazetteers: Lookups, phrase: str, phi_type: str) -> None:
    assert phi_type in phrase_types(Vocab(lookups=gazetteers), phrase)


def test_assets_are_small(gazetteers: Lookups) -> None:
    data = gazetteers.to_bytes()
    assert Lookups().from_bytes(data).tables == gazetteers.tables
    assert len(data) < 6_000_000


@pytest.mark.skipif(not is_package("en_deid"), reason="needs the en_deid wheel")
def test_gazetteers_of_an_installed_pipeline():
    vocab = spacy.blank("en").vocab
    vocab.lookups = create_gazetteers("en_deid")
    assert in_word_list(vocab, "maria", "given_name") and not in_word_list(
        vocab, "zzz", "given_name"
    )
