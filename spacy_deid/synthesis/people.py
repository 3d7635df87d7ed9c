"""People: names of many cultures and forms, and the ways to write them in charts."""

from __future__ import annotations

import random
import string
from dataclasses import dataclass

from .values import NO_RELATIVE, Values

_FEMALE_ENDS = ("a", "ie", "ee", "elle", "ette", "lyn", "ynn", "een", "ine", "ia", "isha", "ys")
_PARTICLES = "de|de la|del|de los|da|dos|van|van der|van den|von|di|della|El|Al|bin|Ben|Le|La|St."
_PREFIXES = ("O'", "Mc", "Mac", "D'", "Fitz", "Al-", "El-", "Abdul-", "Ó ", "N'", "Ten ")
_SUFFIXES = (" Jr.", " Jr", ", Jr.", " Sr.", " III", " II")
_SYLLABLES = (
    "ba be bo cha da de di do fa fe ga go ha he ja ka ke ki ko la le li lo lu ma me mi mo na ne ni "
    "no nya o ka pa pe ra ri ro sa se shi sho so ta te ti to tu va ve vi wa ya yo za ze zo"
).split()
_CLOSINGS = ("", "", "n", "r", "s", "sen", "ski", "vich", "wicz", "dze", "yan", "gbe", "tt", "k")


@dataclass(frozen=True)
class Person:
    """A person and the parts of their name; `middle` and `suffix` may be empty."""

    given: str
    family: str
    middle: str
    suffix: str
    nick: str
    gender: str
    shows_middle: bool  # whether the full name includes the middle initial
    number: int  # the number in their user name

    @property
    def full(self) -> str:
        """First and last name as usual, with suffix ("Orville T. Whitacre Jr.")."""
        middle = f" {self.middle[0]}." if self.shows_middle else ""
        return f"{self.given}{middle} {self.family}{self.suffix}"


def make_person(
    values: Values,
    rng: random.Random,
    *,
    gender: str = "",
    relative_of: Person | None = None,
    role: str = "",
) -> Person:
    """A new person.

    gender (str): "f" or "m"; empty for the role's, or either.
    relative_of (Person): The patient, whose family name people in some roles often share.
    """
    relative = values.relatives.get(role, NO_RELATIVE)
    gender = gender or relative.gender or rng.choice("fm")
    given = _given(values, rng, gender)
    family = _family(values, rng)
    if relative_of is not None and rng.random() < relative.same_family:
        family = relative_of.family
    middle = _given(values, rng, gender) if rng.random() < 0.8 else ""
    suffix = rng.choice(_SUFFIXES)
    return Person(
        given=given,
        family=family,
        middle=middle,
        suffix=suffix if gender == "m" and rng.random() < 0.03 else "",
        nick=rng.choice(values.nicknames.get(given) or _short_forms(values, given)),
        gender=gender,
        shows_middle=bool(middle) and rng.random() < 0.12,
        number=rng.randrange(1, 1000),
    )


def write_name(person: Person, form: str, rng: random.Random) -> str:
    """Write a name in one of the forms of the slot language (not `user` and `email`)."""
    given, family, initial = person.given, person.family, person.middle[:1]
    match form:
        case "last":
            return family
        case "first":
            return given
        case "nick":
            return person.nick
        case "middle":
            middle = rng.choice((f"{initial}.", initial, person.middle)) if initial else ""
            return " ".join(part for part in (given, middle, family) if part) + person.suffix
        case "last_first":
            return _last_first(person, rng)
        case "initials":
            letters = _initials(person, rng)
            return "".join(f"{letter}." for letter in letters) if rng.random() < 0.25 else letters
        case "initial_last":
            return rng.choice((f"{given[0]}. {family}", f"{given[0]} {family}"))
        case "first_initial":
            return rng.choice((f"{given} {family[0].upper()}.", f"{given} {family[0].upper()}"))
        case "dictation":
            return _initials(person, rng).lower()
    return person.full


def write_user(values: Values, person: Person, rng: random.Random) -> str:
    """A user name made from a person's name ("mlopez3")."""
    shape = rng.choice(values.shapes["user"])
    text = _fill(shape, person, initials=_plain(_initials(person, rng)))
    return text.upper() if rng.random() < 0.15 else text


def write_email(values: Values, person: Person, domain: str, rng: random.Random) -> str:
    """A mail address made from a person's name."""
    return f"{_fill(rng.choice(values.shapes['email']), person)}@{domain}"


def _fill(shape: str, person: Person, *, initials: str = "") -> str:
    given, family, number = _plain(person.given), _plain(person.family), person.number
    return shape.format(
        first=given,
        last=family,
        f=given[:1],
        last5=family[:5],
        initials=initials,
        n=number,
        n1=number % 10,
        n2=number % 100,
    )


def _last_first(person: Person, rng: random.Random) -> str:
    tail = rng.choice(("", "", f" {person.middle[:1]}", f" {person.middle}")).rstrip()
    comma = rng.choice((", ", ", ", ", ", ","))
    text = f"{person.family}{person.suffix.replace(',', '')}{comma}{person.given}{tail}"
    return text.upper() if rng.random() < 0.3 else text


def _initials(person: Person, rng: random.Random) -> str:
    middle = person.middle[:1] if rng.random() < 0.6 else ""
    return (person.given[0] + middle + person.family[0]).upper()


def _plain(name: str) -> str:
    """The letters of a name in lower case, for user names."""
    letters = "".join(char for char in name.lower() if char in string.ascii_lowercase)
    return letters or "user"


def _given(values: Values, rng: random.Random, gender: str) -> str:
    """A first name: common, rare, foreign, a word, a compound or misspelt."""
    lists, chance = values.lists, rng.random()
    if chance < 0.34:
        return rng.choice(lists["values/given_female" if gender == "f" else "values/given_male"])
    if chance < 0.40:
        return rng.choice(lists["values/given_words"])
    rare = "gazetteers/world_given_names" if 0.62 <= chance < 0.88 else "gazetteers/given_names"
    name = _fitting(lists[rare], gender, rng)
    if chance < 0.88:
        return name
    if chance < 0.92:
        other = _given(values, rng, gender).split()[0].split("-")[0]
        return f"{name}{rng.choice('- ')}{other}"
    return _misspell(values, name, rng)


def _short_forms(values: Values, given: str) -> tuple[str, ...]:
    """The short forms for a name without a common one: all of the set."""
    head = given.split()[0].split("-")[0]
    forms = (head[:3], f"{head[:3]}y", head[:4], f"{head[:3]}ie", f"{head[0]}.J.")
    return tuple(form for form in forms if len(head) > 4 and values.owns(form)) or (head,)


def _fitting(names: tuple[str, ...], gender: str, rng: random.Random) -> str:
    """A name not typical of the other gender."""
    for _ in range(12):
        name = rng.choice(names)
        if name.lower().endswith(_FEMALE_ENDS) == (gender == "f"):
            break
    return name


def _family(values: Values, rng: random.Random) -> str:
    """A family name: common, rare, foreign, a word, double, with a particle or misspelt."""
    chance = rng.random()
    name = _single_family(values, rng)
    if chance < 0.80:
        return name
    if chance < 0.86:
        return f"{name}{rng.choice('-- ')}{_single_family(values, rng)}"
    if chance < 0.90:
        particle = rng.choice(_PARTICLES.split("|"))
        return f"{particle if rng.random() < 0.7 else particle.title()} {name}"
    if chance < 0.94:
        return rng.choice(_PREFIXES) + name
    if chance < 0.97:
        return _invented(values, rng)
    return _misspell(values, name, rng)


def _single_family(values: Values, rng: random.Random) -> str:
    lists, chance = values.lists, rng.random()
    if chance < 0.34:
        return rng.choice(lists["values/family_common"])
    if chance < 0.42:
        return rng.choice(lists["values/family_words"])
    if chance < 0.68:
        return rng.choice(lists["gazetteers/family_names"])
    return rng.choice(lists["gazetteers/world_family_names"])


def _invented(values: Values, rng: random.Random) -> str:
    """A family name that is in no list."""
    for _ in range(30):
        syllables = "".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(2, 3)))
        name = (syllables + rng.choice(_CLOSINGS)).capitalize()
        if values.owns(name):
            return name
    return _single_family(values, rng)


def _misspell(values: Values, name: str, rng: random.Random) -> str:
    """`name` with one letter doubled, dropped, swapped or replaced, in the same set."""
    for _ in range(20):
        at = rng.randrange(1, max(2, len(name) - 1))
        head, char, tail = name[:at], name[at : at + 1], name[at + 1 :]
        replaced = head + rng.choice("aeiouyhk") + tail
        swapped = head + tail[:1] + char + tail[1:]
        changed = rng.choice((head + char * 2 + tail, head + tail, swapped, replaced))
        if len(changed) > 2 and changed.replace("-", "").isalpha() and values.owns(changed):
            return changed
    return name
