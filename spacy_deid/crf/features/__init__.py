"""The feature groups: small functions, enabled by name in the config.

To add one, write a function in the module where it belongs (`forms`, `context`, `annotations`,
`characters`) and decorate it with `@feature_group("name", ...)`.
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
