from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise

import pytest

from spacy_deid.batch import redact_files
from spacy_deid.batch.report import RunReport, read_run, run_tables, write_run_page

RUN = {
    "spacy_deid": "0.2.0",
    "model": {"name": "en_deid"},
    "fields": {"text": ["a", "b"]},
    "key": "",
}
LINES = [
    {"run": RUN},
    {
        "output": "a.txt",
        "phi": {"PATIENT": 3, "DATE": 1},
        "sources": {"rules+tagger": 1, "tagger+rules": 2, "tagger": 1},
        "characters": 100,
        "error": "",
    },
    {"output": "b.txt", "phi": {}, "sources": {}, "characters": 20, "error": ""},
    {"output": "c.txt", "phi": {"DATE": 2}, "sources": {"rules": 2}, "characters": 30, "error": ""},
    {"output": "(file 4)", "phi": {}, "sources": {}, "error": "it is not valid UTF-8"},
    {"end": {"notes": 3, "withheld": 1, "seconds": 2.0}},
]


@pytest.fixture
def manifest(tmp_path):
    def manifest(lines, name="manifest.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    return manifest


def rows(report):
    return {table.title: [tuple(row) for row in table.rows] for table in run_tables(report)}


def test_read_run_counts(manifest):
    report = read_run(manifest(LINES))
    assert (report.notes, report.without_phi, report.characters) == (3, 1, 150)
    assert report.phi == Counter(PATIENT=3, DATE=3)
    assert report.notes_with == Counter(PATIENT=1, DATE=2)
    assert report.per_note == Counter({4: 1, 0: 1, 2: 1})
    assert report.withheld == Counter({"it is not valid UTF-8": 1})
    assert report.places == [("(file 4)", "it is not valid UTF-8")]
    assert report.speed == 2.0


def test_read_run_takes_the_folder(manifest):
    assert read_run(manifest(LINES).parent).notes == 3


def test_read_run_takes_what_there_is(manifest):
    report = read_run(manifest([{"run": {"x": 1}}, {"output": "a"}, {"error": "e"}, {"phi": {}}]))
    assert (report.notes, report.without_phi, report.withheld.total()) == (2, 2, 1)
    assert (report.end, report.speed) == ({}, None)


def test_read_run_of_a_run_under_way(manifest):
    path = manifest(LINES[:-1])
    with path.open("a") as file:
        file.write('{"output": "d.t')
    assert (read_run(path).notes, read_run(path).end) == (3, {})


@pytest.mark.parametrize(
    "content", ["", "no\n", "[1]\n", "1\n", '{"id": 1, "text": "x"}\n', '{"run": 1}\n{"phi": 3}\n']
)
def test_read_run_of_other_files_fails(tmp_path, content):
    path = tmp_path / "x"
    path.write_text(content)
    with pytest.raises(ValueError, match="is not a manifest of spacy-deid"):
        read_run(path)


def test_read_run_of_no_file_fails(tmp_path):
    with pytest.raises(ValueError, match=r"manifest\.jsonl cannot be read: No such file"):
        read_run(tmp_path)


def test_read_run_of_a_real_manifest(nlp_run):
    report = read_run(nlp_run)
    assert (report.notes, report.without_phi) == (2, 1)
    assert report.phi == Counter(PATIENT=1, DATE=1)
    assert report.sources == Counter(toy_detector=2)
    assert report.run["policy"]["name"] == "tag"
    assert report.end and report.speed


@pytest.fixture
def nlp_run(nlp, tmp_path):
    for name, text in (("a", "Maria came 3/4/67"), ("b", "none")):
        (tmp_path / f"{name}.txt").write_text(text)
    redact_files([tmp_path / "a.txt", tmp_path / "b.txt"], tmp_path / "out", nlp)
    return tmp_path / "out"


@pytest.mark.parametrize(
    "share, amount", [(0, 0), (0.25, 0), (0.5, 3), (0.75, 3), (0.8, 7), (1, 7)]
)
def test_quantile(share, amount):
    report = RunReport(notes=4, per_note=Counter({0: 1, 3: 2, 7: 1}))
    assert report.quantile(share) == amount


@pytest.mark.parametrize(
    "per_note, bins",
    [
        ({}, []),
        ({0: 2}, [(0, 0, 2)]),
        ({0: 1, 3: 2}, [(0, 0, 1), (1, 1, 0), (2, 2, 0), (3, 3, 2)]),
        ({2: 1, 5: 1, 6: 4}, [(0, 0, 0), (1, 2, 1), (3, 4, 0), (5, 6, 5)]),
        ({99: 1}, [(0, 0, 0), (1, 50, 0), (51, 100, 1)]),
    ],
)
def test_bins(per_note, bins, monkeypatch):
    monkeypatch.setattr("spacy_deid.batch.report._MOST_BINS", 4)
    assert list(RunReport(per_note=Counter(per_note)).bins()) == bins


def test_bins_count_every_note_once():
    for top in (1, 11, 12, 22, 23, 110, 111, 999, 5000):
        report = RunReport(per_note=Counter(range(top + 1)))
        found = list(report.bins())
        assert sum(count for _, _, count in found) == top + 1
        assert len(found) <= 12 and all(a[1] + 1 == b[0] for a, b in pairwise(found))


def test_run_tables(manifest):
    tables = rows(read_run(manifest(LINES)))
    assert tables["PHI by type"] == [
        ("PATIENT", "NAME", "3", "50.0%", "1", "33.3%"),
        ("DATE", "DATE", "3", "50.0%", "2", "66.7%"),
    ]
    # three by both, one by the tagger and two by the rules alone
    assert tables["PHI by detector"] == [
        ("rules", "5", "83.3%", "2"),
        ("tagger", "4", "66.7%", "1"),
    ]
    assert tables["Notes withheld"] == [("it is not valid UTF-8", "1")]
    assert tables["Run"] == [
        ("spacy_deid", "0.2.0"),
        ("model name", "en_deid"),
        ("fields text 1", "a"),
        ("fields text 2", "b"),
    ]
    notes = dict(tables["Notes"])
    assert (notes["redacted"], notes["withheld"], notes["without PHI"]) == ("3", "1", "1")
    assert (notes["PHI per note, mean"], notes["PHI per note, median"]) == ("2.0", "2")
    assert notes["notes per second"] == "2.0"
    assert tables["PHI per note"][0] == ("0", "1", "33.3%")


def test_run_tables_without_notes(manifest):
    tables = rows(read_run(manifest(LINES[:1])))
    assert tables["PHI by type"] == tables["PHI per note"] == []
    assert "Notes withheld" not in tables


def test_run_page(manifest, tmp_path, read_page):
    report = read_run(manifest(LINES))
    write_run_page(report, tmp_path / "run.html", "A run")
    page = read_page(tmp_path / "run.html")
    titles = [table.title for table in run_tables(report)]
    assert set(page.all("caption")) == {*titles, "Where notes were withheld"}
    assert "did not end" not in page.text
    bars = [a["style"] for a, _ in page.find("td", **{"class": "share"})]
    assert bars[:2] == ["--share: 50.0%", "--share: 50.0%"]


def test_run_page_of_a_run_under_way(manifest, tmp_path, read_page):
    lines = [{"output": f"<b>{i}", "error": "<i>bad"} for i in range(150)]
    write_run_page(read_run(manifest([*LINES[:1], *lines])), tmp_path / "run.html", "A run")
    page = read_page(tmp_path / "run.html")
    assert "The run did not end" in page.text and "the first 100 of 150" in page.text
    assert "<i>bad" in page.text and not page.find("i")
