"""Parses user names and mail addresses into the names they are made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from ....text.gazetteers import plain_name
from .domains import is_provider
from .lists import is_listed
from .parts import DIGITS, DOMAIN, INITIALS, NAME, START, Part, split_glued

_ADDRESS = re.compile(
    r"(?P<user>[^\s@<>()\[\],;:\"]{1,128})(?P<at>[ ]{0,2}@\s{0,2}|[ ]{1,2}\(?at\)?[ ]{1,2})"
    r"(?P<domain>[^\W_](?:[\w-]|\.(?=\w)){0,250})",
    re.IGNORECASE,
)
_CHUNK = re.compile(r"[^\W\d_](?:[^\W\d_]|['\u2019](?=[^\W\d_]))*|\d{1,32}")
_OFFICES = frozenset(
    "info admin office billing contact help helpdesk support noreply reply appointments frontdesk "
    "records scheduling referrals mail mailto reception clinic dr md rn np pa".split()
)
_PARTICLE = re.compile("vander|vanden|vonder|dela|delos|del|de|van|von|der|la|al|el|bin|ibn")
_CUT = 4  # letters of a truncated name, as in "whitam" of M. Whitacre

Piece = tuple[int, str, str]
"""Length, role and normalized form of a piece of a user name; one without a role stays."""


def read_login(value: str, spelled: Collection[str]) -> list[Part]:
    """The parts of a user name, or of mail addresses.

    value (str): The text.
    spelled (Collection[str]): Normalized names in the same note.
    RETURNS (list[Part]): The parts to replace.
    """
    parts: list[Part] = []
    done = 0
    for match in _ADDRESS.finditer(value):
        parts += _user(value, done, match.start("at"), spelled, is_provider(match["domain"]))
        parts.append(Part(*match.span("domain"), DOMAIN, ""))
        done = match.end()
    return parts + list(_user(value, done, len(value), spelled, True))


def _user(
    value: str, start: int, end: int, spelled: Collection[str], anonymous: bool
) -> Iterator[Part]:
    """The parts of a user name.

    anonymous (bool): Whether nothing else is replaced, so that an office word is not kept.
    """
    chunks = list(_CHUNK.finditer(value, start, end))
    alone = sum(not chunk.group().isdecimal() for chunk in chunks) == 1
    for chunk in chunks:
        text = chunk.group()
        if text.isdecimal():
            yield Part(*chunk.span(), DIGITS, text)
        elif anonymous and alone or plain_name(text) not in _OFFICES:
            yield from _placed(chunk.start(), _read(text, spelled, alone))


def _placed(start: int, pieces: list[Piece]) -> Iterator[Part]:
    """The parts of adjacent pieces, from an offset on."""
    for length, role, name in pieces:
        if role:
            yield Part(start, start + length, role, name)
        start += length


def _read(text: str, spelled: Collection[str], alone: bool) -> list[Piece]:
    """The pieces of a run of letters: names in the note first, then listed names, then a guess."""
    word = plain_name(text)
    if len(word) != len(text):
        return [(len(text), NAME, word)]
    return (
        _around(word, lambda name: len(name) > 2 and name in spelled)
        or _glued(text, spelled)
        or _cut_short(word, spelled)
        or _around(word, lambda name: len(name) > (3 if name != word else 2) and is_listed(name))
        or _guess(word, alone)
    )


def _around(word: str, is_name: Callable[[str], bool]) -> list[Piece]:
    """A name with up to two initials on either side; empty if there is none."""
    for before, after in ((0, 0), (1, 0), (2, 0), (0, 1), (0, 2)):
        core = word[before : len(word) - after]
        particle = _PARTICLE.match(core)
        lead = 0 if is_name(core) or particle is None else particle.end()
        if is_name(core[lead:]):
            pieces = [_initials(word[:before]), (lead, "", ""), _name(core[lead:])]
            return [*pieces, _initials(word[len(word) - after :])]
    return []


def _cut_short(word: str, spelled: Collection[str]) -> list[Piece]:
    """A truncated name of the note, with an initial on either side or none."""
    for before, after in ((0, 0), (1, 0), (0, 1)):
        core = word[before : len(word) - after]
        if len(core) < _CUT:
            continue
        name = min((name for name in spelled if name.startswith(core)), default="")
        if name:
            start = (len(core), START, name)
            return [_initials(word[:before]), start, _initials(word[len(word) - after :])]
    return []


def _glued(text: str, spelled: Collection[str]) -> list[Piece]:
    halves = [plain_name(half) for half in split_glued(text, spelled)]
    if len(halves) == 1:
        return []
    return [_name(half) if len(half) > 1 else _initials(half) for half in halves]


def _guess(word: str, alone: bool) -> list[Piece]:
    """Short words are initials; a single unknown word usually starts with an initial."""
    if len(word) < _CUT:
        return [_initials(word)]
    return [_initials(word[:1]), _name(word[1:])] if alone else [_name(word)]


def _name(word: str) -> Piece:
    return len(word), NAME, word


def _initials(letters: str) -> Piece:
    return len(letters), INITIALS if letters else "", letters
