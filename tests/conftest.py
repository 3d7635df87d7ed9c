"""What tests of several folders share."""

from __future__ import annotations

from pathlib import Path

import pytest
from html_page import Page
from hypothesis import settings
from toy_pipeline import make_toy_pipeline

from spacy_deid.text.gazetteers import create_gazetteers

settings.register_profile("any machine", deadline=None)  # no test asserts seconds
settings.load_profile("any machine")

ASSETS = Path(__file__).parent.parent / "assets" / "gazetteers"


def pytest_collection_modifyitems(items):
    """The longest begin first, so that no process waits for them at the end."""
    items.sort(key=lambda item: item.path.name not in ("test_project.py", "test_scripts.py"))


@pytest.fixture(autouse=True)
def whole_lines(monkeypatch):
    """Messages are not wrapped: where they break depends on the path of the test's folder."""
    monkeypatch.setattr("wasabi.printer.wrap", lambda text, **_: str(text))


@pytest.fixture
def nlp():
    """A pipeline that finds names and dates by a pattern; see `toy_pipeline`."""
    return make_toy_pipeline()


@pytest.fixture
def model(nlp, tmp_path):
    """The folder of that pipeline."""
    nlp.to_disk(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture(scope="session")
def gazetteers():
    """The lookup tables of the gazetteers."""
    return create_gazetteers(str(ASSETS))


@pytest.fixture
def read_page():
    """Reads the HTML page in a file."""
    return lambda path: Page(path.read_text("utf-8"))
