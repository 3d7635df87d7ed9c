"""The merged PHI of a doc, in `doc.ents` and, with its origins, in `doc.spans["phi"]`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spacy.tokens import Doc, Span, SpanGroup
from spacy.util import filter_spans

from ..annotation.candidates import unread
from ..errors import RedactionError

PHI_GROUP = "phi"
"""Key in `doc.spans` of the merged PHI; absent if no merger ran."""
SEARCHED_GROUP = "phi_searched"
"""Key in `doc.spans` of the searched text: one span over the whole doc. Text appended to the doc
later is not covered."""

OTHER_ENTS = ("replace", "keep", "spans_only")
"""Values of the setting `ents` of `phi_merger`."""


@dataclass
class Mention:
    """PHI in a doc, before and after merging.

    start (int): First token.
    end (int): One past the last token.
    label (str): PHI type.
    id (str): Its rule id, or the detector's name.
    sources (list[str]): The detectors that agree on it: same type, shared tokens.
    score (float): The highest confidence among them.
    """

    start: int
    end: int
    label: str
    id: str
    sources: list[str]
    score: float

    def agree(self, other: Mention) -> None:
        """Add the sources and the confidence of another mention of the same PHI."""
        self.sources += [source for source in other.sources if source not in self.sources]
        self.score = max(self.score, other.score)


class Origin(NamedTuple):
    """The origin of a merged mention.

    sources (tuple[str, ...]): The detectors that agree on it.
    rule (str): The rule or detector that determined its boundaries and type.
    score (float): Its confidence.
    """

    sources: tuple[str, ...]
    rule: str
    score: float

    @property
    def finders(self) -> str:
        """Who found it, in words."""
        return " and ".join(self.sources) or "another component"

    @property
    def explanation(self) -> str:
        """The same as a sentence."""
        return f"Found by {self.finders}"


UNKNOWN_ORIGIN = Origin((), "", 1.0)
"""Origin of PHI that a pipe other than the detectors added."""


def read_origins(doc: Doc) -> dict[int, Origin]:
    """The origins of a doc's merged PHI, by first character; empty if no merger ran."""
    if PHI_GROUP not in doc.spans:
        return {}
    group = doc.spans[PHI_GROUP]
    sources, scores = group.attrs.get("sources", ()), group.attrs.get("scores", ())
    return {
        span.start_char: Origin(tuple(source.split("+")), span.id_, score)
        for span, source, score in zip(group, sources, scores, strict=False)
    }


def read_mentions(doc: Doc) -> list[Mention]:
    """The merged PHI of a doc whose origins are known."""
    origins = read_origins(doc)
    return [
        Mention(span.start, span.end, span.label_, origin.rule, list(origin.sources), origin.score)
        for span in doc.spans[PHI_GROUP]
        if (origin := origins.get(span.start_char))
    ]


def write_mentions(doc: Doc, mentions: Sequence[Mention]) -> None:
    """Write merged mentions to a doc's span group."""
    spans = [Span(doc, m.start, m.end, label=m.label, span_id=m.id) for m in mentions]
    attrs = {
        "sources": ["+".join(mention.sources) for mention in mentions],
        "scores": [mention.score for mention in mentions],
    }
    doc.spans[PHI_GROUP] = SpanGroup(doc, name=PHI_GROUP, spans=spans, attrs=attrs)


def require_read(doc: Doc) -> None:
    """Require that mergers read what all detectors found.

    RAISES (RedactionError): If there is a detector that none reads.
    """
    if detectors := unread(doc):
        raise RedactionError(
            f"no phi_merger reads the detector '{min(detectors)}': add it with "
            "spacy_deid.merger.add_detector, or take it out of the pipeline"
        )


def write_ents(doc: Doc, others: str) -> None:
    """Write the merged PHI to `doc.ents`.

    others (str): What happens to the entities of other pipes, one of `OTHER_ENTS`.
    """
    if others == "spans_only":
        return
    phi = filter_spans(doc.spans[PHI_GROUP])
    taken = {i for span in phi for i in range(span.start, span.end)}
    kept = doc.ents if others == "keep" else ()
    kept = [ent for ent in kept if taken.isdisjoint(range(ent.start, ent.end))]
    doc.set_ents([*phi, *kept], default="outside")
