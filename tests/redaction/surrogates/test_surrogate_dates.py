from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from note_makers import make_note, make_text

from spacy_deid.redaction.date_shift import DateShift
from spacy_deid.redaction.surrogates import surrogate
from spacy_deid.redaction.surrogates.dates.holidays import holiday_in
from spacy_deid.redaction.surrogates.dates.shifting import date_shift, dates

PATIENTS = st.integers(0, 10_000).map("patient {}".format)
DAYS = st.dates(date(1951, 1, 1), date(2098, 12, 31))
FULL = "{0:%m/%d/%Y}|{0:%Y-%m-%d}|{0:%Y%m%d}|{0:%B} {0.day}, {0.year}|{0:%m.%d.%Y}".split("|")
PARTIAL = "{0:%m/%d}|{0:%B} {0.day}|{0.day} {0:%B}|{0:%A}, {0:%B} {0.day}".split("|")
COARSE = (
    "January|Feb|March 2067|summer|fall of '98|Winter 2067|Christmas|Easter|5/67|04/2067|Sept '08|"
    "summers of 2067|Q3 2067|Q4"
).split("|")
SHORT = DateShift("weeks", 7, 45)
WEEKS = st.sampled_from([DateShift(), SHORT])
RANGES = st.sampled_from([DateShift(), SHORT, DateShift("days", 1, 3652)])


def move(*values, patient="patient 1", within=SHORT):
    return dates(make_note("DATE", *values, patient=patient, date_shift=within))


def shift_of(patient="patient 1", within=SHORT):
    return date_shift(make_note("DATE", patient=patient, date_shift=within))


def patient_with(shift, within=SHORT):
    """A patient whose dates move by some days."""
    names = (f"patient {number}" for number in range(10_000))
    return next(name for name in names if shift_of(name, within).days == shift)


def test_every_shift_of_the_range_is_drawn():
    shifts = {shift_of(f"patient {number}").days for number in range(2000)}
    assert shifts == {sign * 7 * weeks for weeks in range(7, 46) for sign in (1, -1)}


@given(first=DAYS, second=DAYS, form=st.sampled_from(FULL), patient=PATIENTS, within=RANGES)
def test_intervals_and_forms_are_kept(first, second, form, patient, within):
    moved = [form.format(day + shift_of(patient, within)) for day in (first, second)]
    assert move(form.format(first), form.format(second), patient=patient, within=within) == moved


@given(
    latest=DAYS,
    back=st.integers(0, 180),
    form=st.sampled_from(PARTIAL),
    patient=PATIENTS,
    within=WEEKS,
)
def test_dates_without_year_lie_near_the_latest_date(latest, back, form, patient, within):
    day = latest - timedelta(days=back)
    found, _ = move(form.format(day), f"{latest:%Y-%m-%d}", patient=patient, within=within)
    assert found == form.format(day + shift_of(patient, within))


@given(day=DAYS, patient=PATIENTS, within=RANGES)
def test_years_of_two_digits_move_alike(day, patient, within):
    whole, short = move(f"{day:%m/%d/%Y}", f"{day:%m/%d/%y}", patient=patient, within=within)
    assert short == whole[:6] + whole[8:]


@pytest.mark.parametrize("history", ["DOB: [10/14/1986].", "Birthdate\n[1986]", "Fell in [1986];"])
def test_a_long_history_does_not_change_the_century_of_short_years(history):
    for number in range(100):
        note = replace(make_text("DATE", f"{history} Seen [05/25/03]"), patient=f"patient {number}")
        assert dates(note)[1] == f"{date(2003, 5, 25) + date_shift(note):%m/%d/%y}"


@pytest.mark.parametrize("within", [DateShift(), SHORT])
@pytest.mark.parametrize("value", COARSE)
def test_no_month_season_or_holiday_stays(value, within):
    for number in range(300):
        (surrogate,) = move(value, patient=f"patient {number}", within=within)
        words = re.compile(r"[A-Za-z]{3,}|^\d+(?=/)")
        assert not set(words.findall(value)) & set(words.findall(surrogate))


def test_names_of_weekdays_stay():
    values = ["Tuesday", "MWF"]
    assert move(*values) == move(*values, within=DateShift()) == values


def test_decades_move_by_their_middle():
    values = ["the 1980s", "'90s", "00S", "3/4/2007"]
    forth, back = (patient_with(sign * 7 * 300, DateShift(least=300, most=300)) for sign in (1, -1))
    within = DateShift(least=300, most=300)  # 5.75 years
    assert move(*values, patient=forth, within=within)[:3] == ["the 1990s", "'00s", "10S"]
    assert move(*values, patient=back, within=within)[:3] == ["the 1970s", "'80s", "90S"]
    assert move(*values)[:3] == values[:3]
    assert move(values[0], patient=forth, within=within) == ["the 1990s"]


def test_bare_years_move_as_their_middle():
    assert move("1998", "'98", patient=patient_with(182)) == ["1998", "'98"]
    assert move("1998", "'98", patient=patient_with(189)) == ["1999", "'99"]
    assert move("1998", "2000-2003", patient=patient_with(-189)) == ["1997", "1999-2002"]


@pytest.mark.parametrize("sign", "/-")
def test_the_years_of_a_season_stay_neighbours(sign):
    for number in range(20):
        (new,) = move(f"2018{sign}19", patient=f"patient {number}", within=DateShift())
        first, second = new.split(sign)
        assert len(first) == 4 and int(second) == int(first) % 100 + 1


def test_a_note_without_years_moves_in_a_usual_year():
    """However many years a shift has: no leap day, and the same intervals."""
    for number in range(300):
        patient = f"patient {number}"
        days = [date(2002, 1, 1) + timedelta(days=days) for days in range(0, 365, 7)]
        days += [day + timedelta(days=1) for day in days]
        moved = move(*(f"{day:%m/%d}" for day in days), patient=patient, within=DateShift())
        steps = {
            (date(2002, *map(int, new.split("/"))) - day).days % 365
            for day, new in zip(days, moved, strict=True)
        }
        assert len(steps) == 1 and 48 <= min(steps) <= 317


def test_leap_days():
    patient = patient_with(49)
    assert move("2/29", patient=patient) == ["4/18"]
    assert move("2/29", "3/1/2068", patient=patient) == ["4/18", "4/19/2068"]
    assert move("2/28/2067", "2/30/2067", patient=patient) == ["4/18/2067", "4/18/2067"]
    assert move("2/28", "3/1", patient=patient) == ["4/18", "4/19"]  # no year: none that leaps


def test_a_year_of_birth_is_not_the_year_of_visits():
    """However the leap days after the birth lie, visits move as they do without it."""
    for number in range(100):
        for birth in ("2/29/1980", "3/4/79", "1982"):
            note = make_text("DATE", f"DOB [{birth}]. Seen [3/4], again [3/18]")
            visits = dates(replace(note, patient=f"patient {number}"))[1:]
            assert visits == move("3/4", "3/18", patient=f"patient {number}", within=DateShift())


@given(day=DAYS, patient=PATIENTS, within=WEEKS)
def test_weeks_and_days_of_a_year_are_moved(day, patient, within):
    forms = ("{0:%G}-W{0:%V}-{0:%u}", "{0:%G}-W{0:%V}", "{0:%Y}-{0:%j}")
    moved = move(*(form.format(day) for form in forms), patient=patient, within=within)
    assert moved == [form.format(day + shift_of(patient, within)) for form in forms]


def test_a_year_begins_between_two_dates():
    patient = patient_with(49)
    assert move("12/28", "1/3", "1/5/2067", patient=patient) == ["2/15", "2/21", "2/23/2067"]
    assert move("12/28-1/3/2068", patient=patient) == ["2/15-2/21/2068"]


def test_bare_days_lie_near_the_date_before_them():
    patient = patient_with(49)
    assert move("2/27/2067", "the 4th", patient=patient) == ["4/17/2067", "the 22nd"]
    assert move("the 31st", "2/9/2067", patient=patient) == ["the 21st", "3/30/2067"]
    assert move("2/27/2067", "first of the month", patient=patient)[1] == "nineteenth of the month"


@pytest.mark.parametrize("dash", ["-", " \u2013 ", " to "])
@pytest.mark.parametrize("first, last", [("7", "9 June"), ("28", "3 July"), ("1", "3 July 2065")])
def test_a_bare_day_that_begins_a_range_lies_near_its_end(first, last, dash):
    moved = dates(make_text("DATE", f"[20 January 2066]. Away [{first}]{dash}[{last}]"))
    alone = dates(make_text("DATE", f"[20 January 2066]. Away [{last}]"))
    assert moved[2] == alone[1]
    end = date(2066, 1, int(alone[1].split()[0]))
    assert int(moved[1]) in ((end - timedelta(days=days)).day for days in (2, 5))


def test_day_first_if_the_note_proves_it():
    patient = patient_with(49)
    assert move("03/04/2067", patient=patient) == ["04/22/2067"]
    assert move("03/04/2067", "13/04/2067", patient=patient) == ["22/05/2067", "01/06/2067"]
    assert move("03/04/2067", "04/13/2067", patient=patient) == ["04/22/2067", "06/01/2067"]
    assert move("03/04/2067", "03/14/2067", "13/04/2067", patient=patient)[0] == "04/22/2067"


def test_two_digits_are_padded_as_the_note_pads():
    patient = patient_with(49)
    assert move("12/12/2067", patient=patient) == ["01/30/2068"]
    assert move("12/12/2067", "3/4/67", patient=patient)[0] == "1/30/2068"
    assert move("December 15, 2067", patient=patient) == ["February 2, 2068"]
    assert move("December 15, 2067", "Apr 07 2067", patient=patient)[0] == "February 02, 2068"


def test_holidays_become_days():
    patient = patient_with(49)
    assert move("Christmas", "12/25", patient=patient) == ["February 12", "02/12"]
    assert move("Thanksgiving 2067", patient=patient) == ["January 12, 2068"]
    assert move("EASTER '24", patient=patient) == ["MAY 19 '24"]


@pytest.mark.parametrize(
    "name, expected",
    [
        ("Easter", date(2024, 3, 31)),
        ("Good Friday", date(2024, 3, 29)),
        ("Thanksgiving Day", date(2024, 11, 28)),
        ("black  friday", date(2024, 11, 29)),
        ("Memorial Day", date(2024, 5, 27)),
        ("Labor\nDay", date(2024, 9, 2)),
        ("MLK Day", date(2024, 1, 15)),
        ("Mother\u2019s Day", date(2024, 5, 12)),
        ("Presidents' Day", date(2024, 2, 19)),
        ("St. Patrick's Day", date(2024, 3, 17)),
        ("New Year's Eve", date(2024, 12, 31)),
        ("New Year Eve", date(2024, 12, 31)),
        ("Indigenou Peoples Day", date(2024, 10, 14)),
        ("Election Day", date(2024, 11, 5)),
    ],
)
def test_holidays(name, expected):
    assert holiday_in(name, 2024) == expected


@pytest.mark.parametrize(
    "value", ["99/99/99", "13/45/67", "Foober 9999", "1105", "\u05de\u05e8\u05e5 \u0663"]
)
def test_what_cannot_be_read_gets_other_letters_and_digits(value):
    for number in range(50):
        (surrogate,) = move(value, patient=f"patient {number}")
        assert len(surrogate) == len(value)
        for old, new in zip(value, surrogate, strict=True):
            assert (old != new) == old.isalnum()
            assert (old.isdigit(), old.isupper()) == (new.isdigit(), new.isupper())


def test_one_patient_has_one_shift_and_two_have_two():
    text = make_text("DATE", "seen [3/4/2067], again [3/9/2067]")
    moved = move("3/4/2067", "3/9/2067", within=DateShift())
    assert dates(text) == dates(text) == moved
    assert len({tuple(move("3/4/2067", patient=f"{number}")) for number in range(50)}) > 20


@given(
    st.lists(st.text(alphabet="0123456789/-., OlſMarchsdy\u0131\u2019²א", min_size=1, max_size=20))
)
def test_no_text_breaks_it(values):
    assert len(move(*values)) == len(values)


@pytest.mark.parametrize(
    "text, form",
    [
        ("DOB: [|0|3|/|0|4|/|1|9|5|6]|", r"DOB: \|\d\d/\d\d/19\d\d\|"),
        ("DOB: [|1|1|/|1|8|/|1|9|8|1]|", r"DOB: \|\d\d/\d\d/19\d\d\|"),
        ("[03</b>/<b>04</b>/<b>2067]</b>", r"\d\d</b>/<b>\d\d</b>/<b>20\d\d</b>"),
        ("Seen [1 2 / 1 4 / 1 9 5 7]", r"Seen \d\d/\d\d/19\d\d"),
        ("[198502]", r"19\d\d(0[1-9]|1[0-2])"),
    ],
)
def test_dates_in_forms_and_markup_are_read(text, form):
    for number in range(20):
        note = replace(make_text("DATE", text), patient=f"patient {number}")
        (span,), (new,) = note.spans, surrogate(note)
        assert re.fullmatch(form, note.text[: span.start] + new + note.text[span.end :])
