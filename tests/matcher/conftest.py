from pathlib import Path

import pytest
import spacy
from spacy.language import Language

from spacy_deid.text.gazetteers import create_gazetteers

ASSETS = Path(__file__).parent.parent.parent / "assets"
TOKENIZER = {"nlp": {"tokenizer": {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}}}


@pytest.fixture(scope="session")
def blank() -> Language:
    """A tokenizer and the gazetteers."""
    nlp = spacy.blank("en", config=TOKENIZER)
    nlp.vocab.lookups = create_gazetteers(str(ASSETS / "gazetteers"))
    return nlp


@pytest.fixture(scope="session")
def nlp(blank) -> Language:
    """The matcher as the model has it."""
    nlp = spacy.blank("en", config=TOKENIZER, vocab=blank.vocab)
    nlp.add_pipe("phi_matcher")
    return nlp
