"""Date shifts: enough of them, none that leaves a date as it is, and a range of the user's own."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spacy_deid.annotation.notes import PhiSpan
from spacy_deid.batch import manifest, read_manifest, redact_files
from spacy_deid.redaction import (
    DateShift,
    Key,
    Policy,
    RedactionError,
    Redactor,
    find_policy,
    redact,
)
from spacy_deid.redaction.surrogates import SCHEME

KEY = Key(b"0123456789abcdef")
MONTHS = "January February March April May June July August September October November December"
COARSE = [*MONTHS.split(), "winter", "spring", "summer", "fall", "Christmas", "Easter"]
WORD = re.compile("[A-Za-z]{3,}")


def move(text, shift, patient="1"):
    """The dates of a text, one in each line, shifted; an empty line stays."""
    ends = [match.span() for match in re.finditer(".+", text)]
    spans = [PhiSpan(start, end, "DATE") for start, end in ends]
    policy = Policy("test", "surrogate", date_shift=shift)
    return Redactor(policy, KEY).redact(text, spans, patient).text.split("\n")


def shift_of(shift, patient):
    (moved,) = move("2020-06-15", shift, patient)
    return (date.fromisoformat(moved) - date(2020, 6, 15)).days


def test_there_are_hundreds_of_shifts_and_none_is_likely():
    drawn = Counter(shift_of(DateShift(), str(patient)) for patient in range(5000))
    assert len(drawn) > 600
    assert max(drawn.values()) < 30
    assert 2300 < sum(n for days, n in drawn.items() if days > 0) < 2700
    assert not any(days % 7 for days in drawn)
    assert 365 < min(map(abs, drawn)) and max(map(abs, drawn)) < 3653


@pytest.mark.parametrize("year", [1899, 1999, 2023, 2098])
def test_no_shift_leaves_a_month_a_season_a_holiday_or_a_year(year):
    lines = [f"{word} {year}" for word in COARSE]
    for days in DateShift().days[::2]:
        shift = DateShift(least=abs(days) // 7, most=abs(days) // 7)
        for patient in ("1", "3"):
            *moved, bare = move("\n".join([*lines, str(year)]), shift, patient)
            for word, new in zip(COARSE, moved, strict=True):
                assert word not in WORD.findall(new)
            assert bare != str(year)


def test_both_signs_were_tried():
    assert {shift_of(DateShift(least=60, most=60), patient) for patient in ("1", "3")} == {
        -420,
        420,
    }


@given(
    days=st.integers(49, 50 * 365),
    year=st.integers(1701, 2248),
    word=st.sampled_from(COARSE[:-2]),
    patient=st.integers(0, 5).map(str),
)
def test_no_shift_of_any_range_leaves_a_month_or_a_season(days, year, word, patient):
    assume(49 <= days % 365.2425 <= 315)
    lines = f"{word} {year}\n{word}"
    for new in move(lines, DateShift("days", days, days), patient):
        assert word not in WORD.findall(new)


@given(
    day=st.dates(date(1960, 1, 1), date(2030, 1, 1)),
    later=st.integers(0, 40_000),
    patient=st.integers(0, 500).map(str),
)
def test_intervals_order_and_weekdays_are_exact(day, later, patient):
    first, last = (
        date.fromisoformat(new)
        for new in move(f"{day}\n{day + timedelta(days=later)}", DateShift(), patient)
    )
    assert (last - first).days == later
    assert first.weekday() == day.weekday() and first != day


@given(patient=st.integers(0, 500).map(str))
def test_a_short_year_stays_between_its_neighbours(patient):
    """A bare year or a decade moves as the dates around it do, to a year."""
    moved = move("3/4/1996\n1998\n'98\n1990s\n3/4/2000", DateShift(), patient)
    first, bare, short, decade, last = moved
    assert int(first[-4:]) < int(bare) < int(last[-4:])
    assert short == f"'{bare[-2:]}"
    assert abs(int(decade[:4]) + 5 - int(bare) + 3) <= 6


def write(folder, content):
    path = folder / "ours.cfg"
    path.write_text('[policy]\ndefault = "surrogate"\n' + content)
    return path


def test_the_policy_file_sets_unit_and_range(nlp, tmp_path):
    section = '[policy.date_shift]\nunit = "days"\nleast = 100\nmost = 101\n'
    policy = find_policy(write(tmp_path, section))
    assert policy.date_shift == DateShift("days", 100, 101)
    drawn = set()
    for patient in range(40):
        text = redact(nlp("On 3/4/67."), policy, patient_id=str(patient), key=KEY).text
        month, day, year = map(int, re.findall("[0-9]+", text))
        drawn.add((date(2000 + year, month, day) - date(2067, 3, 4)).days)
    assert drawn == {-101, -100, 100, 101}


def test_parts_of_the_range_may_be_left_out(tmp_path):
    policy = find_policy(write(tmp_path, "[policy.date_shift]\nmost = 104\n"))
    assert policy.date_shift == DateShift("weeks", 52, 104)
    assert find_policy("i2b2").date_shift == find_policy("surrogate").date_shift == DateShift()


def test_the_policy_says_how_ambiguous_dates_are_read(nlp, tmp_path):
    for day_first in (False, True):
        section = f"[policy.date_shift]\nday_first = {str(day_first).lower()}\n"
        policy = find_policy(write(tmp_path, section))
        for text, read in [
            ("On 3/4/2067.", "%d/%m/%Y" if day_first else "%m/%d/%Y"),
            ("On 3/4/2067 and 3/28/2067.", "%m/%d/%Y"),
            ("On 3/4/2067 and 28/3/2067.", "%d/%m/%Y"),
        ]:
            new = redact(nlp(text), policy, patient_id="7", key=KEY).text
            first = re.search(r"[0-9]+/[0-9]+/[0-9]+", new)[0]
            shift = datetime.strptime(first, read) - datetime.strptime("3/4/2067", read)
            assert shift.days in policy.date_shift.days


@pytest.mark.parametrize(
    "content, message",
    [
        (
            '[policy.date_shift]\nunit = "months"\n',
            "unknown unit 'months'; the units are weeks, days",
        ),
        ("[policy.date_shift]\nunit = [7]\n", "unknown unit"),
        ("[policy.date_shift]\nleast = 600\n", "'least' not above 'most'"),
        ("[policy.date_shift]\nleast = 0\n", "whole numbers above 0"),
        ("[policy.date_shift]\nleast = -5\n", "whole numbers above 0"),
        ("[policy.date_shift]\nleast = 60.5\n", "whole numbers above 0"),
        ('[policy.date_shift]\nleast = "60"\n', "whole numbers above 0"),
        ("[policy.date_shift]\nleast = true\n", "whole numbers above 0"),
        ("[policy.date_shift]\nmost = 1000000000\n", r"'most' is at most 2608 weeks \(50 years\)"),
        ("[policy.date_shift]\nleast = 51\nmost = 53\n", "holds no shift"),
        ("[policy.date_shift]\nleast = 1\nmost = 6\n", "holds no shift"),
        ("[policy.date_shift]\nday_first = 1\n", "'day_first' must be true or false"),
        ("[policy.date_shift]\nmax = 60\n", r"unknown entry of \[policy.date_shift\], 'max'"),
        ("[policy.dates]\nleast = 60\n", r"unknown entry of \[policy\], 'dates'"),
        ("[date_shift]\nleast = 60\n", "unknown section, 'date_shift'"),
        ("date_shift = 60\n", "is not a policy"),
    ],
)
def test_a_range_that_is_none_is_refused(tmp_path, content, message):
    with pytest.raises(RedactionError, match=message):
        find_policy(write(tmp_path, content))


@pytest.fixture
def run(nlp, tmp_path):
    (tmp_path / "note.txt").write_text("Maria came on 3/4/67.")

    def redacted(policy, **options):
        redact_files(
            [tmp_path / "note.txt"], tmp_path / "out", nlp, policy=policy, key=KEY, **options
        )
        (line, *_) = read_manifest(tmp_path / "out" / "manifest.jsonl")
        return line["run"]["surrogate_scheme"]

    return redacted


def test_the_manifest_tells_the_scheme_and_the_range(run):
    shift = {"unit": "weeks", "least": 52, "most": 522, "day_first": False}
    assert run("surrogate") == {"version": SCHEME, "date_shift": shift}
    assert run("tag", force=True) is None


def test_a_run_is_not_resumed_with_another_scheme(run, monkeypatch):
    run("surrogate")
    run("surrogate", resume=True)
    monkeypatch.setattr(manifest, "SCHEME", SCHEME + 1)
    with pytest.raises(RedactionError, match="surrogate_scheme"):
        run("surrogate", resume=True)


def test_a_run_is_not_resumed_with_another_range(run, tmp_path):
    run(str(write(tmp_path, "")))
    with pytest.raises(RedactionError, match="surrogate_scheme"):
        run(str(write(tmp_path, '[policy.date_shift]\nunit = "days"\n')), resume=True)
