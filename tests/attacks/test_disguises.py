"""PHI in disguised characters is found as in plain ones."""

from __future__ import annotations

import random

import pytest
from load_script import load_script

from spacy_deid import redact

EXAMPLES = [
    "Call \uff14\uff11\uff12-\uff15\uff15\uff15-\uff10\uff11\uff14\uff12 with results.",
    "He is a \uff19\uff15-year-old man.",
    "Call 412\u202f555\u202f0142 with results.",
    "Seen on March\u00a04,\u00a02067.",
    "Seen by Dr. Mar\u200bia Lopez.",
    "Seen by Dr. Orville Whit\u00adacre.",
    "Seen by Dr. Maria L\u043epez.",
    "Seen by Dr. Maria L\u0431pez.",
]
EXPECTED = [
    "Call [PHONE] with results.",
    "He is a [AGE]-year-old man.",
    "Call [PHONE] with results.",
    "Seen on [DATE].",
    *["Seen by Dr. [DOCTOR]."] * 4,
]


@pytest.mark.parametrize(("text", "redacted"), list(zip(EXAMPLES, EXPECTED, strict=True)))
def test_examples(en_deid, text, redacted):
    assert redact(en_deid(text)).text == redacted


@pytest.mark.parametrize(
    ("text", "policy", "redacted"),
    [
        ("He is a \uff19\uff15-year-old.", "hipaa-safe-harbor", "He is a 90+-year-old."),
        ("Seen on March\u00a04, \uff12\uff10\uff16\uff17.", "hipaa-safe-harbor", "Seen on 2067."),
        ("He is a \uff13\uff15-year-old.", "limited-data-set", "He is a \uff13\uff15-year-old."),
    ],
)
def test_policies_read_the_plain_form_and_keep_the_text(en_deid, text, policy, redacted):
    assert redact(en_deid(text), policy).text == redacted


def test_a_disguised_name_gets_the_surrogate_of_the_name(en_deid):
    text = "Seen by Dr. Maria Lopez. Dr. Mar\u200bia L\u043epez signed."
    first, second = redact(en_deid(text), "surrogate", key="k" * 16).replacements
    assert first.text == second.text


@pytest.mark.slow
def test_what_is_found_in_plain_notes_is_found_in_disguised_ones(en_deid, note_texts):
    script, rng = load_script("benchmarks/disguises.py"), random.Random(0)
    for name, disguise in script.DISGUISES.items():
        found = of = 0
        for text in rng.sample(note_texts, 8):
            pieces = disguise(text, rng)
            plain, disguised = en_deid.pipe([text, "".join(pieces)])
            still, all_found = script.still_found(plain, disguised, pieces)
            found, of = found + still, of + all_found
        assert of > 100
        assert found / of >= 0.995, name
