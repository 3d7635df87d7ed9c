"""The style that keeps the year of dates, as Safe Harbor allows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from ....text.folding import plain
from ...phi_text import PhiText
from .ages import shows_old_age
from .births import find_births, without_births
from .mentions import Mention, PartialDate
from .shifting import full_year, read_dates
from .tokens import Token

NO_YEAR = "[DATE]"
"""The replacement for a date without a year that may be kept."""

_OLD_YEARS = 89
_AHEAD = 1  # years that a note may look ahead


def year(note: PhiText) -> list[str]:
    """The year of each date as written; "[DATE]" if it has none or the year must go.

    Years that reveal an age over 89 must go (45 CFR 164.514(b)(2)(i)(C)): years of birth if the
    note mentions such an age, and all years that lie 89 or more years back. They are counted from
    the note's latest date. If no date is later, if the text has only dates of birth, or if it
    mentions such an age, they are counted from today unless that date is later. So in another year,
    a year of birth may go that stays today.
    """
    mentions = read_dates(note)
    births = find_births(note)
    latest = _latest_year(note, without_births(mentions, births))
    old = shows_old_age(plain(note.text))
    return [
        NO_YEAR if born and old else _years(mention, latest, born, old)
        for mention, born in zip(mentions, births, strict=True)
    ]


def _latest_year(note: PhiText, visits: Sequence[Mention]) -> int:
    """The latest year of a text's dates, or else today's, unless its note has a later one."""
    today = date.today().year
    parts = [part for mention in visits for part in mention.dates]
    years = [full_year(part.year, today + _AHEAD) for part in parts if part.year]
    shared = [note.shared.latest.year] if note.shared.latest else []
    return max([*(years or [today]), *shared])


def _years(mention: Mention, latest: int, born: bool, old: bool) -> str:
    """The years of a mention that may be kept, each once."""
    tokens = map(_year_of, mention.dates)
    kept = [token for token in tokens if token and not _is_old(token, latest, born, old)]
    return "-".join(dict.fromkeys(token.text for token in kept)) or NO_YEAR


def _year_of(part: PartialDate) -> Token | None:
    """The year or decade of a date, unless it may be a day or an age: "May-28", "93"."""
    year, month, day, holiday = (part.parts.get(role) for role in "YMDH")
    if year is None:
        return part.parts.get("T")
    if year.code == "z" and len(part.parts) == 1:
        return None
    in_words = holiday or (month and month.code == "m")
    is_after_day = month and day and day.start < month.start
    return None if year.code in "kd" and in_words and not is_after_day else year


def _is_old(token: Token, latest: int, born: bool, old: bool) -> bool:
    """Whether someone born in a year or decade may be over 89.

    latest (int): The latest year of the note, or today's; see `_latest_year`.
    born (bool): Whether it is a year of birth.
    old (bool): Whether the note mentions such an age.
    """
    today = date.today().year
    first = full_year(token, min(latest, today) if born or old else today + _AHEAD)
    if old or first >= latest:
        latest = max(latest, today)
    return latest - first >= _OLD_YEARS
