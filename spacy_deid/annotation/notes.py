"""Clinical notes with PHI annotations, as in corpora, and their conversion from and to docs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.util import filter_spans


@dataclass(frozen=True, order=True)
class PhiSpan:
    """A PHI span in a note's text.

    start (int): First character, counted from 0.
    end (int): One past the last character.
    type (str): PHI type, one of `spacy_deid.annotation.phi.CATEGORY`.
    id (str): Id of the tag in its file ("P0"); empty if none.
    """

    start: int
    end: int
    type: str
    id: str = ""

    def overlaps(self, other: PhiSpan) -> bool:
        """Whether the two share a character."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class Note:
    """A clinical note.

    id (str): Unique id of the note in its corpus ("110-01"), without a file suffix.
    text (str): The text; offsets count its characters.
    spans (tuple[PhiSpan, ...]): The PHI, sorted; without overlap, unless read for scoring.
    """

    id: str
    text: str
    spans: tuple[PhiSpan, ...] = ()

    @property
    def patient_id(self) -> str:
        """The patient part of an i2b2 note id (PATIENT-RECORD), or the whole id."""
        return self.id.rsplit("-", 1)[0]


def doc_from_note(nlp: Language, note: Note) -> Doc:
    """Make a gold doc: `note` tokenized by `nlp`, with its PHI in `doc.ents`.

    Spans are expanded to whole tokens. If two spans then overlap, the longer one is kept.
    """
    doc = nlp.make_doc(note.text)
    doc.user_data["note_id"] = note.id
    spans = [
        doc.char_span(span.start, span.end, label=span.type, alignment_mode="expand")
        for span in note.spans
    ]
    doc.set_ents(filter_spans(_trim(span) for span in spans if span is not None))
    return doc


def note_from_doc(doc: Doc, note_id: str) -> Note:
    """Make a note from a doc, with the PHI of `doc.ents`."""
    spans = tuple(PhiSpan(ent.start_char, ent.end_char, ent.label_) for ent in doc.ents)
    return Note(note_id, doc.text, spans)


def check_spans(text: str, spans: Iterable[PhiSpan], *, overlaps: bool = False) -> str | None:
    """Describe what is wrong with `spans` in one sentence, without quoting `text`, or None.

    overlaps (bool): Whether spans may overlap.
    """
    previous: PhiSpan | None = None
    for span in sorted(spans):
        if not 0 <= span.start <= span.end <= len(text):
            return f"{span_place(span)} lies outside the text"
        if span.start == span.end:
            return f"{span_place(span)} is empty; remove it"
        if previous is not None and span.start < previous.end and not overlaps:
            return f"{span_place(span)} overlaps {span_place(previous)}"
        previous = span
    return None


def span_place(span: PhiSpan) -> str:
    """The location of a span: its tag's id, if any, and its offsets."""
    return f"{f'tag {span.id}' if span.id else 'span'} [{span.start}, {span.end})"


def _trim(span: Span) -> Span:
    """Trim white-space tokens, which spaCy does not allow at the ends of an entity."""
    start, end = span.start, span.end
    while start < end - 1 and span.doc[start].is_space:
        start += 1
    while end > start + 1 and span.doc[end - 1].is_space:
        end -= 1
    return Span(span.doc, start, end, label=span.label)
