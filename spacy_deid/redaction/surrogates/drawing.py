"""Drawing surrogates: from options, or letter for letter and digit for digit.

Values are drawn for their bare form (upper-case letters and digits only), without the zeros in
front of a number, so that it gets the same surrogate however it is written.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import count

import numpy as np

from ..key import Option
from ..phi_text import PhiText
from .tables import read_list

DIGITS = "0123456789"
LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"  # without those that look like digits
_CHUNK = 24  # characters covered by one draw of 128 bits
_RUN = re.compile("[0-9]+|[^0-9]+")
_ZEROS = re.compile(r"0*(?=[1-9][0-9]*\Z)")
_SHORT = 4
_SHORT_NUMBER = re.compile("[1-9][0-9]{0,3}")
_LONG = 40
_TRIES = 50
_HEX = re.compile(r"(?=(?:[0-9]*[A-F]){3})[0-9A-F]{8,}")
_HEX_LETTERS = "ABCDEF"

Completion = Callable[[str], "str | None"]


def endless_draws(note: PhiText, options: Sequence[Option], *parts: str) -> Iterator[Option]:
    """An endless sequence of options, drawn for the patient."""
    return (note.choice(options, *parts, str(attempt)) for attempt in count())


def draw_fitting(
    note: PhiText,
    options: Sequence[Option],
    parts: tuple[str, ...],
    fits: Callable[[Option], bool],
    prefers: Callable[[Option], bool],
) -> Option:
    """The first draw that fits and is preferred; after many draws, the first that fits."""
    drawn = enumerate(endless_draws(note, options, *parts))
    return next(new for i, new in drawn if fits(new) and (i >= _TRIES or prefers(new)))


def draw_other(
    note: PhiText, options: Sequence[str], word: str, kind: str, taken: Set[str] = frozenset()
) -> str:
    """Draw an option for a word, different from it and preferably with another first letter.

    taken (Set[str]): Lower-case words to avoid if possible.
    """
    return draw_fitting(
        note,
        options,
        (kind, word),
        lambda new: new.casefold() != word,
        lambda new: new[:1].casefold() != word[:1] and new.casefold() not in taken,
    )


def name_for(note: PhiText, word: str, taken: Set[str] = frozenset()) -> str:
    """The surrogate of a word of a name: another name, if possible not one of the note's words."""
    key = word.casefold().replace(".", "")
    return draw_other(note, read_list("names.txt"), key, "name", taken)


def bare(value: str) -> str:
    """The letters and digits of a value, upper case; digits of any script as ASCII."""
    return "".join(_bare(char) for char in value if char.isalnum())


def _bare(char: str) -> str:
    if char.isdecimal():
        return str(int(char))
    upper = char.upper()
    return upper if len(upper) == 1 else char


def pour(value: str, surrogate: str) -> str:
    """Replace the letters and digits of `value` by those of a surrogate, keeping the case.

    surrogate (str): As long as `bare(value)`.
    """
    chars = iter(surrogate)
    return "".join(_in_case(char, next(chars)) if char.isalnum() else char for char in value)


def _in_case(model: str, char: str) -> str:
    return char.lower() if model.islower() else char


def scramble(note: PhiText, value: str) -> str:
    """Replace all letters and digits of a value; everything else stays.

    Equal values get equal surrogates, whatever their case and punctuation.
    """
    return pour(value, redraw(note, bare(value)))


def redraw(note: PhiText, original: str, complete: Completion | None = None) -> str:
    """Draw other letters and digits for a bare value.

    Leading zeros stay and a first digit does not become zero; no run of letters or digits, and no
    four consecutive digits, stay the same. Different numbers from 1 to 9999 stay different.

    complete (Completion | None): Sets the check digit of a draw, without the zeros in front of it;
        None asks for another draw.
    """
    if len(original) > _LONG:
        return _redraw_long(note, original)
    zeros, rest = split_zeros(original)
    if _SHORT_NUMBER.fullmatch(rest):
        return zeros + _redraw_short(note, rest)
    return zeros + _redraw(note, rest, complete)


def split_zeros(value: str) -> tuple[str, str]:
    """The zeros in front of a bare number, and the rest: all of a value that is no number."""
    zeros = _ZEROS.match(value)
    end = zeros.end() if zeros else 0
    return value[:end], value[end:]


def _redraw_short(note: PhiText, number: str) -> str:
    """The number before another of as many digits, in a circle of all of them."""
    first = 10 ** (len(number) - 1)
    seed = note.key.digest(note.patient, "circle", str(len(number)))
    circle = _shuffle(seed, 9 * first)
    place = np.flatnonzero(circle == int(number) - first)[0]
    return str(first + circle[place - 1])


@lru_cache(maxsize=64)
def _shuffle(seed: bytes, size: int) -> np.ndarray:
    """The numbers below `size`, in an order drawn from a seed."""
    draws = np.frombuffer(hashlib.shake_128(seed).digest(8 * size), "<u8")
    return np.argsort(draws, kind="stable")


def _redraw(note: PhiText, original: str, complete: Completion | None) -> str:
    """Draw other letters and digits, each by itself."""
    alphabets = _alphabets(original)
    drawn = (draw_from(note, alphabets, "scramble", original, str(attempt)) for attempt in count())
    completed = drawn if complete is None else map(complete, drawn)
    return next(new for new in completed if new is not None and differs(original, new))


def _redraw_long(note: PhiText, original: str) -> str:
    """Redraw a value so long that any draw would repeat some characters: here, none stays."""
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
def other_endings(codes: tuple[str, ...], last: str) -> tuple[str, ...]:
    """The codes with another last digit, so that no four digits across two parts stay the same."""
    return tuple(code for code in codes if code[-1] != last)


def _alphabets(original: str) -> list[str]:
    """The characters that each character of a bare value may become."""
    letters = _HEX_LETTERS if _HEX.fullmatch(original) else LETTERS
    alphabets: list[str] = []
    for run in _RUN.findall(original):
        start = _first_digit(run)
        if run[0].isdecimal():
            alphabets += ["0"] * start + [DIGITS] * (len(run) - start)
            if run[start] != "0":
                alphabets[start - len(run)] = DIGITS[1:]
        else:
            alphabets += [letters] * len(run)
    return alphabets


def _first_digit(run: str) -> int:
    """The number of leading zeros of a run; 0 if it is all zeros."""
    return (len(run) - len(run.lstrip("0"))) % len(run)


def differs(original: str, surrogate: str) -> bool:
    """Whether no run of letters or digits, and no four consecutive characters of one, are equal,
    leading zeros aside unless a run is all zeros."""
    return all(
        _run_differs(run[0], surrogate[slice(*run.span())]) for run in _RUN.finditer(original)
    )


def _run_differs(old: str, new: str) -> bool:
    start = _first_digit(old)
    ends = range(max(_SHORT, start + 1), len(old) + 1)
    return old[start:] != new[start:] and not any(
        old[end - _SHORT : end] == new[end - _SHORT : end] for end in ends
    )
