"""The cast of a note: the people, places, dates and numbers it mentions, by role."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import partial
from typing import TypeVar

from ..annotation.phi import PHI_TYPES
from . import numbers
from .dates import make_calendar, make_dob, make_today, pick_age, pick_day, write_age, write_date
from .people import Person, make_person, write_email, write_name, write_user
from .places import City, Institution, make_city, make_institution, make_pobox, make_street
from .spoken import speak_date, speak_number
from .template import Slot
from .values import Values
from .written import case_of_written, owns_written

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
_CITY_ROLES = frozenset(["city", "state", "zip"])
_SMALL_UNIT = re.compile(
    r"[ -]?(?:(?P<month>mo\b|m\.o|month)|(?P<week>w\b(?!/)|wk|week)|(?P<day>d\b(?![./])|day|do\b))"
)
_UNIT_LIMITS = {"month": 23, "week": 12, "day": 28}
_SPOKEN_SHARE = 0.03  # of the notes: unedited dictations and transcripts
_SPELLED_TYPES = frozenset(("PHONE", "FAX", *PHI_TYPES["ID"]))
_LEADS = ("the ", "early ", "late ")
_WRITTEN_SHARE = 0.6
# Higher where only the author's wording shows the type: "Page" may be a hospital, a town, a man.
_WRITTEN_SHARES = dict.fromkeys(("care", "org", "place"), 0.85)
_ACRONYMS = re.compile(r"\b(?:[A-Z]{2,}|[A-Z]\w+(?=['-]))\b")


@dataclass(frozen=True)
class Patient:
    """The patient of one or more records.

    key (str): Seed of everything that stays the same in all records.
    gender (str): "f" or "m".
    age (int): Age at the first record.
    first_visit (date): Day of the first record.
    """

    key: str
    gender: str
    age: int
    first_visit: date


@dataclass(frozen=True)
class Value:
    """The value of a slot.

    text (str): The PHI.
    type (str): Its PHI type.
    lead (str): Text before it that is not PHI ("the " of "the 4th of March").
    """

    text: str
    type: str
    lead: str = ""


def make_patient(key: str) -> Patient:
    """The patient of a seed: mostly adults, some infants and children."""
    rng = random.Random(f"{key}:patient-profile")
    low, high = rng.choices(((0, 1), (1, 17), (18, 59), (60, 104)), (6, 10, 46, 38))[0]
    age = min(rng.randrange(low, high + 1), rng.randrange(low, high + 1) + 12)
    return Patient(key, rng.choice("fm"), age, make_today(rng))


@dataclass
class Cast:
    """Values for the slots of one note; a role always gets the same person, place or number.

    values (Values): Lists of the set.
    patient (Patient): The patient.
    rng (random.Random): Random generator of the note.
    record (int): Number of the patient's record, from 1; later ones have later dates.
    """

    values: Values
    patient: Patient
    rng: random.Random
    record: int = 1
    _memory: dict[str, object] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        patient, rng = self.patient, self.rng
        dob = make_dob(patient.age, patient.first_visit, random.Random(f"{patient.key}:dob"))
        later = timedelta(days=sum(rng.randint(20, 200) for _ in range(self.record - 1)))
        self.days = make_calendar(patient.first_visit + later, dob, rng)
        self.phone_style = numbers.phone_style(rng)
        self.area = random.Random(f"{patient.key}:area").randrange(201, 990)
        self.state_form = rng.choice(("full", "abbr", "abbr"))
        self.spoken = rng.random() < _SPOKEN_SHARE

    def value(self, slot: Slot, follows: str = "") -> Value:
        """The PHI for a slot.

        slot (Slot): The slot.
        follows (str): The template text after it, which may hold the unit of an age.
        """
        if slot.written and self._keeps_written(slot):
            return Value(slot.written, slot.type)
        maker: Callable[[Slot, str], str] = getattr(self, f"_{slot.role.kind}")
        text = maker(slot, follows)
        leads = _LEADS if slot.role.kind == "date" else ()
        lead = next((lead for lead in leads if text.startswith(lead)), "")
        text = text[len(lead) :]
        if self.spoken and slot.type in _SPELLED_TYPES:
            text = self._recall(f"said {slot.name} {text}", "", partial(speak_number, text))
        case = slot.modifier or case_of_written(slot)
        return Value(getattr(text, case)() if case else text, slot.type, lead)

    def _keeps_written(self, slot: Slot) -> bool:
        """Whether the values written by the author are kept for the role."""
        if self.spoken and slot.type in ("DATE", *_SPELLED_TYPES):
            return False
        share = _WRITTEN_SHARES.get(slot.role.kind, _WRITTEN_SHARE)
        kept = self._recall(f"written {slot.name}", "", lambda rng: rng.random() < share)
        return kept and owns_written(slot, self.values)

    def person(self, name: str, base: str) -> Person:
        """The person of a role."""
        return self._recall(f"person {name}", base, lambda rng: self._new_person(base, rng))

    def city(self, number: str) -> City:
        """The city, state and ZIP code with a number."""
        return self._recall(f"city {number}", "city", lambda rng: make_city(self.values, rng))

    def _recall(self, key: str, base: str, make: Callable[[random.Random], T]) -> T:
        """Make and cache the value of `key`; durable roles use the patient's seed."""
        if key not in self._memory:
            durable = base in _DURABLE
            rng = random.Random(f"{self.patient.key}:{key}") if durable else self.rng
            self._memory[key] = make(rng)
        return self._memory[key]  # type: ignore[return-value]

    def _new_person(self, base: str, rng: random.Random) -> Person:
        if base == "patient":
            return make_person(self.values, rng, gender=self.patient.gender)
        patient = self.person("patient", "patient")
        return make_person(self.values, rng, relative_of=patient, role=base)

    def _person(self, slot: Slot, follows: str) -> str:
        person = self.person(slot.name, slot.role.base)
        if slot.form == "user":
            return write_user(person, self.rng)
        if slot.form == "email":
            return write_email(person, self._domain(), self.rng)
        key = f"name {slot.name}.{slot.form}"
        return self._recall(key, "", lambda rng: write_name(person, slot.form, rng))

    def _profession(self, slot: Slot, follows: str) -> str:
        key = f"profession {slot.role.number}"
        return self._recall(key, "profession", self._new_profession)

    def _new_profession(self, rng: random.Random) -> str:
        if rng.random() < 0.65:
            return rng.choice(self.values.lists["values/professions"])
        title = rng.choice(self.values.lists["gazetteers/professions"]).split(",")[0]
        keep = {match.group() for match in _ACRONYMS.finditer(title)}
        return " ".join(word if word in keep else word.lower() for word in title.split())

    def _age(self, slot: Slot, follows: str) -> str:
        unit = _SMALL_UNIT.match(follows)
        if slot.role.base == "age" and not slot.role.number and not unit:
            age = max(1, self.days.age)
        elif unit and slot.role.base != "baby":
            limit = _UNIT_LIMITS[str(unit.lastgroup)]
            age = self._recall(f"{slot.name} {unit.lastgroup}", "", lambda r: r.randint(2, limit))
        else:
            base, years = slot.role.base, self.days.age
            age = self._recall(
                f"age {slot.name}", "", lambda rng: pick_age(self.values, base, years, rng)
            )
        return write_age(age, slot.form, self.rng)

    def _date(self, slot: Slot, follows: str) -> str:
        if slot.form == "holiday":
            return self.rng.choice(self.values.lists["values/holidays"])
        day = self._day(slot)
        said = speak_date(self.values, day, slot.form, self.rng) if self.spoken else None
        return said or write_date(self.values, day, slot.form, self.days.style, self.rng)

    def _day(self, slot: Slot) -> date:
        base, rng = slot.role.base, self.rng
        if base == "past" and slot.form in _YEARLESS:
            return max(self.days.admit - timedelta(days=rng.randint(3, 250)), self.days.dob)
        if base in _FRESH_DATES and not slot.role.number:
            return pick_day(base, self.days, rng)
        return self._recall(f"day {slot.name}", "", lambda r: pick_day(base, self.days, r))

    def _institution(self, slot: Slot) -> Institution:
        role = slot.role
        return self._recall(
            f"{role.base} {role.number}",
            role.base,
            lambda rng: make_institution(self.values, role.base, rng),
        )

    def _care(self, slot: Slot, follows: str) -> str:
        place = self._institution(slot)
        return {"abbr": place.abbr, "short": place.short}.get(slot.form, place.name)

    _org = _care

    def _street(self, slot: Slot, follows: str) -> str:
        if slot.form == "pobox":
            return self._recall(f"pobox {slot.name}", "", make_pobox)
        key = f"street {slot.role.number}"
        full, road = self._recall(key, "street", lambda rng: make_street(self.values, rng))
        return road if slot.form == "road" else full

    def _state(self, slot: Slot, follows: str) -> str:
        city = self.city(slot.role.number)
        form = slot.form or self.state_form
        return city.abbr if form == "abbr" else city.state

    def _place(self, slot: Slot, follows: str) -> str:
        base, number = slot.role.base, slot.role.number
        if base in _CITY_ROLES:
            city = self.city(number)
            return city.zip if base == "zip" else city.name
        if base in ("town", "hometown"):
            return self.city(f"{base}{number}").name
        if base == "country":
            countries = self.values.lists["gazetteers/countries"]
            return self._recall(f"country {number}", base, lambda rng: rng.choice(countries))
        return self._institution(slot).name

    def _contact(self, slot: Slot, follows: str) -> str:
        return self._recall(slot.name, slot.role.base, lambda rng: self._new_contact(slot, rng))

    def _new_contact(self, slot: Slot, rng: random.Random) -> str:
        match slot.role.base:
            case "email":
                return write_email(self._anyone(rng), self._domain(), rng)
            case "username":
                return write_user(self._anyone(rng), rng)
            case "url":
                return numbers.make_url(self._domain(), rng)
            case "ip":
                return numbers.make_ip(rng)
            case "phone" | "cell" | "homephone" | "fax":
                extended = slot.role.base != "fax"
                return numbers.make_phone(self.phone_style, self.area, rng, extended=extended)
        return self._new_number(slot.role.base, rng)

    def _new_number(self, role: str, rng: random.Random) -> str:
        return numbers.fill_shape(numbers.pick_shape(self.values, role, rng), rng)

    def _anyone(self, rng: random.Random) -> Person:
        return make_person(self.values, rng)

    def _domain(self) -> str:
        """A mail domain: a provider's or an institution's."""
        if self.rng.random() < 0.4:
            return self.rng.choice(self.values.lists["values/mail_domains"])
        role = self.rng.choice(("clinic", "practice", "nursinghome", "school"))
        name = make_institution(self.values, role, self.rng).name.lower()
        letters = re.sub(r"[^a-z0-9]+", self.rng.choice(("", "", "-")), name).strip("-")
        return f"{letters[:24].rstrip('-')}.{self.rng.choice(('example', 'org', 'com', 'net'))}"

    def _ssn(self, slot: Slot, follows: str) -> str:
        text = self._recall(f"ssn {slot.role.number}", "ssn", partial(self._new_number, "ssn"))
        return text[-4:] if slot.form == "last4" else text

    def _id(self, slot: Slot, follows: str) -> str:
        base = slot.role.base
        if base == "pobox":
            return self._recall(slot.name, base, make_pobox)
        shape = self._recall(
            f"shape {base}", base, lambda rng: numbers.pick_shape(self.values, base, rng)
        )
        return self._recall(slot.name, base, partial(numbers.fill_shape, shape))
