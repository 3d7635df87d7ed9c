"""Finished results that are deleted or changed before a run is resumed."""

from __future__ import annotations

import json
import os

import pytest
from typer.testing import CliRunner

from spacy_deid.batch import output as output_module
from spacy_deid.batch import redact_files
from spacy_deid.cli import app
from spacy_deid.redaction import Key, RedactionError
from spacy_deid.redaction.reidentify import read_originals

KEY = Key(b"0123456789abcdef")
NAMES = ["a.txt", "b.jsonl", "ward/c.txt", "d.csv"]


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    (folder / "ward").mkdir(parents=True)
    (folder / "a.txt").write_text("Maria came.")
    (folder / "b.jsonl").write_text('{"text": "Lopez"}\n{"text": "BOOM"}\n' * 4)
    (folder / "ward" / "c.txt").write_text("Maria #1")
    (folder / "d.csv").write_text("mrn,text\n7,Maria\n8,Lopez\n")
    (folder / "e.txt").write_text("BOOM")
    return folder


@pytest.fixture(autouse=True)
def no_key_in_the_environment(monkeypatch):
    monkeypatch.delenv("SPACY_DEID_KEY", raising=False)


def results(out):
    """All files; of the manifest, the lines of the notes in any order."""
    files = {str(path.relative_to(out)): path for path in out.rglob("*") if path.is_file()}
    manifest = files.pop("manifest.jsonl").read_text().splitlines()
    run, end = json.loads(manifest[0])["run"], json.loads(manifest[-1])["end"]
    del run["started"], end["seconds"]
    return {name: path.read_bytes() for name, path in files.items()}, sorted(manifest[1:-1]), end


def stop(notes, out, nlp, key, after):
    """A run that stops after some notes."""
    left = iter([None] * after)
    with pytest.raises(StopIteration):
        redact_files([notes], out, nlp, key=key, batch_size=1, on_note=lambda _: next(left))


def delete(path):
    path.unlink()


def cut(path):
    path.write_bytes(path.read_bytes()[:-1])


def flip(path):
    """Change a result without changing its size, and later than it was written."""
    data = path.read_bytes()
    path.write_bytes(data[:-2] + b"~" + data[-1:])
    written = path.stat().st_mtime_ns + 10**10
    os.utime(path, ns=(written, written))


def link(path):
    """The same content elsewhere."""
    moved = path.parents[3] / f"moved-{path.name}"
    path.rename(moved)
    path.symlink_to(moved)


@pytest.mark.parametrize("key", [KEY, None], ids=["key", "no-key"])
@pytest.mark.parametrize("change", [delete, cut, flip, link])
def test_changed_results_are_made_again(nlp, notes, tmp_path, monkeypatch, key, change):
    monkeypatch.setattr(output_module, "_EVERY", 1)
    expected, out = tmp_path / "expected", tmp_path / "deep" / "out"
    whole = redact_files([notes], expected, nlp, key=key)
    redact_files([notes], out, nlp, key=key)
    for name in NAMES:
        change(out / name)
        before = {path: path.stat().st_mtime_ns for path in out.rglob("*.*") if path.is_file()}
        summary = redact_files([notes], out, nlp, key=key, resume=True)
        assert list(summary.redone) == [out / name]
        assert (summary.notes, summary.phi) == (whole.notes, whole.phi)
        assert (summary.withheld, len(summary.failures)) == (5, 5)
        assert results(out) == results(expected)
        after = {path: path.stat().st_mtime_ns for path in out.rglob("*.*") if path.is_file()}
        changed = {path for path in before.keys() & after.keys() if before[path] != after[path]}
        assert changed <= {out / name, out / "manifest.jsonl"}
    assert not redact_files([notes], out, nlp, key=key, resume=True).redone


@pytest.mark.parametrize("key", [KEY, None], ids=["key", "no-key"])
@pytest.mark.parametrize("after", range(1, 13))
def test_changes_in_a_stopped_run(nlp, notes, tmp_path, monkeypatch, key, after):
    """Whatever is under way when the run stops, in whatever file of several notes."""
    monkeypatch.setattr(output_module, "_EVERY", 1)
    expected, out = tmp_path / "expected", tmp_path / "out"
    whole = redact_files([notes], expected, nlp, key=key)
    stop(notes, out, nlp, key, after)
    finished = [name for name in NAMES if (out / name).exists()]
    for name in finished[::2]:
        (out / name).unlink()
    summary = redact_files([notes], out, nlp, key=key, resume=True)
    assert (summary.notes, summary.withheld) == (whole.notes, whole.withheld)
    assert results(out) == results(expected)


@pytest.mark.parametrize("name", ["part", "manifest.jsonl"])
def test_the_file_under_way_that_lost_its_end_is_begun_again(
    nlp, notes, tmp_path, monkeypatch, name
):
    """As a power cut leaves it; a gap must not be filled with zeros."""
    monkeypatch.setattr(output_module, "_EVERY", 1)
    expected, out = tmp_path / "expected", tmp_path / "out"
    redact_files([notes], expected, nlp, key=KEY)
    stop(notes, out, nlp, KEY, 4)
    path = out / name if name != "part" else out / ".spacy-deid" / name
    assert path.stat().st_size > 10
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 10)
    redact_files([notes], out, nlp, key=KEY, resume=True)
    assert results(out) == results(expected)


def test_originals_of_results_that_are_made_again(nlp, notes, tmp_path):
    pytest.importorskip("cryptography")
    out, vault = tmp_path / "out", tmp_path / "vault"
    redact_files([notes], out, nlp, key=KEY, keep_originals=vault)
    before = {identity.place: identity for identity in read_originals(vault, KEY)}
    (out / "a.txt").unlink()
    redact_files([notes], out, nlp, key=KEY, keep_originals=vault, resume=True)
    assert (out / "a.txt").read_text() == "[PATIENT] came."
    assert {identity.place: identity for identity in read_originals(vault, KEY)} == before


def test_the_time_of_a_run_counts_its_earlier_part(nlp, notes, tmp_path):
    out = tmp_path / "out"
    redact_files([notes], out, nlp)
    *lines, end = (out / "manifest.jsonl").read_text().splitlines()
    end = json.loads(end)
    end["end"]["seconds"] = 500.0
    (out / "manifest.jsonl").write_text("\n".join([*lines, json.dumps(end)]) + "\n")
    (out / "a.txt").unlink()
    redact_files([notes], out, nlp, resume=True)
    last = json.loads((out / "manifest.jsonl").read_text().splitlines()[-1])
    assert last["end"]["seconds"] >= 500


def test_cli_says_what_was_made_again(nlp, notes, tmp_path):
    nlp.to_disk(tmp_path / "model")
    args = [notes, "--out", tmp_path / "out", "--model", tmp_path / "model"]
    (notes / "e.txt").unlink()
    (notes / "b.jsonl").unlink()
    for more in ([], ["--resume"]):
        result = CliRunner().invoke(app, ["redact", *map(str, args), *more])
        assert (result.exit_code, "were redone" in result.output) == (0, False)
    (tmp_path / "out" / "a.txt").write_text("Maria")
    result = CliRunner().invoke(app, ["redact", *map(str, args), "--resume"])
    words = "".join(result.output.split())
    assert "missingorchanged,andwereredone:" in words and "out/a.txt" in words
    assert (tmp_path / "out" / "a.txt").read_text() == "[PATIENT] came."


@pytest.mark.parametrize("key", [KEY, None], ids=["key", "no-key"])
def test_other_inputs_are_still_refused(nlp, notes, tmp_path, key):
    out = tmp_path / "out"
    stop(notes, out, nlp, key, 3)
    (notes / "d.csv").write_text("mrn,text\n7,Maria\n")
    with pytest.raises(RedactionError, match="inputs"):
        redact_files([notes], out, nlp, key=key, resume=True)
    redact_files([notes], out, nlp, key=key, force=True)
    (notes / "a.txt").rename(notes / "aa.txt")
    with pytest.raises(RedactionError, match="inputs"):
        redact_files([notes], out, nlp, key=key, resume=True)


@pytest.mark.parametrize("key", [KEY, None], ids=["key", "no-key"])
def test_the_manifest_confirms_no_guess(nlp, notes, tmp_path, key):
    """At the name of a file that was not written, or at what stands beside a redacted text."""
    import hashlib

    out = tmp_path / "out"
    redact_files([notes], out, nlp, key=key)
    manifest = (out / "manifest.jsonl").read_text()
    lines = []
    for name in ("a.txt", "b.jsonl", "d.csv", "e.txt", "ward/c.txt"):
        status = (notes / name).stat()
        fmt = {"txt": "text"}.get(name.rpartition(".")[2], name.rpartition(".")[2])
        lines.append(f"{name} {fmt} {status.st_size} {status.st_mtime_ns}")
    guesses = ["\0".join(lines).encode(), "\n".join(lines).encode()]
    guesses += [(out / "d.csv").read_bytes(), (out / "b.jsonl").read_bytes()]
    assert not [guess for guess in guesses if hashlib.sha256(guess).hexdigest() in manifest]
