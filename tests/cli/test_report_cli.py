from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from spacy_deid.cli import app

RUN = {"run": {"spacy_deid": "0.2.0"}}
NOTE = {"output": "a.txt", "phi": {"DATE": 2}, "sources": {"rules": 2}, "error": ""}
END = {"end": {"notes": 1, "withheld": 0, "seconds": 1.0}}


@pytest.fixture
def folder(tmp_path):
    lines = (json.dumps(line) + "\n" for line in (RUN, NOTE, END))
    (tmp_path / "manifest.jsonl").write_text("".join(lines))
    return tmp_path


def report(*args):
    return CliRunner().invoke(app, ["report", *map(str, args)])


@pytest.mark.parametrize("name", ["", "manifest.jsonl"])
def test_report_cli(folder, name):
    result = report(folder / name)
    assert (result.exit_code, result.stderr) == (0, "")
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["DATE", "DATE", "2", "100.0%", "1", "100.0%"] in rows


def test_report_cli_writes_a_page(folder):
    result = report(folder, "--html", folder / "run.html", "--markdown")
    assert result.exit_code == 0
    assert "**PHI by type**" in result.stdout and "Written" in result.stderr
    assert "De-identification report" in (folder / "run.html").read_text("utf-8")


def test_report_cli_tells_of_a_run_without_end(folder):
    path = folder / "manifest.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    assert "did not end" in report(path).stderr


def test_report_cli_never_replaces_the_manifest(folder):
    result = report(folder, "--html", folder / "manifest.jsonl")
    assert result.exit_code == 2 and "the suffix of --html is '.jsonl'" in result.output
    assert report(folder).exit_code == 0


def test_report_cli_fails_with_a_clear_word(folder):
    (folder / "x.jsonl").write_text('{"text": "Maria"}\n')
    result = report(folder / "x.jsonl")
    assert result.exit_code == 2 and "is not a manifest" in " ".join(result.output.split())
    assert "Maria" not in result.output
    assert report(folder, "--csv", "--latex").exit_code == 2
