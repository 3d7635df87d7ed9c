from __future__ import annotations

from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.lookups import Lookups
from spacy.training import Example

from spacy_deid.gazetteers import GAZETTEERS, create_gazetteers

TRAIN = [
    ("Seen by Dr. Maria Lopez on 3/4/61 .", [(12, 23, "DOCTOR"), (27, 33, "DATE")]),
    ("John Smith was admitted in March .", [(0, 10, "PATIENT"), (27, 32, "DATE")]),
    ("No acute distress .", []),
    ("Call John at 555-1234 .", [(5, 9, "PATIENT"), (13, 21, "PHONE")]),
]
ENTRIES = {
    "given_names.txt": "maria\njohn\n",
    "cities.txt": "Salt Lake City\nLake City\nMobile\n",
    "states.tsv": "Iowa\tIA\n",
    "hospitals.txt": "Lake City\n",
    "professions.txt": "nurse\n",
}


def examples_of(nlp: Language) -> list[Example]:
    return [Example.from_dict(nlp.make_doc(text), {"entities": ents}) for text, ents in TRAIN]


def train_nlp(**settings: object) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("phi_crf", config={"features": ["words", "shapes"], "c2": 0.01, **settings})
    examples = examples_of(nlp)
    nlp.initialize(lambda: examples)
    return nlp


@pytest.fixture(scope="session")
def lookups(tmp_path_factory: pytest.TempPathFactory) -> Lookups:
    folder: Path = tmp_path_factory.mktemp("gazetteers")
    for gazetteer in GAZETTEERS:
        (folder / gazetteer.filename).write_text(ENTRIES.get(gazetteer.filename, ""))
    return create_gazetteers(str(folder))


@pytest.fixture(scope="session")
def annotator(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A pipeline on disk that knows three words."""
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("attribute_ruler")
    for word, tag, lemma, dep in (
        ("Nurses", "NNS", "nurse", "nsubj"),
        ("saw", "VBD", "see", "ROOT"),
        ("Maria", "NNP", "Maria", "dobj"),
    ):
        attrs = {"TAG": tag, "POS": "NOUN" if tag != "VBD" else "VERB", "LEMMA": lemma, "DEP": dep}
        ruler.add(patterns=[[{"ORTH": word}]], attrs=attrs)
    entity_ruler = nlp.add_pipe("entity_ruler")
    entity_ruler.add_patterns([{"label": "PERSON", "pattern": "Maria"}])
    path = tmp_path_factory.mktemp("annotator")
    nlp.to_disk(path)
    return str(path)
