"""Professions: replaced by another job of the same field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import chain, repeat

from ...phi_text import PhiText
from ..tables import read_words
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
    single = _singular(core)
    job = _draw(note, single or core)
    return value[:start] + lay_out(core, _in_case(core, _plural(job) if single else job))


def _draw(note: PhiText, job: str) -> str:
    """Draw a job that shares no word with the original, if possible of the same field."""
    vowel = _sounds_vowel(job)
    job = " ".join(job.casefold().split())
    words = set(_WORD.findall(job))
    options = chain(repeat(_options(_field(job), vowel), _TRIES), repeat(_options(None, vowel)))
    drawn = (note.choice(jobs, "job", job, str(attempt)) for attempt, jobs in enumerate(options))
    others = (new for new in drawn if new.casefold() != job)
    return next(new for new in others if words.isdisjoint(_WORD.findall(new.casefold())))


@cache
def _field_of_words() -> Mapping[str, str]:
    """Field of each job and word; a whole job takes precedence, then the last word of one."""
    fields = read_words("jobs.tsv", ";")
    jobs = [(job.casefold(), field) for field, jobs in fields.items() for job in jobs]
    last_words = [(job.split()[-1], field) for job, field in jobs]
    words = [(word, field) for job, field in jobs for word in job.split()]
    return dict(reversed([*jobs, *last_words, *words]))


def _field(job: str) -> str | None:
    """The field of a job; None if no word is known."""
    if job.endswith("ing"):
        return "activity"
    known = _field_of_words()
    words = job.split()[::-1]
    specific = (word for word in words if word not in _VAGUE)
    return next((known[word] for word in (job, *specific, *words) if word in known), None)


@cache
def _options(field: str | None, vowel: bool) -> tuple[str, ...]:
    """Jobs of a field, or of all fields, that begin with a vowel or do not."""
    jobs = (
        job
        for name, names in read_words("jobs.tsv", ";").items()
        if name == field or (field is None and name not in ("activity", "study", "home"))
        for job in names
    )
    return tuple(job for job in jobs if _sounds_vowel(job) == vowel) or _options(None, vowel)


def _sounds_vowel(job: str) -> bool:
    """Whether a job takes "an"."""
    first = "".join(job.split()[:1])
    if _SPELLED.match(first):
        return True
    if _SOUNDS_OTHERWISE.match(first):
        return first[0] in "hH"
    return first[:1] in tuple("aeiouAEIOU")


def _singular(jobs: str) -> str:
    """The singular of a plural; empty if it is none."""
    last = jobs.casefold().split()[-1:] or [""]
    plural = last[0].endswith(("s", "men"))
    if len(last[0]) < 4 or not plural or last[0].endswith(("ss", "'s", "us", "ics", "sales")):
        return ""
    for end, single in (("men", "man"), ("ies", "y"), ("sses", "ss"), ("s", "")):
        if jobs.casefold().endswith(end):
            return jobs[: -len(end)] + single
    return jobs


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
