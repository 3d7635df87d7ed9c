"""Professions: replaced by another job of the same field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice

from ...phi_text import PhiText
from ..drawing import draws
from ..tables import read_rows
from ..writing import lay_out

_ADDED = re.compile(
    r"(?:(?:retired|former|formerly|ex|previous|current|self[- ]employed|part[- ]time|full[- ]time|"
    r"unemployed|disabled|semi[- ]retired|an?|the|as)[\s-]{1,3}){1,4}",
    re.I,
)
_WORD = re.compile(r"[^\W_]{3,}")
_SPELLED = re.compile(r"[AEFHILMNORSX](?:[A-Z]|-|$)")
_SOUNDS_OTHERWISE = re.compile(r"un[ia]|eu|one|use|us[ae]|ut[ei]|honest|hour|heir", re.I)
_VAGUE = frozenset(
    "worker operator technician tech assistant aide manager owner specialist helper guide "
    "supervisor foreman inspector agent".split()
)
_TRIES = 40
_LONGEST_LETTERS = 4  # letters of an abbreviation ("EMT")


def profession(note: PhiText, value: str) -> str:
    """The surrogate of a profession: a job of a similar field, in the same case and number.

    It begins with a vowel if the original does, so that "a" or "an" stays right.
    """
    match = _ADDED.match(value)
    start = match.end() if match and match.end() < len(value) else 0
    core = value[start:]
    plural = _is_plural(core)
    job = _draw(note, _singular(core) if plural else core)
    return value[:start] + lay_out(core, _in_case(core, _plural(job) if plural else job))


def _draw(note: PhiText, core: str) -> str:
    """Draw a job that shares no word with the original."""
    vowel = _sounds_vowel(core)
    core = " ".join(core.casefold().split())
    words = set(_WORD.findall(core))
    same_field = draws(note, _options(_field(core), vowel), "job", core)
    any_field = draws(note, _options(None, vowel), "job", core)
    jobs = chain(islice(same_field, _TRIES), islice(any_field, _TRIES, None))
    return next(
        job
        for job in jobs
        if words.isdisjoint(_WORD.findall(job.casefold())) and job.casefold() != core
    )


@lru_cache(maxsize=1)
def _fields() -> Mapping[str, tuple[str, ...]]:
    """The jobs of each field."""
    return {field: tuple(jobs.split(";")) for field, jobs in read_rows("jobs.tsv")}


@lru_cache(maxsize=1)
def _field_of_words() -> Mapping[str, str]:
    """Field of each job and word; the last word of a job takes precedence."""
    jobs = [(field, job.casefold()) for field, names in _fields().items() for job in names]
    found: dict[str, str] = {}
    for pick in (lambda job: [job], lambda job: job.split()[-1:], lambda job: job.split()):
        for field, job in jobs:
            for word in pick(job):
                found.setdefault(word, field)
    return found


def _field(core: str) -> str | None:
    """The field of a job; None if no word is known."""
    if core.endswith("ing"):
        return "activity"
    known = _field_of_words()
    words = core.split()
    telling = [word for word in reversed(words) if word not in _VAGUE]
    tried = (" ".join(words), *telling, *reversed(words))
    return next((known[word] for word in tried if word in known), None)


@lru_cache(maxsize=256)
def _options(field: str | None, vowel: bool) -> Sequence[str]:
    """Jobs of a field, or of all fields, that begin with a vowel or do not."""
    fields = _fields()
    jobs: Iterator[str] = (
        job
        for name, names in fields.items()
        if name == field or (field is None and name not in ("activity", "study", "home"))
        for job in names
    )
    found = tuple(job for job in jobs if _sounds_vowel(job) == vowel)
    return found or _options(None, vowel)


def _sounds_vowel(job: str) -> bool:
    """Whether a job takes "an"."""
    first = "".join(job.split()[:1])
    if _SPELLED.match(first):
        return True
    if _SOUNDS_OTHERWISE.match(first):
        return first[0] in "hH"
    return first[:1] in tuple("aeiouAEIOU")


def _is_plural(core: str) -> bool:
    last = core.casefold().rsplit(None, 1)[-1] if core.split() else ""
    return len(last) > 3 and (
        (last.endswith("s") and not last.endswith(("ss", "'s", "us", "ics", "sales")))
        or last.endswith("men")
    )


def _singular(core: str) -> str:
    for end, single in (("men", "man"), ("ies", "y"), ("sses", "ss"), ("s", "")):
        if core.casefold().endswith(end):
            return core[: -len(end)] + single
    return core


def _plural(job: str) -> str:
    if job.endswith("man"):
        return job.removesuffix("man") + "men"
    if job.endswith("y") and job[-2:-1] not in "aeo":
        return job.removesuffix("y") + "ies"
    return job + ("es" if job.endswith(("ss", "ch", "x")) else "s")


def _in_case(model: str, job: str) -> str:
    """A job in the case of the model: upper, lower, title, or only the first letter capital."""
    words = [word for word in model.split() if word[0].isalpha()]
    if model.isupper() and len(model) > _LONGEST_LETTERS:
        return job.upper()
    if not words or not words[0][0].isupper():
        return job
    if len(words) > 1 and all(word[0].isupper() for word in words):
        return " ".join(word[0].upper() + word[1:] for word in job.split())
    return job if words[0].isupper() else job[0].upper() + job[1:]
