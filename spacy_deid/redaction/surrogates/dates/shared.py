"""What the complete dates in the texts of one note tell each of these texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ....text.english import MONTH
from ...phi_text import Shared
from .births import may_be_birth
from .forms import find_order, read_mention
from .shifting import latest_day

_YEAR = "(?:19|20)[0-9]{2}"
_COMPLETE = re.compile(
    rf"(?<![\w/.-])(?:[0-9]{{1,2}}([-/.])[0-9]{{1,2}}\1{_YEAR}|{_YEAR}-[0-9]{{2}}-[0-9]{{2}}|"
    rf"(?:{MONTH})\.? [0-9]{{1,2}},? {_YEAR}|[0-9]{{1,2}} (?:{MONTH})\.? {_YEAR})(?![0-9/-])",
    re.IGNORECASE,
)


def share_dates(texts: Iterable[str], fields: Sequence[str]) -> Shared:
    """Read the dates in the fields of a note, and those with a year of four digits in its texts.

    fields (Sequence[str]): The texts that are a date as a whole. They alone tell the order of day
        and month, as a number in a text may only look like a date. One may be of birth: then it is
        the latest only if no other has a year, be it one of two digits.
    """
    day_first = find_order(fields)
    found = (
        match[0]
        for text in texts
        for match in _COMPLETE.finditer(text)
        if not may_be_birth(text, *match.span())
    )
    read = (read_mention(each, bool(day_first)) for each in (*found, *fields))
    days = filter(None, (latest_day([mention]) for mention in read))
    return Shared(day_first, max(days, default=None))
