"""The style that keeps the year of dates, as Safe Harbor allows."""

from __future__ import annotations

import re
from datetime import date

from ....text.folding import plain
from ...phi_text import PhiText
from .ages import shows_old_age
from .mentions import Mention
from .shifting import latest_day, read_dates, year_of
from .tokens import Token

NO_YEAR = "[DATE]"
"""The replacement for a date without a year that may be kept."""

_OLD_YEARS = 89
_BIRTH = re.compile(
    r"(?:\bd\.?\s?o\.?\s?b\b|\bborn\b|birth)[^0-9\n]{0,20}\n?[^0-9\n]{0,10}\Z", re.I
)
_BEFORE = 40


def year(note: PhiText) -> list[str]:
    """The year of each date as written; "[DATE]" if it has none or the year must go.

    Years that reveal an age over 89 must go (45 CFR 164.514(b)(2)(i)(C)): those 89 or more years
    before the note's latest date, and years of birth if the note mentions such an age.
    """
    mentions = read_dates(note)
    before = [plain(note.text[max(0, span.start - _BEFORE) : span.start]) for span in note.spans]
    births = [_BIRTH.search(text) is not None for text in before]
    others = [mention for mention, born in zip(mentions, births, strict=True) if not born]
    latest = latest_day(others or mentions)
    old = any(births) and shows_old_age(plain(note.text))
    return [
        NO_YEAR if born and old else _years(mention, latest, born)
        for mention, born in zip(mentions, births, strict=True)
    ]


def _years(mention: Mention, latest: date, born: bool) -> str:
    """The years of a mention that may be kept, each once."""
    tokens = (part.parts.get("Y") or part.parts.get("T") for part in mention.dates)
    kept = [token for token in tokens if token and not _is_old(token, latest, born)]
    return "-".join(dict.fromkeys(token.text for token in kept)) or NO_YEAR


def _is_old(token: Token, latest: date, born: bool) -> bool:
    """Whether someone born in a year or decade may be over 89 at the latest date."""
    if token.code == "t" and token.value >= 100:
        return latest.year - token.value >= _OLD_YEARS
    since = latest.year - year_of(token, latest)
    return since % 100 >= _OLD_YEARS if born and since < 0 else since >= _OLD_YEARS
