"""Surrogates: realistic values of the same type, "hide in plain sight" (Carrell et al. 2013).

To change the surrogates of a PHI type, list another function in `KINDS`.
"""

from __future__ import annotations

from collections.abc import MutableMapping

from ...errors import RedactionError
from ..phi_text import PhiText, Style, apply_styles, draws, in_plain_form
from .dates.ages import top_age
from .dates.shifting import dates
from .names.people import people
from .numbers import numbers
from .places import places

SCHEME = 5
"""Version of the surrogates, for manifests. Raise it with each change that makes a key give other
surrogates. 1: until 0.15.0, dates moved by 7 to 45 weeks. 2: until 0.21.0, "Ben" of "Smith, Ben M."
and other names that may be particles stayed. 3: until 1.0.0, two people of a note could get one
name, and ranges of days, quarters, web addresses, short numbers and those with zeros in front had
other surrogates. 4: until 1.1.0, values with escapes, tags or misread characters, and letter-spaced
text, had other surrogates than in plain text, a patient of FHIR was "Patient/7", and a number
before a date could be read as its day."""

KINDS: MutableMapping[str, Style] = {
    "PATIENT": people,
    "DOCTOR": people,
    "USERNAME": people,
    "PROFESSION": places,
    "ROOM": places,
    "DEPARTMENT": places,
    "HOSPITAL": places,
    "ORGANIZATION": places,
    "STREET": places,
    "CITY": places,
    "STATE": places,
    "COUNTRY": places,
    "ZIP": places,
    "LOCATION-OTHER": places,
    "AGE": top_age,
    "DATE": dates,
    "PHONE": numbers,
    "FAX": numbers,
    "EMAIL": people,
    "URL": numbers,
    "IPADDR": numbers,
    "SSN": numbers,
    "MEDICALRECORD": numbers,
    "HEALTHPLAN": numbers,
    "ACCOUNT": numbers,
    "LICENSE": numbers,
    "VEHICLE": numbers,
    "DEVICE": numbers,
    "BIOID": numbers,
    "IDNUM": numbers,
    "OTHER": places,
}
"""The function that makes the surrogates of each PHI type."""


@in_plain_form
@draws
def surrogate(note: PhiText) -> list[str]:
    """A realistic replacement for each span, consistent per patient and key in every written form.

    RAISES (RedactionError): If a PHI type has no entry in `KINDS`.
    """
    for span in note.spans:
        if span.type not in KINDS:
            raise RedactionError(
                f"there are no surrogates of the PHI type '{span.type}': add a function that draws "
                "them to spacy_deid.redaction.surrogates.KINDS"
            )
    return apply_styles(note, lambda span: KINDS[span.type])
