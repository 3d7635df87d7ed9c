"""Every snippet of the README and of the pages in docs/ runs, on the installed model.

Blocks of `bash` and `python` run in the order of the page, in a folder of its own; see
`page_blocks`. In `text` blocks, nothing runs, but the options of `spacy-deid` must exist.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch
from xml.etree import ElementTree

import pytest
import spacy
import typer
from page_blocks import ROOT, Block, blocks_of
from typer.testing import CliRunner

from spacy_deid.annotation.phi import CATEGORY
from spacy_deid.cli import app
from spacy_deid.corpora import read_notes
from spacy_deid.redaction import STYLES, redact
from spacy_deid.redaction.surrogates import KINDS

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SET_UP = ("make ", "python -m pip install", "python -m spacy project run")
SHELL = set("|<>&$")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT).with_suffix(""))


ALL = {name_of(page): blocks_of(page.read_text("utf-8")) for page in PAGES}
RUN = [name for name in ALL if any(block.language in ("bash", "python") for block in ALL[name])]


def lines_of(*languages: str) -> Iterator[str]:
    """The lines of the blocks in some languages, continued lines joined."""
    for blocks in ALL.values():
        for block in blocks:
            if block.language in languages:
                yield from block.lines


class Page:
    """The run of a page: what it prints, and the names of its Python blocks."""

    def __init__(self) -> None:
        self.printed = ""
        self.names: dict[str, object] = {}

    def run(self, block: Block, capsys: pytest.CaptureFixture[str]) -> None:
        """Run a block in the current folder, and check what it prints."""
        printed = ""
        if block.language == "bash":
            for line in block.lines:
                if not line.startswith(SET_UP):
                    printed = run_line(line)
        else:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", r"\[W113\]")  # a ruler needs no word vectors
                if block.rule == "needs":
                    warnings.simplefilter("ignore")  # of that package
                exec(compile(block.code, "page", "exec"), self.names)
            printed = capsys.readouterr().out
        self.printed += printed
        if block.output is not None:
            assert printed.strip() == block.output.strip()


def run_line(line: str) -> str:
    """Run a line of a shell, and return what it prints; our commands need no new process."""
    if line.startswith("spacy-deid ") and not SHELL & set(line):
        result = CliRunner().invoke(app, shlex.split(line)[1:])
        assert result.exit_code == 0, (line, result.output, result.exception)
        return result.stdout
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, (line, done.stderr)
    return done.stdout


def check_annotation(page: Page) -> None:
    """The notes of all formats have the same PHI, and the labels are all types."""
    places = [
        sorted(
            (note.text, [(span.start, span.end, span.type) for span in note.spans])
            for note in read_notes(Path(path))
        )
        for path in ("output/label-studio.jsonl", "output/i2b2")
    ]
    assert places[0] == places[1] and len(places[0]) > 5
    interface = ElementTree.fromstring(page.printed[page.printed.index("<View>") :])
    assert [label.get("value") for label in interface.iter("Label")] == list(CATEGORY)


def check_own_terms(page: Page) -> None:
    """The report counts terms by name."""
    counted = CliRunner().invoke(app, ["report", "output/terms"]).stdout
    for name in ("custom.staff", "custom.study ids", "custom.beds"):
        assert name in counted


def check_presidio(page: Page) -> None:
    """Presidio's analyzer reports our PHI, and its file of settings is there."""
    if "engine" in page.names:
        lines = page.printed.splitlines()
        assert "PERSON" in page.printed and "Found by phi_" in page.printed
        assert any(Path(line).is_file() for line in lines) and "Maria Lopez" not in page.printed
    for line in page.printed.splitlines():
        if "'DRUG'" in line:  # of medspaCy and EDS-NLP, where they are installed
            assert "'Maria Lopez', 'DOCTOR'" in line and "'diabetes', 'PROBLEM'" in line


def check_known_data(page: Page) -> None:
    """Nothing known is left."""
    assert "WHITACRE" not in page.printed


def check_feeds(page: Page) -> None:
    """Without --structured, the fields of people stay."""
    free = Path("redacted/result.hl7").read_text()
    assert "Lopez" not in free and "WHITACRE^ORVILLE" in free


def check_spacy(page: Page) -> None:
    """The pipeline that got our components finds in the samples what ours finds."""
    notes = [path.read_text("utf-8") for path in Path("assets/sample_notes").rglob("*.txt")]
    ours, theirs = ([redact(page.names[name](note)) for note in notes] for name in ("nlp", "other"))
    assert theirs == ours and len(notes) > 5


def check_web_app(page: Page) -> None:
    """The application answers."""
    testclient = pytest.importorskip("fastapi.testclient")
    client = testclient.TestClient(page.names["app"])
    answer = client.post("/notes", json={"text": "Seen by Dr. Maria Lopez."}).json()
    assert answer == {"text": "Seen by Dr. [DOCTOR]."}


CHECKS: dict[str, Callable[[Page], None]] = {
    "docs/how-to/annotation": check_annotation,
    "docs/how-to/feeds": check_feeds,
    "docs/how-to/known-data": check_known_data,
    "docs/how-to/own-terms": check_own_terms,
    "docs/how-to/presidio": check_presidio,
    "docs/how-to/spacy": check_spacy,
    "docs/how-to/web-app": check_web_app,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with the samples; the page may change styles and surrogates."""
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SPACY_DEID_KEY", raising=False)
    with patch.dict(STYLES), patch.dict(KINDS):
        yield tmp_path


@pytest.mark.slow
@pytest.mark.skipif(not spacy.util.is_package("en_deid"), reason="needs the en_deid wheel")
@pytest.mark.parametrize("name", RUN)
def test_page(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, ran = Page(), 0
    for block in ALL[name]:
        if block.rule == "file":
            block.write(folder)
        elif block.language in ("bash", "python") and block.rule != "run by":
            if block.rule != "needs" or find_spec(block.value):
                page.run(block, capsys)
                ran += 1
    if ran and name in CHECKS:
        CHECKS[name](page)


def test_blocks_that_another_test_runs():
    tests = {(name, block.value) for name in ALL for block in ALL[name] if block.rule == "run by"}
    assert tests
    for name, test in tests:
        assert f"{Path(name).name}.md" in (ROOT / test).read_text("utf-8")


def test_set_up_commands_are_those_of_make_and_project():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    project = (ROOT / "project.yml").read_text("utf-8")
    commands = [line for line in lines_of("bash", "text") if line.startswith(SET_UP)]
    assert len(commands) >= 6
    for command in commands:
        last = command.split()[-1]
        if command.startswith("make "):
            assert f"\n{last}:" in makefile
        elif command.startswith("python -m pip"):
            assert last in ("torch", ".") or (ROOT / last).is_file()
        else:
            step = command.removeprefix("python -m spacy project run ").split()[0]
            assert re.search(rf"^  (- name: )?\"?{step}\"?:?$", project, re.MULTILINE)
            for name, value in re.findall(r"--vars\.(\w+) (\S+)", command):
                assert re.search(rf"^  {name}:", project, re.MULTILINE)
                config = name in ("config", "system")
                assert not config or (ROOT / "configs" / f"{value}.cfg").is_file()


def test_options_of_commands_that_do_not_run():
    commands = typer.main.get_command(app).commands
    lines = [line.split("|")[-1].split(">")[0].strip() for line in lines_of("text", "bash")]
    lines = [line for line in lines if re.match(r"spacy-deid [a-z-]+ (?!\[)", line)]
    assert len(lines) > 30
    for line in lines:
        name, *arguments = shlex.split(line)[1:]
        command = commands[name].load()
        context = typer.Context(command)
        command.make_parser(context).parse_args(arguments)


@pytest.mark.parametrize("name", ALL)
def test_links(name):
    page = ROOT / f"{name}.md"
    links = re.findall(r"\]\(([^)\s#]+)[^)]*\)", page.read_text("utf-8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert missing == []


def test_concepts_name_every_type():
    text = (ROOT / "docs" / "concepts.md").read_text("utf-8")
    assert [name for name in CATEGORY if f"`{name}`" not in text] == []


@pytest.mark.slow
def test_site(tmp_path):
    for package in ("sphinx", "furo", "myst_parser"):
        pytest.importorskip(package)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", str(ROOT / "docs")]
    done = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in ALL:
        if name != "README":
            assert (tmp_path / f"{name.removeprefix('docs/')}.html").is_file()
