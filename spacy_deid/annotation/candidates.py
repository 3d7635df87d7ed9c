"""The interface between detectors and merger: candidate spans in `doc.spans`, one group per pipe.

A detector named "phi_matcher" writes `doc.spans["phi_matcher"]`. Each span's `label_` is its PHI
type and its `id_` the rule id or the detector's name; `group.attrs["scores"]` holds the
confidences, in the order of the spans.

A confidence of `DECIDED` or more is the detector's own decision. For higher recall, a detector may
add single tokens with lower confidence. `group.attrs["types"]` lists the PHI types it can detect;
if absent, all. `group.attrs["given"]` is whether they are what the user gave, which no threshold
and no term that is never PHI overrules. `group.attrs["read"]` is whether a merger read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spacy.pipeline import Pipe
from spacy.tokens import Doc, Span, SpanGroup

from ..errors import RedactionError

Prediction = list[tuple[int, int, str, float]]
"""Candidates of one doc: first token, one past the last token, PHI type, confidence."""

# The scale of confidences, from the highest to the lowest.

ALWAYS = 1.0
"""What the user's own terms say is PHI: above any threshold."""

EXACT = 0.99
"""Known data as they are given: above all that rules find."""

CERTAIN = 0.98
"""A rule whose form alone decides: a check digit, a URL, an unambiguous label."""

STANDS_ALONE = 0.97
"""Confidence from which on a candidate needs no support of another detector: only that of the
rules that are `CERTAIN`, and of what the user gave."""

SURE = 0.93
"""A rule with a label or form that is rarely ambiguous. The tagger must confirm that there is PHI.
"""

SURE_FROM = 0.9
"""Confidence from which on a candidate is sure by default, the setting `sure_score` of
`phi_merger`."""

LIKELY = 0.85
"""A rule where the context decides. The tagger is better at type and boundaries."""

ALIKE = 0.85
"""A misspelt part of a known name."""

COMMON = 0.8
"""A part of a known name that is a common word."""

UNSURE = 0.6
"""A rule with an ambiguous form: a bare number."""

DECIDED = 0.5
"""Confidence from which on a candidate is PHI by its detector's own decision."""


class UntrainedDetector(Pipe):
    """A detector that is not trained."""

    name: str


def write_candidates(
    doc: Doc, detector: str, candidates: Iterable[tuple[Span, float]], *, given: bool = False
) -> None:
    """Write a detector's spans and confidences (in [0, 1]), replacing any earlier ones.

    given (bool): Whether they are what the user gave.
    """
    pairs = list(candidates)
    doc.spans[detector] = SpanGroup(
        doc,
        name=detector,
        spans=[span for span, _ in pairs],
        attrs={"scores": [float(score) for _, score in pairs], "given": given, "read": False},
    )


def write_predictions(
    docs: Iterable[Doc],
    predictions: list[Prediction],
    detector: str,
    types: Sequence[str] | None = None,
) -> None:
    """Write a trained detector's predictions; each span's `id_` is the detector's name.

    types (Sequence[str] | None): The PHI types it can detect; None if all.
    """
    for doc, prediction in zip(docs, predictions, strict=True):
        spans = (
            (Span(doc, start, end, label=label, span_id=detector), score)
            for start, end, label, score in prediction
        )
        write_candidates(doc, detector, spans)
        if types is not None:
            doc.spans[detector].attrs["types"] = list(types)


def is_given(doc: Doc, detector: str) -> bool:
    """Whether a detector's candidates are what the user gave."""
    return detector in doc.spans and bool(doc.spans[detector].attrs.get("given"))


def unread(doc: Doc) -> set[str]:
    """The detectors whose candidates no merger read."""
    return {name for name, group in doc.spans.items() if group.attrs.get("read") is False}


def read_candidates(doc: Doc, detector: str) -> list[tuple[Span, float]]:
    """Read a detector's spans and confidences; empty if it did not run.

    RAISES (RedactionError): If another pipe than a detector wrote the group.
    """
    if detector not in doc.spans:
        return []
    group = doc.spans[detector]
    scores = group.attrs.get("scores", ())
    if len(scores) != len(group):
        raise RedactionError(
            f"the span group '{detector}' has {len(group)} spans and {len(scores)} scores: let no "
            "other pipe write to the group of a detector"
        )
    return list(zip(group, scores, strict=True))
