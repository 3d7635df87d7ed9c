"""The pipe `phi_custom`: a detector of the user's own terms and patterns.

What is always PHI is a candidate that nothing overrules, with the `id_` "custom." and the term's
name. What is never PHI goes to `doc.spans["phi_never"]`, which `phi_merger` heeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import srsly
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc, Span, SpanGroup

from ..annotation.candidates import ALWAYS, UntrainedDetector, write_candidates
from ..merger import NEVER_GROUP, add_detector, require_mergers, using_detectors
from .matching import TermMatcher
from .terms import NEVER, Term, Terms, read_terms

AnyTerms = str | Path | Terms
"""Terms, or the CSV file they are in."""


@Language.factory("phi_custom", assigns=["doc.spans"])
def make_phi_custom(nlp: Language, name: str) -> PhiCustom:
    """Make the detector of the user's terms, without any."""
    return PhiCustom(nlp.tokenizer, name)


class PhiCustom(UntrainedDetector):
    """Writes the matches of the user's terms to `doc.spans[name]` and `doc.spans["phi_never"]`.

    tokenizer (Tokenizer): The tokenizer of the docs.
    name (str): Name of the pipe.
    terms (Iterable[Term]): The terms and patterns.
    """

    def __init__(
        self, tokenizer: Tokenizer, name: str = "phi_custom", terms: Iterable[Term] = ()
    ) -> None:
        self.tokenizer = tokenizer
        self.name = name
        self.terms = terms

    @property
    def terms(self) -> Terms:
        """The terms and patterns."""
        return self._terms

    @terms.setter
    def terms(self, terms: Iterable[Term]) -> None:
        self._terms = terms if isinstance(terms, Terms) else Terms(terms)
        self._matcher = _compile(self._terms, self.tokenizer)

    def __call__(self, doc: Doc) -> Doc:
        """Find the terms in a doc."""
        matches = sorted(self._matcher.find(doc), key=lambda match: match[:2])
        spans = [
            Span(doc, start, end, label=term.type, span_id=term.id) for start, end, term in matches
        ]
        always = [(span, ALWAYS) for span in spans if span.label_ != NEVER]
        write_candidates(doc, self.name, always, given=True)
        never = [span for span in spans if span.label_ == NEVER]
        doc.spans[NEVER_GROUP] = SpanGroup(doc, name=NEVER_GROUP, spans=never)
        return doc

    def to_bytes(self, exclude: Iterable[str] = ()) -> bytes:
        """The terms as bytes."""
        return bytes(srsly.msgpack_dumps([asdict(term) for term in self.terms]))

    def from_bytes(self, data: bytes, exclude: Iterable[str] = ()) -> PhiCustom:
        """Set the terms from bytes."""
        self.terms = Terms(Term(**each) for each in srsly.msgpack_loads(data))
        return self

    def to_disk(self, path: str | Path, exclude: Iterable[str] = ()) -> None:
        """Write the terms to a file in a folder."""
        Path(path).mkdir(parents=True, exist_ok=True)
        srsly.write_jsonl(Path(path) / "terms.jsonl", [asdict(term) for term in self.terms])

    def from_disk(self, path: str | Path, exclude: Iterable[str] = ()) -> PhiCustom:
        """Read the terms from a folder."""
        rows: Any = srsly.read_jsonl(Path(path) / "terms.jsonl")
        self.terms = Terms(Term(**each) for each in rows)
        return self


def add_terms(nlp: Language, terms: AnyTerms) -> None:
    """Let a pipeline look for the user's terms, in the place of any before.

    RAISES (RedactionError): If it has no `phi_merger`.
    RAISES (ValueError): If a term is invalid.
    """
    _pipe_of(nlp).terms = _read(terms)


@contextmanager
def using_terms(nlp: Language, terms: AnyTerms | None) -> Iterator[None]:
    """Let a pipeline look for the user's terms for a while; with None, nothing changes.

    So do others that this thread runs meanwhile (see `using_detectors`); run `nlp.pipe` to its end.

    RAISES (RedactionError): If it has no `phi_merger`.
    RAISES (ValueError): If a term is invalid.
    """
    require_mergers(nlp, "phi_custom")
    with using_detectors([] if terms is None else [custom_detector(nlp, terms)]):
        yield


def custom_detector(nlp: Language, terms: AnyTerms) -> PhiCustom:
    """A detector of the user's terms that may take the place of that of a pipeline.

    RAISES (ValueError): If a term is invalid.
    """
    names = (pipe.name for _, pipe in nlp.pipeline if isinstance(pipe, PhiCustom))
    return PhiCustom(nlp.tokenizer, next(names, "phi_custom"), _read(terms))


def terms_of(nlp: Language) -> list[Terms]:
    """The user's terms that a pipeline looks for."""
    return [pipe.terms for _, pipe in nlp.pipeline if isinstance(pipe, PhiCustom) and pipe.terms]


def _pipe_of(nlp: Language) -> PhiCustom:
    """The detector of the user's terms in a pipeline, which gets one if there is none."""
    require_mergers(nlp, "phi_custom")
    for _, pipe in nlp.pipeline:
        if isinstance(pipe, PhiCustom):
            return pipe
    added: PhiCustom = add_detector(nlp, "phi_custom")
    return added


def _read(terms: AnyTerms) -> Terms:
    return terms if isinstance(terms, Terms) else read_terms(terms)


@lru_cache(maxsize=4)
def _compile(terms: Terms, tokenizer: Tokenizer) -> TermMatcher:
    return TermMatcher(terms, tokenizer)
