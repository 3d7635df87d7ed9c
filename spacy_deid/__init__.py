"""Find and remove protected health information (PHI) in clinical notes with spaCy."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import deidentify
    from .redaction import Redacted, redact

__version__ = "1.2.0"

__all__ = ["Redacted", "__version__", "deidentify", "redact"]

_LAZY = {"Redacted": ".redaction", "deidentify": ".api", "redact": ".redaction"}


def __getattr__(name: str) -> Any:
    """Import redaction, and spaCy with it, on first use."""
    if name in _LAZY:
        return getattr(import_module(_LAZY[name], __name__), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
