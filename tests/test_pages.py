from __future__ import annotations

import pytest
from jinja2 import UndefinedError

from spacy_deid.pages import write_page
from spacy_deid.tables import Table

VALUES = {
    "cards": {"notes": "1 < 2"},
    "types": Table("By <type>", ("type", "PHI", "share"), [("A & B", "1", "50.0%")]),
    "others": [],
    "settings": Table("Run", ("setting", "value"), [], n_names=2),
    "places": Table("Places", ("place", "reason"), []),
    "ended": True,
}


def test_write_page_escapes_all_text(tmp_path):
    path = tmp_path / "new" / "page.html"
    write_page(path, "run", title="</title>", **VALUES)
    html = path.read_text("utf-8")
    for text in ("&lt;/title&gt;", "1 &lt; 2", "By &lt;type&gt;", "A &amp; B"):
        assert text in html
    assert html.startswith("<!DOCTYPE html>") and html.rstrip().endswith("</html>")
    assert '<td class="share" style="--share: 50.0%">50.0%</td>' in html


def test_write_page_replaces_a_page(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old")
    write_page(path, "run", title="new", **VALUES)
    assert "old" not in path.read_text("utf-8")
    assert list(tmp_path.iterdir()) == [path]


def test_write_page_needs_all_values(tmp_path):
    with pytest.raises(UndefinedError):
        write_page(tmp_path / "page.html", "run", title="x")
    assert list(tmp_path.iterdir()) == []
