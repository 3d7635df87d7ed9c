"""The page about own terms does what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import spacy
from typer.testing import CliRunner

from spacy_deid.cli import app

PAGE = (Path(__file__).parents[2] / "docs" / "own-terms.md").read_text("utf-8")
NOTE = "Dr. Astrid Lind saw NX-44719 in bed 12B. The Marinol trial goes on."

pytestmark = pytest.mark.skipif(
    not spacy.util.is_package("en_deid"), reason="needs the en_deid wheel, which make test installs"
)


def block(language):
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return text


def test_the_page(tmp_path, monkeypatch, capsys):
    pytest.importorskip("re2")
    monkeypatch.chdir(tmp_path)
    Path("ours.csv").write_text(block("csv"))
    Path("notes").mkdir()
    Path("notes/a.txt").write_text(NOTE)
    code, expected = block("python").split("# ")
    exec(compile(code, "own-terms.md", "exec"), {})
    assert capsys.readouterr().out == expected
    done = CliRunner().invoke(app, shlex.split(block("bash"))[1:])
    assert done.exit_code == 0, done.output
    assert Path("redacted/a.txt").read_text() == expected.strip()
    counted = CliRunner().invoke(app, ["report", "redacted"]).stdout
    for name in ("custom.staff", "custom.study ids", "custom.beds"):
        assert name in counted
