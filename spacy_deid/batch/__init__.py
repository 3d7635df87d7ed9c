"""Redaction of many notes: planned, in parallel, resumable, with a manifest.

The way of a note, in `run`: `plan` pairs each file with its result, `begin` opens the output folder
(`resume` where a run was stopped), `reader` reads chunks of files, `pool` passes their texts to
processes that run `work` (`search` finds the PHI), and `output` writes results and `manifest`.
"""

from .manifest import MANIFEST, read_manifest
from .patients import PATIENT_SOURCES, Patients, read_known
from .pool import TIMEOUT
from .results import NoteResult, Summary
from .run import redact_files, redact_stream
from .settings import RunSettings

__all__ = [
    "MANIFEST",
    "TIMEOUT",
    "PATIENT_SOURCES",
    "NoteResult",
    "Patients",
    "RunSettings",
    "Summary",
    "read_known",
    "read_manifest",
    "redact_files",
    "redact_stream",
]
