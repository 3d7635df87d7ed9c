"""Redaction of many files: planned, in parallel, resumable, with a manifest.

How `run` handles a note: `plan` pairs each file of `inputs` with its result, `begin` opens the
output folder (`resume` where a run was stopped), `reader` reads chunks of files, the `engine`
redacts their texts, and `output` writes results and `manifest`, which `report` sums up.
"""

from ..engine.pool import TIMEOUT
from ..files import MANIFEST
from .manifest import read_manifest
from .patients import PATIENT_SOURCES, Patients, read_known
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
