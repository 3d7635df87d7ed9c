"""The definitions of the i2b2 2014 evaluation, each case counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.annotation.phi import LABEL_SETS
from spacy_deid.evaluation import CRITERIA, VIEWS, Counts, score_notes

TEXT = "Maria Lopez, 53RHM, seen 3/4/67 at Mercy."
NAME = PhiSpan(0, 11, "PATIENT")
AGE = PhiSpan(13, 15, "AGE")
DATE = PhiSpan(25, 31, "DATE")
PLACE = PhiSpan(35, 40, "HOSPITAL")


def score(gold, system, label_set=None, text=TEXT, **settings):
    settings["label_set"] = label_set
    return score_notes([Note("1", text, tuple(gold))], [Note("1", text, tuple(system))], **settings)


def count(measure, gold, system, *, view="typed", hipaa=False, label_set=None) -> Counts:
    scheme = "hipaa" if hipaa else "i2b2"
    return score(gold, system, label_set).micro(measure, scheme, view)


def moved(span: PhiSpan, start: int = 0, end: int = 0) -> PhiSpan:
    return PhiSpan(span.start + start, span.end + end, span.type)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_scores_agree_with_themselves(criterion):
    found = score([NAME, AGE, DATE, PLACE], [NAME, AGE, DATE, PLACE]).micro(*criterion)
    assert (found.precision, found.recall, found.f1, found.f2) == (1, 1, 1, 1)
    spans = 3 if criterion.scheme == "hipaa" else 4  # HOSPITAL is not in the HIPAA subset
    assert found.tp == spans + (3 if criterion.measure == "token" else 0)


def test_counts_measures():
    counts = Counts(tp=6, fp=2, fn=4)
    assert (counts.precision, counts.recall) == (0.75, 0.6)
    assert counts.f1 == pytest.approx(2 * 0.75 * 0.6 / (0.75 + 0.6))
    assert counts.f2 == pytest.approx(5 * 0.75 * 0.6 / (4 * 0.75 + 0.6))
    assert counts + Counts(1, 1, 1) == Counts(7, 3, 5)


@pytest.mark.parametrize(
    "counts", [Counts(), Counts(fp=3), Counts(fn=3)], ids=["nothing", "only false", "only missed"]
)
def test_counts_undefined_is_zero(counts):
    assert (counts.precision, counts.recall, counts.f1, counts.f2) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    "end, strict, relaxed",
    [
        (0, Counts(tp=1), Counts(tp=1)),
        (1, Counts(fp=1, fn=1), Counts(tp=1)),
        (-2, Counts(fp=1, fn=1), Counts(tp=1)),
        (2, Counts(fp=1, fn=1), Counts(tp=1)),
        (3, Counts(fp=1, fn=1), Counts(fp=1, fn=1)),
    ],
)
@pytest.mark.parametrize("view", VIEWS)
def test_scores_end_off(end, strict, relaxed, view):
    assert count("strict", [DATE], [moved(DATE, end=end)], view=view) == strict
    assert count("relaxed", [DATE], [moved(DATE, end=end)], view=view) == relaxed


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("measure", ["strict", "relaxed"])
def test_scores_start_off_never_matches(measure, view):
    assert count(measure, [DATE], [moved(DATE, start=-1)], view=view) == Counts(fp=1, fn=1)


def test_scores_wrong_type_counts_for_binary_alone():
    wrong = [PhiSpan(NAME.start, NAME.end, "DOCTOR")]
    assert count("strict", [NAME], wrong) == count("relaxed", [NAME], wrong) == Counts(0, 1, 1)
    assert count("strict", [NAME], wrong, view="binary") == Counts(tp=1)
    assert count("token", [NAME], wrong) == Counts(fp=2, fn=2)
    assert count("token", [NAME], wrong, view="binary") == Counts(tp=2)


def test_scores_tokens_are_cut_at_the_span():
    """Gold "53" inside "53RHM" is a token of its own; the whole word is another one."""
    whole = [PhiSpan(13, 18, "AGE")]
    assert count("token", [AGE], [AGE]) == Counts(tp=1)
    assert count("token", [AGE], whole) == Counts(fp=1, fn=1)


def test_scores_tokens_of_a_longer_span():
    longer = [PhiSpan(0, 18, "PATIENT")]
    assert count("token", [NAME], longer) == Counts(tp=2, fp=1)
    assert count("strict", [NAME], longer) == Counts(fp=1, fn=1)


def test_scores_split_span_has_the_same_tokens():
    halves = [PhiSpan(0, 5, "PATIENT"), PhiSpan(6, 11, "PATIENT")]
    assert count("token", [NAME], halves) == Counts(tp=2)
    assert count("strict", [NAME], halves) == Counts(fp=2, fn=1)


def test_scores_adjacent_spans_stay_two():
    """Two tags of one type that touch cut one word into two tokens."""
    halves = [PhiSpan(13, 15, "IDNUM"), PhiSpan(15, 18, "IDNUM")]
    assert count("token", halves, halves) == Counts(tp=2)
    assert count("token", halves, [PhiSpan(13, 18, "IDNUM")]) == Counts(fp=1, fn=2)


def test_scores_span_without_letter_or_digit_is_an_empty_token_at_its_end():
    """ "?", "-- ?" and "\u738b" hold no token of the published script, which counts one anyway."""
    text = "seen by -- ? and \u738b"
    sign, dashes, name = (
        PhiSpan(11, 12, "DOCTOR"),
        PhiSpan(8, 12, "DOCTOR"),
        PhiSpan(17, 18, "DOCTOR"),
    )
    gold = Note("1", text, (sign, name))
    for found, expected in [
        ((), Counts(fn=2)),
        ((sign, name), Counts(tp=2)),
        ((dashes, name), Counts(tp=2)),
        ((PhiSpan(13, 18, "DOCTOR"),), Counts(fp=1, fn=2)),
    ]:
        scores = score_notes([gold], [Note("1", text, found)])
        assert scores.micro("token") == expected
        assert scores.leaks == {"DOCTOR": Counts(tp=expected.tp, fn=expected.fn)}


@pytest.mark.parametrize("criterion", CRITERIA)
def test_scores_duplicates_count_once(criterion):
    twice = [AGE, PhiSpan(AGE.start, AGE.end, AGE.type, "P1")]
    scores = score(twice, [*twice, AGE])
    assert scores.micro(*criterion) == Counts(tp=1)
    assert scores.leaks == {"AGE": Counts(tp=1)}


def test_scores_relaxed_collapses_one_side():
    """Same start and type, ends within 2: one tag under relaxed matching, two under strict."""
    system = [PhiSpan(25, 29, "DATE"), PhiSpan(25, 31, "DATE")]
    assert count("relaxed", [], system) == Counts(fp=1)
    assert count("strict", [], system) == Counts(fp=2)
    assert count("relaxed", [], [PhiSpan(25, 28, "DATE"), *system]) == Counts(fp=2)


@pytest.mark.parametrize("swap", [False, True])
def test_scores_relaxed_two_partners_are_one_match(swap):
    sides = [[PhiSpan(25, 29, "DATE")], [PhiSpan(25, 27, "DATE"), PhiSpan(25, 31, "DATE")]]
    gold, system = reversed(sides) if swap else sides
    assert count("relaxed", gold, system) == Counts(tp=1)


def test_scores_hipaa_filters_each_side_by_its_own_type():
    system = [PhiSpan(0, 11, "DOCTOR"), AGE, PLACE]
    assert count("strict", [NAME, AGE, PLACE], system, hipaa=True) == Counts(tp=1, fn=1)
    assert count("strict", [NAME, AGE, PLACE], system, view="binary", hipaa=True) == Counts(
        tp=1, fn=1
    )
    idnum = [PhiSpan(25, 31, "IDNUM")]
    assert count("token", [DATE], idnum, view="binary", hipaa=True) == Counts(fn=3)


def test_scores_per_type():
    scores = score_notes(
        [Note("1", TEXT, (NAME, AGE, DATE))],
        [Note("1", TEXT, (PhiSpan(0, 11, "DOCTOR"), AGE, moved(DATE, end=1)))],
    )
    assert scores.per_type("strict") == {
        "AGE": Counts(tp=1),
        "DATE": Counts(fp=1, fn=1),
        "DOCTOR": Counts(fp=1),
        "PATIENT": Counts(fn=1),
    }
    assert scores.per_type("token", view="binary") == {"": Counts(tp=6)}
    assert scores.micro("strict") == Counts(tp=1, fp=2, fn=2)


def test_scores_other_label_set():
    gold = [PhiSpan(0, 11, "PERSON"), PhiSpan(13, 15, "DATE_TIME"), PhiSpan(35, 40, "LOCATION")]
    system = [NAME, AGE, PhiSpan(35, 40, "DEVICE")]
    settings = {"label_set": LABEL_SETS["presidio"]}
    assert count("strict", gold, system, **settings) == Counts(tp=2, fp=1, fn=1)
    assert count("token", gold, system, **settings) == Counts(tp=3, fp=1, fn=1)
    assert count("strict", gold, system, view="binary", **settings) == Counts(tp=3)
    assert count("strict", gold, system, hipaa=True, **settings) == Counts(tp=2, fp=1, fn=1)
    assert score(gold, system, **settings).per_type("strict")["ID"] == Counts(fp=1)


def test_labels_of_the_same_set_are_compared_as_they_are():
    """AGE is also covered by DATE_TIME, and ORGANIZATION shares HOSPITAL with LOCATION."""
    presidio = LABEL_SETS["presidio"]
    settings = {"label_set": presidio, "system_label_set": presidio}
    dated, place = PhiSpan(25, 31, "DATE_TIME"), PhiSpan(35, 40, "ORGANIZATION")
    scores = score([dated], [dated, AGE, place], **settings)
    assert scores.per_type("strict") == {
        "AGE": Counts(fp=1),
        "DATE_TIME": Counts(tp=1),
        "ORGANIZATION": Counts(fp=1),
    }
    aged = [PhiSpan(25, 31, "AGE")]
    for gold, system in (([dated], aged), (aged, [dated])):
        assert score(gold, system, **settings).micro("strict") == Counts(fp=1, fn=1)


@pytest.mark.parametrize("other", [None, LABEL_SETS["i2b2-2006"]], ids=["types", "i2b2-2006"])
def test_labels_of_two_sets_agree_if_they_share_a_type_on_whichever_side(other):
    dated, aged = [PhiSpan(25, 31, "DATE_TIME")], [PhiSpan(25, 31, "AGE")]
    for one, two, sets in (
        (dated, aged, (LABEL_SETS["presidio"], other)),
        (aged, dated, (other, LABEL_SETS["presidio"])),
    ):
        settings = dict(zip(("label_set", "system_label_set"), sets, strict=True))
        assert score(one, two, **settings).micro("strict") == Counts(tp=1)


def test_false_positives_count_under_the_nearest_gold_label():
    scores = score([], [AGE, PLACE], label_set=LABEL_SETS["presidio"])
    assert set(scores.per_type("strict")) == {"AGE", "ORGANIZATION"}


def test_scores_empty_text_and_no_notes():
    scores = score_notes([Note("1", "")], [Note("1", "")])
    assert scores.ids == ("1",)
    assert scores.micro("token") == Counts()
    assert scores.leak_free_notes == 1
    nothing = score_notes([], [])
    assert nothing.micro("strict") == Counts()
    assert (nothing.macro("strict").f1, nothing.leak_free_notes) == (0, 0)


def test_scores_sum_over_notes_in_any_order():
    gold = [Note("1", TEXT, (NAME,)), Note("2", TEXT, (AGE, DATE))]
    system = [Note("2", TEXT, (AGE,)), Note("1", TEXT, (NAME, PLACE))]
    scores = score_notes(iter(gold), iter(system))
    assert scores.ids == ("1", "2")
    assert scores.micro("strict") == Counts(tp=2, fp=1, fn=1)


@pytest.mark.parametrize(
    "gold, system, message",
    [
        (["1", "2"], ["2"], "the system lacks note '1'$"),
        (["1", "2", "3"], [], "the system lacks notes '1', '2', '3'$"),
        ([str(i) for i in range(9)], [], "lacks notes '0', '1', '2', '3', '4' and 4 more$"),
        (["1", "1"], ["1"], "the gold has twice note '1'$"),
        ([], ["1"], "the gold lacks note '1'$"),
        (["1"], ["1", "1"], "the system has twice note '1'$"),
    ],
)
def test_scores_unpaired_notes_fail(gold, system, message):
    with pytest.raises(ValueError, match=message):
        score_notes([Note(name, TEXT) for name in gold], [Note(name, TEXT) for name in system])


def test_scores_other_text_fails_without_showing_it():
    with pytest.raises(ValueError, match="do not have the same text for note '1'") as error:
        score_notes([Note("1", TEXT)], [Note("1", TEXT + " ")])
    assert "Maria" not in str(error.value)


class LooseTag:
    """A tag as sets see it under relaxed matching: the hash leaves the end out."""

    def __init__(self, span: PhiSpan) -> None:
        self.key, self.end = (span.start, span.type), span.end

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: LooseTag) -> bool:
        return self.key == other.key and abs(self.end - other.end) <= 2


def spans_without_overlap():
    bounds = st.lists(st.integers(0, 40), max_size=12, unique=True).map(sorted)
    pairs = bounds.map(lambda ends: list(zip(ends[::2], ends[1::2], strict=False)))
    types = st.sampled_from(["DATE", "CITY"])
    return pairs.flatmap(
        lambda pairs: st.tuples(
            *(st.builds(PhiSpan, st.just(a), st.just(b), types) for a, b in pairs)
        )
    )


@given(spans_without_overlap(), spans_without_overlap())
def test_scores_equal_those_of_sets(gold, system):
    scores = score(gold, system, text="x" * 41)
    for measure, make in (("strict", lambda span: span), ("relaxed", LooseTag)):
        golds, systems = {make(span) for span in gold}, {make(span) for span in system}
        expected = Counts(len(golds & systems), len(systems - golds), len(golds - systems))
        assert scores.micro(measure) == expected


def test_scores_macro_by_hand():
    """Precision 1/2, 0, 1 and recall 1, 0, 1/2 (nothing found counts as 0)."""
    gold = [Note("1", TEXT, (NAME,)), Note("2", TEXT, (AGE,)), Note("3", TEXT, (AGE, DATE))]
    system = [Note("1", TEXT, (NAME, PLACE)), Note("2", TEXT), Note("3", TEXT, (DATE,))]
    macro = score_notes(gold, system).macro("strict")
    assert (macro.precision, macro.recall) == (0.5, 0.5)
    assert macro.precision_sd == macro.recall_sd == pytest.approx((1 / 6) ** 0.5)
    assert macro.f1 == 0.5


def test_scores_leaks_ignore_the_type():
    scores = score([NAME, DATE, PLACE], [PhiSpan(6, 11, "DOCTOR"), DATE])
    assert scores.leaks == {
        "DATE": Counts(tp=3),
        "HOSPITAL": Counts(fn=1),
        "PATIENT": Counts(tp=1, fn=1),
    }
    assert scores.leaked_tokens.tolist() == scores.leaked_mentions.tolist() == [2]
    assert scores.leak_free_notes == 0


@pytest.mark.parametrize(
    "text, found, leaks",
    [
        ("Иванов", [(4, 6)], Counts(fn=1)),
        ("Иванов", [(0, 3), (3, 6)], Counts(tp=1)),
        ("Zoë Ng", [(0, 2), (3, 6)], Counts(tp=1, fn=1)),
        ("Zoë Ng", [(0, 6)], Counts(tp=2)),
        ("Ng – Wu", [(0, 2), (5, 7)], Counts(tp=2)),  # a dash is no letter
    ],
)
def test_letters_outside_of_ascii_leak_too(text, found, leaks):
    system = [PhiSpan(*bounds, "PATIENT") for bounds in found]
    scores = score([PhiSpan(0, len(text), "PATIENT")], system, text=text)
    assert scores.leaks == {"PATIENT": leaks}
    assert scores.token.fn == 0  # the tokens of the published script are of ASCII
    assert scores.leaked_tokens.tolist() == scores.leaked_mentions.tolist() == [leaks.fn]
    assert scores.leak_free_notes == 1 - leaks.fn


def test_tokens_and_mentions_of_a_note_leak_alike():
    spans = [PhiSpan(0, 6, "PATIENT"), PhiSpan(8, 14, "DOCTOR"), PhiSpan(16, 24, "DOCTOR")]
    scores = score(spans, [PhiSpan(16, 19, "DOCTOR")], text="Иванов, Петров, Ann Chen")
    assert scores.leaked_tokens.tolist() == scores.leaked_mentions.tolist() == [3]
    assert sum(counts.fn for counts in scores.leaks.values()) == 3


def test_false_alarms_touch_no_phi():
    scores = score([NAME, DATE], [PhiSpan(6, 30, "DOCTOR"), DATE, PLACE, PhiSpan(35, 41, "CITY")])
    assert scores.false_alarms.tolist() == [2]
    assert scores.per_1000_words(scores.false_alarms) == 2000 / len(TEXT.split())


def test_false_alarms_that_are_repeated_count_once():
    assert score([NAME], [AGE, AGE, PhiSpan(13, 15, "DATE")]).false_alarms.tolist() == [1]


def test_scores_overlapping_spans_share_binary_tokens():
    """A name inside an address: typed tokens are two, PHI is PHI once."""
    gold = [NAME, PhiSpan(0, 5, "STREET")]
    assert count("token", gold, gold) == Counts(tp=3)
    assert count("token", gold, [NAME], view="binary") == Counts(tp=2)


@pytest.mark.timeout(60)
def test_scores_of_a_large_corpus():
    """500 notes of 1,000 words take about a second; quadratic matching would take minutes."""
    text = "word " * 1000
    spans = tuple(PhiSpan(i * 100, i * 100 + 14, "DATE") for i in range(50))
    notes = [Note(str(i), text, spans) for i in range(500)]
    assert score_notes(notes, notes).micro("token") == Counts(tp=75_000)
