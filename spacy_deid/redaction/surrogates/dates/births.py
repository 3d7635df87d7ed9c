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
    return [may_be_birth(note.text, span.start, span.end) for span in note.spans]


def may_be_birth(text: str, start: int, end: int) -> bool:
    """Whether a date in a text may be one of birth; see `find_births`."""
    before = _FILLER.sub(" ", plain(text[max(0, start - _BEFORE) : start]))
    return _BIRTH.search(before) is not None or text.strip() == text[start:end].strip()


def without_births(mentions: Sequence[Mention], births: Sequence[bool]) -> list[Mention]:
    """The mentions with a year that are no dates of birth."""
    return [
        mention
        for mention, born in zip(mentions, births, strict=True)
        if not born and any(part.year for part in mention.dates)
    ]
