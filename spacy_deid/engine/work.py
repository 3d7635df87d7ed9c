"""What is done to a note between reading and writing: it is searched and redacted."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from spacy.language import Language

from ..annotation.phi import PERSONS
from ..known.data import KnownData
from ..records import Record
from ..redaction import Redacted, RedactionError, Redactor
from ..redaction.phi_text import ALONE, Shared
from ..redaction.surrogates.dates.shared import share_dates
from .search import Detections, Search, whole


class WholeNote(NamedTuple):
    """What a text needs of its note, if that has other texts."""

    hash: str = ""  # identifies it
    shared: Shared = ALONE


@dataclass(frozen=True, kw_only=True)
class InputText:
    """A text to redact."""

    text: str
    patient_id: str = ""  # whose it is; empty if that is unknown
    known: KnownData = field(default_factory=dict)  # known patient data
    error: str = ""  # why it is withheld, if it could not be read
    note: WholeNote = WholeNote()  # its note
    type: str = ""  # the PHI type of the whole text, if it is not a note


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of a text."""

    text: str | None  # the redacted text; None if it is withheld
    phi: Mapping[str, int] = field(default_factory=dict)  # number of PHI replaced, by type
    sources: Mapping[str, int] = field(default_factory=dict)  # number of PHI found, by detectors
    terms: Mapping[str, int] = field(default_factory=dict)  # number of matches of the user's terms
    input_hmac: str = ""  # keyed hash of the text
    output_sha256: str = ""  # hash of the redacted text
    error: str = ""  # why it is withheld, without quoting it; empty if it is not
    redacted: Redacted | None = None  # the replacements, if the originals are kept


class TextRedactor:
    """Finds and replaces the PHI of texts; each process has one."""

    def __init__(
        self, nlp: Language, redactor: Redactor, *, keep: bool = False, exclusive: bool = False
    ) -> None:
        """`keep` is whether outcomes hold the replacements; `exclusive` is that of `Search`."""
        self.search = Search(nlp, exclusive=exclusive)
        self.redactor = redactor
        self.keep = keep

    def redact(self, texts: Sequence[InputText]) -> list[Outcome]:
        """Redact some texts; one that fails does not stop the others."""
        readable = [text for text in texts if not text.error and not text.type]
        found = iter(
            self.search.find([text.text for text in readable], [text.known for text in readable])
        )
        return [
            Outcome(text=None, error=text.error)
            if text.error
            else redact_found(
                text,
                whole(text.text, text.type) if text.type else next(found),
                self.redactor,
                keep=self.keep,
            )
            for text in texts
        ]


def redact_found(
    text: InputText, found: Detections, redactor: Redactor, *, keep: bool = False
) -> Outcome:
    """Replace the PHI found in a text; `keep` is whether the outcome holds the replacements."""
    digest = redactor.key.digest("input", text.text).hex()
    if found.error:
        return Outcome(text=None, input_hmac=digest, error=found.error)
    try:
        redacted = redactor.redact(
            text.text, found.spans, text.patient_id, whole=text.note.hash, shared=text.note.shared
        )
        data = redacted.text.encode("utf-8")
    except RedactionError as error:
        return Outcome(text=None, input_hmac=digest, error=str(error))
    except Exception as error:
        reason = f"its redaction failed ({type(error).__name__})"
        return Outcome(text=None, input_hmac=digest, error=reason)
    return Outcome(
        text=redacted.text,
        phi=Counter(replacement.type for replacement in redacted.replacements),
        sources=found.sources,
        terms=found.terms,
        input_hmac=digest,
        output_sha256=hashlib.sha256(data).hexdigest(),
        redacted=redacted if keep else None,
    )


def whole_notes(records: Sequence[Record]) -> list[WholeNote]:
    """The note of each text; an empty one where it has no other text."""
    by_note: dict[str, list[Record]] = {}
    for record in records:
        by_note.setdefault(record.note, []).append(record)
    notes = {note: _whole_note(parts) for note, parts in by_note.items() if note and len(parts) > 1}
    return [notes.get(record.note, WholeNote()) for record in records]


def _whole_note(records: Sequence[Record]) -> WholeNote:
    texts = [record.text for record in records]
    names = tuple(record.text for record in records if record.type in PERSONS)
    dates = [record.text for record in records if record.type == "DATE"]
    return WholeNote(_hash(texts), share_dates(texts, dates)._replace(names=names))


def _hash(texts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
