"""The examples run, on the installed model, and do what they say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import spacy

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not spacy.util.is_package("en_deid"), reason="needs the en_deid wheel"),
]


def run(name: str, folder: Path) -> str:
    """Run an example in a folder that has what a clone has, and return what it prints."""
    for path in ROOT.iterdir():
        if path.name in ("assets", "benchmarks", "configs", "scripts"):
            (folder / path.name).symlink_to(path)
    search = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": search, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(ROOT / "examples" / name)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_warehouse_table(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    printed = run("warehouse_table.py", tmp_path)
    shared = pd.read_parquet(tmp_path / "output" / "warehouse" / "shared.parquet")
    notes = "\n".join(shared["note"]).lower()
    for known in ("whitacre", "orville", "lopez", "tran", "minh", "0052087", "2067", "555-0142"):
        assert known not in notes
    assert list(shared["patient"]) == [0, 0, 1, 1]
    assert "failed: []" in printed


def test_train_on_i2b2(tmp_path):
    pytest.importorskip("torch")
    run("train_on_i2b2.py", tmp_path)
    scores = json.loads((tmp_path / "output" / "i2b2" / "scores.json").read_text("utf-8"))
    assert scores["token"]["i2b2"]["binary"]["micro"]["f1"] > 0.8


def test_figure_of_errors(tmp_path):
    pytest.importorskip("matplotlib")
    printed = run("figure_of_errors.py", tmp_path)
    assert (tmp_path / "output" / "errors.png").read_bytes().startswith(b"\x89PNG")
    summary, *missed = printed.splitlines()
    assert "pieces of PHI in 36 notes" in summary
    assert missed
    assert all("[" in line and "]" in line for line in missed)


def test_readme_names_every_example():
    page = (ROOT / "examples" / "README.md").read_text("utf-8")
    assert [path.name for path in EXAMPLES if f"({path.name})" not in page] == []
