"""The rules, by PHI category. A new rule goes into the `RULES` of its category's module."""

from __future__ import annotations

from ..rule import Rule
from . import (
    ages,
    calendar,
    carers,
    contact,
    dates,
    ids,
    institutions,
    names,
    places,
    professions,
    usernames,
)

RULES: tuple[Rule, ...] = (
    *contact.RULES,
    *ids.RULES,
    *dates.RULES,
    *calendar.RULES,
    *ages.RULES,
    *carers.RULES,
    *names.RULES,
    *usernames.RULES,
    *institutions.RULES,
    *places.RULES,
    *professions.RULES,
)
"""All rules of the matcher."""
