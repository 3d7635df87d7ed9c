"""Identifying numbers: phones, records, plans, licences, devices, written and spoken."""

from __future__ import annotations

import random
import re
import string

from ..text.english import DIGITS
from .values import Values

SPOKEN_DIGITS = ("oh", *DIGITS[1:])

_SIGNS = {
    "A": "ABCDEFGHJKLMNPRSTUVWXYZ",
    "H": "0123456789ABCDEF",
    "9": string.digits[1:],
    "0": string.digits,
    "#": string.digits,
    "@": "ABCDEGHJKLMNPRSTUVW",
}  # what the signs of the shapes in `values/shapes.tsv` and `values/postcodes.tsv` become
_CODE = re.compile(r"(?=.*[0-9])[0-9A-Za-z().,:/ -]+")


def make_number(shape: str, rng: random.Random) -> str:
    """A number of a shape: "00-41-88-2" from "00-00-00-0"."""
    return "".join(rng.choice(_SIGNS[sign]) if sign in _SIGNS else sign for sign in shape)


def make_phone(
    values: Values, shape: str, area: int, rng: random.Random, *, extended: bool = True
) -> str:
    """A telephone number, mostly of this shape and area; it may be extended by an extension."""
    if rng.random() < 0.15:
        shape = rng.choices(values.shapes["phone"])[0]
    code = area if rng.random() < 0.7 else rng.randrange(201, 990)
    exchange = 555 if rng.random() < 0.25 else rng.randrange(200, 1000)
    text = shape.format(a=code, b=exchange, c=f"{rng.randrange(10000):04}")
    if extended and rng.random() < 0.05:
        text += rng.choice(values.shapes["phone extension"]).format(e=rng.randrange(10, 99999))
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


def speak_number(text: str, rng: random.Random) -> str:
    """Spell a number by digits ("2 0 8, 5 5 5, 0 1 1 4", "two oh eight dash ..."); words stay."""
    if re.search("[A-Za-z]{5}|[xX][0-9]|ext", text) or not _CODE.fullmatch(text):
        return text
    words, dash = rng.random() < 0.5, rng.choice((" dash ", ", ", " "))
    parts = (
        " ".join(SPOKEN_DIGITS[int(char)] if words and char.isdecimal() else char for char in part)
        for part in re.findall("[0-9A-Za-z]+", text)
    )
    return dash.join(parts)
