"""The colours of PHI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..annotation.phi import CATEGORY

COLORS: Mapping[str, str] = {
    "NAME": "#ffc2cb",
    "PROFESSION": "#e8d3bd",
    "LOCATION": "#bfe8c6",
    "AGE": "#f7f08f",
    "DATE": "#ffd28f",
    "CONTACT": "#b9dcff",
    "ID": "#dcccff",
    "OTHER": "#d5dae0",
}
"""Background of each PHI category, light enough for dark text."""


def displacy_options() -> dict[str, Any]:
    """Options for `spacy.displacy.render(doc, style="ent", options=…)` that colour all PHI types.

    RETURNS (dict[str, Any]): `ents`, the PHI types, and `colors`, the colour of each.
    """
    colors = {phi_type: COLORS[category] for phi_type, category in CATEGORY.items()}
    return {"ents": list(colors), "colors": colors}
