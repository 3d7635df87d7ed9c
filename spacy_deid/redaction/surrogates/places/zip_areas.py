"""ZIP codes that keep their first three digits, as HIPAA's Safe Harbor allows."""

from __future__ import annotations

import re

from ...phi_text import PhiText

SPARSE = frozenset("036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893".split())
"""Three-digit ZIP areas of 20,000 people or fewer by the 2000 census, as listed in the guidance of
the Department of Health and Human Services on 45 CFR 164.514(b)."""

_ZIP = re.compile(r"\s*([0-9]{3})[0-9]{2}(?:\s?[-\u2010-\u2013]?\s?[0-9]{4})?\s*")


def zip3(note: PhiText) -> list[str]:
    """Keep three digits of a ZIP code, or none where 20,000 people or fewer live.

    "15213-1234" becomes "15200", "03601" becomes "00000"; anything else becomes "[ZIP]".
    """
    return [_zip3(note.value(span)) for span in note.spans]


def _zip3(value: str) -> str:
    match = _ZIP.fullmatch(value)
    if match is None:
        return "[ZIP]"
    return "00000" if match[1] in SPARSE else f"{match[1]}00"
