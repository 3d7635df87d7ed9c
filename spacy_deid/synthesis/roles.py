"""The roles of slots: the kind of value, its PHI type, and its forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..tsv import read_rows

MODIFIERS = ("upper", "lower")
"""Optional last part of a slot: the case of its value."""


@dataclass(frozen=True)
class Role:
    """The role of a slot; "doctor" and "doctor2" are different people."""

    base: str  # name without the number at its end
    kind: str  # kind of value, a key of `FORMS`
    type: str  # PHI type of its values but for `user` and `email`; empty if they are not PHI
    number: str = ""


FORMS: Mapping[str, frozenset[str]] = {
    kind: frozenset(forms.strip("-").split())
    for kind, forms in read_rows(Path(__file__).with_name("forms.tsv"))
}
"""Forms of each kind, besides the plain form, which has no name."""

ROLES: Mapping[str, Role] = {
    name: Role(name, kind, phi_type.strip("-"))
    for kind, phi_type, names in read_rows(Path(__file__).with_name("roles.tsv"))
    for name in names.split()
}
"""Every role by its name without number; roles that end in "_age" are ages as well."""


def find_role(name: str) -> Role:
    """The role with a name ("doctor2", "mother_age").

    RAISES (ValueError): If there is none.
    """
    base = name.rstrip("0123456789")
    number = name[len(base) :]
    if base.endswith("_age") and base != "_age":
        return Role(base.removesuffix("_age"), "age", "AGE", number)
    if base not in ROLES:
        raise ValueError(f"unknown role '{name}'")
    return replace(ROLES[base], number=number)
