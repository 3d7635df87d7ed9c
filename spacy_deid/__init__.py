"""Find and remove protected health information (PHI) in clinical notes with spaCy."""

from .about import __version__

__all__ = ["__version__"]
