"""The secret key: same key, same surrogates, on any machine and in any order."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from ..errors import RedactionError

KEY_VARIABLE = "SPACY_DEID_KEY"
"""Environment variable with the secret."""

_SHORTEST = 16

Option = TypeVar("Option")


class Key:
    """A secret for pseudo-random draws by keyed hashing (HMAC-SHA256, RFC 2104).

    A draw is identified by its parts ("date", patient, …) and always gives the same result; without
    the secret it can be neither repeated nor reversed. The secret is never shown.

    secret (bytes): The secret, at least 16 bytes.
    RAISES (RedactionError): If it is shorter.
    """

    def __init__(self, secret: bytes) -> None:
        if len(secret) < _SHORTEST:
            raise RedactionError(
                f"the key is too short to be a secret: give {_SHORTEST} bytes or more"
            )
        self._secret = secret

    def digest(self, *parts: str) -> bytes:
        """The keyed hash of the parts (32 bytes); ("ab", "c") and ("a", "bc") differ."""
        message = b"".join(
            len(data).to_bytes(8, "big") + data
            for data in (part.encode("utf8", "surrogatepass") for part in parts)
        )
        return hmac.digest(self._secret, message, hashlib.sha256)

    def number(self, below: int, *parts: str) -> int:
        """A uniform integer from 0 to `below` - 1 (`below` at most 2**128)."""
        return int.from_bytes(self.digest(*parts), "big") % below

    def choice(self, options: Sequence[Option], *parts: str) -> Option:
        """One of the options, which must be in a fixed order."""
        return options[self.number(len(options), *parts)]

    def __repr__(self) -> str:
        return "Key(secret)"


AnyKey = Key | str | bytes
"""Types accepted as a key; see `as_key`."""


def as_key(key: AnyKey) -> Key:
    """Convert user input to a key.

    key (AnyKey): A key, or its secret as text or bytes; surrounding white space is stripped.
    RAISES (RedactionError): If the type is wrong or the secret too short.
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
    """A new random key; its draws cannot be repeated in another run."""
    return Key(secrets.token_bytes(32))


def find_key(key_file: str | Path | None = None) -> Key | None:
    """The user's key: from a file, or else from the environment variable `SPACY_DEID_KEY`.

    key_file (str | Path | None): A file with the secret; surrounding white space is stripped.
    RAISES (RedactionError): If the file cannot be read, or the secret is too short.
    """
    if key_file is None:
        secret = os.environ.get(KEY_VARIABLE, "")
        return as_key(secret) if secret.strip() else None
    try:
        return as_key(Path(key_file).read_bytes())
    except OSError as error:
        raise RedactionError(f"the key file {key_file} cannot be read: {error.strerror}") from error
