"""Which dates may be dates of birth."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....text.folding import plain
from ...phi_text import PhiText
from .mentions import Mention

_BIRTH = re.compile(r"(?:\b[dy]\s?o\s?b\b|\bborn\b|birth)[^0-9]{0,30}\Z", re.I)
_FILLER = re.compile(r"[\W_]+")
_BEFORE = 120


def find_births(note: PhiText) -> list[bool]:
    """Whether each span may be a date of birth: it has such a label, or is the whole text."""
    return [
        _BIRTH.search(_FILLER.sub(" ", plain(note.text[max(0, span.start - _BEFORE) : span.start])))
        is not None
        or note.text.strip() == note.original(span).strip()
        for span in note.spans
    ]


def without_births(mentions: Sequence[Mention], births: Sequence[bool]) -> list[Mention]:
    """The mentions with a year that are no dates of birth."""
    return [
        mention
        for mention, born in zip(mentions, births, strict=True)
        if not born and any(part.year for part in mention.dates)
    ]
