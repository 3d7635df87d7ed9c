"""Surrogates: realistic values of the same type, "hide in plain sight" (Carrell et al. 2013).

To change the surrogates of a PHI type, list another function in `KINDS`.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...annotation.notes import PhiSpan
from ..errors import RedactionError
from ..phi_text import PhiText, Style, apply_styles
from .dates.ages import top_age
from .dates.shifting import dates
from .names.people import people
from .numbers import numbers
from .places import places

SCHEME = 2
"""Version of the surrogates, for manifests. Raise it with each change that makes a key give other
surrogates. 1: until 0.15.0, dates moved by 7 to 45 weeks."""

KINDS: Mapping[str, Style] = {
    "PATIENT": people,
    "DOCTOR": people,
    "USERNAME": people,
    "EMAIL": people,
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


def surrogate(note: PhiText) -> list[str]:
    """A realistic replacement for each span, consistent per patient and key in every written form.

    RAISES (RedactionError): If a PHI type has no entry in `KINDS`.
    """
    return apply_styles(note, _kind_of)


def _kind_of(span: PhiSpan) -> Style:
    if span.type not in KINDS:
        raise RedactionError(
            f"there are no surrogates of the PHI type '{span.type}'; name what draws them in "
            "spacy_deid.redaction.surrogates.KINDS"
        )
    return KINDS[span.type]
