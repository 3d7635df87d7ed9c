"""The whole spaCy project, small: from nothing to a wheel that loads and de-identifies."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import spacy
import srsly
from npm_vectors import write_npm

from spacy_deid import redact

ROOT = Path(__file__).parent.parent


def run(folder: Path, *arguments: str) -> str:
    environment = {key: value for key, value in os.environ.items() if key != "SPACY_DEID_DATA"}
    first = f"{folder / 'bin'}{os.pathsep}{Path(sys.executable).parent}"
    environment["PATH"] = f"{first}{os.pathsep}{environment['PATH']}"
    command = [sys.executable, "-m", "spacy", "project", "run", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_project_trains_measures_and_packages(tmp_path):
    for name in ("assets", "configs", "scripts", "spacy_deid"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "project.yml", tmp_path)
    (tmp_path / "benchmarks").mkdir()
    notes = list(srsly.read_jsonl(ROOT / "benchmarks" / "blind_ehr_dev.jsonl"))
    srsly.write_jsonl(tmp_path / "benchmarks" / "blind_ehr_dev.jsonl", notes[:10])
    for charts in sorted((tmp_path / "assets" / "charts").glob("*.jsonl"))[2:]:
        charts.unlink()
    (tmp_path / "bin").mkdir()
    write_npm(tmp_path / "bin")
    small = ["--vars.notes", "40", "--vars.chart_copies", "1", "--vars.steps"]

    run(tmp_path, "all", ".", *small, "25", "--vars.screen_steps", "5")

    scores = srsly.read_json(tmp_path / "metrics" / "test.json")
    assert scores["phi_token_r"] > 0.5
    (wheel,) = (tmp_path / "packages").glob("*/dist/*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    (model,) = (tmp_path / "installed" / "en_deid").glob("en_deid-*")
    nlp = spacy.load(model)
    assert "synthetic notes" in nlp.meta["description"]
    assert any(
        line.startswith("spacy-deid") or line.startswith("spacy_deid")
        for line in nlp.meta["requirements"]
    )
    text = redact(nlp("MRN: 7719045. Call 617-555-0142 on 03/04/2067.")).text
    assert "7719045" not in text and "0142" not in text and "2067" not in text
    assert "skipping" in run(tmp_path, "train", ".", *small, "25").lower()

    run(tmp_path, "train_system", ".", "--vars.system", "liu2015_rules")
    assert (tmp_path / "training" / "liu2015_rules" / "model-best" / "config.cfg").is_file()

    systems = ["--vars.systems", "liu2015_rules", "--vars.curve", "", "--vars.ablate", ""]
    run(tmp_path, "compare", ".", *systems, "--vars.compare_notes", "20")
    assert "| liu2015_rules |" in (tmp_path / "comparison" / "comparison.md").read_text()

    shutil.copytree(tmp_path / "corpus" / "notes" / "train", tmp_path / "assets/i2b2/training-1")
    shutil.copytree(tmp_path / "corpus" / "notes" / "test", tmp_path / "assets/i2b2/testing")
    run(tmp_path, "i2b2", ".", "--vars.config", "liu2015_rules", "--vars.steps", "1")
    figures = srsly.read_json(tmp_path / "metrics" / "i2b2.json")
    assert figures["token"]["i2b2"]["binary"]["micro"]["recall"] > 0.1
