"""Surrogates: realistic values of the same kind in the place of PHI, "hide in plain sight".

(Carrell et al. 2013.) To change the surrogates of a PHI type, name another function in `KINDS`.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...notes import PhiSpan
from ..phi_text import PhiText, Style, apply_styles
from .ages import ages
from .dates import dates
from .numbers import numbers
from .people import people
from .places import places

SCHEME = 2
"""Version of all that surrogates are drawn by, for manifests. Raise it with each change after which
a key draws another surrogate. 1: until 0.15.0, dates moved by 7 to 45 weeks."""

_PEOPLE = "PATIENT DOCTOR USERNAME EMAIL"
_NUMBERS = (
    "PHONE FAX SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM IPADDR URL"
)

KINDS: Mapping[str, Style] = {
    **dict.fromkeys(_PEOPLE.split(), people),
    **dict.fromkeys(_NUMBERS.split(), numbers),
    "DATE": dates,
    "AGE": ages,
}
"""What draws the surrogates of a PHI type; `places` does for all others."""


def surrogate(note: PhiText) -> list[str]:
    """A realistic value for each span: the same for the same patient and key, in every form."""
    return apply_styles(note, _kind_of)


def _kind_of(span: PhiSpan) -> Style:
    return KINDS.get(span.type, places)
