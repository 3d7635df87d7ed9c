from __future__ import annotations

import random
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_deid.annotation.notes import PhiSpan, check_spans
from spacy_deid.synthesis.noise import NoiseConfig, add_noise, apply_edits
from spacy_deid.text.edits import Edit

TEXT = (
    'Mary-Ann O\'Neil Smith is a 70 yo F seen 3/10/2061 by Dr. Wei Lo.  She said "I fell." '
    "No chest pain.\n  MRN 1002581 MARY SMITH\n" + "Long line with many words " * 8
)
PHI = ("Mary-Ann O'Neil Smith", "70", "3/10/2061", "Wei Lo", "1002581", "MARY SMITH")
SPANS = tuple(PhiSpan(TEXT.index(phi), TEXT.index(phi) + len(phi), "PATIENT") for phi in PHI)
KINDS = [field.name for field in fields(NoiseConfig)]
NO_NOISE = NoiseConfig(**dict.fromkeys(KINDS, 0.0))


def only(kind: str) -> NoiseConfig:
    return replace(NO_NOISE, **{kind: 1.0})


def squeezed(text: str) -> str:
    """What noise may not change, but for the slips of scanning."""
    for old, new in (("\u2019", "'"), ("\u201c", '"'), ("\u201d", '"'), ("\u2013", "-")):
        text = text.replace(old, new)
    return "".join(text.split()).lower()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "scan"])
def test_spans_hold_the_same_phi_after_noise(kind: str):
    changed = False
    for seed in range(20):
        text, spans = add_noise(TEXT, SPANS, only(kind), random.Random(seed))
        changed |= text != TEXT
        assert check_spans(text, spans) is None
        assert [squeezed(text[span.start : span.end]) for span in spans] == [
            squeezed(phi) for phi in PHI
        ]
        assert all(text[s.start : s.end] == text[s.start : s.end].strip() for s in spans)
    assert changed


def test_no_noise_changes_nothing():
    assert add_noise(TEXT, SPANS, NO_NOISE, random.Random(0)) == (TEXT, list(SPANS))


def test_scanning_slips_keep_the_length():
    texts = {add_noise(TEXT * 5, (), only("scan"), random.Random(seed))[0] for seed in range(5)}
    assert {len(text) for text in texts} == {len(TEXT * 5)}
    assert len(texts) > 1


def test_bare_takes_marks_after_words_and_none_inside_numbers():
    text, _ = add_noise("Seen 3.5 cm, firm. F/u 3/4; ok", (), only("bare"), random.Random(0))
    assert text == "Seen 3.5 cm firm F/u 3/4 ok"


def test_upper_wins_over_lower():
    config = replace(NO_NOISE, upper=1.0, lower=1.0)
    text, _ = add_noise(TEXT, SPANS, config, random.Random(0))
    assert text == TEXT.upper()


def test_letters_that_grow_in_capitals_stay():
    text, spans = add_noise(
        "Stra\u00dfe Weiss", (PhiSpan(7, 12, "CITY"),), only("upper"), random.Random(0)
    )
    assert text[spans[0].start : spans[0].end] == "WEISS"


def test_wrapped_lines_fit_and_lose_nothing():
    text, _ = add_noise(TEXT, SPANS, only("wrap"), random.Random(1))
    assert max(map(len, text.split("\n"))) <= 81
    assert text.split() == TEXT.split()


@pytest.mark.parametrize(
    ("edits", "result"),
    [
        ([Edit(0, 0, "__"), Edit(8, 8, "!")], "__Mary Lee! x"),
        ([Edit(4, 5, "\n")], "Mary\nLee x"),
        ([Edit(0, 5, "MARY")], "MARYLee x"),
        ([Edit(8, 9, "")], "Mary Leex"),
    ],
)
def test_edits_at_the_edges_of_a_span(edits: list[Edit], result: str):
    text, (span,) = apply_edits("Mary Lee x", (PhiSpan(0, 8, "PATIENT"),), edits)
    assert text == result
    assert squeezed(text[span.start : span.end]) == "marylee"


@given(st.integers(0, 10**6))
def test_all_noise_together_keeps_spans_sound(seed: int):
    config = NoiseConfig(*(0.5 for _ in KINDS))
    text, spans = add_noise(TEXT, SPANS, config, random.Random(seed))
    assert check_spans(text, spans) is None
    assert len(spans) == len(SPANS)
