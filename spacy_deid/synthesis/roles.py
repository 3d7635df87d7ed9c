"""The roles of slots: the kind of value, its PHI type, and its forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

MODIFIERS = ("upper", "lower")
"""Optional last part of a slot: the case of its value."""


@dataclass(frozen=True)
class Role:
    """The role of a slot.

    base (str): Name without the number at its end ("doctor" of "doctor2").
    kind (str): Kind of value, a key of `FORMS`.
    type (str): PHI type of its values; empty if they are not PHI. The forms `user` and `email` of a
        person have types of their own.
    number (str): The digits at its end; "doctor" and "doctor2" are different people.
    """

    base: str
    kind: str
    type: str
    number: str = ""


_PERSON = (
    "last first middle last_first nick initials initial_last first_initial dictation user email"
)
_DATE = (
    "long abbr dmy iso compact short short_year month_day month_year numeric_month_year mon_yr "
    "year month weekday weekday_short weekday_date day_ordinal season season_year holiday decade "
    "timestamp_date"
)
FORMS: Mapping[str, frozenset[str]] = {
    "person": frozenset(_PERSON.split()),
    "profession": frozenset(),
    "age": frozenset(["words", "ordinal", "decade"]),
    "date": frozenset(_DATE.split()),
    "care": frozenset(["abbr", "short"]),
    "org": frozenset(["abbr", "short"]),
    "street": frozenset(["road", "pobox"]),
    "state": frozenset(["full", "abbr"]),
    "place": frozenset(),
    "contact": frozenset(),
    "ssn": frozenset(["last4"]),
    "id": frozenset(),
}
"""Forms of each kind, besides the plain form, which has no name."""

_TABLE = """
person PATIENT patient wife husband spouse partner mother father parent son daughter sister brother
person PATIENT aunt uncle grandmother grandfather grandson granddaughter niece nephew cousin friend
person PATIENT neighbor relative baby donor person
person DOCTOR doctor attending resident fellow surgeon anesthetist consultant referring pcp nurse
person DOCTOR np pa therapist psychologist psychiatrist radiologist pathologist pharmacist dentist
person DOCTOR midwife socialworker casemanager dietitian tech medic interpreter chaplain signer
person DOCTOR transcriber student scribe
person - author
profession PROFESSION profession job
age AGE age
date DATE today admit discharge dob surgery onset followup dictated transcribed signed
date DATE date past future
care HOSPITAL hospital clinic practice ward nursinghome rehab hospice homehealth
org ORGANIZATION org employer school university church insurer pharmacy lab ems agency company
place DEPARTMENT department
id ROOM room
street STREET street
id STREET pobox
place CITY city town hometown
state STATE state
place COUNTRY country
place ZIP zip
place LOCATION-OTHER county landmark neighborhood
contact PHONE phone cell homephone pager extension
contact FAX fax
contact EMAIL email
contact URL url
contact IPADDR ip
contact USERNAME username
ssn SSN ssn
id MEDICALRECORD mrn
id HEALTHPLAN plan
id ACCOUNT account encounter card iban
id LICENSE license dea
id VEHICLE plate vin
id DEVICE serial
id BIOID bioid
id IDNUM id accession specimen rx npi case claim jobnumber auth study nationalid
"""  # kind, PHI type, names; authors in citations have names like all others, which are not PHI

ROLES: Mapping[str, Role] = {
    name: Role(name, kind, phi_type.strip("-"))
    for kind, phi_type, *names in map(str.split, _TABLE.strip().split("\n"))
    for name in names
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
