"""The PHI taxonomy: types, categories, the HIPAA subset, and mappings to other label sets.

The types are those of the i2b2 2014 and 2016 corpora (Stubbs & Uzuner 2015). This is their only
definition in the project.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..tsv import read_rows

PHI_TYPES: Mapping[str, tuple[str, ...]] = {
    "NAME": ("PATIENT", "DOCTOR", "USERNAME"),
    "PROFESSION": ("PROFESSION",),
    "LOCATION": (
        "ROOM",
        "DEPARTMENT",
        "HOSPITAL",
        "ORGANIZATION",
        "STREET",
        "CITY",
        "STATE",
        "COUNTRY",
        "ZIP",
        "LOCATION-OTHER",
    ),
    "AGE": ("AGE",),
    "DATE": ("DATE",),
    "CONTACT": ("PHONE", "FAX", "EMAIL", "URL", "IPADDR"),
    "ID": (
        "SSN",
        "MEDICALRECORD",
        "HEALTHPLAN",
        "ACCOUNT",
        "LICENSE",
        "VEHICLE",
        "DEVICE",
        "BIOID",
        "IDNUM",
    ),
    "OTHER": ("OTHER",),
}
"""Types of each category (the XML element of i2b2), in the project's canonical order."""

PERSONS = ("PATIENT", "DOCTOR")
"""Types of people's names."""

CATEGORY: Mapping[str, str] = {
    phi_type: category for category, types in PHI_TYPES.items() for phi_type in types
}
"""Category of each PHI type; iterating over it yields every type in canonical order."""

HIPAA_TYPES: frozenset[str] = frozenset(
    "PATIENT CITY STREET ZIP ORGANIZATION DATE AGE PHONE FAX EMAIL SSN MEDICALRECORD HEALTHPLAN "
    "ACCOUNT LICENSE VEHICLE DEVICE BIOID".split()
)
"""Types in the i2b2 2014 "HIPAA" scores; without IDNUM, as in the published numbers."""


def normalize_type(name: str) -> str:
    """Normalise the name of a PHI type: upper case, hyphens for spaces and underscores.

    RAISES (ValueError): If there is no such PHI type.
    """
    phi_type = name.strip().upper().replace("_", "-").replace(" ", "-")
    if phi_type not in CATEGORY:
        raise ValueError(f"unknown PHI type '{name}'; the types are {', '.join(CATEGORY)}")
    return phi_type


def in_order(types: Iterable[str]) -> list[str]:
    """Types without repeats, in canonical order; other labels last, by name."""
    names = set(types)
    return [name for name in CATEGORY if name in names] + sorted(names - set(CATEGORY))


@dataclass(frozen=True)
class LabelSet:
    """Another project's labels, mapped to PHI types.

    name (str): Name of the label set.
    types (Mapping[str, tuple[str, ...]]): PHI types of each label, the most common one first; none
        for a label without a counterpart (such as a title). A type may belong to several labels.
    """

    name: str
    types: Mapping[str, tuple[str, ...]]

    def to_phi(self, label: str) -> str | None:
        """The most common PHI type of a label, or None if it has no counterpart.

        RAISES (ValueError): If the label is not in this set.
        """
        if label not in self.types:
            raise ValueError(f"label '{label}' is not in the label set '{self.name}'")
        return next(iter(self.types[label]), None)

    def from_phi(self, phi_type: str) -> str | None:
        """The first label that covers `phi_type`, under which Presidio reports it, or None."""
        return next((label for label, types in self.types.items() if phi_type in types), None)

    def nearest(self, phi_type: str) -> str | None:
        """The label that has `phi_type` earliest among its types, or None if none covers it."""
        covering = (label for label, types in self.types.items() if phi_type in types)
        return min(covering, key=lambda label: self.types[label].index(phi_type), default=None)

    @property
    def tells_hipaa(self) -> bool:
        """Whether each label covers only types of the HIPAA subset, or none of them."""
        return all(
            len({name in HIPAA_TYPES for name in types}) < 2 for types in self.types.values()
        )

    def agrees(self, label: str, phi_type: str) -> bool:
        """Whether `label` covers `phi_type`."""
        return phi_type in self.types.get(label, ())


def _read_label_sets() -> dict[str, LabelSet]:
    types: dict[str, dict[str, tuple[str, ...]]] = {
        "i2b2-2014": {name: (name,) for name in CATEGORY}
    }
    for label_set, label, *phi_types in read_rows(Path(__file__).with_name("label_sets.tsv")):
        types.setdefault(label_set, {})[label] = tuple(phi_types)
    return {name: LabelSet(name, labels) for name, labels in types.items()}


LABEL_SETS: Mapping[str, LabelSet] = _read_label_sets()
"""Label sets by name, to read and write annotations of other projects."""


def get_label_set(name: str) -> LabelSet:
    """The label set of a name.

    RAISES (ValueError): If there is none.
    """
    if name not in LABEL_SETS:
        raise ValueError(f"unknown label set '{name}'; the sets are {', '.join(LABEL_SETS)}")
    return LABEL_SETS[name]
