"""Reads user names and mail addresses: the names they are made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from ....text.gazetteers import plain_name
from ..tables import word_set
from ..writing import Word
from .domains import is_provider
from .lists import is_listed
from .parts import DIGITS, DOMAIN, INITIALS, NAME, START, split_glued

_ADDRESS = re.compile(
    r"(?P<user>[^\s@<>()\[\],;:\"]{1,128})(?P<at>[ ]{0,2}@\s{0,2}|[ ]{1,2}\(?at\)?[ ]{1,2})"
    r"(?P<domain>[^\W_](?:[\w-]|\.(?=\w)){0,250})",
    re.IGNORECASE,
)
_CHUNK = re.compile(r"[^\W\d_](?:[^\W\d_]|['\u2019](?=[^\W\d_]))*|\d{1,32}")
_PARTICLE = re.compile("vander|vanden|vonder|dela|delos|del|de|van|von|der|la|al|el|bin|ibn")
_SHORTEST_START = 4  # letters of a truncated name, as in "whitam" of M. Whitacre

Piece = tuple[int, str, str]
"""Length, kind and normalised form of a piece of a user name; one without a kind stays."""


def read_login(value: str, note_names: Collection[str]) -> Iterator[Word]:
    """The words to replace in a user name, or in mail addresses.

    note_names (Collection[str]): The single names of the same note.
    """
    done = 0
    for match in _ADDRESS.finditer(value):
        keep_office = not is_provider(match["domain"])
        yield from _user(value, done, match.start("at"), note_names, keep_office)
        yield Word(*match.span("domain"), DOMAIN, match["domain"], "")
        done = match.end()
    yield from _user(value, done, len(value), note_names, keep_office=False)


def _user(
    value: str, start: int, end: int, note_names: Collection[str], keep_office: bool
) -> Iterator[Word]:
    """The words of a user name.

    keep_office (bool): Whether a word such as "info" stays even alone.
    """
    offices = word_set("name_words.tsv", "office")
    chunks = list(_CHUNK.finditer(value, start, end))
    alone = sum(not chunk[0].isdecimal() for chunk in chunks) == 1
    for chunk in chunks:
        text, start = chunk[0], chunk.start()
        if text.isdecimal():
            yield Word(start, chunk.end(), DIGITS, text, text)
        elif (alone and not keep_office) or plain_name(text) not in offices:
            for length, kind, key in _read(text, note_names, alone):
                if kind and length:
                    yield Word(start, start + length, kind, value[start : start + length], key)
                start += length


def _read(text: str, note_names: Collection[str], alone: bool) -> list[Piece]:
    """The pieces of a run of letters: names in the note first, then listed names, then a guess."""
    word = plain_name(text)
    if len(word) != len(text):
        return [(len(text), NAME, word)]

    return (
        _known(word, note_names)
        or _glued(text, note_names)
        or _truncated(word, note_names)
        or _listed(word)
        or _guess(word, alone)
    )


def _known(word: str, note_names: Collection[str]) -> list[Piece]:
    """A name of the note, perhaps behind a particle that stays, as in "mvanhouten"."""

    def is_name(name: str) -> bool:
        return len(name) > 2 and name in note_names

    for before, core, after in _splits(word, 2):
        lead = _lead(core, is_name)
        if lead is not None:
            return [_initials(before), (lead, "", ""), _name(core[lead:]), _initials(after)]
    return []


def _listed(word: str) -> list[Piece]:
    """A listed name; a particle before it is a part of it, as in the name "Vanholt"."""

    def is_name(name: str) -> bool:
        return len(name) > (2 if name == word else 3) and is_listed(name)

    for before, core, after in _splits(word, 2):
        if _lead(core, is_name) is not None:
            return [_initials(before), _name(core), _initials(after)]
    return []


def _lead(core: str, is_name: Callable[[str], bool]) -> int | None:
    """Where a name begins: at 0, or behind a particle; None if there is none."""
    particle = None if is_name(core) else _PARTICLE.match(core)
    lead = particle.end() if particle else 0
    return lead if is_name(core[lead:]) else None


def _truncated(word: str, note_names: Collection[str]) -> list[Piece]:
    """A truncated name of the note, with up to one initial on either side."""
    for before, core, after in _splits(word, 1):
        names = (name for name in note_names if name.startswith(core))
        if len(core) >= _SHORTEST_START and (name := min(names, default="")):
            return [_initials(before), (len(core), START, name), _initials(after)]
    return []


def _splits(word: str, most: int) -> Iterator[tuple[str, str, str]]:
    """A word alone, then with some letters split off as initials before it, or after it."""
    yield "", word, ""
    for size in range(1, most + 1):
        yield word[:size], word[size:], ""
    for size in range(1, most + 1):
        yield "", word[:-size], word[-size:]


def _glued(text: str, note_names: Collection[str]) -> list[Piece]:
    halves = [plain_name(half) for half in split_glued(text, note_names)]
    pieces = [_name(half) if len(half) > 1 else _initials(half) for half in halves]
    return pieces if len(pieces) > 1 else []


def _guess(word: str, alone: bool) -> list[Piece]:
    """Short words are initials; a single unknown word usually starts with an initial."""
    if len(word) < _SHORTEST_START:
        return [_initials(word)]
    return [_initials(word[:1]), _name(word[1:])] if alone else [_name(word)]


def _name(word: str) -> Piece:
    return len(word), NAME, word


def _initials(letters: str) -> Piece:
    return len(letters), INITIALS, letters
