from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

pytest.importorskip("scipy")
pytest.importorskip("torch")
pytest.importorskip("onnx")

from reading import accept_all

from spacy_deid.adapt.adaptation import Adapted
from spacy_deid.adapt.gain import compare_gain, measure
from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.cli import app
from spacy_deid.corpora import write_notes
from spacy_deid.prove import ReviewedNote

TEXT = "Maria met Chen"
SPANS = (PhiSpan(0, 5, "PATIENT"), PhiSpan(10, 14, "DOCTOR"))


def run(*args):
    return CliRunner().invoke(app, [*map(str, args)])


def gain(found):
    notes = [ReviewedNote(Note(f"{number}", TEXT, SPANS), (), ()) for number in range(5)]
    good = measure(notes, [note.gold for note in notes])
    return compare_gain(good, measure(notes, [replace(note.gold, spans=found) for note in notes]))


@pytest.fixture
def project(tmp_path, nlp, monkeypatch):
    """A project of 12 notes, all read, and notes to replay; nothing is trained."""
    notes = [Note(f"{number}-1", f"{TEXT} {number}", SPANS) for number in range(12)]
    write_notes(notes, tmp_path / "notes.jsonl")
    other = [replace(note, id=f"{note.id}1", text=f"{note.text} again") for note in notes]
    write_notes([*other, notes[0]], tmp_path / "replay.spacy")
    ours = tmp_path / "ours"
    drawn = ("--draw-only", "--planted", 0, "--blind", 0)
    run("review", tmp_path / "notes.jsonl", "--project", ours, *drawn)
    accept_all(ours)
    monkeypatch.setattr("spacy_deid.cli.adapt.load_pipeline", lambda model: nlp)
    return SimpleNamespace(ours=ours, out=tmp_path / "model", replay=tmp_path / "replay.spacy")


def adapted_to(monkeypatch, nlp, found):
    result = Adapted(nlp, 0.3, gain(found), gain(SPANS))
    monkeypatch.setattr("spacy_deid.cli.adapt.adapt", lambda *_, **__: result)


def test_a_model_is_written_with_what_it_gains(project, nlp, monkeypatch, tmp_path):
    adapted_to(monkeypatch, nlp, SPANS)
    args = ("adapt", project.ours, "--out", project.out, "--replay", project.replay)
    result = run(*args, "--json", tmp_path / "gain.json")
    assert result.exit_code == 0, result.output
    assert "Held-out reviewed notes (5 notes" in result.output
    assert "Reviewed notes left out of the replay: 1" in result.output
    assert (project.out / "config.cfg").is_file() and TEXT not in result.output
    figures = json.loads((tmp_path / "gain.json").read_text())
    assert figures["threshold"] == 0.3 and figures["local"]["after"]["recall"] == 1
    again = run(*args)
    assert again.exit_code == 2 and "is there already; name a new folder" in again.output


def test_types_that_the_model_cannot_learn_are_named(project, nlp, monkeypatch):
    adapted_to(monkeypatch, nlp, SPANS)
    args = ("adapt", project.ours, "--out", project.out, "--replay", project.replay)
    assert "cannot learn, as it was trained without them: PATIENT (12), DOCTOR (12)." in " ".join(
        run(*args).output.split()
    )
    tagger = nlp.add_pipe("phi_tagger", before="phi_merger")
    for name in ("PATIENT", "DOCTOR"):
        tagger.add_label(name)
    assert "cannot learn" not in run(*args, "--force").output


def test_a_worse_model_is_written_only_by_force(project, nlp, monkeypatch):
    adapted_to(monkeypatch, nlp, SPANS[:1])
    args = ("adapt", project.ours, "--out", project.out, "--replay", project.replay)
    result = run(*args)
    assert result.exit_code == 1 and not project.out.exists()
    assert "is not written: the F2 on the held-out notes falls by" in result.output
    assert run(*args, "--force").exit_code == 0 and project.out.exists()


@pytest.mark.parametrize(
    ("out", "json", "reason"),
    [
        ("file/model", "gain.json", "file is no folder"),
        ("file/more/model", "gain.json", "is no folder"),
        ("model", "file/gain.json", "file is no folder"),
        ("model", "folder", "folder is a folder"),
    ],
)
def test_wrong_paths_are_refused_before_training(project, tmp_path, monkeypatch, out, json, reason):
    monkeypatch.setattr("spacy_deid.cli.adapt.adapt", lambda *_, **__: pytest.fail("trained"))
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    args = ("adapt", project.ours, "--replay", project.replay)
    result = run(*args, "--out", tmp_path / out, "--json", tmp_path / json)
    assert result.exit_code == 2 and reason in " ".join(result.output.split())


def test_the_model_is_written_into_a_new_folder_even_if_its_figures_cannot(
    project, nlp, monkeypatch, tmp_path
):
    adapted_to(monkeypatch, nlp, SPANS)
    monkeypatch.setattr("spacy_deid.cli.adapt.messages.write_json", lambda *_: 1 / 0)
    out = tmp_path / "new" / "folder" / "model"
    run("adapt", project.ours, "--out", out, "--replay", project.replay)
    assert (out / "config.cfg").is_file()


def test_what_is_missing_is_said(project, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    no_replay = run("adapt", project.ours, "--out", project.out)
    assert no_replay.exit_code == 2 and "--replay" in no_replay.output
    no_review = run("adapt", tmp_path, "--out", project.out)
    assert no_review.exit_code == 2 and "there is no review in" in no_review.output
    assert not project.out.exists()


@pytest.mark.parametrize(
    ("command", "read"),
    [("adapt", "review.sqlite"), ("adapt", "../replay.spacy"), ("prove", "review.sqlite")],
)
def test_figures_never_replace_what_is_read(project, command, read):
    path = project.ours / read
    before = path.read_bytes()
    options = ("--out", project.out, "--replay", project.replay) if command == "adapt" else ()
    result = run(command, project.ours, *options, "--json", path)
    assert result.exit_code == 2 and "would replace what is read from" in result.output
    assert path.read_bytes() == before
