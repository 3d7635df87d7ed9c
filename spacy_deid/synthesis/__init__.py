"""Synthetic notes with exact gold PHI: templates, consistent values, carrier text and noise."""

from .carriers import load_carriers
from .generate import Generator, synthesize
from .library import check_assets
from .noise import NO_NOISE, NoiseConfig
from .template import TemplateError
from .values import SETS

__all__ = [
    "NO_NOISE",
    "SETS",
    "Generator",
    "NoiseConfig",
    "TemplateError",
    "check_assets",
    "load_carriers",
    "synthesize",
]
