from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places_cases import make_note

from spacy_deid.redaction.surrogates.places import places
from spacy_deid.redaction.surrogates.places.atlas import key_of, read_atlas, regions_of

PATIENTS = [f"patient {number}" for number in range(150)]


def surrogates(*pieces, patient="patient 1"):
    return places(make_note(*pieces, patient=patient))


def of_kind(phi_type, value, patients=PATIENTS):
    """What a value becomes for some patients."""
    return [surrogates((phi_type, value), patient=patient)[0] for patient in patients]


def test_places_city_state_and_zip_fit():
    atlas = read_atlas()
    for patient in PATIENTS:
        city, state, code = surrogates(
            ("CITY", "Pittsburgh"), ", ", ("STATE", "PA"), " ", ("ZIP", "15213"), patient=patient
        )
        region = atlas.by_name[key_of(state)]
        assert region.abbr == state != "PA"
        assert (city, code[:3]) in region.cities
        assert code[3:] != "13"


def test_places_far_apart_fit_as_well():
    pieces = (("CITY", "Foxtown"), ", ", ("STATE", "Ohio"), ". Visits ", ("CITY", "FOXTOWN"))
    for patient in PATIENTS:
        first, state, second = surrogates(*pieces, patient=patient)
        assert second == first.upper()
        assert first in dict(read_atlas().by_name[key_of(state)].cities)


def test_places_agree_between_notes():
    assert of_kind("STATE", "PA") == [
        read_atlas().by_name[key_of(name)].abbr for name in of_kind("STATE", "Pennsylvania")
    ]
    for patient in PATIENTS[:20]:
        both = surrogates(("CITY", "Pittsburgh"), ", ", ("STATE", "PA"), patient=patient)
        assert surrogates(("CITY", "Pittsburgh"), patient=patient) == both[:1]


@pytest.mark.parametrize(
    "value, form",
    [
        ("PA", "[A-Z]{2}"),
        ("pa", "[a-z]{2}"),
        ("D.C.", r"[A-Z]\.[A-Z]\."),
        ("Pennsylvania", "[A-Z][a-z]+( [A-Z][a-z]+)?"),
        ("NEW YORK", "[A-Z]+( [A-Z]+)?"),
        ("New\nYork", r"[A-Z][a-z]+\s*\n?([A-Z][a-z]+)?"),
        ("ON", "[A-Z]{2}"),
        ("Zembla", "[A-Z][a-z]+( [A-Z][a-z]+)?"),
    ],
)
def test_places_state_keeps_its_form(value, form):
    for surrogate in of_kind("STATE", value):
        assert re.fullmatch(form, surrogate)
        assert surrogate.casefold() != value.casefold()
        assert surrogate.count("\n") == value.count("\n")


@pytest.mark.parametrize("value", ["USA", "UK", "U.S.", "Kenya", "the Philippines", "CUBA"])
def test_places_country(value):
    for surrogate in of_kind("COUNTRY", value):
        assert surrogate.casefold() != value.casefold()
        assert surrogate.isupper() == value.isupper()
        assert surrogate.startswith("the ") == value.startswith("the ")


def test_places_city_abroad_lies_in_the_surrogate_country():
    for patient in PATIENTS:
        city, country = surrogates(("CITY", "Lagos"), ", ", ("COUNTRY", "Nigeria"), patient=patient)
        cities = [city for region in regions_of(country) for city in region.cities]
        assert city in dict(cities) or len(cities) == 0
        assert country != "Nigeria"


@pytest.mark.parametrize("value", ["15213", "15213-1234", "152131234", "02139", "03601", "99999"])
def test_places_zip(value):
    for surrogate in of_kind("ZIP", value):
        assert re.sub(r"\d", "0", surrogate) == re.sub(r"\d", "0", value)
        assert surrogate[:3] in read_atlas().by_zip
        assert surrogate[:3] != value[:3] and surrogate[3:5] != value[3:5]


@pytest.mark.parametrize("value", ["M5V 2T6", "SW1A 2AA", "2150"])
def test_places_postcode_abroad(value):
    for surrogate in of_kind("ZIP", value):
        form = re.sub(r"\d", "0", re.sub("[A-Z]", "A", value))
        assert re.sub(r"\d", "0", re.sub("[A-Z]", "A", surrogate)) == form
        assert surrogate != value


@pytest.mark.parametrize(
    "phi_type, value, form",
    [
        ("STREET", "1423 Oak St., Apt 4B", r"[1-9]\d{3} [A-Z][a-z]+ St\., Apt [1-9][A-Z]"),
        ("STREET", "12 N. MAIN AVE #3", r"\d\d N\. [A-Z]+ AVE #\d"),
        ("STREET", "P.O. Box 0123", r"P\.O\. Box 0[1-9]\d\d"),
        ("STREET", "E 42nd Street", r"E \d\d(st|nd|rd|th) Street"),
        ("STREET", "I-95", r"I-\d\d"),
        ("STREET", "State Street", r"[A-Z][a-z]+ Street"),
        ("STREET", "Broadway", r"[A-Z][a-z]+"),
        ("STREET", "Highway", r"[A-Z][a-z]+"),
        ("STREET", "Hauptstrasse 5", r"[A-Z][a-z]+strasse \d"),
        ("HOSPITAL", "Mercy General Hospital", r"[A-Z][a-z]+ General Hospital"),
        ("HOSPITAL", "St. Mary's Clinic", r"St\. [A-Z][a-z]+'s Clinic"),
        ("HOSPITAL", "Pittsburgh VA", r"[A-Z][\w ]+ VA"),
        ("HOSPITAL", "the VA", r"the [A-Z][a-z]+ VA"),
        ("HOSPITAL", "Temple University Hospital", r"[A-Z][a-z]+ University Hospital"),
        ("HOSPITAL", "University Hospital", r"[A-Z][a-z]+ University Hospital"),
        ("HOSPITAL", "Mission", r"[A-Z][a-z]+"),
        ("ORGANIZATION", "GENERAL MOTORS", r"[A-Z]+ MOTORS"),
        ("ORGANIZATION", "American Airlines", r"[A-Z][a-z]+ Airlines"),
        ("ORGANIZATION", "State Farm", r"[A-Z][a-z]+ Farm"),
        ("HOSPITAL", "MGH", "[A-Z]{3}"),
        ("HOSPITAL", "4 West", "[1-9] (North|South|East)"),
        ("HOSPITAL", "Thayer 6", r"[A-Z][a-z]+ \d"),
        ("HOSPITAL", "5E", r"\d[A-Z]"),
        ("HOSPITAL", "mercy hospital", "[a-z]+ hospital"),
        ("ORGANIZATION", "First Baptist Church", r"[A-Z][a-z]+ [A-Z][a-z]+ Church"),
        ("ORGANIZATION", "Acme Widgets, Inc.", r"[A-Z][a-z]+ [A-Z][a-z]+, Inc\."),
        ("ORGANIZATION", "University\nof Foxtown", r"University\nof [A-Z][a-z]+"),
        ("LOCATION-OTHER", "Allegheny County", r"[A-Z][a-z]+ County"),
        ("LOCATION-OTHER", "Lake Foo", r"Lake [A-Z][a-z]+"),
        ("LOCATION-OTHER", "Central Park", r"[A-Z][a-z]+ Park"),
        ("DEPARTMENT", "Thorn ICU", r"[A-Z][a-z]+ ICU"),
        ("ROOM", "Rm 512-B", r"Rm \d{3}-[A-Z]"),
        ("OTHER", "Foo 12", r"[A-Z][a-z]{2} \d\d"),
    ],
)
def test_places_keep_form_and_generic_words(phi_type, value, form):
    found = of_kind(phi_type, value)
    assert all(re.fullmatch(form, surrogate) for surrogate in found)
    assert value not in found
    assert len(set(found)) > 1


def test_places_department_of_generic_words_stays():
    assert surrogates(("DEPARTMENT", "Cardiology"), ("ROOM", "ICU")) == ["Cardiology", "ICU"]


def test_places_ordinals_end_as_they_are_said():
    ends = {"1": "st", "2": "nd", "3": "rd"}
    for surrogate in of_kind("STREET", "142nd Street"):
        number, end = re.match(r"(\d+)(\w\w)", surrogate).groups()
        assert end == ("th" if number[1] == "1" else ends.get(number[2], "th"))


def test_places_abbreviation_has_the_letters_of_the_surrogate():
    for patient in PATIENTS:
        full, letters, dotted, short = surrogates(
            ("HOSPITAL", "Mercy General Hospital"),
            ("HOSPITAL", "MGH"),
            ("HOSPITAL", "m.g.h."),
            ("HOSPITAL", "Mercy"),
            patient=patient,
        )
        assert letters == f"{full[0]}GH" != "MGH"
        assert dotted == f"{full[0]}.g.h.".lower()
        assert full.startswith(f"{short} ")


def test_places_hospital_of_a_city_moves_with_it():
    city, hospital = surrogates(("CITY", "Pittsburgh"), ("HOSPITAL", "CHILDREN'S OF PITTSBURGH"))
    assert hospital == f"CHILDREN'S OF {city.upper()}"


def test_places_do_not_repeat_other_names_of_the_note():
    values = ["Lincoln Hospital", "Auburn Clinic", "Madison", "Franklin"]
    originals = {"lincoln", "auburn", "madison", "franklin"}
    for patient in PATIENTS:
        found = surrogates(*(("HOSPITAL", value) for value in values), patient=patient)
        assert not originals & set(" ".join(found).casefold().split())


VALUES = st.text(st.characters(codec="utf-8"), max_size=25) | st.text("aB1 .'-\n,é", max_size=12)
KINDS = "STREET CITY STATE COUNTRY ZIP LOCATION-OTHER HOSPITAL ORGANIZATION PROFESSION OTHER"


@given(st.sampled_from(KINDS.split()), VALUES, st.text(max_size=5))
def test_places_stand_any_text(phi_type, value, patient):
    note = make_note((phi_type, value), patient=patient)
    (surrogate,) = places(note)
    assert places(note) == [surrogate]
    assert surrogate.count("\n") == value.count("\n")
    if any(map(str.isalnum, value)):
        assert surrogate.casefold() != value.casefold()


@pytest.mark.parametrize("value", ["\n A", "\n St A", "The\nRiver"])
def test_places_of_generic_words_keep_their_line_breaks(value):
    (surrogate,) = surrogates(("LOCATION-OTHER", value))
    assert surrogate.count("\n") == 1 and surrogate.casefold() != value.casefold()


def test_places_without_spans():
    assert places(make_note("nothing here")) == []
