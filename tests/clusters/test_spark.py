"""Redaction by a real local Spark cluster of two workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
import srsly
from toy_pipeline import make_toy_pipeline
from typer.testing import CliRunner

pytest.importorskip("pyspark")

from spacy_deid.batch import redact_files
from spacy_deid.cli import app
from spacy_deid.redaction import RedactionError
from spacy_deid.spark import redact

ROOT = Path(__file__).parents[2]
CANARY = "Canaria Fernmeadow"
MODEL = "cluster_toy"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]
TEXTS = [f"Maria Lopez came on {day}/{day}/67. {'More. ' * day}" for day in range(1, 31)]


def notes(texts=TEXTS):
    return [
        {"id": f"n{number}", "mrn": number // 4, "text": text} for number, text in enumerate(texts)
    ]


def frame(spark, texts=TEXTS, partitions=2):
    rows = [(row["id"], row["mrn"], row["text"]) for row in notes(texts)]
    return spark.createDataFrame(rows, "id string, mrn long, text string").repartition(partitions)


def by_id(result):
    return {row["id"]: row for row in result.collect()}


def of_command(tmp_path, nlp, rows, policy="surrogate"):
    """The texts that the command redact writes, by id."""
    srsly.write_jsonl(tmp_path / "notes.jsonl", rows)
    out = tmp_path / "single"
    settings = {"policy": policy, "key": os.environ["SPACY_DEID_KEY"]}
    redact_files([tmp_path / "notes.jsonl"], out, nlp, **settings)
    return {row["id"]: row["text"] for row in srsly.read_jsonl(out / "notes.jsonl")}


def test_texts_are_those_of_the_command_whatever_the_partitions(spark, tmp_path):
    single = of_command(tmp_path, make_toy_pipeline(), notes())
    assert not any("Lopez" in text for text in single.values())
    for partitions in (1, 5):
        found = redact(frame(spark, partitions=partitions), policy="surrogate", model=MODEL)
        assert {name: row["text"] for name, row in by_id(found).items()} == single


@pytest.mark.skipif(not spacy.util.is_package("en_deid"), reason="needs the en_deid wheel")
def test_en_deid_writes_the_same_texts(spark, tmp_path):
    rows = list(srsly.read_jsonl(ROOT / "benchmarks" / "blind_dev.jsonl"))[:24]
    texts = [row["text"] for row in rows]
    found = redact(frame(spark, texts, partitions=3), policy="surrogate")
    single = of_command(tmp_path, spacy.load("en_deid"), notes(texts))
    assert {name: row["text"] for name, row in by_id(found).items()} == single
    assert not set(single.values()) & set(texts)


def test_bad_notes_are_withheld_and_fail_no_task(spark):
    frame_of_bad = frame(spark, ["BOOM Maria", None, "Maria", "bytes"]).selectExpr(
        "id", "if(id = 'n3', cast(unhex('4dff') as string), text) AS text"
    )
    found = by_id(redact(frame_of_bad, model=MODEL))
    assert {name: row["text"] for name, row in found.items()} == {
        "n0": None,
        "n1": None,
        "n2": "[PATIENT]",
        "n3": None,
    }
    assert found["n0"]["withheld"] == "the pipe 'toy_detector' failed (ValueError)"
    assert found["n3"]["withheld"] == "it is not valid UTF-8"
    assert found["n1"]["withheld"] is None and found["n1"]["phi_counts"] is None
    assert found["n2"]["phi_counts"] == {"PATIENT": 1}


def test_worker_that_is_killed_once_changes_nothing(spark, tmp_path):
    texts = [*TEXTS, f"Maria, ONCE {tmp_path / 'killed'} and never again"]
    found = by_id(redact(frame(spark, texts), policy="surrogate", model=MODEL))
    assert (tmp_path / "killed").exists()
    single = of_command(tmp_path, make_toy_pipeline(), notes(texts))
    assert {name: row["text"] for name, row in found.items()} == single


def test_note_that_kills_each_worker_is_withheld(spark, tmp_path):
    found = by_id(redact(frame(spark, [*TEXTS, "DIE Maria"]), policy="surrogate", model=MODEL))
    killer = found.pop(f"n{len(TEXTS)}")
    assert killer["text"] is None
    assert killer["withheld"] == "the process that worked on it died or hung"
    single = of_command(tmp_path, make_toy_pipeline(), notes())
    assert {name: row["text"] for name, row in found.items()} == single


def test_columns_are_checked_before_anything_runs(spark):
    with pytest.raises(RedactionError, match="no column 'note'.*its columns are id, mrn, text"):
        redact(frame(spark), text="note")
    with pytest.raises(RedactionError, match="no column 'owner'"):
        redact(frame(spark), patient="owner")
    with pytest.raises(RedactionError, match="'mrn' .* is bigint, and notes are strings"):
        redact(frame(spark), text="mrn")
    with pytest.raises(RedactionError, match="a column 'Withheld' already"):
        redact(frame(spark).withColumnRenamed("id", "Withheld"))


def spark_job(*arguments):
    return CliRunner().invoke(app, ["spark-job", *map(str, arguments), "--model", MODEL])


@pytest.mark.parametrize("fmt", ["jsonl", "parquet"])
def test_job_writes_notes_counts_and_withheld(spark, tmp_path, fmt):
    kind = "json" if fmt == "jsonl" else fmt
    source, out = tmp_path / "notes", tmp_path / "out"
    rows = frame(spark, ["Maria, 3/4/67", "BOOM", None, "Maria"])
    rows.write.format(kind).save(str(source))
    result = spark_job(source, "--out", out, "--format", fmt)
    assert result.exit_code == 1, result.output
    assert "Notes redacted: 2" in result.output and "Notes withheld: 1" in result.output
    assert "notes#n1: the pipe 'toy_detector' failed (ValueError)" in result.output
    assert "Left unchanged, and not searched for PHI: id, mrn" in result.output
    tables = {
        name: [row.asDict() for row in spark.read.format(kind).load(str(out / name)).collect()]
        for name in ("notes", "counts", "withheld")
    }
    texts = {row["id"]: row["text"] for row in tables["notes"]}
    assert texts == {"n0": "[PATIENT], [DATE]", "n1": None, "n2": None, "n3": "[PATIENT]"}
    assert tables["counts"] == [{"phi": "DATE", "replaced": 1}, {"phi": "PATIENT", "replaced": 2}]
    reason = "the pipe 'toy_detector' failed (ValueError)"
    assert tables["withheld"] == [{"id": "n1", "withheld": reason}]

    again = spark_job(source, "--out", out, "--format", fmt)
    assert again.exit_code == 2 and "exists already; use --force" in again.output
    assert spark_job(source, "--out", out, "--format", fmt, "--force").exit_code == 1


def test_lines_that_are_no_json_are_withheld_and_not_kept(spark, tmp_path):
    lines = [json.dumps({"a.id": "a", "a.text": "Maria"}), f'{{"a.id": "b", "a.text": "{CANARY}']
    (tmp_path / "notes.jsonl").write_text("\n".join(lines))
    columns = ("--text-column", "a.text", "--id-column", "a.id", "--format", "jsonl")
    result = spark_job(tmp_path / "notes.jsonl", "--out", tmp_path / "out", *columns)
    assert result.exit_code == 1 and "its line cannot be read" in result.output
    written = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert written and not any(CANARY.encode() in path.read_bytes() for path in written)


def test_errors_of_the_job_are_one_sentence(spark, tmp_path):
    source, out = tmp_path / "notes", tmp_path / "out"
    frame(spark).write.parquet(str(source))
    for arguments, message in [
        ((tmp_path / "nothing",), "✘ Path does not exist"),
        ((source, "--format", "no_such_format"), "no_such_format"),
        ((source, "--text-column", "note"), "no column 'note' (--text-column)"),
        ((source, "--id-column", "number"), "no column 'number' (--id-column)"),
        ((source, "--policy", "no_such_policy"), "unknown style or policy"),
        ((source, "--policy", "surrogate", "--key-file", "no/key"), "key file no/key cannot"),
    ]:
        result = spark_job(*arguments, "--out", out)
        output = " ".join(result.output.split())  # it is wrapped
        assert result.exit_code == 2 and message in output, (message, output)
        assert "SQLSTATE" not in output and "Traceback" not in output
        assert not (out / "notes" / "_SUCCESS").exists()


@pytest.mark.timeout(900)
def test_key_and_text_are_in_no_log_of_spark(spark, cluster_environment, tmp_path):
    key = cluster_environment["SPACY_DEID_KEY"]
    rows = [{"id": "a", "text": f"Maria {CANARY}"}, {"id": "b", "text": f"BOOM {CANARY}"}]
    srsly.write_jsonl(tmp_path / "notes.jsonl", rows)
    events = tmp_path / "events"
    events.mkdir()
    settings = f"--conf spark.eventLog.enabled=true --conf spark.eventLog.dir={events.as_uri()}"
    settings += " --conf spark.eventLog.compress=false"
    quick = "--driver-java-options -XX:TieredStopAtLevel=1 --conf spark.ui.enabled=false"
    environment = {
        **cluster_environment,
        "PYSPARK_SUBMIT_ARGS": f"--master local[2,4] {settings} {quick} pyspark-shell",
    }
    command = [sys.executable, "-c", "from spacy_deid.cli import app; app()", "spark-job"]
    command += ["notes.jsonl", "--out", "out", "--format", "jsonl", "--model", MODEL]
    done = subprocess.run(
        [*command, "--policy", "surrogate"], cwd=tmp_path, env=environment, capture_output=True
    )
    assert done.returncode == 1 and b"Notes withheld: 1" in done.stdout, done.stderr.decode()
    logged = [path.read_bytes() for path in events.rglob("*") if path.is_file()]
    assert b"MapInArrow" in b"".join(logged)
    for data in (done.stdout, done.stderr, *logged):
        assert key.encode() not in data and CANARY.encode() not in data
