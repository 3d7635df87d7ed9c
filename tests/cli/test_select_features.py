from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from spacy_deid.cli import app
from spacy_deid.cli.select_features import _find_gazetteers

CONFIG = Path(__file__).parents[1] / "crf" / "token_crf.cfg"


def run(*args: str) -> tuple[int, str]:
    """The exit code and the output, without its line breaks."""
    result = CliRunner().invoke(app, ["select-features", *args])
    return result.exit_code, " ".join(result.output.split())


def write_corpus(path: Path) -> str:
    span = {"start": 5, "end": 11, "label": "PATIENT"}
    note = {"id": "a", "text": "Call Maria! today", "spans": [{**span, "end": 10}]}
    path.write_text(json.dumps(note) + "\n")
    return str(path)


def test_steps_are_printed_and_the_groups_written(tmp_path: Path):
    corpus, out = write_corpus(tmp_path / "notes.jsonl"), tmp_path / "new" / "features.json"
    code, output = run(str(CONFIG), corpus, corpus, str(out))
    assert code == 0, output
    chosen = json.loads(out.read_text())
    assert chosen == ["words"]
    assert "1.0000 words" in output and "1.0000 with words" in output


def test_mistakes_are_told(tmp_path: Path):
    corpus, out = write_corpus(tmp_path / "notes.jsonl"), tmp_path / "features.json"
    code, output = run(str(CONFIG), str(tmp_path / "nowhere.jsonl"), corpus, str(out))
    assert code == 2 and "nowhere.jsonl" in output
    (tmp_path / "empty.jsonl").touch()
    code, output = run(str(CONFIG), str(tmp_path / "empty.jsonl"), corpus, str(out))
    assert code == 2 and "one has none" in output
    assert not out.exists()


def test_help_has_examples():
    code, output = run("--help")
    assert code == 0
    assert "spacy-deid select-features configs/" in output


def test_gazetteers_are_found_from_another_folder(tmp_path: Path, monkeypatch):
    (tmp_path / "project" / "configs").mkdir(parents=True)
    (tmp_path / "project" / "lists").mkdir()
    config = tmp_path / "project" / "configs" / "crf.cfg"
    monkeypatch.chdir(tmp_path)
    found = str((tmp_path / "project" / "lists").resolve())
    assert _find_gazetteers(config, "lists") == found
    assert _find_gazetteers(config, None) is None
    monkeypatch.setattr("spacy_deid.cli.select_features.is_package", lambda name: True)
    assert _find_gazetteers(config, "gone") == "en_deid"
