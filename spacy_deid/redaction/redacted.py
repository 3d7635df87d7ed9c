"""Redaction of one note: the text without its PHI, and what was replaced where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from spacy.tokens import Doc

from ..merger import PHI_GROUP
from ..notes import PhiSpan
from ..phi import CATEGORY
from .styles import STYLES


class RedactionError(ValueError):
    """Redaction that cannot be done; the message holds no text of a note."""


class Replacement(NamedTuple):
    """One replaced stretch of text.

    old (tuple[int, int]): First character and one past the last, in the note.
    new (tuple[int, int]): The same of the replacement, in the redacted text.
    type (str): PHI type.
    text (str): The replacement.
    """

    old: tuple[int, int]
    new: tuple[int, int]
    type: str
    text: str


@dataclass(frozen=True)
class Redacted:
    """A redacted note.

    text (str): The text, its PHI replaced.
    replacements (tuple[Replacement, ...]): What was replaced, in the order of the text.
    """

    text: str
    replacements: tuple[Replacement, ...]


def redact(doc: Doc, style: str = "tag") -> Redacted:
    """Replace the PHI of a doc.

    doc (Doc): A doc that went through a pipeline with `phi_merger`.
    style (str): A key of `STYLES`: "tag" writes "[PATIENT]", "mask" stars of the same length.
    RETURNS (Redacted): The redacted text, aligned with the original.
    RAISES (RedactionError): If the doc was never searched for PHI, or the style is unknown.
    """
    return replace_phi(doc.text, find_phi(doc), style)


def find_phi(doc: Doc) -> tuple[PhiSpan, ...]:
    """The PHI that `phi_merger` found in a doc, and what was added to `doc.ents` since.

    Text leaves the project as redacted through here alone, so that a doc that nobody searched
    never passes for one without PHI.

    RAISES (RedactionError): If the doc went through no `phi_merger`, or it failed.
    """
    if PHI_GROUP not in doc.spans:
        raise RedactionError(
            "the doc was not searched for PHI: it went through no pipeline with phi_merger, or "
            "phi_merger failed"
        )
    spans = [*doc.spans[PHI_GROUP], *(ent for ent in doc.ents if ent.label_ in CATEGORY)]
    merged: list[PhiSpan] = []
    for span in sorted(PhiSpan(span.start_char, span.end_char, span.label_) for span in spans):
        if merged and span.start < merged[-1].end:
            merged[-1] = replace(merged[-1], end=max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return tuple(merged)


def replace_phi(text: str, spans: Sequence[PhiSpan], style: str) -> Redacted:
    """Replace spans of a text.

    text (str): The text.
    spans (Sequence[PhiSpan]): Its PHI, sorted, without overlap.
    style (str): A key of `STYLES`.
    RETURNS (Redacted): The redacted text.
    RAISES (RedactionError): If the style is unknown.
    """
    if style not in STYLES:
        raise RedactionError(f"unknown style '{style}'; the styles are {', '.join(STYLES)}")
    pieces: list[str] = []
    replacements: list[Replacement] = []
    done = length = 0
    for span, new_text in zip(spans, STYLES[style](text, spans), strict=True):
        pieces += (text[done : span.start], new_text)
        start = length + span.start - done
        done, length = span.end, start + len(new_text)
        replacements.append(
            Replacement((span.start, span.end), (start, length), span.type, new_text)
        )
    pieces.append(text[done:])
    return Redacted("".join(pieces), tuple(replacements))
