"""A small pipeline that knows names with capitals, and a hospital that writes them without."""

from __future__ import annotations

from itertools import repeat

import pytest
import spacy

from spacy_deid.annotation.notes import Note, PhiSpan, doc_from_note
from spacy_deid.prove import ReviewedNote

NAMES = "Maria Chen Lopez Smith Okafor Novak Silva Haddad Jensen Moreau Rossi Quistgaard".split()
SEEN = ("was", "came")
WORDS = "also then perhaps indeed often still soon later again never".split()
MODEL = {
    "tok2vec": {
        "@architectures": "spacy_deid.WordEmbed.v1",
        "parts": {
            "orthography": {"@misc": "spacy_deid.Orthography.v1"},
            "words": {"@misc": "spacy_deid.HashedWords.v1", "rows": 500},
        },
    },
    "encoder": {"@architectures": "spacy_deid.RecurrentEncoder.v1", "hidden_width": 16},
    "decoder": {"@architectures": "spacy_deid.CrfDecoder.v1"},
    "max_segment": 128,
}


def note(number, text, patient=""):
    """A reviewed note; the word in brackets is a name."""
    before, name, after = text.replace("]", "[").split("[")
    span = PhiSpan(len(before), len(before) + len(name), "DOCTOR")
    return ReviewedNote(Note(f"n{number}", before + name + after, (span,)), (), (), patient)


def make_base():
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from spacy.training import Example
    from spacy.util import fix_random_seed

    from spacy_deid.adapt.training_notes import Replay
    from spacy_deid.adapt.tune import Tuning, tune

    tokenizer = {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": tokenizer}})
    nlp.add_pipe("phi_tagger", config={"model": MODEL})
    nlp.add_pipe("phi_merger", config={"detectors": ["phi_tagger"], "threshold": 0.4})
    known = [note(i, f"Seen by Dr. [{name}] today .").gold for i, name in enumerate(NAMES)]
    other = [
        Note(f"{word} {seen}", f"resident {word} {seen} here .") for word in WORDS for seen in SEEN
    ]
    fix_random_seed(1)
    docs = [doc_from_note(nlp, one) for one in known]
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in docs])
    tune(nlp, (one for notes in repeat(known + other) for one in notes), Tuning(30, 60, 0.05, 0.0))
    return nlp, Replay(known, known)


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """The folder of the pipeline, and what it learned."""
    nlp, replay = make_base()
    folder = tmp_path_factory.mktemp("base") / "model"
    nlp.to_disk(folder)
    return folder, replay


@pytest.fixture(scope="session")
def local():
    """Reviewed notes of residents, two of each patient."""
    return [
        note(i, f"resident [{name.lower()}] {seen} here .", f"p{i // 2}")
        for i, (name, seen) in enumerate((n, s) for n in NAMES for s in SEEN)
    ]
