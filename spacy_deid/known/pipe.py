"""The pipe `phi_known`: a detector of known patient data.

Pass the known data of a note as `doc.user_data["known_phi"]`, or as the context of `nlp.pipe`:

    nlp.pipe([(text, {"known_phi": {"PATIENT": ["Maria Lopez"], "DATE": ["1956-03-04"]}})],
             as_tuples=True)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from unicodedata import normalize

from spacy.language import Language
from spacy.tokens import Doc, Span

from ..annotation.candidates import EXACT, UntrainedDetector, write_candidates
from ..annotation.phi import PERSONS, normalize_type
from ..merger import add_detector
from ..text.folding import plain
from ..text.tokens import text_of
from .data import known_values
from .forms import forms_of
from .names import KnownNames

KNOWN = "known_phi"
"""Key of the known data in `doc.user_data` or a context: PHI types, each with a list of values."""

KnownPairs = tuple[tuple[str, str], ...]
Matches = dict[tuple[int, int, str], float]
"""Scores by first token, end and PHI type."""


@Language.factory("phi_known", assigns=["doc.spans"])
def make_phi_known(nlp: Language, name: str) -> PhiKnown:
    """Make the detector of known PHI."""
    return PhiKnown(name)


class PhiKnown(UntrainedDetector):
    """Writes all forms of a note's known data to `doc.spans[name]`.

    name (str): Name of the pipe.
    """

    def __init__(self, name: str = "phi_known") -> None:
        self.name = name

    def __call__(self, doc: Doc) -> Doc:
        """Find known PHI in a doc.

        RAISES (ValueError): If a key is not a PHI type, or a date is not year-month-day.
        """
        known = known_data(doc)
        matches = _longest(_find(doc, known)) if known else {}
        spans = [
            (Span(doc, start, end, label=label, span_id="known"), score)
            for (start, end, label), score in sorted(matches.items())
        ]
        write_candidates(doc, self.name, spans, given=True)
        return doc


def add_known(nlp: Language) -> None:
    """Let a pipeline look for known PHI, if it does not yet.

    RAISES (RedactionError): If it has no `phi_merger`.
    """
    if not any(isinstance(pipe, PhiKnown) for _, pipe in nlp.pipeline):
        add_detector(nlp, "phi_known")


def known_data(doc: Doc) -> KnownPairs:
    """The known data passed with a doc, as pairs of PHI type and value.

    RAISES (ValueError): If a key is not a PHI type.
    """
    context = getattr(doc, "_context", None)
    given: Any = doc.user_data.get(KNOWN)
    if given is None and isinstance(context, Mapping):
        given = context.get(KNOWN)
    return tuple(
        (normalize_type(phi_type), plain(normalize("NFC", value)))
        for phi_type, values in (given or {}).items()
        for value in known_values(values)
    )


def _find(doc: Doc, known: KnownPairs) -> Matches:
    names, patterns = _compile(known)
    matches = {(start, end, label): score for start, end, label, score in names.find(doc)}
    text = text_of(doc)
    places = [(*match.span(), label) for label, form in patterns for match in form.finditer(text)]
    for start, end, label in (*places, *names.find_spelt(text)):
        span = doc.char_span(start, end, alignment_mode="expand")
        if span is not None:
            matches[span.start, span.end, label] = EXACT
    return matches


def _longest(matches: Matches) -> Matches:
    """Drop matches inside a longer one of the same type ("555-0116" in "(412) 555-0116")."""
    longest: Matches = {}
    reached: dict[str, int] = {}
    for start, end, label in sorted(matches, key=lambda match: (match[0], -match[1])):
        if end > reached.get(label, 0):
            reached[label] = end
            longest[start, end, label] = matches[start, end, label]
    return longest


@lru_cache(maxsize=256)  # notes of the same patient are usually consecutive
def _compile(known: KnownPairs) -> tuple[KnownNames, list[tuple[str, re.Pattern[str]]]]:
    names = KnownNames(pair for pair in known if pair[0] in PERSONS)
    patterns = [
        (phi_type, re.compile(form))
        for phi_type, value in known
        if phi_type not in PERSONS
        for form in forms_of(phi_type, value)
    ]
    return names, patterns
