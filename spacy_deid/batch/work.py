"""Everything done to a note between reading and writing, in memory that does not grow."""

from __future__ import annotations

import ctypes
import hashlib
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from spacy.language import Language

from ..redaction import Redacted, RedactionError, Redactor
from .search import Detections, KnownData, Search

_RETURN_EVERY = 256
"""Texts after which freed memory is returned."""


@dataclass(frozen=True)
class InputText:
    """A text to redact."""

    text: str
    patient_id: str = ""  # whose it is; empty if that is unknown
    known: KnownData = field(default_factory=dict)  # known patient data
    error: str = ""  # why it is withheld, if it could not be read
    note_hash: str = ""  # a hash of its note, if the note has other texts


@dataclass(frozen=True)
class Outcome:
    """The outcome of a text."""

    text: str | None  # the redacted text; None if it is withheld
    phi: Mapping[str, int] = field(default_factory=dict)  # number of PHI replaced, by type
    sources: Mapping[str, int] = field(default_factory=dict)  # number of PHI found, by detectors
    input_hmac: str = ""  # keyed hash of the text
    output_sha256: str = ""  # hash of the redacted text
    error: str = ""  # why it is withheld, without quoting it; empty if it is not
    redacted: Redacted | None = None  # the replacements, if the originals are kept


class TextRedactor:
    """Finds and replaces the PHI of texts; each process has one."""

    def __init__(self, nlp: Language, redactor: Redactor, *, keep: bool = False) -> None:
        """`keep` is whether outcomes hold the replacements."""
        self.search = Search(nlp)
        self.redactor = redactor
        self.keep = keep
        self.count = 0  # since freed memory was last returned

    def redact(self, texts: Sequence[InputText]) -> list[Outcome]:
        """Redact some texts; one that fails does not stop the others."""
        readable = [text for text in texts if not text.error]
        with self.search.nlp.memory_zone():  # or the words of all notes would stay in memory
            found = self.search.find(
                [text.text for text in readable], [text.known for text in readable]
            )
        self.count += len(texts)
        if self.count >= _RETURN_EVERY:
            return_freed_memory()
            self.count = 0
        findings = iter(found)
        return [
            Outcome(None, error=text.error) if text.error else self._finish(text, next(findings))
            for text in texts
        ]

    def _finish(self, text: InputText, found: Detections) -> Outcome:
        digest = self.redactor.key.digest("input", text.text).hex()
        if found.error:
            return Outcome(None, input_hmac=digest, error=found.error)
        try:
            redacted = self.redactor.redact(
                text.text, found.spans, text.patient_id, whole=text.note_hash
            )
            data = redacted.text.encode("utf-8")
        except RedactionError as error:
            return Outcome(None, input_hmac=digest, error=str(error))
        except Exception as error:
            reason = f"its redaction failed ({type(error).__name__})"
            return Outcome(None, input_hmac=digest, error=reason)
        return Outcome(
            redacted.text,
            Counter(replacement.type for replacement in redacted.replacements),
            found.sources,
            digest,
            hashlib.sha256(data).hexdigest(),
            redacted=redacted if self.keep else None,
        )


def keep_few_kernels() -> None:
    """Let oneDNN keep the kernels of the last 64 shapes of matrices, not of 1,024.

    It builds one for each shape, and nearly every batch has shapes of its own. This is no slower. A
    user's own setting wins; it has no effect after the first multiplication.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")


def return_freed_memory() -> None:
    """Let glibc return free memory, which takes some hundredths of a second.

    Batches of varying sizes fragment its heap: without this, a process takes twice the memory after
    some thousand notes, and keeps growing. Other C libraries do not need it.
    """
    if sys.platform == "linux" and hasattr(library := ctypes.CDLL(None), "malloc_trim"):
        library.malloc_trim(0)
