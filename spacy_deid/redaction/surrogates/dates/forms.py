"""Date parsing: finds the dates, complete or partial, in a mention."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from ....text.dashes import hyphenate
from ....text.day_ranges import find_day_ranges
from .mentions import Mention, PartialDate, Parts
from .tokens import Token, code_of_gap, digits_of, find_tokens

_REACH = 8  # dates of a mention that may share one month
_COUNTS_UP = ":"  # the gap in "3/4-9/67", after which the last day follows
_BEFORE_LAST = "-[ikd](?P<s>[/.])[ikd](?P=s)[yakdz]"  # after the first day in "4-9/3/67"
_SIGN = "[-,./ ]?"
_LAST = "(?![-/.~, ]?[mikdo])"
_DATED = "[mikdo][-,./~ ]"
_YEAR = f"(?P<Y>[ya]|[kdz]{_LAST})"
_MONTH_DAY = "(?P<M>[ik])(?P<s>[-/. ])(?P<D>[ikd])(?:[, ](?P<Y>[ya]))?(?![-,./ ]?m)"
_DAY_MONTH = "(?P<D>[ikd])(?P<s>[-/. ])(?P<M>[ik])(?:[, ](?P<Y>[ya]))?(?![-,./ ]?m)"
_MONTH_DAY_YEAR = "(?P<M>[ik])(?P<s>[-/.~ ]?)(?P<D>[ikd])(?P=s)(?P<Y>[yakdz])"
_DAY_MONTH_YEAR = "(?P<D>[ikd])(?P<s>[-/.~ ]?)(?P<M>[ik])(?P=s)(?P<Y>[yakdz])"


def _compile(day_first: bool) -> re.Pattern[str]:
    """The patterns of dates over the codes of `tokens`; the first one that fits wins."""
    triples = (_MONTH_DAY_YEAR, _DAY_MONTH_YEAR)
    pairs = (_MONTH_DAY, _DAY_MONTH)
    forms = (
        f"(?P<M>[ik])/(?P<D>[ikd])(?={_COUNTS_UP})",
        f"(?P<D>[ikd])(?={_BEFORE_LAST})",
        "(?P<Y>y)(?P<s>[-/.~ ]?)(?P<M>[ik])(?P=s)(?P<D>[ikd])",
        f"(?P<Y>y){_SIGN}(?P<M>m){_SIGN}(?P<D>[ikdo])",
        *(reversed(triples) if day_first else triples),
        f"(?<={_COUNTS_UP})(?P<D>[ikd])/(?P<Y>[yakdz])",
        "(?P<Y>z)(?P<s>[-/.])(?P<M>[ik])(?P=s)(?P<D>[ikd])",
        "(?P<M>m)(?P<s>[-~])(?P<D>[ikdo])(?P=s)(?P<Y>[yakdz])",
        "(?P<D>[ikdo])[-~](?P<M>m)[-~](?P<Y>[ya]|(?<=~m~)[kdz](?![~ ]?m))",
        "(?P<Y>y)~(?P<M>m)~(?P<D>[ikdo])",
        "(?P<M>m)-(?P<Y>[kdz])(?![, ][ya])",
        f"(?P<M>m){_SIGN}(?P<D>[ikdo])(?:{_SIGN}(?P<Y>[ya]|(?<=[,/ ])[kdz]{_LAST}))?",
        f"(?P<D>[ikdo]){_SIGN}(?P<M>m)(?:{_SIGN}{_YEAR})?",
        f"(?P<M>m){_SIGN}(?P<Y>[yaz])",
        "(?P<M>[ik])[-/. ](?P<Y>[yz])",
        "(?P<Y>y)[-/]?(?P<M>[ik])",
        f"(?P<Y>y){_SIGN}(?P<Q>g)",
        "(?P<Y>y)-?(?P<W>w)",
        "(?P<Y>y)-(?P<J>j)",
        *(reversed(pairs) if day_first else pairs),
        f"(?P<S>s)(?:{_SIGN}{_YEAR})?",
        f"(?P<Q>g)(?:{_SIGN}{_YEAR})?",
        f"(?P<H>h)(?:{_SIGN}{_YEAR})?",
        "(?P<T>t)",
        f"(?P<D>o|(?<!/)(?:(?<!y-)|(?<={_DATED}y-)|(?<=[mikdo]y-))[ikd](?!/))(?:[, ](?P<Y>[ya]))?",
        "(?P<M>m)",
        f"(?P<Y>[ya]|(?<![/.])z(?![/.])|(?<=y[-/])(?<!{_DATED}y[-/])(?<![mikdo]y[-/])[dz](?![-/.]))",
    )
    return re.compile("|".join(_numbered(form, number) for number, form in enumerate(forms)))


def _numbered(form: str, number: int) -> str:
    """A pattern with its group names made unique."""
    return re.sub(r"\(\?P(<|=)(\w)", rf"(?P\g<1>\g<2>{number}", form)


_FORMS = {day_first: _compile(day_first) for day_first in (False, True)}


@lru_cache(maxsize=8192)
def read_mention(text: str, day_first: bool = False) -> Mention:
    """Parse a date mention.

    text (str): The text.
    day_first (bool): Whether to read an ambiguous "3/4" as 3 April.
    """
    hyphenated = hyphenate(text)
    codes, tokens = _encode(hyphenated)
    dates = [
        {
            name[0]: tokens[match.start(name)]
            for name, code in match.groupdict().items()
            if code and name[0] != "s"
        }
        for match in _FORMS[day_first].finditer(codes)
    ]
    read = {token.start for parts in dates for token in parts.values()}
    rest = tuple(token for token in tokens.values() if token.start not in read)
    return Mention(text, hyphenated, tuple(_borrow(dates)), rest, _day_first(dates), _padded(dates))


def find_order(texts: Iterable[str]) -> bool | None:
    """Whether days precede months in most mentions that show it; None if that is unknown."""
    orders = [read_mention(text).day_first for text in texts]
    lead = orders.count(True) - orders.count(False)
    return lead > 0 if lead else None


def _encode(text: str) -> tuple[str, dict[int, Token]]:
    """The codes of a mention, and the token at each position of them."""
    places: dict[int, Token] = {}
    firsts = {days.end("first") for days in find_day_ranges(text)}
    codes = gap = ""
    done = 0
    for token in find_tokens(text):
        sign = _COUNTS_UP if done in firsts else code_of_gap(text[done : token.start])
        gap = _stronger(gap, sign)
        done = token.end
        if token.code in " ~" or (token.code == "q" and places):
            gap = _stronger(gap, token.code.replace("q", " "))
            continue
        codes += gap
        places[len(codes)] = token
        codes += token.code
        gap = ""
    return codes, places


def _stronger(first: str, second: str) -> str:
    """The code of two adjacent gaps: a sign rather than a blank, a blank rather than nothing."""
    return first if first.strip() else second.strip() or first or second


def _borrow(dates: Sequence[Parts]) -> Iterator[PartialDate]:
    """The dates of a mention, each with the month and year it shares with a neighbour."""
    for index, parts in enumerate(dates):
        neighbours = (*range(index)[-_REACH:][::-1], *range(index + 1, len(dates))[:_REACH])
        month_from = None
        if "D" in parts and "M" not in parts:
            month_from = next((other for other in neighbours if "M" in dates[other]), None)
        month = parts.get("M") if month_from is None else dates[month_from]["M"]
        part = PartialDate(parts, parts.get("Y"), month, month_from)
        if part.year is None and month is not None:
            part = _borrow_year(part, [dates[other] for other in neighbours])
        yield part


def _borrow_year(part: PartialDate, neighbours: Sequence[Parts]) -> PartialDate:
    """Give a date without a year that of a neighbour; a range may cross New Year."""
    for other in neighbours:
        month = other.get("M", part.month if "D" in other else None)
        if "Y" in other and month:
            later = other["Y"].start > _start(part.parts)
            days = [(part.month, part.day), (month, other.get("D", part.day))]
            mine, its = ([token.value for token in day if token] for day in days)
            wrong = its < mine if later else mine < its
            return part._replace(year=other["Y"], later=(-1 if later else 1) if wrong else 0)
    return part


def _start(parts: Parts) -> int:
    return min(token.start for token in parts.values())


def _day_first(dates: Sequence[Parts]) -> bool | None:
    for parts in dates:
        month, day = parts.get("M"), parts.get("D")
        year_first = "Y" in parts and parts["Y"].start == _start(parts)
        if month and day and month.code in "ik" and not year_first:
            if day.start < month.start:
                return True
            if day.code == "d":
                return False
    return None


def _padded(dates: Sequence[Parts]) -> bool | None:
    tokens = [parts[role] for parts in dates for role in "MD" if role in parts]
    numbers = [token for token in tokens if token.code in "ikd"]
    if any(digits_of(token.text).startswith("0") for token in numbers):
        return True
    if any(token.code == "i" for token in numbers):
        return False
    return True if any(map(_is_compact, dates)) else None


def _is_compact(parts: Parts) -> bool:
    """Whether a date's numbers always have two digits: ISO, "20670304", "04MAR67"."""
    month, day, year = parts.get("M"), parts.get("D"), parts.get("Y")
    if month is None or day is None:
        return False
    if day.end == month.start or (month.end == day.start and month.code != "m"):
        return True
    return year is not None and year.code == "y" and year.start < month.start
