"""The notes that a model learned from: it remembers them by salted hashes, without their text."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence

from spacy.language import Language

from ..prove import ReviewedNote

_META = "spacy_deid_learned"
_COST = 2**12  # so that guessing a short note takes long


def remember(nlp: Language, texts: Iterable[str]) -> None:
    """Note in the meta data of a pipeline which notes it learned from, besides earlier ones."""
    salt = secrets.token_hex(16)
    nlp.meta.setdefault(_META, []).append([salt, sorted(_hash(text, salt) for text in texts)])


def leave_out_learned(nlp: Language, notes: Sequence[ReviewedNote]) -> list[ReviewedNote]:
    """The notes of patients that a pipeline did not learn from, as a proof takes them."""
    salted = [(salt, set(hashes)) for salt, hashes in nlp.meta.get(_META, [])]
    learned = {
        note.cluster
        for note in notes
        for salt, hashes in salted
        if _hash(note.gold.text, salt) in hashes
    }
    return [note for note in notes if note.cluster not in learned]


def _hash(text: str, salt: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(data, salt=salt.encode(), n=_COST, r=8, p=1, dklen=16).hex()
