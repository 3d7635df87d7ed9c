from __future__ import annotations

import pytest
from toy_notes import GOLD, SYSTEM


@pytest.fixture
def gold():
    return list(GOLD)


@pytest.fixture
def system():
    return list(SYSTEM)
