from __future__ import annotations

import pytest
from toy_notes import GOLD, SYSTEM

from spacy_deid.evaluation.scores import score_notes


@pytest.fixture
def gold():
    return list(GOLD)


@pytest.fixture
def system():
    return list(SYSTEM)


@pytest.fixture
def scores(gold, system):
    return score_notes(gold, system)
