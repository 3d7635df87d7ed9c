"""The learning curve of benchmarks/adapt.py, on the pipeline of a dozen words."""

from __future__ import annotations

import json

import pytest
import typer
from load_script import load_script
from typer.testing import CliRunner

from spacy_deid.corpora import write_notes

pytest.importorskip("scipy")
pytest.importorskip("torch")
pytest.importorskip("onnx")
pytest.importorskip("matplotlib")


def test_both_orders_are_measured_at_each_size(saved, local, tmp_path, monkeypatch):
    script = load_script("benchmarks/adapt.py")
    folder, replay = saved
    (tmp_path / "annotated").mkdir()
    write_notes([note.gold for note in local], tmp_path / "annotated" / "ours.jsonl")
    monkeypatch.setattr(script, "SETS", {"ours": "i2b2-2014"})
    monkeypatch.setattr(script, "synthetic_replay", lambda assets: replay)
    app = typer.Typer()
    app.command()(script.main)
    out, figures = tmp_path / "curve.json", tmp_path / "figures"
    options = ["--model", folder, "--sets", "ours", "--sizes", "5 10 99", "--steps", 2]
    options += ["--data", tmp_path, "--out", out, "--figures", figures]
    result = CliRunner().invoke(app, [*map(str, options)])
    assert result.exit_code == 0, result.output
    found = [(row["order"], row["notes"]) for row in json.loads(out.read_text())["rows"]]
    assert found == [("random", 5), ("random", 10), ("doubtful", 5), ("doubtful", 10)]
    assert (figures / "adapt-ours.png").is_file()


def test_test_notes_are_never_learned_from(local):
    script = load_script("benchmarks/adapt.py")
    notes = [note.gold for note in local]
    parts = script.parts_of(notes[:8], notes[8:], notes[:7:-1], 10)
    assert [len(part) for part in (parts.learn, parts.choose, parts.held_out)] == [8, 2, 8]
    used = [note.gold.id for part in (parts.learn, parts.choose, parts.held_out) for note in part]
    assert len(set(used)) == len(used)
