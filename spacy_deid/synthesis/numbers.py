"""Identifying numbers: phones, records, plans, licences, devices."""

from __future__ import annotations

import random
import string

from .values import Values

_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"
_HEX = "0123456789ABCDEF"
_PHONES = (
    ("({a}) {b}-{c}", 6),
    ("{a}-{b}-{c}", 8),
    ("{a}.{b}.{c}", 2),
    ("{a} {b} {c}", 2),
    ("{a} {b}-{c}", 2),
    ("({a}){b}-{c}", 1),
    ("{a}/{b}-{c}", 0.7),
    ("{a}{b}{c}", 0.7),
    ("1-{a}-{b}-{c}", 0.7),
    ("+1 {a} {b} {c}", 0.4),
    ("+1-{a}-{b}-{c}", 0.3),
    ("{b}-{c}", 2),
    ("{a}-{b}{c}", 0.3),
)
_EXTENSIONS = (" x{e}", "x{e}", " ext {e}", " ext. {e}", " X{e}", ", extension {e}")


def pick_shape(values: Values, role: str, rng: random.Random) -> str:
    """A number format for a role; an institution uses one format for all its numbers.

    RAISES (ValueError): If the role has none.
    """
    if f"id {role}" not in values.shapes:
        raise ValueError(f"the role '{role}' has no shapes; give it some in values/shapes.tsv")
    return rng.choice(values.shapes[f"id {role}"])


def fill_shape(shape: str, rng: random.Random) -> str:
    """A number in a format from `pick_shape` ("00-41-88-2", "SB-20914")."""
    return "".join(_fill_char(char, rng) for char in shape)


def phone_style(rng: random.Random) -> str:
    """The style of telephone numbers in one note."""
    return rng.choices([style for style, _ in _PHONES], [weight for _, weight in _PHONES])[0]


def make_phone(style: str, area: int, rng: random.Random, *, extended: bool = True) -> str:
    """A telephone number.

    style (str): From `phone_style`.
    area (int): The region's area code, used by most numbers of a note.
    extended (bool): Whether it may have an extension.
    """
    if rng.random() < 0.15:
        style = phone_style(rng)
    code = area if rng.random() < 0.7 else rng.randrange(201, 990)
    exchange = 555 if rng.random() < 0.25 else rng.randrange(200, 1000)
    text = style.format(a=code, b=exchange, c=f"{rng.randrange(10000):04}")
    if extended and rng.random() < 0.05:
        text += rng.choice(_EXTENSIONS).format(e=rng.randrange(10, 99999))
    return text


def make_ip(rng: random.Random) -> str:
    """An IP address."""
    if rng.random() < 0.08:
        return ":".join(f"{rng.randrange(65536):x}" for _ in range(8))
    first = rng.choice((10, 172, 192, rng.randrange(11, 224)))
    return ".".join(str(part) for part in (first, *(rng.randrange(256) for _ in range(3))))


def make_url(domain: str, rng: random.Random) -> str:
    """A URL."""
    paths = ("", "", "/portal", "/patients", "/appts/new", f"/v/{rng.randrange(10**6)}", "/results")
    start = rng.choice(("www.", "www.", "https://", "http://www.", "https://portal.", "mychart."))
    return start + domain + rng.choice(paths)


def _fill_char(char: str, rng: random.Random) -> str:
    if char == "A":
        return rng.choice(_LETTERS)
    if char == "H":
        return rng.choice(_HEX)
    if char == "9":
        return rng.choice(string.digits[1:])
    return rng.choice(string.digits) if char == "0" else char
