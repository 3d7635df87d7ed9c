"""Agreement, to the last digit, with a second implementation of the published definitions."""

from __future__ import annotations

import plain_scores
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.evaluation import CRITERIA, MEASURES, score_notes
from spacy_deid.evaluation.export import scores_to_json

TEXT = "53RHM José Ávila-Ng, MRN:00-12 seen 3/4/67  (O'Hara) tel.412-555-0116\n\nJ.B."
TYPES = ["PATIENT", "DOCTOR", "DATE", "IDNUM", "PROFESSION", "ZIP"]


@st.composite
def tags(draw):
    """Tags at random places: overlapping, adjacent, doubled, and off by up to three characters."""
    drawn = []
    for start in draw(st.lists(st.integers(0, len(TEXT) - 1), max_size=7)):
        end = start + draw(st.integers(1, 12))
        drawn.append((start, min(end, len(TEXT)), draw(st.sampled_from(TYPES))))
    return drawn


@st.composite
def noisy_pairs(draw):
    """Gold tags, and a system's: some kept, some moved by a little, some of another type."""
    gold = draw(tags())
    system = list(draw(tags()))
    for start, end, phi_type in gold:
        move = draw(st.integers(0, 3))
        phi_type = draw(st.sampled_from([phi_type, phi_type, "DATE"]))
        start = max(0, start - (move == 3))
        system.append(
            (start, max(start + 1, min(end + draw(st.integers(-3, 3)), len(TEXT))), phi_type)
        )
    return TEXT, gold, system


def notes_of(pairs, side):
    return [
        Note(str(i), row[0], tuple(PhiSpan(*tag) for tag in row[side]))
        for i, row in enumerate(pairs)
    ]


@settings(max_examples=150, deadline=None)
@given(st.lists(noisy_pairs(), min_size=1, max_size=4))
def test_definitions_agree_with_plain_loops(pairs):
    figures = scores_to_json(score_notes(notes_of(pairs, 1), notes_of(pairs, 2)))
    for (measure, scheme, view), averages in plain_scores.evaluate(pairs).items():
        ours = figures[measure][scheme][view]
        for average, expected in averages.items():
            found = {name: ours[average][name] for name in expected}
            assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("system", [[], [(0, 2, "AGE")]], ids=["nothing found", "all found"])
@pytest.mark.parametrize("gold", [[], [(0, 2, "AGE")]], ids=["no gold", "gold"])
def test_definitions_agree_on_empty_sides(gold, system):
    pairs = [("53RHM", gold, system), ("", [], [])]
    figures = scores_to_json(score_notes(notes_of(pairs, 1), notes_of(pairs, 2)))
    for (measure, scheme, view), averages in plain_scores.evaluate(pairs).items():
        for average, expected in averages.items():
            assert figures[measure][scheme][view][average].items() >= expected.items()


def test_json_has_every_figure(gold, system):
    figures = scores_to_json(score_notes(gold, system))
    places = [
        (measure, scheme, view)
        for measure, schemes in figures.items()
        if measure in MEASURES
        for scheme, views in schemes.items()
        for view in views
    ]
    assert places == [tuple(criterion) for criterion in CRITERIA]
    assert {*figures} == {*MEASURES, "leaks", "categories", "types"}
    averages = figures["token"]["i2b2"]["typed"]
    assert list(averages) == ["micro", "macro"]
    assert set(averages["micro"]) == {"precision", "recall", "f1", "f2", "tp", "fp", "fn"}
    assert set(averages["macro"]) == {"precision", "recall", "f1", "precision_sd", "recall_sd"}
