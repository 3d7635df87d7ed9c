"""Terms that the user says are never PHI (see `phi_custom`), and where they are PHI after all.

A mention is spared only if such terms cover all of its words, so that "May" unmasks no "May
Johnson", and only if no name or mention of its type may continue beside it: detectors may have
found a name in pieces, or only a part of it. Known data and terms that are always PHI come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from spacy.tokens import Doc, Span, SpanGroup

from ..annotation.candidates import is_given, read_candidates
from ..annotation.phi import PERSONS
from ..text.names import JOINERS, LONGEST_JOINT
from .result import Mention

NEVER_GROUP = "phi_never"
"""Key in `doc.spans` of the terms that are never PHI; `id_` names them."""

SPARED_GROUP = "phi_spared"
"""Key in `doc.spans` of the mentions left out for them; `id_` is that of the term."""


def spare(doc: Doc, mentions: list[Mention], detectors: Sequence[str]) -> list[Mention]:
    """Leave out the mentions that are never PHI, and write them to `doc.spans[SPARED_GROUP]`.

    detectors (Sequence[str]): All detectors; whatever they find beside a mention, however unsure,
        may continue it.
    RETURNS (list[Mention]): The other mentions.
    """
    doc.spans.pop(SPARED_GROUP, None)
    terms = {
        i: span.id_ for span in doc.spans.get(NEVER_GROUP, ()) for i in range(span.start, span.end)
    }
    if not terms:
        return mentions
    found = _labels(doc, detectors, terms)
    given = {detector for detector in detectors if is_given(doc, detector)}
    kept: list[Mention] = []
    spared: list[Span] = []
    for mention in mentions:
        if given.isdisjoint(mention.sources) and _is_never(doc, mention, terms, found):
            span_id = terms[mention.start]
            spared.append(
                Span(doc, mention.start, mention.end, label=mention.label, span_id=span_id)
            )
        else:
            kept.append(mention)
    doc.spans[SPARED_GROUP] = SpanGroup(doc, name=SPARED_GROUP, spans=spared)
    return kept


def _labels(doc: Doc, detectors: Iterable[str], terms: Mapping[int, str]) -> dict[int, set[str]]:
    """The PHI types of all candidates, by word, except for words of the terms."""
    found: dict[int, set[str]] = {}
    for detector in detectors:
        for span, _ in read_candidates(doc, detector):
            for i in range(span.start, span.end):
                if i not in terms and _is_word(doc, i):
                    found.setdefault(i, set()).add(span.label_)
    return found


def _is_never(
    doc: Doc, mention: Mention, terms: Mapping[int, str], found: Mapping[int, set[str]]
) -> bool:
    tokens = range(mention.start, mention.end)
    if mention.start not in terms or any(i not in terms and _is_word(doc, i) for i in tokens):
        return False
    continued = {mention.label, *PERSONS}
    return all(continued.isdisjoint(found.get(i, ())) for i in _beside(doc, mention))


def _is_word(doc: Doc, i: int) -> bool:
    return any(map(str.isalnum, doc[i].text))


def _beside(doc: Doc, mention: Mention) -> Iterator[int]:
    """The tokens around a mention, up to the next word on each side; initials are no words."""
    before = range(mention.start - 1, -1, -1)
    after = range(mention.end, len(doc))
    for side in (before, after):
        for i in side[: LONGEST_JOINT + 1]:
            yield i
            if not _is_joint(doc[i].text):
                break


def _is_joint(text: str) -> bool:
    if text.isspace():
        return text.count("\n") < 2  # a name may go on in the next line, but after no empty one
    return text in JOINERS or (len(text) == 1 and text.isupper())
