"""PHI types by the names of Presidio's entities, and back.

A PHI type without a counterpart there keeps its name; an entity without one here is OTHER.
"""

from __future__ import annotations

from collections.abc import Collection

from .phi import CATEGORY, LABEL_SETS

_LABELS = LABEL_SETS["presidio"]

ENTITIES: tuple[str, ...] = tuple(
    dict.fromkeys([*(name for name, types in _LABELS.types.items() if types), *CATEGORY])
)
"""The names by which PHI can be asked for: those of Presidio that cover a PHI type, and ours."""


def entity_of(phi_type: str) -> str:
    """The entity as which PHI of a type is reported."""
    return _LABELS.from_phi(phi_type) or phi_type


def entity_among(phi_type: str, wanted: Collection[str]) -> str | None:
    """The same among the names that were asked for, or another one that covers the type.

    RETURNS (str | None): The name, or None if none of them covers it.
    """
    if entity_of(phi_type) in wanted:
        return entity_of(phi_type)
    covering = (name for name in wanted if name == phi_type or _LABELS.agrees(name, phi_type))
    return next(covering, None)


def phi_type_of(entity: str) -> str:
    """The most common PHI type of an entity."""
    if entity in CATEGORY:
        return entity
    return (_LABELS.to_phi(entity) if entity in _LABELS.types else None) or "OTHER"
