"""Find and remove protected health information (PHI) in clinical notes with spaCy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .about import __version__

if TYPE_CHECKING:
    from .redaction import Redacted, redact

__all__ = ["Redacted", "__version__", "redact"]


def __getattr__(name: str) -> Any:
    """Import redaction, and spaCy with it, on first use."""
    if name in ("Redacted", "redact"):
        from . import redaction

        return getattr(redaction, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
