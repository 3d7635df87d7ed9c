"""Encrypted lines that only the owner of the key can read.

Each file has its own key, derived from the user's key and the file's salt by HKDF-SHA256
(RFC 5869). Lines are encrypted and authenticated by AES-256-GCM (NIST SP 800-38D), together with
their place. Content is padded, since its length would reveal the length of names.
"""

from __future__ import annotations

import json
import secrets
from base64 import b64decode, b64encode

from ..errors import RedactionError, install
from .key import Key

_NAME = "spacy-deid re-identification"
_START = json.dumps({"file": _NAME})[:-1].encode("ascii")
_NONCE = 12  # bytes
_BLOCK = 512  # content is padded to a multiple of this many bytes
_UNREADABLE = (ValueError, KeyError, TypeError, RecursionError)
"""Errors of JSON that is damaged or has other content."""


class EncryptionError(ValueError):
    """An error in an encrypted file or line; the message is a clause about the file."""


class LineCipher:
    """Encrypts and decrypts the lines of one file; its `header` is the file's first line.

    key (Key): The user's key.
    salt (str): The salt of the file, in hexadecimal; by default that of a new file.
    RAISES (RedactionError): If the package cryptography is missing.
    """

    def __init__(self, key: Key, salt: str = "") -> None:
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
            from cryptography.hazmat.primitives.hashes import SHA256
            from cryptography.hazmat.primitives.kdf.hkdf import HKDF
        except ImportError as error:
            raise RedactionError(
                f"re-identification needs the package cryptography: {install('reidentify')}"
            ) from error
        salt = salt or secrets.token_hex(16)
        derive = HKDF(SHA256(), 32, bytes.fromhex(salt), _NAME.encode("ascii"))
        self._cipher = AESGCM(derive.derive(key.digest(_NAME, "secret")))
        self.header = _line({"file": _NAME, "salt": salt, "check": _check(key, salt)})

    @classmethod
    def of_file(cls, key: Key, header: bytes) -> LineCipher:
        """The cipher of an existing file, by its first line.

        RAISES (EncryptionError): If it is no such file, or was written with another key.
        """
        try:
            record = json.loads(header)
            name, salt, check = record["file"], record["salt"], record["check"]
            bytes.fromhex(salt)
        except _UNREADABLE:
            name = ""
        if name != _NAME:
            raise EncryptionError("was not written by spacy-deid")
        if not secrets.compare_digest(_bytes(str(check)), _bytes(_check(key, salt))):
            raise EncryptionError("was written with another key")
        return cls(key, salt)

    def encrypt(self, place: str, content: str) -> bytes:
        """Encrypt some JSON into a line, bound to a place that stays in the clear."""
        data = _bytes(content)
        padded = data.ljust(-(-len(data) // _BLOCK) * _BLOCK)  # blanks, which JSON ignores
        nonce = secrets.token_bytes(_NONCE)
        sealed = nonce + self._cipher.encrypt(nonce, padded, _bytes(place))
        return _line({"place": place, "sealed": b64encode(sealed).decode("ascii")})

    def decrypt(self, line: bytes) -> str:
        """Decrypt a line.

        RAISES (EncryptionError): If the line or its place was changed.
        """
        from cryptography.exceptions import InvalidTag

        try:
            sealed = b64decode(json.loads(line)["sealed"], validate=True)
            data = self._cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], _bytes(place_of(line)))
        except (InvalidTag, *_UNREADABLE):
            raise EncryptionError("was damaged or changed") from None
        return data.decode("utf-8", "surrogatepass")


def may_begin(line: bytes) -> bool:
    """Whether an unterminated line may be a truncated header, or empty."""
    return _START.startswith(line) or line.startswith(_START)


def place_of(line: bytes) -> str:
    """The place a line is bound to.

    RAISES (EncryptionError): If it is no encrypted line.
    """
    try:
        return str(json.loads(line)["place"])
    except _UNREADABLE:
        raise EncryptionError("was damaged or changed") from None


def _check(key: Key, salt: str) -> str:
    return key.digest(_NAME, "check", salt).hex()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _line(record: dict[str, str]) -> bytes:
    return json.dumps(record).encode("ascii") + b"\n"
