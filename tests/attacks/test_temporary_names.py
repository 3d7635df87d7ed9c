"""Inputs that are called like the run's own files; links in the place of those."""

from __future__ import annotations

import json
import os

import pytest

from spacy_deid.batch import output as output_module
from spacy_deid.batch import redact_files
from spacy_deid.redaction import RedactionError

NAMES = [
    *(".part.parquet", ".part", ".resume.json", ".resume.json.tmp", "part.parquet", "state.json"),
    *("part", "lock", "manifest", "resume.json", "manifest.jsonl.tmp"),
]


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.jsonl").write_text('{"text": "Maria"}\n' * 3)
    return folder


def test_an_input_may_have_any_name(nlp, notes, tmp_path, monkeypatch):
    monkeypatch.setattr(output_module, "_EVERY", 1)
    for name in NAMES:
        (notes / name).write_text(f"Maria {name}")
    files = [notes / name for name in NAMES]
    summary = redact_files(files, tmp_path / "out", nlp, format="text", batch_size=1)
    assert (summary.notes, summary.withheld) == (len(NAMES), 0)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {*NAMES, "manifest.jsonl"}
    for name in NAMES:
        assert (tmp_path / "out" / name).read_text() == f"[PATIENT] {name}"


def test_parquet_called_like_a_temporary_file(nlp, notes, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    names = [".part.parquet", "a.parquet", "part.parquet"]
    for name in names:
        parquet.write_table(pyarrow.table({"text": [f"Maria {name}"]}), notes / name)
    assert redact_files([notes], tmp_path / "out", nlp).notes == 6
    for name in names:
        rows = parquet.read_table(tmp_path / "out" / name).to_pylist()
        assert rows == [{"text": f"[PATIENT] {name}"}]


@pytest.mark.parametrize("name", [".spacy-deid", ".Spacy-DEID", "Manifest.jsonl"])
def test_the_runs_own_names_are_refused(nlp, notes, tmp_path, name):
    (notes / name).write_text('{"text": "Maria"}\n')
    with pytest.raises(RedactionError, match="would overwrite the result"):
        redact_files([notes / name], tmp_path / "out", nlp, format="jsonl")
    assert not (tmp_path / "out").exists()


def test_the_workspace_of_another_run_is_no_input(nlp, notes, tmp_path):
    (notes / ".spacy-deid").mkdir()
    (notes / ".spacy-deid" / "state.json").write_text("{}")
    summary = redact_files([notes], tmp_path / "out", nlp)
    assert (summary.notes, summary.withheld, dict(summary.skipped)) == (3, 0, {".json": 1})


LINKS = ["manifest.jsonl", "a.jsonl", ".spacy-deid", ".part", ".resume.json", ".resume.json.tmp"]


@pytest.mark.parametrize("name", LINKS)
def test_force_follows_no_link(nlp, notes, tmp_path, name):
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    out.mkdir()
    if name == ".spacy-deid":
        elsewhere.mkdir()
    else:
        elsewhere.write_text("mine")
    (out / name).symlink_to(elsewhere)
    redact_files([notes], out, nlp, force=True)
    assert (list(elsewhere.iterdir()) == []) if elsewhere.is_dir() else True
    assert elsewhere.is_dir() or elsewhere.read_text() == "mine"
    assert json.loads((out / "manifest.jsonl").read_text().splitlines()[0])
    assert not (out / "manifest.jsonl").is_symlink() and not (out / "a.jsonl").is_symlink()


@pytest.mark.parametrize("name", ["part", "state.json", "state.json.tmp", "lock", "manifest"])
def test_links_in_the_workspace_are_not_followed(nlp, notes, tmp_path, name):
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    (out / ".spacy-deid").mkdir(parents=True)
    elsewhere.write_text('{"manifest": 0}')
    os.symlink(elsewhere, out / ".spacy-deid" / name)
    redact_files([notes], out, nlp, force=True)
    assert elsewhere.read_text() == '{"manifest": 0}'
    assert sorted(path.name for path in out.iterdir()) == ["a.jsonl", "manifest.jsonl"]


def test_a_resumed_manifest_that_is_a_link_is_refused(nlp, notes, tmp_path):
    out = tmp_path / "out"
    redact_files([notes], out, nlp)
    (out / "manifest.jsonl").rename(tmp_path / "moved")
    (out / "manifest.jsonl").symlink_to(tmp_path / "moved")
    (out / "a.jsonl").unlink()
    before = (tmp_path / "moved").read_bytes()
    with pytest.raises(RedactionError, match="is a link"):
        redact_files([notes], out, nlp, resume=True)
    assert (tmp_path / "moved").read_bytes() == before


def test_links_to_folders_do_not_lead_results_out(nlp, notes, tmp_path):
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    out.mkdir()
    elsewhere.mkdir()
    (notes / "ward").mkdir()
    (notes / "ward" / "b.txt").write_text("Maria")
    (out / "ward").symlink_to(elsewhere, target_is_directory=True)
    with pytest.raises(RedactionError, match="ward is a link"):
        redact_files([notes], out, nlp, force=True)
    assert not list(elsewhere.iterdir())
