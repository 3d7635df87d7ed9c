"""Reviewed notes, and the sample that they are of: the input of a proof."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..annotation.notes import Note, PhiSpan


@dataclass(frozen=True)
class Sample:
    """The random sample that a proof is about."""

    system: str  # what searched the notes
    drawn: int  # notes that were drawn, before anything was read
    disputed: int = 0  # notes that wait for adjudication
    skipped: int = 0  # notes passed over, while later ones in the order of the draw were read
    seed: int = 1
    claim: float | None = None  # the recall to show, if that was fixed before reading
    strata: str | None = None  # what had its share in the draw: folder or patient
    set_aside: int = 0  # notes and files that could not be read or searched in the draw


@dataclass(frozen=True)
class Reading:
    """What one reader made of a note."""

    reader: str
    spans: tuple[PhiSpan, ...]  # the PHI in the end
    first: tuple[PhiSpan, ...]  # the PHI before detections that were held back were shown
    shown: tuple[PhiSpan, ...] = ()  # the detections that the reader began with
    held: tuple[PhiSpan, ...] = ()  # the detections that were held back until then
    seconds: float = 0.0


@dataclass(frozen=True)
class ReviewedNote:
    """A note of the random sample with its true PHI."""

    gold: Note  # the note, with the PHI that its readers agree on, or that was adjudicated
    found: tuple[PhiSpan, ...]  # what the system that is measured found
    readings: tuple[Reading, ...]  # the readings, by time
    patient_id: str = ""  # its patient; empty if unknown
    blind: bool = False  # whether all detections were held back

    @property
    def cluster(self) -> str:
        """What misses cluster by: the patient, or else the note."""
        return f"patient {self.patient_id}" if self.patient_id else f"note {self.gold.id}"

    def covered(self, spans: Iterable[PhiSpan]) -> list[bool]:
        """Whether spans, of any type, cover all letters and digits of each true piece of PHI.

        Those of every script count, unlike in the tokens of the i2b2 evaluation.
        """
        places = {place for span in spans for place in range(span.start, span.end)}
        return [places.issuperset(_to_cover(self.gold.text, span)) for span in self.gold.spans]


def _to_cover(text: str, span: PhiSpan) -> Sequence[int]:
    """The places of the letters and digits in a span, or of all characters if it has none."""
    whole = range(span.start, span.end)
    return [place for place in whole if text[place].isalnum()] or whole
