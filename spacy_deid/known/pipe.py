"""The pipe `phi_known`: a detector of known patient data.

Pass the known data of a note as `doc.user_data["known_phi"]`, or as the context of `nlp.pipe`:

    nlp.pipe([(text, {"known_phi": {"PATIENT": ["Maria Lopez"], "DATE": ["1956-03-04"]}})],
             as_tuples=True)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any
from unicodedata import normalize

from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Span

from ..annotation.candidates import write_candidates
from ..annotation.phi import PERSONS, normalize_type
from ..text.folding import plain
from .forms import forms_of
from .names import EXACT, KnownNames

KNOWN = "known_phi"
"""Key of the known data in `doc.user_data` or a context: PHI types, each with a list of values."""

FactPairs = tuple[tuple[str, str], ...]


@Language.factory("phi_known", assigns=["doc.spans"])
def make_phi_known(nlp: Language, name: str) -> PhiKnown:
    """Make the detector of known PHI."""
    return PhiKnown(name)


class PhiKnown(Pipe):
    """Writes all forms of a note's known data to `doc.spans[name]`.

    name (str): Name of the pipe.
    """

    def __init__(self, name: str = "phi_known") -> None:
        self.name = name

    def __call__(self, doc: Doc) -> Doc:
        """Find known PHI in a doc.

        doc (Doc): The doc.
        RETURNS (Doc): The same doc.
        RAISES (ValueError): If a key is not a PHI type, or a date is not year-month-day.
        """
        facts = known_facts(doc)
        spans = _longest(_find(doc, facts)) if facts else {}
        write_candidates(
            doc,
            self.name,
            [
                (Span(doc, start, end, label=label, span_id="known"), score)
                for (start, end, label), score in sorted(spans.items())
            ],
        )
        return doc


def known_facts(doc: Doc) -> FactPairs:
    """The known data passed with a doc, as pairs of PHI type and value.

    RAISES (ValueError): If a key is not a PHI type.
    """
    context = getattr(doc, "_context", None)
    given: Any = doc.user_data.get(KNOWN)
    if given is None and isinstance(context, Mapping):
        given = context.get(KNOWN)
    return tuple(
        (normalize_type(phi_type), plain(normalize("NFC", str(value).strip())))
        for phi_type, values in (given or {}).items()
        for value in ([values] if isinstance(values, str) else values)
        if str(value).strip()
    )


def _find(doc: Doc, facts: FactPairs) -> Iterator[tuple[tuple[int, int, str], float]]:
    names, patterns = _compile(facts)
    for start, end, label, score in names.find(doc):
        yield (start, end, label), score
    for phi_type, pattern in patterns:
        for match in pattern.finditer(doc.text):
            span = doc.char_span(*match.span(), alignment_mode="expand")
            if span is not None:
                yield (span.start, span.end, phi_type), EXACT


def _longest(
    found: Iterable[tuple[tuple[int, int, str], float]],
) -> dict[tuple[int, int, str], float]:
    """Drop matches inside a longer one of the same type ("555-0116" in "(412) 555-0116")."""
    spans = dict(found)
    longest: dict[tuple[int, int, str], float] = {}
    reached: dict[str, int] = {}
    for start, end, label in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end > reached.get(label, 0):
            reached[label] = end
            longest[start, end, label] = spans[start, end, label]
    return longest


@lru_cache(maxsize=256)  # notes of the same patient are usually consecutive
def _compile(facts: FactPairs) -> tuple[KnownNames, list[tuple[str, re.Pattern[str]]]]:
    names = KnownNames(fact for fact in facts if fact[0] in PERSONS)
    patterns = [
        (phi_type, re.compile(form))
        for phi_type, value in facts
        if phi_type not in PERSONS
        for form in forms_of(phi_type, value)
    ]
    return names, patterns
