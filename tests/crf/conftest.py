from __future__ import annotations

from pathlib import Path

import pytest
import spacy
from spacy.lookups import Lookups

from spacy_deid.text.gazetteers import GAZETTEERS, create_gazetteers

ENTRIES = {
    "given_names.txt": "maria\njohn\n",
    "cities.txt": "Salt Lake City\nLake City\nMobile\nErie\n",
    "states.tsv": "Iowa\tIA\n",
    "hospitals.txt": "Lake City\n",
    "professions.txt": "nurse\n",
}


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
