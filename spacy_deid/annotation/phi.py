"""The PHI taxonomy: types, categories, the HIPAA subset, and mappings to other label sets.

The types are those of the i2b2 2014 and 2016 corpora (Stubbs & Uzuner 2015). This is their only
definition in the project.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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


def is_hipaa(phi_type: str) -> bool:
    """Whether `phi_type` belongs to the HIPAA subset of the i2b2 2014 evaluation."""
    return phi_type in HIPAA_TYPES


def normalize_type(name: str) -> str:
    """Normalise the name of a PHI type: upper case, hyphens for spaces and underscores.

    RAISES (ValueError): If there is no such PHI type.
    """
    phi_type = name.strip().upper().replace("_", "-").replace(" ", "-")
    if phi_type not in CATEGORY:
        raise ValueError(f"unknown PHI type '{name}'; the types are {', '.join(CATEGORY)}")
    return phi_type


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
        """The first label that covers `phi_type`, or None."""
        return next((label for label, types in self.types.items() if phi_type in types), None)

    def agrees(self, label: str, phi_type: str) -> bool:
        """Whether `label` covers `phi_type`."""
        return phi_type in self.types.get(label, ())


_PLACES = ("CITY", "COUNTRY", "STATE", "STREET", "ZIP", "LOCATION-OTHER")
_ORGANISATIONS = ("HOSPITAL", "ORGANIZATION", "DEPARTMENT")
_NUMBERS = tuple(PHI_TYPES["ID"])

LABEL_SETS: Mapping[str, LabelSet] = {
    label_set.name: label_set
    for label_set in (
        LabelSet("i2b2-2014", {phi_type: (phi_type,) for phi_type in CATEGORY}),
        # Uzuner, Luo & Szolovits 2007: eight classes.
        LabelSet(
            "i2b2-2006",
            {
                "PATIENT": ("PATIENT",),
                "DOCTOR": ("DOCTOR",),
                "HOSPITAL": ("HOSPITAL", "DEPARTMENT"),
                "ID": (*_NUMBERS, "USERNAME"),
                "DATE": ("DATE",),
                "LOCATION": (*_PLACES, "ORGANIZATION"),
                "PHONE": ("PHONE", "FAX"),
                "AGE": ("AGE",),
            },
        ),
        # Entities documented by Presidio's analyzer.
        LabelSet(
            "presidio",
            {
                "PERSON": PERSONS,
                "LOCATION": (*_PLACES, "HOSPITAL", "ROOM"),
                "ORGANIZATION": _ORGANISATIONS,
                "DATE_TIME": ("DATE", "AGE"),
                "AGE": ("AGE",),
                "PHONE_NUMBER": ("PHONE", "FAX"),
                "EMAIL_ADDRESS": ("EMAIL",),
                "URL": ("URL",),
                "IP_ADDRESS": ("IPADDR",),
                "US_SSN": ("SSN",),
                "MEDICAL_LICENSE": ("LICENSE",),
                "US_DRIVER_LICENSE": ("LICENSE",),
                "US_BANK_NUMBER": ("ACCOUNT",),
                "CREDIT_CARD": ("ACCOUNT",),
                "IBAN_CODE": ("ACCOUNT",),
                "US_PASSPORT": ("IDNUM",),
                "US_ITIN": ("IDNUM", "SSN"),
                "ID": ("IDNUM", "MEDICALRECORD", "HEALTHPLAN", "ACCOUNT", "DEVICE", "VEHICLE"),
                "NRP": (),
                "CRYPTO": (),
            },
        ),
        LabelSet(
            "presidio-research",
            {
                "PERSON": (*PERSONS, "USERNAME"),
                "ADDRESS": (*_PLACES, "ORGANIZATION"),
                "LOCATION": _PLACES,
                "ORGANIZATION": _ORGANISATIONS,
                "CREDIT_CARD": ("ACCOUNT", "IDNUM"),
                "PHONE_NUMBER": ("PHONE", "FAX"),
                "DATE_TIME": ("DATE",),
                "EMAIL_ADDRESS": ("EMAIL",),
                "US_SSN": ("SSN",),
                "IBAN_CODE": ("ACCOUNT", "IDNUM"),
                "DOMAIN_NAME": ("URL",),
                "TITLE": (),
                "PREFIX": (),
                "US_DRIVER_LICENSE": ("LICENSE", "IDNUM"),
                "IP_ADDRESS": ("IPADDR",),
            },
        ),
        LabelSet(
            "meddeid",
            {
                "Name:Patient": ("PATIENT",),
                "Name:Caregiver": ("DOCTOR", "USERNAME"),
                "Name:Other": ("PATIENT", "DOCTOR", "USERNAME"),
                "Age_Birthdate": ("AGE", "DATE"),
                "Date": ("DATE",),
                "ID:Patient": _NUMBERS,
                "ID:Caregiver": ("LICENSE", "IDNUM"),
                "Contactdetails": ("PHONE", "FAX", "EMAIL", "URL"),
                "Address_Location:Patient": _PLACES,
                "Address_Location:Caregiver": _PLACES,
                "Address_Location:Other": _PLACES,
                "Organization:Healthcare": ("HOSPITAL", "DEPARTMENT", "ORGANIZATION"),
                "Organization:Other": ("ORGANIZATION", "HOSPITAL"),
                "Profession": ("PROFESSION",),
            },
        ),
        LabelSet(
            "localscrub",
            {
                "NAME": PERSONS,
                "DATE": ("DATE", "AGE"),
                "PHONE": ("PHONE",),
                "MRN": ("MEDICALRECORD", "IDNUM"),
                "EMAIL": ("EMAIL",),
                "GEO_SUBDIVISION": _PLACES,
                "URL": ("URL",),
                "HEALTH_PLAN_ID": ("HEALTHPLAN", "IDNUM"),
                "SSN": ("SSN",),
                "IP_ADDRESS": ("IPADDR",),
                "ACCOUNT_NUMBER": ("ACCOUNT", "IDNUM"),
                "CREDIT_CARD": ("ACCOUNT", "IDNUM"),
                "FAX": ("FAX", "PHONE"),
            },
        ),
        LabelSet(
            "au-call",
            {
                "NAME": PERSONS,
                "EMAIL": ("EMAIL",),
                "ADDRESS": _PLACES,
                "PHONE": ("PHONE",),
                "MEMBER_ID": ("HEALTHPLAN", "IDNUM", "ACCOUNT"),
            },
        ),
        LabelSet(
            "deidgate",
            {
                "name": PERSONS,
                "date": ("DATE", "AGE"),
                "geo": _PLACES,
                "mrn": ("MEDICALRECORD",),
                "phone": ("PHONE",),
                "fax": ("FAX",),
                "email": ("EMAIL",),
                "ssn": ("SSN",),
                "url": ("URL",),
                "ip": ("IPADDR",),
                "vehicle": ("VEHICLE",),
                "device": ("DEVICE",),
                "account": ("ACCOUNT",),
                "health_plan": ("HEALTHPLAN",),
                "license": ("LICENSE",),
                "biometric": ("BIOID",),
                "photo": ("BIOID", "OTHER"),
                "other": ("OTHER", "IDNUM"),
            },
        ),
    )
}
"""Label sets by name, to read and write annotations of other projects."""
