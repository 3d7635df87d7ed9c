from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import spacy
from corpora_helpers import FILES
from reading import accept_all
from typer.testing import CliRunner

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.cli import app
from spacy_deid.corpora import read_notes, write_notes
from spacy_deid.review.store import STORE, Store

TEXT = "Maria met Chen"
SPANS = (PhiSpan(0, 5, "PATIENT"), PhiSpan(10, 14, "DOCTOR"))


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "marked.jsonl"
    write_notes([Note(f"{number}-1", TEXT, SPANS) for number in range(12)], path)
    return path


@pytest.fixture
def ours(tmp_path, corpus):
    """A project whose notes one reader has read."""
    return review_of(tmp_path, read_notes(corpus))


def review_of(tmp_path, notes):
    """A project of the marks in twelve notes, all accepted by one reader."""
    folder, path = tmp_path / "ours", tmp_path / "drawn.jsonl"
    write_notes(notes, path)
    result = run("review", path, "--project", folder, "--draw-only", "--planted", 0, "--blind", 0)
    assert result.exit_code == 0 and "12 random notes" in result.output
    accept_all(folder)
    return folder


def run(*args):
    return CliRunner().invoke(app, [*map(str, args)])


def test_a_plan_is_printed():
    result = run("prove", "--plan", "--claim", 0.98, "--phi-per-note", 25)
    words = " ".join(result.output.split())
    assert result.exit_code == 0
    assert "pieces of PHI 1,271" in words and "chance to show it 91%" in words
    assert "pieces of PHI to read 2,542" in words and "notes to read 102" in words


@pytest.mark.parametrize("option", ["--design-effect", "--phi-per-note"])
def test_a_plan_needs_finite_numbers(option):
    result = run("prove", "--plan", "--claim", 0.98, option, "inf")
    assert result.exit_code == 2 and "inf" in result.output


def test_a_project_is_proven_and_exported(ours, tmp_path):
    result = run("prove", ours, "--json", tmp_path / "p.json", "--report", tmp_path / "p.html")
    assert result.exit_code == 0, result.output
    proof = json.loads((tmp_path / "p.json").read_text())
    assert proof["recall"]["all"]["total"] == 24 and proof["seconds"] == 60
    assert "Nothing is known about what the readers missed" in result.output
    assert "Maria" not in result.output + (tmp_path / "p.html").read_text()
    for name in ("gold.jsonl", "gold.spacy"):
        assert run("review", "--project", ours, "--export", tmp_path / name).exit_code == 0
        found = {(*note.spans,) for note in read_notes(tmp_path / name)}
        assert {tuple(span.type for span in spans) for spans in found} == {("PATIENT", "DOCTOR")}
        assert {(s.start, s.end) for spans in found for s in spans} == {(0, 5), (10, 14)}
    assert run("review", "--project", ours, "--export", tmp_path / "gold.jsonl").exit_code == 2


def test_an_export_or_a_figure_never_replaces_what_is_read(ours, tmp_path):
    store, other = ours / STORE, tmp_path / "other.jsonl"
    write_notes([Note(f"{number}-1", TEXT, SPANS) for number in range(12)], other)
    before = store.read_bytes(), other.read_bytes()
    exported = ("review", "--project", ours, "--force", "--export", store, "--to")
    for args in (
        *((*exported, fmt) for fmt in FILES),
        ("prove", ours, "--json", store),
        ("prove", ours, "--model", f"theirs={other}", "--json", other),
        ("prove", ours, "--model", other, "--report", other),
    ):
        result = run(*args)
        assert result.exit_code == 2
        assert "would replace what is read from" in " ".join(result.output.split())
    assert before == (store.read_bytes(), other.read_bytes())


def test_notes_that_a_format_cannot_hold_are_set_aside_from_an_export(tmp_path):
    texts = [TEXT, f"{TEXT}\x01"]  # XML cannot hold it
    write_notes([Note(f"{i}-1", text, SPANS) for i, text in enumerate(texts)], tmp_path / "m.jsonl")
    folder, gold = tmp_path / "ours", tmp_path / "gold"
    nothing_held = ("--planted", 0, "--blind", 0)
    run("review", tmp_path / "m.jsonl", "--project", folder, "--draw-only", *nothing_held)
    accept_all(folder)
    result = run("review", "--project", folder, "--export", gold, "--to", "i2b2")
    assert result.exit_code == 1 and "with 1 reviewed notes" in result.output
    assert "Notes set aside: 1" in result.output and "note 1-1: XML cannot hold" in result.output
    assert [file.name for file in gold.iterdir()] == ["0-1.xml"]


def test_notes_in_folders_are_exported_to_a_folder(tmp_path):
    folder = review_of(tmp_path, [Note(f"a/{number}", TEXT, SPANS) for number in range(12)])
    gold = tmp_path / "gold"
    result = run("review", "--project", folder, "--export", gold, "--to", "brat")
    assert result.exit_code == 0 and "with 12 reviewed notes" in result.output
    assert (gold / "a__0.ann").is_file()


def test_an_export_of_no_note_is_no_success(tmp_path):
    folder = review_of(tmp_path, [Note(f"{number}\\", TEXT, SPANS) for number in range(12)])
    result = run("review", "--project", folder, "--export", tmp_path / "gold", "--to", "brat")
    assert result.exit_code == 1 and "Written" not in result.output
    assert "Notes set aside: 12" in result.output


def test_a_claim_is_stored_before_reading(corpus, tmp_path):
    drawn = ["--claim", 0.7, "--draw-only"]
    assert run("review", corpus, "--project", tmp_path / "p", *drawn).exit_code == 0
    with Store(tmp_path / "p") as store:
        assert store.settings["claim"] == 0.7
        assert sum(len(note.found) for note in store.notes()) == 24


def test_notes_set_aside_in_the_draw_are_told_and_remembered(corpus, tmp_path):
    with corpus.open("a") as file:
        file.write('{"id": "bad", "text": "Maria", "spans": [[0, 99, "PATIENT"]]}\n')
    folder = tmp_path / "p"
    nothing_held = ("--planted", 0, "--blind", 0)
    result = run("review", corpus, "--project", folder, "--draw-only", *nothing_held)
    assert result.exit_code == 1 and "Left out:" in result.output
    assert "12 random notes to read" in result.output
    accept_all(folder)
    assert "1 notes or files could not be read" in run("prove", folder).output


def test_too_few_notes_for_a_claim_are_told(corpus, tmp_path):
    result = run("review", corpus, "--project", tmp_path / "p", "--claim", 0.98, "--draw-only")
    assert result.exit_code == 0
    assert "2,542 pieces of PHI, and the 12 there are have 24" in result.output
    few = run("review", corpus, "--project", tmp_path / "q", "--claim", 0.1, "--draw-only")
    assert few.exit_code == 0 and "Too few" not in few.output


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (["review", "--project", "{tmp}/none"], "there is no review in"),
        (["review", "{tmp}/gone", "--project", "{tmp}/p"], "there is no file or folder"),
        (["review", "{corpus}", "--project", "{ours}"], "there is a review in"),
        (["review", "{corpus}", "--project", "{tmp}/p", "--claim", "0"], "the claim is 0"),
        (
            ["review", "{corpus}", "--project", "{tmp}/p", "--claim", "0.9", "--random", "9"],
            "leave out --random",
        ),
        (["review", "{corpus}", "--project", "{tmp}/p", "--doubtful", "2"], "name one"),
        (["review", "{corpus}", "--project", "{tmp}/p", "--patient-column", "mrn"], "--model"),
        (["prove"], "name the folder"),
        (["prove", "{tmp}"], "there is no review in"),
        (["prove", "--plan"], "needs the recall to show"),
        (["prove", "--plan", "--claim", "0.9", "--json", "{tmp}/p"], "--plan reads no review"),
        (["prove", "{ours}", "--plan", "--claim", "0.9"], "--plan reads no review"),
        (["prove", "{ours}", "--thresholds"], "need a model"),
        (["prove", "{ours}", "--report", "{tmp}/p"], "the suffix of --report is ''"),
        (["prove", "{ours}", "--confidence", "0.2"], "between 0.5 and 1"),
        (["prove", "{ours}", "--confidence", "0"], "between 0.5 and 1"),
        (["prove", "--plan", "--claim", "0.9", "--confidence", "0.5"], "between 0.5 and 1"),
    ],
)
def test_wrong_input_is_told_in_a_sentence(ours, corpus, tmp_path, args, reason):
    result = run(*(arg.format(tmp=tmp_path, corpus=corpus, ours=ours) for arg in args))
    assert result.exit_code == 2 and reason in " ".join(result.output.split())
    assert not (tmp_path / "p").exists()


def test_another_system_is_matched_to_the_notes_by_id(tmp_path):
    notes = [
        Note(f"{place}-1", f"{'so ' * place}Maria", (PhiSpan(3 * place, 3 * place + 5, "PATIENT"),))
        for place in range(12)
    ]
    folder, other = review_of(tmp_path, notes), tmp_path / "other.jsonl"
    write_notes([*notes[::-1], Note("unread", "Maria", SPANS[:1])], other)
    result = run("prove", folder, "--model", f"theirs={other}", "--json", tmp_path / "p.json")
    assert result.exit_code == 0, result.output
    proof = json.loads((tmp_path / "p.json").read_text())
    assert proof["recall"]["all"]["estimate"] == 1 and proof["sample"]["system"] == "theirs"
    write_notes(notes[1:], other, force=True)
    lacking = run("prove", folder, "--model", other)
    assert lacking.exit_code == 2 and "the system lacks note '0-1'" in lacking.output
    write_notes([replace(note, text=note.text + "!") for note in notes], other, force=True)
    changed = run("prove", folder, "--model", other)
    assert changed.exit_code == 2 and "do not have the same text" in changed.output


def test_other_thresholds_are_those_of_the_model_that_is_proven(ours, corpus, tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PATIENT", "pattern": "Maria"}])
    nlp.add_pipe("phi_merger", config={"detectors": []})
    nlp.to_disk(tmp_path / "model")
    result = run("prove", ours, "--model", f"other={tmp_path / 'model'}", "--thresholds")
    assert result.exit_code == 0 and "Other thresholds" in result.output
    marks = run("prove", ours, "--model", corpus, "--thresholds")
    assert marks.exit_code == 2 and "other thresholds need a model" in marks.output


def test_an_unread_project_proves_nothing(corpus, tmp_path):
    run("review", corpus, "--project", tmp_path / "p", "--draw-only")
    result = run("prove", tmp_path / "p")
    assert result.exit_code == 2 and "no note of the random sample" in result.output
    gold = tmp_path / "gold.jsonl"
    result = run("review", "--project", tmp_path / "p", "--export", gold)
    assert result.exit_code == 2 and "nothing to export" in result.output and not gold.exists()


def test_the_token_of_a_page_that_is_opened_is_in_a_private_file(ours, monkeypatch):
    server = pytest.importorskip("spacy_deid.review.server")
    url, opened = "http://127.0.0.1:1/#secret", []

    def look(address):
        page = Path(address.removeprefix("file://"))
        assert url in page.read_text() and page.parent.stat().st_mode & 0o077 == 0
        assert page.parent.parent == ours
        opened.append(page)

    monkeypatch.setattr("webbrowser.open", look)
    monkeypatch.setattr(server, "run_review", lambda desk, port, on_start: on_start(url))
    result = run("review", "--project", ours, "--open")
    assert result.exit_code == 0, result.output
    (page,) = opened
    assert "secret" not in str(page) and not page.parent.exists()
