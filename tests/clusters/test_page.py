"""The code of docs/how-to/clusters.md runs as it is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pandas as pd
import pytest
import spacy
from typer.testing import CliRunner

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from spacy_deid import deidentify  # noqa: E402
from spacy_deid.cli import app  # noqa: E402

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "clusters.md").read_text("utf-8")
KEY = "a canary of a secret 4711"
NOTES = ["Seen by Dr. Maria Lopez on 03/04/2067.", "Dr. Lopez will call 555-0142.", "No pain."]
PATIENTS = ["4711", "4711", "4712"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.skipif(not spacy.util.is_package("en_deid"), reason="needs the en_deid wheel"),
]


def code_under(heading: str) -> str:
    """The first Python block after a heading."""
    section = PAGE[PAGE.index(f"\n## {heading}\n") :]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)[0]


def in_folder(text: str, folder: Path) -> str:
    """A text with absolute paths: a running Spark does not see in which folder Python is."""
    return re.sub(r"\b(notes\.parquet|redacted)\b", lambda name: str(folder / name[0]), text)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPACY_DEID_KEY", KEY)
    table = pa.table({"id": ["a", "b", "c"], "mrn": PATIENTS, "note": NOTES})
    pq.write_table(table, "notes.parquet")


def check(path: str) -> None:
    """Check that the texts are those of one machine."""
    rows = pq.read_table(path).to_pylist()
    expected = deidentify(NOTES, "surrogate", patient_id=PATIENTS, key=KEY)
    texts = {row["id"]: row["note"] for row in rows}
    assert texts == dict(zip("abc", (each.text for each in expected), strict=True))
    assert all(row["withheld"] is None for row in rows)


def test_spark_example(spark, tmp_path):
    exec(compile(in_folder(code_under("Spark"), tmp_path), "clusters.md", "exec"), {})
    check("redacted")


def test_spark_command(spark, tmp_path):
    (command,) = re.findall(r"^spacy-deid (spark-job .*)$", PAGE, re.MULTILINE)
    result = CliRunner().invoke(app, shlex.split(in_folder(command, tmp_path)))
    assert result.exit_code == 0, result.output
    check("redacted/notes")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Dask's use of pandas
def test_dask_example():
    pytest.importorskip("dask.dataframe")
    exec(compile(code_under("Dask"), "clusters.md", "exec"), {})
    check("redacted")
    assert len(pd.read_parquet("redacted")) == len(NOTES)


@pytest.mark.filterwarnings("ignore")  # of Ray itself
def test_ray_example():
    ray = pytest.importorskip("ray")
    try:
        exec(compile(code_under("Ray"), "clusters.md", "exec"), {})
        check("redacted")
    finally:
        ray.shutdown()
