"""A toy pipeline: names and dates found by a pattern, and a pipe that fails where told to."""

from __future__ import annotations

import os
import re
import signal

import spacy
from spacy.language import Language

from spacy_deid.annotation.candidates import write_candidates

PHI = re.compile(r"(?P<PATIENT>Maria|Lopez)|(?P<DATE>\d+/\d+/\d+)|(?P<PHONE>555\s+0116)")


@Language.component("toy_detector")
def toy_detector(doc):
    if "BOOM" in doc.text:
        raise ValueError(doc.text)
    spans = [
        doc.char_span(*match.span(), label=match.lastgroup, alignment_mode="expand")
        for match in PHI.finditer(doc.text)
    ]
    write_candidates(doc, "toy_detector", [(span, 0.9) for span in spans])
    return doc


@Language.factory("toy_stream_breaker")
class ToyStreamBreaker:
    """A pipe that takes a whole batch down, as third-party pipes without error handling do."""

    def __init__(self, nlp, name):
        pass

    def __call__(self, doc):
        return next(self.pipe([doc]))

    def pipe(self, docs, batch_size=1):
        for doc in list(docs):
            if "CRASH" in doc.text:
                raise RuntimeError(doc.text)
            yield doc


@Language.factory("toy_planted", default_config={"words": []})
class ToyPlanted:
    """Finds some words, in any case."""

    def __init__(self, nlp, name, words):
        self.name = name
        self.pattern = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)

    def __call__(self, doc):
        found = [match.span() for match in self.pattern.finditer(doc.text)]
        spans = [doc.char_span(*span, label="PATIENT", alignment_mode="expand") for span in found]
        write_candidates(doc, self.name, [(span, 0.9) for span in dict.fromkeys(spans)])
        return doc


@Language.component("toy_killer")
def toy_killer(doc):
    """Kills its process, as a crash or the system does when memory runs out, or lets it hang."""
    if "DIE" in doc.text:
        os.kill(os.getpid(), signal.SIGKILL)
    if "HANG" in doc.text:
        signal.pause()
    return doc


def make_toy_pipeline():
    """The pipeline; worker processes find its pipes in this module."""
    tokenizer = {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": tokenizer}})
    nlp.add_pipe("toy_detector")
    nlp.add_pipe("phi_merger", config={"detectors": ["toy_detector"]})
    return nlp
