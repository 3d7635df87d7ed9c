"""Redaction: notes without their PHI."""

from .errors import RedactionError
from .files import Summary, redact_files
from .key import Key, find_key, random_key
from .policy import PRESETS, Policy, find_policy
from .redacted import Redacted, Redactor, Replacement, redact
from .stream import NoteResult
from .styles import STYLES

__all__ = [
    "PRESETS",
    "STYLES",
    "Key",
    "NoteResult",
    "Policy",
    "Redacted",
    "RedactionError",
    "Redactor",
    "Replacement",
    "Summary",
    "find_key",
    "find_policy",
    "random_key",
    "redact",
    "redact_files",
]
