"""Redaction: replaces the PHI of notes."""

from ..errors import RedactionError
from .date_shift import DateShift
from .key import AnyKey, Key, as_key, find_key, random_key
from .phi_text import draws
from .policy import PRESETS, Policy, find_policy
from .redacted import Redacted, Redactor, Replacement, Withheld, redact
from .styles import STYLES

__all__ = [
    "PRESETS",
    "STYLES",
    "AnyKey",
    "DateShift",
    "Key",
    "Policy",
    "Redacted",
    "RedactionError",
    "Redactor",
    "Replacement",
    "Withheld",
    "as_key",
    "draws",
    "find_key",
    "find_policy",
    "random_key",
    "redact",
]
