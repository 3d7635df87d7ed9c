"""What the attacks share: the trained pipeline, and notes to attack it with."""

from __future__ import annotations

from pathlib import Path

import pytest
import spacy
import srsly

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="session")
def en_deid():
    """The trained pipeline."""
    if not spacy.util.is_package("en_deid"):
        pytest.skip("needs the en_deid wheel, which make test installs")
    return spacy.load("en_deid")


@pytest.fixture
def load_en_deid(en_deid):
    """Loads a fresh en_deid, which has seen no note yet."""
    return lambda **settings: spacy.load("en_deid", **settings)


@pytest.fixture(scope="session")
def note_texts():
    """The texts of 100 notes that may be read while the project is developed."""
    rows = [*_rows("blind_dev"), *_rows("blind_dev2")]
    return [row["text"] for row in rows[:100]]


def _rows(name):
    return srsly.read_jsonl(BENCHMARKS / f"{name}.jsonl")
