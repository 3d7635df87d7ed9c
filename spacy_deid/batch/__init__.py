"""Redaction of many notes: planned, in parallel, resumable, with a manifest."""

from .manifest import MANIFEST, read_manifest
from .people import PATIENT_SOURCES, People, read_known
from .pool import TIMEOUT
from .results import NoteResult, Summary
from .run import redact_files, redact_stream

__all__ = [
    "MANIFEST",
    "TIMEOUT",
    "PATIENT_SOURCES",
    "NoteResult",
    "People",
    "Summary",
    "read_known",
    "read_manifest",
    "redact_files",
    "redact_stream",
]
