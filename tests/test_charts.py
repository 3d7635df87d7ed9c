"""The charts that `en_deid` is fine-tuned on."""

from __future__ import annotations

import re
from pathlib import Path

from spacy_deid.annotation.phi import CATEGORY
from spacy_deid.corpora import read_notes

ROOT = Path(__file__).parent.parent
NUMBERS = ("PHONE", "MEDICALRECORD", "IDNUM", "SSN")


def values(path: Path) -> set[str]:
    """Names and institutions of two words or more, and numbers, in any order of their words."""
    found = set()
    for note in read_notes(path):
        for span in note.spans:
            words = re.findall(r"\w+", note.text[span.start : span.end].lower())
            value = " ".join(sorted(words))
            named = CATEGORY[span.type] == "NAME" or span.type in ("HOSPITAL", "ORGANIZATION")
            if (named and len(words) > 1) or (span.type in NUMBERS and len(value) > 5):
                found.add(value)
    return found


def test_charts_share_no_value_with_an_evaluation_set():
    charts = values(ROOT / "assets" / "charts")
    assert len(charts) > 1_000
    for path in (ROOT / "benchmarks").glob("*.jsonl"):
        assert not charts & values(path), path.name


def test_charts_are_as_dense_with_phi_as_notes_of_a_hospital():
    notes = list(read_notes(ROOT / "assets" / "charts"))
    words = sum(len(note.text.split()) for note in notes)
    assert 25 <= 1_000 * sum(len(note.spans) for note in notes) / words <= 50
