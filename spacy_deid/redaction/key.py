"""The secret that surrogates are drawn with: same key, same draws, on any machine, in any order."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from .errors import RedactionError

KEY_VARIABLE = "SPACY_DEID_KEY"
"""Environment variable that holds the secret."""

_SHORTEST = 16

Option = TypeVar("Option")


class Key:
    """A secret, and what is drawn with it by keyed hashing (HMAC-SHA256, RFC 2104).

    A draw is named by its parts ("date", patient, …) and always falls the same; without the secret
    it can neither be repeated nor be undone. The secret is never shown.

    secret (bytes): The secret, 16 bytes or more.
    RAISES (RedactionError): If it is shorter.
    """

    def __init__(self, secret: bytes) -> None:
        if len(secret) < _SHORTEST:
            raise RedactionError(
                f"the key is too short to be a secret: give {_SHORTEST} bytes or more"
            )
        self._secret = secret

    def digest(self, *parts: str) -> bytes:
        """The keyed hash of some parts (32 bytes); ("ab", "c") and ("a", "bc") differ."""
        message = b"".join(
            len(data).to_bytes(8, "big") + data
            for data in (part.encode("utf8", "surrogatepass") for part in parts)
        )
        return hmac.digest(self._secret, message, hashlib.sha256)

    def number(self, below: int, *parts: str) -> int:
        """A whole number from 0 to `below` - 1, all as likely as each other (below 2**128)."""
        return int.from_bytes(self.digest(*parts), "big") % below

    def choice(self, options: Sequence[Option], *parts: str) -> Option:
        """One of some options, which have to stand in a fixed order."""
        return options[self.number(len(options), *parts)]

    def __repr__(self) -> str:
        return "Key(secret)"


AnyKey = Key | str | bytes
"""What public functions take for a key; see `as_key`."""


def as_key(key: AnyKey) -> Key:
    """A key of what the user gave as one.

    key (AnyKey): A key, or its secret as text or bytes, blanks at its ends left out as in a file.
    RETURNS (Key): The key.
    RAISES (RedactionError): If it is something else, or the secret is too short.
    """
    if isinstance(key, Key):
        return key
    if isinstance(key, str):
        key = key.encode("utf8", "surrogateescape")
    if not isinstance(key, bytes):
        raise RedactionError(
            f"a key is a secret of {_SHORTEST} bytes or more as text or bytes, or a Key, not "
            f"{type(key).__name__}"
        )
    return Key(key.strip())


def random_key() -> Key:
    """A new key that nobody holds: what is drawn with it cannot be repeated by another run."""
    return Key(secrets.token_bytes(32))


def find_key(key_file: Path | None = None) -> Key | None:
    """The user's key: from a file, or else from the environment variable `SPACY_DEID_KEY`.

    key_file (Path | None): A file that holds the secret, blanks at its ends left out.
    RETURNS (Key | None): The key; None if the user gave none.
    RAISES (RedactionError): If the file cannot be read, or the secret is too short.
    """
    if key_file is None:
        secret = os.environ.get(KEY_VARIABLE, "")
        return as_key(secret) if secret.strip() else None
    try:
        return as_key(key_file.read_bytes())
    except OSError as error:
        raise RedactionError(f"the key file {key_file} cannot be read: {error.strerror}") from error
