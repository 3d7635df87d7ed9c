"""Surrogates of internet domains."""

from __future__ import annotations

from ...phi_text import PhiText
from ..tables import read_words


def surrogate_domain(note: PhiText, domain: str) -> str:
    """Replace a domain by another of the same kind; those of common mail providers stay.

    note (PhiText): The note, whose patient decides the draws.
    domain (str): The domain ("mail.mercy.org"), in any letter case.
    RETURNS (str): The surrogate ("mail.cedarvale.org"), of the same country and kind.
    """
    lower = domain.lower()
    if is_provider(lower):
        return domain
    labels = lower.split(".")
    suffix = _suffix(labels)
    names = [_label(note, label) for label in labels[: len(labels) - len(suffix)]]
    surrogate = ".".join(names + suffix) if names else _label(note, lower)
    return surrogate.upper() if domain.isupper() else surrogate


def is_provider(domain: str) -> bool:
    """Whether a domain belongs to a common mail provider."""
    return domain.lower() in read_words("web.tsv")["provider"]


def _suffix(labels: list[str]) -> list[str]:
    """The labels for kind and country at a domain's end; unusual ones become "com"."""
    if len(labels) < 2:
        return []
    last = labels[-1]
    country = len(last) == 2 and last.isalpha()
    if country and len(labels) > 2 and labels[-2] in read_words("web.tsv")["second"]:
        return labels[-2:]
    return [last if country or last in read_words("web.tsv")["top"] else "com"]


def _label(note: PhiText, label: str) -> str:
    if label in read_words("web.tsv")["kept"]:
        return label
    options = [name for name in read_words("web.tsv")["domain"] if name != label]
    return note.choice(options, "domain", label)
