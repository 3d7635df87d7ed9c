"""Redaction styles: how PHI is replaced.

A style is a function from a note and its PHI to one replacement per span. It gets all spans at
once, so that it can treat equal names alike. To add one, write such a function and list it in
`STYLES`; mark it with `draws` if it draws with the key.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping

from ..annotation.phi import CATEGORY
from .phi_text import PhiText, Style, apply_styles, does_draw, draws, in_plain_form
from .surrogates import surrogate
from .surrogates.dates.ages import top_age
from .surrogates.dates.years import year

_VISIBLE = re.compile(r"\S")
_ZIP = re.compile(r"\s*([0-9]{3})[0-9]{2}(?:\s?[-\u2010-\u2013]?\s?[0-9]{4})?\s*")

SPARSE = frozenset("036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893".split())
"""Three-digit ZIP areas of 20,000 people or fewer by the 2000 census, as listed in the guidance of
the Department of Health and Human Services on 45 CFR 164.514(b)."""


def tag(note: PhiText) -> list[str]:
    """The PHI type in brackets: "[PATIENT]"."""
    return [f"[{span.type}]" for span in note.spans]


def mask(note: PhiText) -> list[str]:
    """A star for each character; blanks and line breaks stay, so the layout is kept."""
    return [_VISIBLE.sub("*", note.original(span)) for span in note.spans]


def remove(note: PhiText) -> list[str]:
    """An empty replacement."""
    return [""] * len(note.spans)


def keep(note: PhiText) -> list[str]:
    """The PHI itself, for types that a policy keeps."""
    return [note.original(span) for span in note.spans]


_TEMPLATES = {"DATE": "00_00_{}", "AGE": "NUM_{}", "CONTACT": "NUM_{}", "ID": "NUM_{}"}


def template(note: PhiText) -> list[str]:
    """A placeholder for the type: "XYZ_Patient", "00_00_Date", "NUM_SSN" (Shweta et al. 2017)."""
    shapes = (_TEMPLATES.get(CATEGORY.get(span.type, ""), "XYZ_{}") for span in note.spans)
    return [shape.format(_title(span.type)) for shape, span in zip(shapes, note.spans, strict=True)]


def _title(phi_type: str) -> str:
    """A type as placeholders write it: "Patient", "Medicalrecord", but "SSN", "URL", "ZIP"."""
    return phi_type if len(phi_type) == 3 and phi_type != "AGE" else phi_type.capitalize()


def zip3(note: PhiText) -> list[str]:
    """Keep three digits of a ZIP code, or none where 20,000 people or fewer live.

    "15213-1234" becomes "15200", "03601" becomes "00000"; anything else becomes "[ZIP]".
    """
    return [_zip3(note.original(span)) for span in note.spans]


def _zip3(value: str) -> str:
    match = _ZIP.fullmatch(value)
    if match is None:
        return "[ZIP]"
    return "00000" if match[1] in SPARSE else f"{match[1]}00"


def only(phi_type: str, style: Style) -> Style:
    """A style for one PHI type; spans of other types get their tag."""

    def apply(note: PhiText) -> list[str]:
        return apply_styles(note, lambda span: style if span.type == phi_type else tag)

    return draws(apply) if does_draw(style) else apply


STYLES: MutableMapping[str, Style] = {
    "tag": tag,
    "mask": mask,
    "template": template,
    "remove": remove,
    "keep": keep,
    "surrogate": surrogate,
    "year": only("DATE", in_plain_form(year)),
    "top_age": only("AGE", in_plain_form(top_age)),
    "zip3": only("ZIP", in_plain_form(zip3)),
}
"""Styles by name."""
