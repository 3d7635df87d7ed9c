"""The values of one note's slots: the people, places, dates and numbers it mentions, by role."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import partial
from typing import TypeVar

from ..annotation.phi import PHI_TYPES
from .dates import (
    make_calendar,
    make_dob,
    make_today,
    pick_age,
    pick_day,
    speak_date,
    write_age,
    write_date,
)
from .numbers import make_ip, make_number, make_phone, make_url, speak_number
from .people import Person, make_person, write_email, write_name, write_user
from .places import City, make_city, make_institution, make_pobox, make_street
from .template import Slot
from .values import Values

T = TypeVar("T")

_FRESH_DATES = frozenset(["date", "past", "future"])
_YEARLESS = frozenset(
    "short month_day month weekday weekday_short weekday_date day_ordinal season holiday".split()
)
# Roles whose values are the same in all records of a patient.
_DURABLE = frozenset(
    "patient wife husband spouse partner mother father parent son daughter sister brother pcp "
    "dob hospital insurer employer profession job city hometown street mrn ssn plan phone cell "
    "homephone email".split()
)
_SMALL_UNIT = re.compile(
    r"[ -]?(?:(?P<month>mo\b|m\.o|month)|(?P<week>w\b(?!/)|wk|week)|(?P<day>d\b(?![./])|day|do\b))"
)
_UNIT_LIMITS = {"month": 23, "week": 12, "day": 28}
_SPOKEN_SHARE = 0.03  # of the notes: unedited dictations and transcripts
_SPELLED_TYPES = frozenset(("PHONE", "FAX", *PHI_TYPES["ID"]))
_LEAD = re.compile("(?:the|early|late) ")
_DEFAULT_SHARE = 0.6
# Higher where only the author's wording shows the type: "Page" may be a hospital, a town, a man.
_DEFAULT_SHARES = dict.fromkeys(("care", "org", "place"), 0.85)
_NAMED_KINDS = frozenset("person care org place street".split())
_ACRONYMS = re.compile(r"\b(?:[A-Z]{2,}|[A-Z]\w+(?=['-]))\b")


@dataclass(frozen=True)
class Patient:
    """The patient of one or more records."""

    key: str  # seed of everything that stays the same in all records
    gender: str
    age: int  # at the first visit
    first_visit: date


def make_patient(key: str) -> Patient:
    """The patient of a seed: mostly adults, some infants and children."""
    rng = random.Random(f"{key}:patient-profile")
    low, high = rng.choices(((0, 1), (1, 17), (18, 59), (60, 104)), (6, 10, 46, 38))[0]
    age = min(rng.randrange(low, high + 1), rng.randrange(low, high + 1) + 12)
    return Patient(key, rng.choice("fm"), age, make_today(rng))


@dataclass
class NoteValues:
    """Values for the slots of one note; a role always gets the same person, place or number."""

    values: Values
    patient: Patient
    rng: random.Random
    record: int = 1  # number of the patient's record, from 1; later ones have later dates
    _cache: dict[str, object] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        patient, rng = self.patient, self.rng
        dob = make_dob(patient.age, patient.first_visit, random.Random(f"{patient.key}:dob"))
        later = timedelta(days=sum(rng.randint(20, 200) for _ in range(self.record - 1)))
        self.days = make_calendar(self.values, patient.first_visit + later, dob, rng)
        self.phone_shape = rng.choices(self.values.shapes["phone"])[0]
        self.area = random.Random(f"{patient.key}:area").randrange(201, 990)
        self.state_form = rng.choice(("full", "abbr", "abbr"))
        self.spoken = rng.random() < _SPOKEN_SHARE

    def value(self, slot: Slot, follows: str = "") -> tuple[str, str]:
        """The value of a slot, and text before it that is not PHI ("the " of "the 4th of March").

        follows (str): The template text after it, which may hold the unit of an age.
        """
        if slot.default and self._uses_default(slot):
            return slot.default, ""
        text, lead = self._text(slot, follows), ""
        if slot.role.kind == "date" and (match := _LEAD.match(text)):
            lead, text = match[0], text[match.end() :]
        if self.spoken and slot.type in _SPELLED_TYPES:
            text = self._cached(f"spoken {slot.name} {text}", partial(speak_number, text))
        return getattr(text, slot.case)() if slot.case else text, lead

    def person(self, name: str, base: str) -> Person:
        """The person of a role, by the role's name with and without its number."""
        return self._cached(f"person {name}", partial(self._new_person, base), base)

    def city(self, number: str) -> City:
        """The city, state and ZIP code with a number."""
        return self._cached(f"city {number}", partial(make_city, self.values), "city")

    def _cached(self, key: str, make: Callable[[random.Random], T], base: str = "") -> T:
        """The value of `key`, made once; durable roles use the patient's seed."""
        if key not in self._cache:
            seed = f"{self.patient.key}:{key}"
            self._cache[key] = make(random.Random(seed) if base in _DURABLE else self.rng)
        return self._cache[key]  # type: ignore[return-value]

    def _uses_default(self, slot: Slot) -> bool:
        """Whether the slots of a role have the values given in the template.

        They must not belong to another set, neither the whole nor a part: of a person, every name;
        of a place, the first long word, which may be a name ("Lewis" of "Lewis Memorial").
        """
        if self.spoken and slot.type in ("DATE", *_SPELLED_TYPES):
            return False
        kind = slot.role.kind
        share = _DEFAULT_SHARES.get(kind, _DEFAULT_SHARE)
        if not self._cached(f"default {slot.name}", lambda rng: rng.random() < share):
            return False
        if kind == "person":
            return all(map(self.values.owns, re.findall(r"\w{2,}", slot.default)))
        names = [slot.default, *re.findall(r"[^\W\d_]{4,}", slot.default)[:1]]
        return kind not in _NAMED_KINDS or all(map(self.values.owns, names))

    def _text(self, slot: Slot, follows: str) -> str:
        base, number = slot.role.base, slot.role.number
        match slot.role.kind:
            case "person":
                return self._person(slot)
            case "profession":
                return self._cached(f"profession {number}", self._new_profession, "profession")
            case "age":
                return self._age(slot, follows)
            case "date":
                return self._date(slot)
            case "state":
                city = self.city(number)
                return city.abbr if (slot.form or self.state_form) == "abbr" else city.state
            case "street" | "id" if "pobox" in (slot.form, base):
                return self._cached(f"pobox {slot.name}", partial(make_pobox, self.values))
            case "street":
                make = partial(make_street, self.values)
                full, road = self._cached(f"street {number}", make, base)
                return road if slot.form == "road" else full
            case "contact":
                return self._cached(slot.name, partial(self._new_contact, base), base)
            case "ssn":
                ssn = self._cached(f"ssn {number}", partial(self._new_contact, base), base)
                return ssn[-4:] if slot.form == "last4" else ssn
            case "id":
                shapes = self.values.shapes[f"id {base}"]
                shape = self._cached(f"shape {base}", lambda rng: rng.choice(shapes), base)
                return self._cached(slot.name, partial(make_number, shape), base)
        return self._place(slot)

    def _new_person(self, base: str, rng: random.Random) -> Person:
        if base == "patient":
            return make_person(self.values, rng, gender=self.patient.gender)
        patient = self.person("patient", "patient")
        return make_person(self.values, rng, relative_of=patient, role=base)

    def _person(self, slot: Slot) -> str:
        person = self.person(slot.name, slot.role.base)
        if slot.form == "user":
            return write_user(self.values, person, self.rng)
        if slot.form == "email":
            return write_email(self.values, person, self._domain(), self.rng)
        return self._cached(f"name {slot.name}.{slot.form}", partial(write_name, person, slot.form))

    def _new_profession(self, rng: random.Random) -> str:
        if rng.random() < 0.65:
            return rng.choice(self.values.lists["values/professions"])
        title = rng.choice(self.values.lists["gazetteers/professions"]).split(",")[0]
        keep = set(_ACRONYMS.findall(title))
        return " ".join(word if word in keep else word.lower() for word in title.split())

    def _age(self, slot: Slot, follows: str) -> str:
        base, years = slot.role.base, self.days.age
        unit = _SMALL_UNIT.match(follows)
        if unit and base != "baby":
            limit = _UNIT_LIMITS[str(unit.lastgroup)]
            key = f"{slot.name} {unit.lastgroup}"
            age = self._cached(key, lambda rng: rng.randint(2, limit))
        elif base == "age" and not slot.role.number:
            age = max(1, years)
        else:
            age = self._cached(f"age {slot.name}", partial(pick_age, self.values, base, years))
        return write_age(age, slot.form, self.rng)

    def _date(self, slot: Slot) -> str:
        if slot.form == "holiday":
            return self.rng.choice(self.values.lists["values/holidays"])
        day = self._day(slot)
        text = speak_date(self.values, day, slot.form, self.rng) if self.spoken else ""
        return text or write_date(self.values, day, slot.form, self.days.shape, self.rng)

    def _day(self, slot: Slot) -> date:
        base, rng = slot.role.base, self.rng
        if base == "past" and slot.form in _YEARLESS:
            return max(self.days.admit - timedelta(days=rng.randint(3, 250)), self.days.dob)
        if base in _FRESH_DATES and not slot.role.number:
            return pick_day(base, self.days, rng)
        return self._cached(f"day {slot.name}", partial(pick_day, base, self.days))

    def _place(self, slot: Slot) -> str:
        base, number = slot.role.base, slot.role.number
        match base:
            case "city":
                return self.city(number).name
            case "zip":
                return self.city(number).zip
            case "town" | "hometown":
                return self.city(f"{base}{number}").name
            case "country":
                countries = self.values.lists["gazetteers/countries"]
                return self._cached(f"country {number}", lambda rng: rng.choice(countries))
        make = partial(make_institution, self.values, base)
        place = self._cached(f"{base} {number}", make, base)
        return {"abbr": place.abbr, "short": place.short}.get(slot.form, place.name)

    def _new_contact(self, base: str, rng: random.Random) -> str:
        match base:
            case "email":
                return write_email(self.values, make_person(self.values, rng), self._domain(), rng)
            case "username":
                return write_user(self.values, make_person(self.values, rng), rng)
            case "url":
                return make_url(self._domain(), rng)
            case "ip":
                return make_ip(rng)
            case "phone" | "cell" | "homephone" | "fax":
                extended = base != "fax"
                return make_phone(self.values, self.phone_shape, self.area, rng, extended=extended)
        return make_number(rng.choice(self.values.shapes[f"id {base}"]), rng)

    def _domain(self) -> str:
        """A mail domain: a provider's or an institution's."""
        if self.rng.random() < 0.4:
            return self.rng.choice(self.values.lists["values/mail_domains"])
        role = self.rng.choice(("clinic", "practice", "nursinghome", "school"))
        name = make_institution(self.values, role, self.rng).name.lower()
        letters = re.sub(r"[^a-z0-9]+", self.rng.choice(("", "", "-")), name).strip("-")
        return f"{letters[:24].rstrip('-')}.{self.rng.choice(('example', 'org', 'com', 'net'))}"
