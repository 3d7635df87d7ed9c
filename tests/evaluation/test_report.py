from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from toy_notes import TEXT, note

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.evaluation.evaluate import evaluate
from spacy_deid.evaluation.matching import agreement
from spacy_deid.evaluation.report import overlay, write_report
from spacy_deid.evaluation.systems import System
from spacy_deid.evaluation.tables import cards, leak_table

pytest.importorskip("matplotlib")


@pytest.fixture
def evaluation(gold, system):
    return evaluate(gold, System("toy", system), resamples=50)


class Collector(HTMLParser):
    """Tags and text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data


def states(gold, system):
    return [
        (segment.text, segment.state, segment.label)
        for segment in overlay(gold, system, agreement(None))
        if segment.state != "plain"
    ]


def test_overlay_segments(gold, system):
    assert states(gold[0], system[0]) == [
        ("Maria", "right", "PATIENT"),
        (" Lopez", "leak", "PATIENT"),
        ("53", "right", "AGE"),
        ("seen", "extra", "PATIENT"),
        ("3/4/67", "type", "DATE → PHONE"),
        ("Mercy", "leak", "HOSPITAL"),
    ]


def test_overlay_loses_no_text(gold, system):
    for one, other in zip(gold, system, strict=True):
        assert "".join(segment.text for segment in overlay(one, other, agreement(None))) == TEXT


def test_report_is_self_contained(evaluation, tmp_path):
    path = tmp_path / "report.html"
    write_report(evaluation, path, "toy")
    page = Collector(path.read_text("utf-8"))
    assert not [a for _, a in page.tags if (a.get("src") or a.get("href") or "#")[0] not in "d#"]
    assert {tag for tag, _ in page.tags}.isdisjoint({"link", "iframe", "base"})
    images = [a["src"] for tag, a in page.tags if tag == "img"]
    assert len(images) == 2 and all(src.startswith("data:image/svg+xml;base64,") for src in images)
    policy = next(a["content"] for _, a in page.tags if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'")
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_report_shows_notes_only_when_asked(evaluation, tmp_path):
    write_report(evaluation, tmp_path / "a.html", "toy")
    write_report(evaluation, tmp_path / "b.html", "toy", show_context=True)
    closed, opened = ((tmp_path / name).read_text("utf-8") for name in ("a.html", "b.html"))
    for word in ("Lopez", "Mercy", "Chen"):
        assert word not in closed and word in opened
    assert "This file holds PHI" in opened and "This file holds PHI" not in closed
    assert len([a for tag, a in Collector(closed).tags if a.get("class") == "note"]) == 3


def test_report_escapes_what_notes_hold(tmp_path):
    text = "<script>alert(1)</script> & <b>Ann</b>"
    gold = [Note("<i>", text, (PhiSpan(29, 32, "PATIENT"),))]
    path = tmp_path / "r.html"
    write_report(evaluate(gold, System("s", [Note("<i>", text)])), path, "<u>", show_context=True)
    html = path.read_text("utf-8")
    assert html.count("<script>") == 1 and "<b>Ann" not in html and "<i>" not in html
    assert text in Collector(html).text


def test_report_has_the_tables(evaluation, tmp_path):
    write_report(evaluation, tmp_path / "r.html", "toy")
    html = (tmp_path / "r.html").read_text("utf-8")
    captions = re.findall("<caption>(.*?)</caption>", html)
    assert captions == [table.title for table in evaluation.tables()]
    found = re.findall('<div class="card"><b>(.*?)</b>(.*?)</div>', html)
    assert {name: value for value, name in found} == cards(evaluation.scores)


def test_cards_are_what_tables_show(evaluation):
    table = leak_table(evaluation.scores)
    assert dict(table.rows).items() <= cards(evaluation.scores).items()


def test_evaluate_offers_instances_with_training_data(gold, system):
    from spacy_deid.evaluation.errors import TrainingData

    training = TrainingData.from_notes([note("t", ("Mercy", "HOSPITAL"))])
    evaluation = evaluate(gold, System("toy", system), training=training, resamples=0)
    assert list(evaluation.figures()) == ["confusion", "categories", "instances"]
    assert evaluation.analysis.causes() == {"surface seen in training": 1}
    assert evaluation.intervals == {}
