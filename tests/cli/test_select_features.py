from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
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
    code, output = run(str(CONFIG), corpus, corpus, corpus)
    assert code == 2 and f"{corpus} would replace what is read from" in output
    assert Path(corpus).read_text().startswith("{")


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("c2 = 0.1", 'c2 = "x"', "c2: .*'x' is not"),
        ("c2 = 0.1", "c22 = 1\nc23 = 1", "c22: unexpected argument: 'c22'; .*c23: unexpected"),
        ("[components]", "[components", "Source contains parsing errors"),
    ],
)
def test_wrong_settings_are_named_with_their_file(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    corpus, config = write_corpus(tmp_path / "notes.jsonl"), tmp_path / "wrong.cfg"
    config.write_text(CONFIG.read_text().replace(old, new))
    code, output = run(str(config), corpus, corpus, str(tmp_path / "features.json"))
    assert code == 2 and re.search(rf"wrong\.cfg: .*{message}", output), output
    assert "object at" not in output and not output.startswith("✘ \\n")


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
