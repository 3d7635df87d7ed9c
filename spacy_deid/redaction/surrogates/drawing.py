"""Draws of surrogates: options that fit, other letters for letters, other digits for digits.

Values are drawn on their bare form (upper-case letters and digits, nothing between), so that one
number gets the same surrogate however it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import count

from ..phi_text import Option, PhiText
from .tables import read_list

DIGITS = "0123456789"
LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"  # without those that look like digits
_CHUNK = 24  # characters that one draw of 128 bits covers
_RUN = re.compile("[0-9]+|[^0-9]+")
_SHORT = 4
_LONG = 40
_TRIES = 50
_HEX = re.compile(r"(?=(?:[0-9]*[A-F]){3})[0-9A-F]{8,}")
_HEX_LETTERS = 6

Completion = Callable[[str], "str | None"]


def draws(note: PhiText, options: Sequence[Option], *parts: str) -> Iterator[Option]:
    """One of some options after the other, for the patient, without an end."""
    return (note.choice(options, *parts, str(attempt)) for attempt in count())


def draw_fitting(
    note: PhiText,
    options: Sequence[Option],
    parts: tuple[str, ...],
    fits: Callable[[Option], bool],
    prefers: Callable[[Option], bool],
) -> Option:
    """The first draw that fits and is preferred; after many draws it need not be preferred."""
    drawn = enumerate(draws(note, options, *parts))
    return next(new for i, new in drawn if fits(new) and (i >= _TRIES or prefers(new)))


def unlike(
    note: PhiText, options: Sequence[str], word: str, kind: str, taken: Set[str] = frozenset()
) -> str:
    """One of some options, drawn for a word, whose first letter is another than the word's.

    taken (Set[str]): Lower-case words that it had better not be.
    """
    return draw_fitting(
        note,
        options,
        (kind, word),
        lambda new: new.casefold() != word,
        lambda new: new[:1].casefold() != word[:1] and new.casefold() not in taken,
    )


def name_for(note: PhiText, word: str, taken: Set[str] = frozenset()) -> str:
    """The surrogate of a word of a name: another name, not one of the note's own words."""
    return unlike(note, read_list("names.txt"), word.casefold().replace(".", ""), "name", taken)


def bare(value: str) -> str:
    """The letters and digits of a value, upper case; digits of any script as ASCII."""
    if value.isascii():
        return "".join(filter(str.isalnum, value)).upper()
    return "".join(_bare(char) for char in value if char.isalnum())


def _bare(char: str) -> str:
    if char.isdecimal():
        return str(int(char))
    upper = char.upper()
    return upper if len(upper) == 1 else char


def pour(value: str, surrogate: str) -> str:
    """`value` with its letters and digits replaced by those of a surrogate, in its own case.

    surrogate (str): As long as `bare(value)`.
    """
    chars = iter(surrogate)
    return "".join(_in_case(char, next(chars)) if char.isalnum() else char for char in value)


def _in_case(model: str, char: str) -> str:
    return char.lower() if model.islower() else char


def scramble(note: PhiText, value: str) -> str:
    """A value with all letters and digits replaced, everything else as it was.

    Equal values get equal surrogates, in whatever case and with whatever signs between.
    """
    return pour(value, redraw(note, bare(value)))


def redraw(note: PhiText, original: str, complete: Completion | None = None) -> str:
    """Other letters and digits for a bare value, drawn for the patient.

    Leading zeros stay and a first digit does not become one; no run of letters or digits, and no
    four in a row, stay the same.

    complete (Completion | None): Sets the check digit of a draw; None asks for another draw.
    """
    if len(original) > _LONG:
        return _redraw_long(note, original)
    for attempt in count():
        drawn: str | None = _draw(note, original, str(attempt))
        if complete is not None:
            drawn = complete(drawn or "")
        if drawn is not None and differs(original, drawn):
            return drawn
    raise AssertionError("unreachable")


def _redraw_long(note: PhiText, original: str) -> str:
    """Other signs for a value so long that some would stay the same in any draw: none does."""
    name = note.key.digest("long", original).hex()
    alphabets = [(DIGITS if char.isdecimal() else LETTERS).replace(char, "") for char in original]
    return draw_from(note, alphabets, "scramble", name)


def draw_from(note: PhiText, alphabets: list[str], *parts: str) -> str:
    """One letter of each alphabet, drawn for the patient."""
    drawn = []
    for start in range(0, len(alphabets), _CHUNK):
        number = note.number(1 << 128, *parts, str(start))
        for alphabet in alphabets[start : start + _CHUNK]:
            number, index = divmod(number, len(alphabet))
            drawn.append(alphabet[index])
    return "".join(drawn)


@lru_cache(maxsize=1024)
def unlike_end(codes: tuple[str, ...], last: str) -> tuple[str, ...]:
    """The codes that end otherwise: with them, no four digits across two parts stay the same."""
    return tuple(code for code in codes if code[-1] != last)


def _draw(note: PhiText, original: str, attempt: str) -> str:
    letters = LETTERS[:_HEX_LETTERS] if _HEX.fullmatch(original) else LETTERS
    alphabets = [part for run in _RUN.findall(original) for part in _alphabets(run, letters)]
    return draw_from(note, alphabets, "scramble", original, attempt)


def _alphabets(run: str, letters: str) -> list[str]:
    """What each character of a run of letters or of digits may become."""
    if not run[0].isdecimal():
        return [letters] * len(run)
    zeros = _leading_zeros(run)
    if zeros == len(run):
        return [DIGITS] * zeros
    return ["0"] * zeros + [DIGITS[1:]] + [DIGITS] * (len(run) - zeros - 1)


def _leading_zeros(run: str) -> int:
    return len(run) - len(run.lstrip("0"))


def differs(original: str, surrogate: str) -> bool:
    """Whether no run of letters or digits, and no four in a row of one, stayed the same.

    Leading zeros do not count, unless a run has nothing else.
    """
    return all(
        _run_differs(original[slice(*run.span())], surrogate[slice(*run.span())])
        for run in _RUN.finditer(original)
    )


def _run_differs(original: str, surrogate: str) -> bool:
    if original == surrogate:
        return False
    zeros = _leading_zeros(original) % len(original)
    if original[zeros:] == surrogate[zeros:]:
        return False
    equal = 0
    for index, (old, new) in enumerate(zip(original, surrogate, strict=True)):
        equal = equal + 1 if old == new else 0
        if equal >= _SHORT and index >= zeros:
            return False
    return True
