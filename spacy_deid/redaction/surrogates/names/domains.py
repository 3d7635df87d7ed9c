"""Surrogates of internet domains."""

from __future__ import annotations

from ...phi_text import PhiText
from ..tables import read_words, word_set

_DATA = "web.tsv"


def surrogate_domain(note: PhiText, domain: str) -> str:
    """Another domain of the same country and kind ("mail.cedarvale.org" for "mail.mercy.org").

    Those of common mail providers stay.
    """
    lower = domain.lower()
    if is_provider(lower):
        return domain
    labels = lower.split(".")
    unusual = ["com"] if len(labels) > 1 else []
    top = top_labels(labels) or unusual
    names = [_label(note, label) for label in labels[: len(labels) - len(top)]]
    surrogate = ".".join(names + top)
    return surrogate.upper() if domain.isupper() else surrogate


def is_provider(domain: str) -> bool:
    """Whether a domain belongs to a common mail provider."""
    return domain.lower() in word_set(_DATA, "provider")


def top_labels(labels: list[str]) -> list[str]:
    """The labels at a domain's end that name its country or kind, in lower case."""
    *others, last = labels
    country = len(last) == 2 and last.isalpha()
    if country and len(others) > 1 and others[-1] in word_set(_DATA, "second"):
        return labels[-2:]
    return [last] if others and (country or last in word_set(_DATA, "top")) else []


def _label(note: PhiText, label: str) -> str:
    if label in word_set(_DATA, "kept"):
        return label
    options = [name for name in read_words(_DATA)["domain"] if name != label]
    return note.choice(options, "domain", label)
