"""Redaction: notes without their PHI."""

from .files import Summary, redact_files
from .redacted import Redacted, RedactionError, Replacement, redact, replace_phi
from .stream import NoteResult
from .styles import STYLES

__all__ = [
    "STYLES",
    "NoteResult",
    "Redacted",
    "RedactionError",
    "Replacement",
    "Summary",
    "redact",
    "redact_files",
    "replace_phi",
]
