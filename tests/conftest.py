"""What tests of several folders share."""

from __future__ import annotations

import pytest
from toy_pipeline import make_toy_pipeline


@pytest.fixture
def nlp():
    """A pipeline that finds names and dates by a pattern; see `toy_pipeline`."""
    return make_toy_pipeline()
