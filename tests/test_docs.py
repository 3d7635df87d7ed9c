"""The commands and the Python blocks of the pages in docs/ run, on the installed model."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import spacy
from typer.testing import CliRunner

from spacy_deid.annotation.phi import CATEGORY
from spacy_deid.cli import app
from spacy_deid.corpora import read_notes

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"(?:<!-- needs (\w+) -->\n)?```(\w+)\n(.*?)```", re.DOTALL)

pytestmark = pytest.mark.skipif(
    not spacy.util.is_package("en_deid"), reason="needs the en_deid wheel, which make test installs"
)


def blocks(page: str, language: str, needs: str = "") -> list[str]:
    found = BLOCK.findall((ROOT / "docs" / f"{page}.md").read_text("utf-8"))
    return [code for package, name, code in found if (package, name) == (needs, language)]


def run_python(code: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    names: dict[str, object] = {}
    for block in code:
        exec(compile(block, "docs", "exec"), names)
    return capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_annotation_there_and_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "assets" / "sample_notes", tmp_path / "assets" / "sample_notes")
    monkeypatch.chdir(tmp_path)
    commands = "".join(blocks("annotation", "bash")).splitlines()
    for command in commands:
        result = CliRunner().invoke(app, shlex.split(command)[1:])
        assert result.exit_code == 0, result.output
    label_studio, webanno = (
        sorted((note.text, note.spans) for note in notes)
        for notes in (
            read_notes(Path("output/label-studio.jsonl")),
            read_notes(Path("output/i2b2")),
        )
    )
    places = [
        [(text, [(span.start, span.end, span.type) for span in spans]) for text, spans in notes]
        for notes in (label_studio, webanno)
    ]
    assert len(commands) == 6 and places[0] == places[1] and len(places[0]) > 5


def test_the_labelling_interface_has_all_types(capsys: pytest.CaptureFixture[str]) -> None:
    interface = ElementTree.fromstring(run_python(blocks("annotation", "python"), capsys))
    assert [label.get("value") for label in interface.iter("Label")] == list(CATEGORY)


@pytest.mark.slow
def test_presidio(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("presidio_analyzer")
    printed = run_python(blocks("presidio", "python"), capsys)
    assert "PERSON" in printed and "Found by phi_" in printed
    assert "Lopez" not in printed.splitlines()[-1]
    ((command, *code),) = [shlex.split(line) for line in blocks("presidio", "bash")]
    assert command == "python"
    done = subprocess.run([sys.executable, *code], capture_output=True, text=True)
    assert Path(done.stdout.strip()).is_file(), done.stderr


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the packages
@pytest.mark.parametrize("package", ["medspacy", "edsnlp"])
def test_other_toolkits(package: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip(package)
    lines = run_python(blocks("presidio", "python", package), capsys).splitlines()
    assert lines
    for line in lines:
        for entity in ("'Maria Lopez', 'DOCTOR'", "'diabetes', 'PROBLEM'", "'warfarin', 'DRUG'"):
            assert entity in line
