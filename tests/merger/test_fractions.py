import math

import pytest
from spacy.tokens import Span

from spacy_deid.annotation.candidates import write_candidates
from spacy_deid.merger.fractions import judge_fractions, read_evidence


def evidence(text, confidences=None):
    """The evidence for the first fraction of a text."""
    return next(iter(read_evidence(text, text.split(), confidences or {}).values()))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("seen 14/3 , admitted 12/03/2024", 2),
        ("seen 3/14 , admitted 03/28/24", 14),
        ("seen 3/14 , admitted 2024-03-12", 2),
        ("seen 14/3 , admitted 12 Mar", 2),
        ("seen 14/3 , admitted March 12", 2),
        ("seen 14/3 , admitted 12th of Sept. or 13-Mar-24", 1),
        ("seen 31/12 , admitted 2/1/2024", 2),
        ("seen 1/1 , admitted 30.12.2024", 2),
    ],
)
def test_days_to_the_nearest_complete_date(text, days):
    assert evidence(text).distance == pytest.approx(math.log1p(days))


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("3/24 and 13/03/2024", -1),
        ("24/3 and 13/03/2024", 1),
        ("3/4 and 13/03/2024", 0),
        ("28/7 and 03/13/2024", -1),
        ("7/28 and 03/13/2024", 1),
        ("3/24 and 03/04/2024", 0),
        ("3/24 and 13/03/2024 and 03/13/2024", 0),
        ("45/60 and 13/03/2024", 0),
    ],
)
def test_order_of_day_and_month(text, order):
    assert evidence(text).order == order


@pytest.mark.parametrize(
    ("text", "weeks", "part"),
    [
        ("3/7 and 2/52 , 1 May 2024", True, True),
        ("2/12 over 15/60 , 1 May 2024", True, True),
        ("3/7 and 2/52", True, True),
        ("3/8 and 2/52 , 1 May 2024", True, False),
        ("3/7 , vision 6/60 and 20/60 , 1 May 2024", False, False),
        ("3/7 and 2/5 , 1 May 2024", False, False),
    ],
)
def test_notes_that_count_weeks(text, weeks, part):
    found = evidence(text)
    assert (found.in_weeks, found.is_part) == (weeks, part)


@pytest.mark.parametrize("text", ["room 39 May", "may 2 tabs", "in 3 may go", "at 10.12.20.5"])
def test_no_dates(text):
    assert not read_evidence(f"{text} , 3/7", ["3/7"], {0: 0.9})


def test_a_day_with_two_equal_numbers_is_in_one_month():
    found = read_evidence("5/5 18/5 2024-05-01", ["5/5", "18/5"], {0: 0.95, 1: 0.9})
    assert found[0].same_month == found[1].detector


def test_another_fraction_in_the_same_month():
    text = "14/3 and 18/3 and 18/3 and 18/4 , 13/03/2024"
    found = read_evidence(text, text.split(), {2: 0.5, 4: 0.9, 6: 0.99})
    assert found[0].same_month == found[4].detector > found[2].detector
    assert found[4].same_month < 0  # of 14/3, in which the detector has no confidence
    assert found[6].same_month == 0


@pytest.mark.parametrize("text", ["3/7 and 2/5", "nothing on 13/03/2024", ""])
def test_nothing_is_judged_without_evidence(text):
    assert read_evidence(text, text.split(), {0: 0.9}) == {}


def test_nothing_is_judged_where_no_fraction_is_suspected():
    assert judge_fractions("3/7 , 1 May 2024", ["3/7", "May"], {1: 0.9}) == {}
    assert judge_fractions("3/7 , 1 May 2024", ["3/7", "May"], {0: 0.1}) != {}


def test_confidence_rises_with_the_evidence():
    text = "Seen 12/03/2024. 14/3 review ; abx 3/7 , off work 2/52"
    judged = judge_fractions(text, text.split(), {2: 0.4, 6: 0.4})
    words = {text.split()[i]: confidence for i, confidence in judged.items()}
    assert words["14/3"] > 0.4 > words["3/7"]


@pytest.mark.parametrize(("supported", "expected"), [(True, ["14/3"]), (False, ["3/7", "14/3"])])
def test_merger_judges_fractions_of_a_detector_that_supports_another(nlp, supported, expected):
    doc = nlp.make_doc("Abx 3/7, off work 2/52. Review 14/3. Seen 12/03/2024.")
    for detector in ("rules", "tagger", "phi_known"):
        write_candidates(doc, detector, [])
    spans = [Span(doc, t.i, t.i + 1, label="DATE") for t in doc if t.text in ("3/7", "14/3")]
    write_candidates(doc, "tagger", [(span, 0.45) for span in spans])
    opinions = {"rules": "tagger"} if supported else {}
    settings = {"detectors": ["phi_known", "rules", "tagger"], "threshold": 0.25}
    merger = nlp.create_pipe("phi_merger", config={**settings, "second_opinions": opinions})
    assert [ent.text for ent in merger(doc).ents] == expected


def test_known_dates_are_not_judged(nlp):
    doc = nlp.make_doc("Abx 3/7, off work 2/52. Seen 12/03/2024.")
    known = Span(doc, 1, 2, label="DATE")
    assert known.text == "3/7"
    write_candidates(doc, "phi_known", [(known, 0.99)])
    write_candidates(doc, "rules", [])
    write_candidates(doc, "tagger", [(known, 0.02)])
    settings = {"detectors": ["phi_known", "rules", "tagger"], "threshold": 0.25}
    merger = nlp.create_pipe(
        "phi_merger", config={**settings, "second_opinions": {"rules": "tagger"}}
    )
    assert [ent.text for ent in merger(doc).ents] == ["3/7"]


def test_many_fractions_take_linear_time():
    """50,000 fractions, 10,000 of them different: comparing each with each would take minutes."""
    words = [f"{a}/{b}" for a in range(100) for b in range(100)] * 5
    text = " ".join([*words, *(f"{a}/{b}/2024" for a in range(1, 32) for b in range(1, 13))])
    assert len(judge_fractions(text, text.split(), dict.fromkeys(range(50_000), 0.5))) == 50_000
