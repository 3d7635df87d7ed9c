"""The rules, by kind. Add a new rule to the `RULES` of its kind's module."""

from __future__ import annotations

from ..rule import Rule
from . import ages, contact, dates, ids, names, places

RULES: tuple[Rule, ...] = (
    *contact.RULES,
    *ids.RULES,
    *dates.RULES,
    *names.RULES,
    *places.RULES,
    *ages.RULES,
)
"""All rules of the matcher."""
