"""Short forms of the names in a note: initials ("KOB", "SvdB") and login names ("kobrien2")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from spacy.tokens import Doc, Span

from ..text.tokens import text_of

_MOST_WORDS = 5
_SHORTEST_START = 4
"""Letters of a last name in a login name."""

_PREFIX = re.compile(r"[OD](?=['\u2019]\w)|Ma?c(?=[A-Z])")
_WORD = re.compile(
    r"(?<![^\W_])(?P<letters>[^\W\d_]{1,3}[OD]['\u2019][A-Z]|[^\W\d_]{3,20})[0-9]{0,4}(?![^\W_])"
)
"""A word that may be initials ("KOB", "TO'D") or a login name, without "'s" ("KOB" of "KOB'S")."""


def initials(name: Sequence[str]) -> set[str]:
    """Possible initials of a name of two words or more, in lower case.

    Those of all words, and of the first and the last: "bka" and "ba" of "Bola K. Adeyinka". A
    prefix counts or not: "hmcc" and "hm" of "Hannah McCabe", "kob", "ko'b" and "ko" of "Kate
    O'Brien".
    """
    words = natural_order(name)
    if not 1 < len(words) <= _MOST_WORDS:
        return set()
    ways = [_ways(word) for word in words]
    return {"".join(letters) for part in (ways, (ways[0], ways[-1])) for letters in product(*part)}


def logins(name: Sequence[str]) -> set[str]:
    """Possible login names of a name of two words or more, in lower case and without digits.

    The first initial, and four letters or more of the last word: "badey" of "Bola K. Adeyinka".
    """
    words = natural_order(name)
    if len(words) < 2:
        return set()
    first, last = words[0][0].lower(), "".join(filter(str.isalpha, words[-1])).lower()
    return {first + last[:end] for end in range(_SHORTEST_START, len(last) + 1)}


def find_short_forms(doc: Doc, forms: Mapping[str, str]) -> Iterator[Span]:
    """Find short forms in a doc, as whole words, in any case, with the digits that follow.

    forms (Mapping[str, str]): Short forms in lower case, with their PHI types.
    """
    text = text_of(doc)
    if not forms or forms.keys().isdisjoint({_plain(word) for word in _WORD.findall(text)}):
        return
    for word in _WORD.finditer(text):
        label = forms.get(_plain(word["letters"]))
        if label and (span := doc.char_span(*word.span(), label=label)):
            yield span


def _plain(letters: str) -> str:
    return letters.lower().replace("\u2019", "'")


def natural_order(name: Sequence[str]) -> list[str]:
    """The words of a name in natural order: "Bola Adeyinka" for "Adeyinka, Bola"."""
    words = [word for word in name if word[0].isalpha() or word == ","]
    if "," in words:
        comma = words.index(",")
        words = [*words[comma + 1 :], *words[:comma]]
    return [word for word in words if word != ","]


def _ways(word: str) -> list[str]:
    """Initials of one word, without and with a prefix."""
    first = word[0].lower()
    prefix = _PREFIX.match(word)
    if not prefix:
        return [first]
    letters, mark, rest = prefix.group().lower(), "", word[prefix.end() :].lower()
    if rest[0] in "'\u2019":
        mark, rest = "'", rest[1:]
    return list(dict.fromkeys((first, letters + rest[0], letters + mark + rest[0])))
