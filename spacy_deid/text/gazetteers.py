"""Gazetteers: lists of names, places, institutions and other words, in `nlp.vocab.lookups`.

They are shared by matcher and tagger and saved with the vocab. One table maps each word to the
lists that contain it, the other each whole entry (phrase) to its PHI types.

A spaCy `Table` of 200,000 words takes half a second to load, so each table holds two packed arrays
instead, sorted hashes and their masks, which are searched without unpacking.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from spacy.lookups import Lookups
from spacy.strings import get_string_id
from spacy.util import is_package, load_model, registry
from spacy.vocab import Vocab

from ..tsv import read_rows
from .tokenizer import TOKEN

WORD_LISTS = tuple(
    "given_name family_name city_word hospital_word street_word state_word country_word "
    "profession_word common_word eponym drug_word medical_term organization_word".split()
)
"""The word lists; bit i of a word's mask is list i. Append new ones at the end."""

PHRASE_TYPES = ("CITY", "STATE", "COUNTRY", "HOSPITAL", "PROFESSION", "ORGANIZATION")
"""The PHI types of whole entries; bit i of a phrase's mask is type i."""

WORD_TABLE, PHRASE_TABLE = TABLES = "phi_words", "phi_phrases"
"""Names of the tables in `nlp.vocab.lookups`."""


@dataclass(frozen=True)
class Gazetteer:
    """A gazetteer file with one entry per line; in a ".tsv", name and abbreviation.

    filename (str): Its name.
    word_list (str): The list for the words of its entries and abbreviations, of `WORD_LISTS`.
    phrase_type (str): PHI type of whole entries (not abbreviations), of `PHRASE_TYPES`; or "".
    rare (str): "rare" to skip common words, most of which occur in so long a list.
    """

    filename: str
    word_list: str
    phrase_type: str = ""
    rare: str = ""


GAZETTEERS = tuple(Gazetteer(*row) for row in read_rows(Path(__file__).with_suffix(".tsv")))

# Letters that Unicode does not decompose into letter and accent, and phrase punctuation.
_PLAIN_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ı": "i", "ß": "ss", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th"}
)
_PHRASE_MARKS = str.maketrans({".": "", ",": " ", "-": " ", "\u2013": " ", "\u2019": "'"})


@registry.misc("spacy_deid.Gazetteers.v1")
def create_gazetteers(path: str) -> Lookups:
    """Read a folder of gazetteers into lookup tables, for `[initialize.lookups]` in a config.

    path (str): The folder, or the name of an installed pipeline that has the tables.
    RETURNS (Lookups): The tables of words and phrases.
    RAISES (FileNotFoundError): If the folder or one of its files is missing.
    """
    if not Path(path).exists() and is_package(path):
        return _tables_of(path)
    words: dict[str, int] = defaultdict(int)
    phrases: dict[str, int] = defaultdict(int)
    common = set(read_entries(Path(path) / "common_words.txt"))
    for gazetteer in GAZETTEERS:
        list_bit = 1 << WORD_LISTS.index(gazetteer.word_list)
        for entry in read_entries(Path(path) / gazetteer.filename):
            for word in _words(entry):
                if not (gazetteer.rare and word in common):
                    words[word] |= list_bit
            if gazetteer.phrase_type:
                name = normalize_phrase(entry.split("\t")[0])
                phrases[name] |= 1 << PHRASE_TYPES.index(gazetteer.phrase_type)
    lookups = Lookups()
    lookups.add_table(WORD_TABLE, _pack(words))
    lookups.add_table(PHRASE_TABLE, _pack(phrases))
    return lookups


def _tables_of(model: str) -> Lookups:
    """The tables of an installed pipeline."""
    found, lookups = load_model(model).vocab.lookups, Lookups()
    for name in TABLES:
        lookups.add_table(name, found.get_table(name))
    return lookups


def read_entries(path: Path) -> Iterator[str]:
    """The entries of a gazetteer file, without comments ("#") and empty lines.

    RAISES (FileNotFoundError): If there is no such file.
    """
    if not path.is_file():
        raise FileNotFoundError(
            f"the gazetteer {path} is missing; set the path in [initialize.lookups] to a folder "
            f"with {', '.join(gazetteer.filename for gazetteer in GAZETTEERS)}"
        )
    with path.open(encoding="utf8") as file:
        for line in file:
            if (entry := line.strip()) and not entry.startswith("#"):
                yield entry


def word_mask(vocab: Vocab, lower: int | str) -> int:
    """The lists that contain a word: bit i is set if `WORD_LISTS[i]` does.

    lower (int | str): The lower-case word or its hash (`token.lower`).
    """
    return _find(vocab, WORD_TABLE, get_string_id(lower))


def word_masks(vocab: Vocab, lower: np.ndarray) -> np.ndarray:
    """The `word_mask` of each of many words, given the hashes of their lower case."""
    if WORD_TABLE not in vocab.lookups:
        return np.zeros(len(lower), dtype=np.uint16)
    table = vocab.lookups.get_table(WORD_TABLE)
    keys, masks = np.frombuffer(table["keys"], "uint64"), np.frombuffer(table["masks"], "uint16")
    places = np.minimum(np.searchsorted(keys, lower), len(keys) - 1)
    return np.where(keys[places] == lower, masks[places], 0)


def known_masks(vocab: Vocab) -> np.ndarray:
    """All different values of `word_mask`."""
    if WORD_TABLE not in vocab.lookups:
        return np.zeros(1, dtype=np.int64)
    masks = np.frombuffer(vocab.lookups.get_table(WORD_TABLE)["masks"], "uint16")
    return np.unique([0, *masks.tolist()])


def in_word_list(vocab: Vocab, lower: int | str, *word_lists: str) -> bool:
    """Whether any of these `WORD_LISTS` contains a lower-case word or hash (`token.lower`)."""
    mask = word_mask(vocab, lower)
    return any(mask >> WORD_LISTS.index(name) & 1 for name in word_lists)


def phrase_mask(vocab: Vocab, phrase: str) -> int:
    """The PHI types of a phrase as a whole entry: bit i is set for `PHRASE_TYPES[i]`."""
    return _find(vocab, PHRASE_TABLE, get_string_id(normalize_phrase(phrase)))


def normalize_phrase(phrase: str) -> str:
    """Normalise a phrase for look-up: lower case, no accents or periods, single spaces."""
    return " ".join(unaccent(phrase.lower()).translate(_PHRASE_MARKS).split())


def plain_name(name: str) -> str:
    """The letters of a name in lower case, without accents and punctuation."""
    if name.isascii():
        return name.lower().replace("'", "")
    return normalize_phrase(name).replace("'", "").replace(" ", "") or name.lower()


def _words(entry: str) -> Iterator[str]:
    """The words of an entry by the clinical tokenizer, with and without accents."""
    for match in TOKEN.finditer(entry):
        word = match.group().lower()
        if len(word) > 1 and word[0].isalpha():
            yield word
            yield unaccent(word)


def unaccent(lower: str) -> str:
    if lower.isascii():
        return lower
    parts = unicodedata.normalize("NFD", lower.translate(_PLAIN_LETTERS))
    return "".join(char for char in parts if not unicodedata.combining(char))


def _pack(masks: Mapping[str, int]) -> dict[str, bytes]:
    """Pack masks by string into arrays of sorted hashes and their masks."""
    pairs = sorted((get_string_id(text), mask) for text, mask in masks.items())
    return {
        "keys": np.array([key for key, _ in pairs], dtype="uint64").tobytes(),
        "masks": np.array([mask for _, mask in pairs], dtype="uint16").tobytes(),
    }


def _find(vocab: Vocab, table_name: str, key: int) -> int:
    """Look up the mask of a hash in a packed table; 0 if it or the table is missing."""
    if table_name not in vocab.lookups:
        return 0
    table = vocab.lookups.get_table(table_name)
    keys = memoryview(table["keys"]).cast("Q")
    place = bisect_left(keys, key)
    if place == len(keys) or keys[place] != key:
        return 0
    return memoryview(table["masks"]).cast("H")[place]
