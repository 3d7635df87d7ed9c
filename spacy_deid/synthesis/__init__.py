"""Synthetic notes with exact gold PHI: templates, consistent values, carrier text and noise."""

from .generate import Generator, synthesize
from .library import check_assets
from .noise import NoiseConfig
from .template import TemplateError
from .values import SETS

__all__ = [
    "SETS",
    "Generator",
    "NoiseConfig",
    "TemplateError",
    "check_assets",
    "synthesize",
]
