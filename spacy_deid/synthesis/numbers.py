"""Numbers that identify: telephones, records, plans, licences, machines."""

from __future__ import annotations

import random
import string
from collections.abc import Mapping

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
_SHAPES: Mapping[str, tuple[str, ...]] = {
    key: tuple(shapes.split("|"))
    for key, shapes in {
        # 9 a digit but no leading nought, 0 any digit, A a letter, H a hexadecimal digit
        "extension": "9000|90000|9-0000|900",
        "pager": "90000|9000|9-0000|900-0000|900-000-0000",
        "ssn": (
            "900-00-0000|900-00-0000|900-00-0000|900-00-0000|900-00-0000|900-00-0000|"
            "900-00-0000|900-00-0000|900000000|900 00 0000"
        ),
        "mrn": (
            "9000000|90000000|900000|00-00-00-0|900-00-0000|A0000000|AA-00000|900 00 00|"
            "A000000000|9-000-000|9000000000|00000000|000-00-00|AA000000|9000000-0|90-00-00|"
            "A00-00000"
        ),
        "plan": (
            "AAA900000000|A00000000|A00000000-00|900000000A|AAA000A00000|9000000000|"
            "9AA0-AA0-AA00|900-00-0000A|AA 00 00 00 A|AAAA00000000|W000000000|9000 00000 0|"
            "900 000 0000"
        ),
        "account": (
            "90000000|A00000000|9000000000|900-00000-0|V000000000|00000-00000|90000000000|AC-900000"
        ),
        "card": (
            "4000 0000 0000 0000|4000000000000000|4000-0000-0000-0000|5100 0000 0000 0000|"
            "5400000000000000|2300 0000 0000 0000|6011 0000 0000 0000|3700 000000 00000|"
            "370000000000000"
        ),
        "iban": (
            "GB00AAAA00000000000000|GB00 AAAA 0000 0000 0000 00|DE00 0000 0000 0000 0000 00|"
            "IE00AAAA00000000000000|FR0000000000000000000000000|NL00AAAA0000000000|"
            "ES00 0000 0000 0000 0000 0000|PL00000000000000000000000000"
        ),
        "encounter": "9000000000|900000000|E90000000|90000000-0|00000000000",
        "license": (
            "AA-000000|A00000000|AA0000|A000-0000-0000|000000|AA 00000|00A0000000|A-00000|AA.000000"
        ),
        "dea": "AA0000000|BA0000000|FA0000000|MA0000000",
        "plate": "AAA-0000|AAA 000|0AAA000|AAA-0A0|000-AAA|AA0 0AA|AAA0000",
        "vin": "9AAAAA0A0AA000000|0AAAA00A0A0000000|AAA00A000AA000000",
        "serial": (
            "AA-000000-0|AAA0000000|AA00000000|90000000000|0A0000000|AA0-0000000|AAA000000A|"
            "A00000|AA.00.0000|00AA0000-0"
        ),
        "bioid": "AA-0000-AA00|AAA-000000|A0000-00|HHHHHHHH|HHHH-HHHH-HHHH",
        "id": (
            "9000000|A-000000|00-000-0000|AA-00-0000|900000-00|AAA0000000|AA-0000|AA0A0AAA|"
            "AA/0000|AA/0000/00000|00/0000|A/000000/00/0000|AAA-00000000"
        ),
        "accession": (
            "A00-00000|AAA00-0000000|00-AA-00000|9000000|AA-00-000000|00000-00|A00000000|"
            "00A-000AA0000"
        ),
        "specimen": "A00-00000|AA00-0000|S00-0000|SP-00-0000|00:A0000|AA-00000-A",
        "rx": "9000000|9000000-00|900000|RX0000000|C0000000",
        "npi": "1000000000",
        "case": "00-0000|AA-00-000|00-0000000|000000|AA00-00000",
        "claim": "00-000000-00|WC-0000000|AAA-00000000|000000000|0000-AA-00000",
        "jobnumber": "000000|000000-0|9000000|00000000|A000000|90-000000",
        "auth": "A000000000|00-0000-000|AUTH000000|9000000|PA-0000000",
        "study": "AA-000|AAA-0000|AAAA-00-000|000-000|AAA00-0000",
        "nationalid": (
            "0000 0000 0000|000000000000|AAAAA0000A|AA 00 00 00 A|AA000000A|A0000000A|"
            "000000-00-0000|000.000.000-00|000 000 000|0000000AA|0000000A|00000-0000000-0|"
            "784-1900-0000000-0|00000000A|00000000000|000-000-000"
        ),
        "room": "900|900|90|900A|9-00|A900|900|9000|90B|A00",
    }.items()
}


def pick_shape(role: str, rng: random.Random) -> str:
    """A shape of a role's numbers; one institution keeps to one for all of its own.

    RAISES (ValueError): If there are none.
    """
    if role not in _SHAPES:
        raise ValueError(f"the role '{role}' has no shapes; give it some in _SHAPES")
    return rng.choice(_SHAPES[role])


def fill_shape(shape: str, rng: random.Random) -> str:
    """A number of a shape from `pick_shape` ("00-41-88-2", "SB-20914")."""
    return "".join(_fill_char(char, rng) for char in shape)


def phone_style(rng: random.Random) -> str:
    """The way in which one note writes telephone numbers."""
    return rng.choices([style for style, _ in _PHONES], [weight for _, weight in _PHONES])[0]


def make_phone(style: str, area: int, rng: random.Random, *, extended: bool = True) -> str:
    """A telephone number.

    style (str): From `phone_style`.
    area (int): The region's area code, which most numbers of a note share.
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
    """An address on the web."""
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
