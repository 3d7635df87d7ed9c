"""All that is done to a note between reading and writing."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from spacy.language import Language

from ..redaction import Redacted, RedactionError, Redactor
from .memory import return_freed_memory
from .search import Facts, Findings, Search

_RETURN_EVERY = 256
"""Texts after which freed memory is returned."""


@dataclass(frozen=True)
class Job:
    """A text to redact.

    text (str): The text.
    patient_id (str): Whose it is; empty if that is unknown.
    facts (Facts): What is known of its people.
    error (str): Why it has to be withheld; then nothing is done.
    whole (str): What the note goes by of which it is but one text.
    """

    text: str
    patient_id: str = ""
    facts: Facts = field(default_factory=dict)
    error: str = ""
    whole: str = ""


@dataclass(frozen=True)
class Outcome:
    """What became of a text.

    text (str | None): The redacted text; None if it is withheld.
    phi (Mapping[str, int]): How much PHI of each type was replaced.
    sources (Mapping[str, int]): How much of it each detector found.
    input_hmac (str): Keyed hash of the text.
    output_sha256 (str): Hash of the redacted text.
    error (str): Why it is withheld, without any text of it; empty if it is not.
    redacted (Redacted | None): What was replaced where, if the originals are to be kept.
    """

    text: str | None
    phi: Mapping[str, int] = field(default_factory=dict)
    sources: Mapping[str, int] = field(default_factory=dict)
    input_hmac: str = ""
    output_sha256: str = ""
    error: str = ""
    redacted: Redacted | None = None


class Worker:
    """Redacts texts; a process has one.

    nlp (Language): A pipeline with `phi_merger`.
    redactor (Redactor): Replaces what the pipeline finds.
    keep (bool): Whether to tell what was replaced where.
    """

    def __init__(self, nlp: Language, redactor: Redactor, *, keep: bool = False) -> None:
        self.search = Search(nlp)
        self.redactor = redactor
        self.keep = keep
        self.texts = 0  # since freed memory was last returned

    def redact(self, jobs: Sequence[Job]) -> list[Outcome]:
        """Redact some texts; nothing that one of them does stops the others."""
        sound = [job for job in jobs if not job.error]
        with self.search.nlp.memory_zone():  # or the words of all notes would stay in memory
            found = self.search.find([job.text for job in sound], [job.facts for job in sound])
        self.texts += len(jobs)
        if self.texts >= _RETURN_EVERY:
            return_freed_memory()
            self.texts = 0
        findings = iter(found)
        return [
            Outcome(None, error=job.error) if job.error else self._finish(job, next(findings))
            for job in jobs
        ]

    def _finish(self, job: Job, found: Findings) -> Outcome:
        digest = self.redactor.key.digest("input", job.text).hex()
        if found.error:
            return Outcome(None, input_hmac=digest, error=found.error)
        try:
            redacted = self.redactor.redact(job.text, found.spans, job.patient_id, whole=job.whole)
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
