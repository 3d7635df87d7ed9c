"""The feature groups: small named functions, switched on by name in the config.

To add one, write a function in the module it fits (`forms`, `context`, `annotations`,
`characters`) and put `@feature_group("name", ...)` above it.
"""

from . import annotations, characters, context, forms
from .group import FEATURE_GROUPS, FeatureGroup, Knowledge, feature_group

__all__ = [
    "FEATURE_GROUPS",
    "FeatureGroup",
    "Knowledge",
    "annotations",
    "characters",
    "context",
    "feature_group",
    "forms",
]
