"""Synthetic notes with exact gold PHI: templates, consistent values, carrier text and noise."""

from .generate import Generator, synthesize
from .values import SETS

__all__ = ["SETS", "Generator", "synthesize"]
