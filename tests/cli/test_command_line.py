"""What all commands share: version, names of options, the page that lists them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import typer
from load_script import load_script
from typer.testing import CliRunner

import spacy_deid
from spacy_deid import __version__
from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.cli import app
from spacy_deid.cli.commands import SUMMARIES
from spacy_deid.corpora import write_notes

GOLD = [Note("a", "Ann Lee, 53", (PhiSpan(0, 7, "PATIENT"),))]


def run(*args):
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    return result.exit_code, " ".join(result.output.split())


def test_version():
    assert run("--version") == (0, f"spacy-deid {__version__}")


def test_completion_is_offered():
    assert "--install-completion" in run("--help")[1]


def test_help_imports_neither_spacy_nor_torch():
    script = """
import sys
from spacy_deid.cli import app
from spacy_deid.cli.commands import SUMMARIES
app(["--help"], standalone_mode=False)
print({"numpy", "spacy", "thinc", "torch"} & {*sys.modules})
"""
    cwd = Path(spacy_deid.__file__).parent.parent
    printed = subprocess.check_output([sys.executable, "-c", script], text=True, cwd=cwd)
    assert "Redact the PHI in notes" in printed and printed.endswith("set()\n")


@pytest.mark.parametrize("name", SUMMARIES)
def test_summaries_are_the_first_lines_of_help(name):
    command = typer.main.get_command(app).commands[name].load()
    assert " ".join(command.help.split("\n\n")[0].split()) == SUMMARIES[name]


def test_the_page_shows_the_command_line():
    page = load_script("scripts/cli_page.py")
    text = page.PAGE.read_text("utf-8")
    assert text == page.cli_page(), "run python scripts/cli_page.py"
    assert "| `--gold-format`" not in text and "| `--format`, `-f` |" in text


@pytest.mark.parametrize(
    "args",
    [
        ("convert", "in.jsonl", "out.spacy", "--from", "jsonl"),
        ("convert", "in.jsonl", "out.spacy", "--from=jsonl"),
        ("evaluate", "in.jsonl", "in.jsonl", "--gold-format", "jsonl"),
        ("compare", "in.jsonl", "x=in.jsonl", "--gold-format", "jsonl"),
        ("show", "in.jsonl", "-r"),
    ],
)
def test_former_names_of_options_still_work(args, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_notes(GOLD, Path("in.jsonl"))
    code, output = run(*args)
    assert code == 0, output


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("convert", "notes", "out.spacy"), "unclear; name it with --format, one of"),
        (("convert", "in.jsonl", "out"), "unclear; name it with --to, one of"),
        (("convert", "in.jsonl", "notes", "--to", "jsonl"), "notes is a folder, but jsonl is"),
        (("convert", "notes", "in.jsonl", "-f", "jsonl", "--to", "brat"), "is a file, but brat is"),
        (("select-features", "in.jsonl", "notes", "in.jsonl", "f"), "convert it first"),
        (("evaluate", "in.jsonl", "in.jsonl", "--train", "notes"), "convert it first"),
        (("evaluate", "in.jsonl", "notes"), "unclear; name it with --system-format, one of"),
        (("evaluate", "in.jsonl", "in.jsonl", "--threshold", "0.2"), "a threshold needs a model"),
        (("reidentify", "in.jsonl"), "give it with --key-file, or set"),
        (("select-features", "no.cfg", "in.jsonl", "in.jsonl", "f"), "there is no config no.cfg"),
    ],
)
def test_errors_name_options_as_they_are_typed(args, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SPACY_DEID_KEY", raising=False)
    Path("notes").mkdir()
    write_notes(GOLD, Path("in.jsonl"))
    code, output = run(*args)
    assert code == 2 and message in output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "notes"]
