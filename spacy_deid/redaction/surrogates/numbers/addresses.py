"""Network addresses: IPv4, IPv6, MAC and URLs."""

from __future__ import annotations

import re
from itertools import count

from ...phi_text import PhiText
from ..drawing import draw_from, endless_draws, pour, scramble
from ..names.domains import top_labels
from ..tables import read_list, read_words
from ..writing import in_case

_IPV4 = re.compile(r"(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(:\d{1,5}|/\d{1,2})?", re.A)
_MAC = re.compile(r"(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}", re.I)
_IPV6 = re.compile(r"(?=.*::|(?:[^:]*:){7})[0-9a-f:]{2,39}(?:%\w{1,15}|/\d{1,3})?", re.I | re.A)
_HEX = re.compile("[0-9a-f]{1,4}", re.I)
_HEX_DIGITS = "0123456789abcdef"
_UNICAST = "048c"  # second digit of a unicast, universally administered MAC address

_FIRST_OCTETS = tuple(
    str(octet) for octet in range(1, 224) if octet not in (10, 100, 127, 169, 172, 192, 198, 203)
)
_OCTETS = tuple(str(octet) for octet in range(1, 255))
_PRIVATE = re.compile(r"10|127|192(?:\.168)?|169(?:\.254)?|172(?:\.(?:1[6-9]|2\d|3[01]))?")
_PRIVATE_B = tuple(str(octet) for octet in range(16, 32))

_URL = re.compile(r"([a-z][a-z0-9+.-]{0,15}:/{0,2})?([^/?#]*)(.*)", re.I | re.S)
_SCHEMES = re.compile(
    r"(?:https?|ftps?|sftp|ssh|mailto|file|tel|rtsp)(?=:)|[a-z0-9+.-]+(?=://)", re.I
)
_PIECE = re.compile(r"%[0-9a-f]{2}|[^\W_]+", re.I)
_PORT = re.compile("[0-9]{1,5}")
_LONG = 10


def is_network(value: str) -> bool:
    """Whether a value is an IP or MAC address."""
    return any(form.fullmatch(value) for form in (_IPV4, _MAC, _IPV6))


def network(note: PhiText, value: str) -> str:
    """The surrogate of an IP or MAC address, of the same kind.

    Addresses with a common prefix of octets keep a common prefix (Xu et al. 2002); private ranges
    stay private; a port or a prefix length stays.
    """
    match = _IPV4.fullmatch(value)
    if match:
        octets = match.groups()[:4]
        new = (_octet(note, ".".join(octets[:index]), octets[index]) for index in range(4))
        return ".".join(new) + (match[5] or "")
    address, sign, rest = re.split(r"([%/]|$)", value, maxsplit=1)
    return _hexadecimal(note, address) + sign + rest


def _hexadecimal(note: PhiText, address: str) -> str:
    """Replace the hexadecimal digits of an IPv6 or MAC address; no group stays the same."""
    groups = _HEX.findall(address.lower())
    alphabets = [_HEX_DIGITS] * sum(map(len, groups))
    key = address.lower()
    if _MAC.fullmatch(address):
        key, alphabets[1] = "".join(groups), _UNICAST
    drawn = (draw_from(note, alphabets, "network", key, str(attempt)) for attempt in count())
    written = (pour(address.lower(), new) for new in drawn)
    fitting = (new for new in written if not any(map(str.__eq__, groups, _HEX.findall(new))))
    return in_case(address, next(fitting))


def _octet(note: PhiText, start: str, octet: str) -> str:
    """The surrogate of the octet that follows a prefix."""
    options = _OCTETS if start else _FIRST_OCTETS
    if start == "172" and octet in _PRIVATE_B:
        options = _PRIVATE_B
    elif start.count(".") == 0 and _PRIVATE.fullmatch(f"{start}.{octet}" if start else octet):
        return octet
    return next(new for new in endless_draws(note, options, "octet", start, octet) if new != octet)


def url(note: PhiText, value: str) -> str:
    """The surrogate of a URL, with other words in host and path.

    Scheme, "www", the top level, punctuation and well-known generic words of the path stay.
    """
    scheme, host, rest = _URL.findall(value)[0]
    if scheme and not _SCHEMES.match(scheme):
        scheme, host = "", scheme + host
    return scheme + _authority(note, host) + _rewrite(note, rest)


def _authority(note: PhiText, value: str) -> str:
    """The surrogate of a host, perhaps with a user and a password before it."""
    user, at, host = value.rpartition("@")
    return _rewrite(note, user, own=True) + at + _host(note, host)


def _host(note: PhiText, host: str) -> str:
    """The surrogate of a host; the word before the top level, or else the last, always changes.

    A port stays.
    """
    name, sign, port = host.partition(":")
    if port and not _PORT.fullmatch(port):
        return _host(note, name) + sign + _rewrite(note, port, own=True)
    if _IPV4.fullmatch(name):
        return network(note, name) + sign + port
    labels = name.split(".")
    if len(labels) == 1:
        return _rewrite(note, host)
    top = len(labels) - len(top_labels(name.strip().lower().split(".")))
    *subdomains, own = labels[:top]
    written = [*(_rewrite(note, label) for label in subdomains), _rewrite(note, own, own=True)]
    return ".".join((*written, *labels[top:])) + sign + port


def _rewrite(note: PhiText, text: str, *, own: bool = False) -> str:
    return _PIECE.sub(lambda word: _piece(note, word[0], own=own), text)


def _piece(note: PhiText, word: str, *, own: bool) -> str:
    """Replace a word of a URL; generic words stay, except in the owner's name (`own`)."""
    if word.startswith("%") or (not own and word.lower() in read_words("web.tsv")["path"]):
        return word
    if not word.isalpha():
        return scramble(note, word)
    names, key = read_list("names.txt"), word.lower()
    drawn = endless_draws(note, names, "web", key)
    if len(word) > _LONG:
        seconds = endless_draws(note, names, "web", key, "2")
        drawn = (first + second.lower() for first, second in zip(drawn, seconds, strict=False))
    new = next(name for name in drawn if name.lower() != key)
    return in_case(word, new) if word != word.title() else new
