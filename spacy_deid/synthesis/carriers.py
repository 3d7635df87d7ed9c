"""Carrier text: unlabelled clinical text, made safe and turned into templates.

Such text is nearly free of PHI, but not quite: obvious dates, ages and names after titles become
slots, so that they are labelled; sentences that may hold other PHI are dropped.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ..text.english import MONTHS, WEEKDAYS
from .template import Nodes, parse_template
from .values import read_lines, set_of

Paragraphs = tuple[tuple[Nodes, ...], ...]

_SHORT_MONTHS = "Jan Feb Mar Apr Aug Sept? Oct Nov Dec".split()
_ANY_MONTH = "|".join((*MONTHS, *(rf"{month}\.?" for month in _SHORT_MONTHS)))
_WEEKDAY = f"(?:{'|'.join(WEEKDAYS)})"
_PERSON_NOUN = "male|female|man|woman|gentleman|lady|boy|girl|patient|white|black|right|left|Cauc"
_SLOTS = tuple(
    (re.compile(pattern), slot)
    for pattern, slot in (
        (
            rf"\b{_WEEKDAY},? (?:{_ANY_MONTH}) \d{{1,2}}(?:st|nd|rd|th)?\b(?:, \d{{4}})?",
            "{date.weekday_date}",
        ),
        (rf"\b(?:{_ANY_MONTH}) \d{{1,2}}(?:st|nd|rd|th)?,? (?:19|20)\d\d\b", "{past.long}"),
        (rf"\b\d{{1,2}} (?:{_ANY_MONTH}) (?:19|20)\d\d\b", "{past.dmy}"),
        (rf"\b(?:{_ANY_MONTH})(?: of|,)? (?:19|20)\d\d\b", "{past.month_year}"),
        (rf"\b(?:{_ANY_MONTH}) \d{{1,2}}(?:st|nd|rd|th)?\b", "{past.month_day}"),
        (r"\b\d{1,2}/\d{1,2}/(?:19|20)\d\d\b", "{date}"),
        (r"\b\d{1,2}[/-]\d{1,2}[/-]\d{2}\b", "{date.short_year}"),
        (r"\b(?:0?[1-9]|1[0-2])/(?:19|20)\d\d\b", "{past.numeric_month_year}"),
        (r"(?<=\bon )(?:0?[1-9]|1[0-2])/(?:[12]?\d|3[01])\b(?!/)", "{date.short}"),
        (r"(?:(?<=\b[io]n )|(?<=\bsince )|(?<=\bfrom ))(?:19|20)\d\d\b", "{past.year}"),
        (rf"\b{_WEEKDAY}\b", "{date.weekday}"),
        (rf"(?<=\bin )(?:{'|'.join(MONTHS)})\b", "{past.month}"),
        (r"(?<=\blast )(?:summer|winter|spring|fall)\b", "{past.season}"),
        (rf"\b\d{{1,3}}(?=[- ]years?[- ]old (?:\w+[- ]){{0,3}}(?:{_PERSON_NOUN}))", "{age}"),
        (r"\b\d{1,3}(?=[- ]years?[- ]old\b| years? of age\b)", "{other_age}"),
        (r"\b\d{1,2}(?=[- ](?:month|week|day)s?[- ]old\b)", "{baby_age}"),
        (r"\b\d{1,3}(?= ?y/?o\b| ?y\.o\.)", "{age}"),
        (r"(?:(?<=\bage )|(?<=\bage of ))\d{1,2}\b", "{other_age}"),
        (r"(?<=\bin (?:his|her) )[2-9]0'?s\b", "{other_age.decade}"),
        (r"\bDr\. ?[A-Z][A-Za-z]*\b(?: [A-Z][a-z]+(?!\w))?", "Dr. {doctor.last}"),
        (r"\b(Mr|Mrs|Ms|Miss)\b\.? ?[A-Z][A-Za-z]*\b(?: [A-Z][a-z]+\b)?", r"\1. {patient.last}"),
        (r"^[A-Z][a-z]+ [A-Z][a-z]+(?= is an? (?:\w+ )?\{age\})", "{patient}"),
        (r"\b(works as an? )[a-z]+(?: [a-z]+)?(?=[.,;])", r"\1{profession}"),
    )
)
_SUSPICIOUS = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{6,}\b|\d{3}[- .]\d{3,4}\b|@|www\.|https?:|\*\*|_{3}|#{2}|"
    r"\b\w+-year-old|\bages? ?\d|\bages? |\byears? old|\bborn |years of age|"
    r"\b(?:[Ww]ork(?:s|ed|ing)? (?:as|for|at|in)|employed|retired|[Oo]ccupation|by profession)\b|"
    r"\b(?:\d{1,2}/\d{1,2}/\d{2,4}|\d+ ?(?:y/?o|yr old))\b|\b(?:Dr|Mr|Mrs|Ms)\b(?!\. \{)|"
    r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)? (?:Hospital|Clinic|University|School|Church|County|Street|"
    r"Center|Institute|College|Foundation|Road|Avenue)\b|"
    r"\b(?:United States|New York|Los Angeles|XYZ|ABCD?|UIHC)\b|\b(?:0?[1-9]|1[0-2])/[09]\d\b|"
    r"\b(?:Christmas|Thanksgiving|Easter|Halloween|New Year|Labor Day|Memorial Day|Blue Cross)|"
    r"\b(?:summer|winter|autumn)s?\b|\b(?:in the|this|every) (?:spring|fall)\b|"
    r"\b(?:his|her|their) (?:early |late |mid[- ])?[2-9]0'?s\b|\bAdult Protective\b|"
    r"\bMRN\b|\bSSN\b|\bName:|\bDOB\b|, (?:MD|RN|PhD|DO)\b|M\.D\."
)
_NO_SLOTS = str.maketrans("{}|", "()/")
_SLOT_MARK = re.compile(r"(?:\b(?:Dr|Mrs?|Ms|Miss)\. )?\{[^{}]*\}")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’]*[A-Za-z]|[A-Z]")
_SENTENCE = re.compile(
    r"(?<=[.!?])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bSt\.)(?<!\s\d\.)(?<!^\d\.)\s+(?=[A-Z0-9])"
)
# Some collections of dictations have commas for line ends.
_COMMA_HEADING = re.compile(r"[.,]*,\s*([A-Z][A-Z0-9 /&()-]{2,60}:)[, ]*")
_COMMA_BREAK = re.compile(r"(?<=[.:)])\s*,\s*(?=[A-Z0-9])")
_LIST_END = re.compile(r"[,.]*[ ,]\d\.$")  # the number of the next item
_THE_PATIENT = re.compile(r"^(?:The|This) patient(?='s|\b)")
_SUBJECT = "{The patient|{patient}|{patient.first}|TITLE {patient.last}}"
_CHILD = re.compile(r"\b(?:[Mm]om|month-old|infant|toddler|day-old|his mother|her mother)\b")
_ADULT_AGE = 17
_FEMALE = re.compile(r"\b(?:she|her|hers|herself|Ms|Mrs|woman|female|G\dP\d)\b", re.IGNORECASE)
_MALE = re.compile(r"\b(?:he|his|him|himself|Mr|male|gentleman|prostate)\b", re.IGNORECASE)
_TITLES = {"f": "Ms.", "m": "Mr.", "": "Pt"}
# Professions that are mostly those of staff, and words with other meanings.
_STAFF = frozenset(
    "nurse physician pharmacist psychologist paramedic orderly dean cook printer judge "
    "student writer editor cleaner Marine EMT DJ".split()
) | {"social worker", "medical assistant", "respiratory therapist", "ward clerk", "unit clerk"}
_SHORT = 5  # most letters of an upper-case abbreviation
_SEEN = 3  # fewest carriers with a capitalized word for it to count as a term


class Carrier(NamedTuple):
    """An unlabelled text; its name decides on its set."""

    name: str
    text: str

    @property
    def gender(self) -> str:
        """The gender of most pronouns; empty if balanced."""
        female, male = len(_FEMALE.findall(self.text)), len(_MALE.findall(self.text))
        return "f" if female > 2 * male else "m" if male > 2 * female else ""

    def fits(self, gender: str, age: int) -> bool:
        """Whether it may be about a patient, by its pronouns and mentions of children."""
        is_child = bool(_CHILD.search(self.text))
        return is_child == (age < _ADULT_AGE) and self.gender in ("", gender)


def load_carriers(paths: Iterable[Path]) -> list[Carrier]:
    """Read carriers: JSONL with "text" (and "id"), text files, or folders of both.

    RAISES (FileNotFoundError): If a path does not exist.
    RAISES (ValueError): If a line is not such JSON, or a file holds no text.
    """
    carriers: list[Carrier] = []
    for path in paths:
        before = len(carriers)
        if not path.exists():
            raise FileNotFoundError(f"there are no carriers at {path}")
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix == ".jsonl":
                carriers += _read_jsonl(file)
            elif file.suffix == ".txt":
                carriers.append(Carrier(file.stem, file.read_text(encoding="utf8")))
        if path.is_file() and not any(carrier.text.strip() for carrier in carriers[before:]):
            raise ValueError(f"there is no text in {path}; carriers are .txt and .jsonl files")
    return carriers


class CarrierSet:
    """The carriers of one set, turned into templates on first use.

    carriers (Sequence[Carrier]): Carriers of all sets, which all serve to tell words from names.
    """

    def __init__(self, carriers: Sequence[Carrier], set_name: str, assets: Path) -> None:
        self.carriers = tuple(one for one in carriers if set_of(one.name) == set_name)
        self._words = _Words(carriers, assets)
        self._cache: dict[Carrier, Paragraphs] = {}

    def paragraphs(self, carrier: Carrier) -> Paragraphs:
        """The paragraphs of a carrier, each a tuple of sentences."""
        if carrier not in self._cache:
            text = _COMMA_BREAK.sub("\n", _COMMA_HEADING.sub(r".\n\1 ", carrier.text))
            subject = _SUBJECT.replace("TITLE", _TITLES[carrier.gender])
            paragraphs = (tuple(self._sentences(line, subject)) for line in text.splitlines())
            self._cache[carrier] = tuple(filter(None, paragraphs))
        return self._cache[carrier]

    def _sentences(self, line: str, subject: str) -> Iterator[Nodes]:
        """Templates of the sentences without other PHI than obvious dates, ages and names."""
        for sentence in _SENTENCE.split(line.strip(" ,")):
            source = sentence.translate(_NO_SLOTS)
            for pattern, slot in _SLOTS:
                source = pattern.sub(slot, source)
            source = _LIST_END.sub("", source)
            has_words = _WORD.search(source) and not _SUSPICIOUS.search(source)
            if has_words and not self._words.may_name(source):
                yield parse_template(_THE_PATIENT.sub(subject, source), "carrier")


class _Words:
    """Tells words from names by their use in the carriers."""

    def __init__(self, carriers: Sequence[Carrier], assets: Path) -> None:
        self.lower = set(read_lines(assets / "gazetteers" / "common_words.txt"))
        self.capital: Counter[str] = Counter()
        for carrier in carriers:
            words = set(_WORD.findall(carrier.text))
            self.lower.update(word for word in words if word[0].islower())
            self.capital.update(word for word in words if word[0].isupper())
        self.names = _names(assets)
        self.terms = set(read_lines(assets / "gazetteers" / "medical_eponyms.txt"))
        self.terms.update(read_lines(assets / "values" / "terms.txt"))
        work = set(read_lines(assets / "values" / "professions.txt")) - _STAFF
        self.work = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(work)))})\b", re.IGNORECASE)

    def may_name(self, source: str) -> bool:
        """Whether a sentence has a capitalized word that may be a name, or a profession."""
        words = _WORD.findall(_SLOT_MARK.sub(" ", source))
        return bool(self.work.search(source)) or any(
            word[0].isupper() and not self._is_term(word) for word in words
        )

    def _is_term(self, word: str) -> bool:
        bare = word.replace("’", "'").removesuffix("'s")
        if bare in self.terms or bare.capitalize() in self.terms or bare.lower() in self.lower:
            return True
        if bare.isupper() and len(bare) <= _SHORT:
            return True
        return self.capital[word] >= _SEEN and bare.capitalize() not in self.names


@lru_cache(maxsize=2)
def _names(assets: Path) -> frozenset[str]:
    """Names of people and places."""
    files = ("given_names", "family_names", "cities", "countries", "world_cities")
    names = {word for file in files for word in read_lines(assets / "gazetteers" / f"{file}.txt")}
    names.update(line.split("\t")[0] for line in read_lines(assets / "gazetteers" / "states.tsv"))
    return frozenset(part for name in names for part in name.split())


def _read_jsonl(file: Path) -> Iterator[Carrier]:
    for number, line in enumerate(file.read_text(encoding="utf8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            yield Carrier(str(record.get("id", f"{file.stem}-{number}")), record["text"])
        except (ValueError, KeyError, AttributeError):
            raise ValueError(
                f"{file}:{number}: a carrier must be a JSON object with a 'text'"
            ) from None
