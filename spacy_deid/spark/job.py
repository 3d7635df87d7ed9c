"""Redaction of a data set that Spark reads into others that it writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from ..arrow import PHI_COUNTS, WITHHELD
from ..batch.results import NoteResult, Summary
from ..errors import RedactionError
from ..ids import id_text
from ..records import Fields
from ..records.columns import missing_column
from .frame import quoted, redact

NOTES, COUNTS, FAILED = "notes", "counts", "withheld"
"""Names of the data sets that are written: redacted notes, PHI by type, notes that failed."""

_FORMATS = {"jsonl": "json"}  # our names of formats, and Spark's
_SHOWN = 1_000
_OURS = re.compile(r"\bRedactionError: (.+)")
_EARLY = ("SparkClassNotFoundException",)
_CODES = re.compile(r"^\[[A-Z0-9_.]+\] | SQLSTATE: \w+$")


def redact_dataset(
    spark: SparkSession,
    source: str,
    target: str,
    *,
    format: str = "parquet",
    fields: Fields | None = None,
    force: bool = False,
    **settings: Any,
) -> Summary:
    """Redact the notes of a data set, and write what was replaced and what failed beside them.

    source (str): Path or address of the data set, for Spark.
    target (str): The output folder; it gets the data sets `notes`, `counts` and `withheld`.
    format (str): Their format: "jsonl", or one that the session knows by its name ("parquet").
    fields (Fields | None): The names of columns; by default `Fields()`.
    force (bool): Whether older results are replaced.
    settings (Any): Other settings of `redact`, as in `policy="mask"`.
    RETURNS (Summary): Notes, PHI by type and the first failures.
    RAISES (RedactionError): If the data cannot be read or written, or as `redact` does.
    """
    fields, kind = fields or Fields(), _FORMATS.get(format, format)
    with _in_one_sentence():
        if not force and _exists(spark, target):
            raise RedactionError(
                f"{target} exists already; use `force=True` to replace its results"
            )
        notes = spark.read.format(kind).load(source)
        result = redact(notes, text=fields.text, patient=fields.patient, **settings)
        ids = [quoted(name) for name in _ids(result, fields)]
        _write(result, f"{target}/{NOTES}", kind, force)
        reader = spark.read.format(kind)
        if kind == "json":  # whose files have no schema
            reader = reader.schema(result.schema)
        done = reader.load(f"{target}/{NOTES}")
        failed = done.where(F.col(WITHHELD).isNotNull()).select(*ids, WITHHELD)
        counts = _count(done)
        _write(counts, f"{target}/{COUNTS}", kind, force)
        _write(failed, f"{target}/{FAILED}", kind, force)
        summary = _summarize(done, failed, source, target)
        summary.phi.update({row["phi"]: row["replaced"] for row in counts.collect()})
    summary.add_kept(
        name for name in done.columns if name not in (*fields.text, PHI_COUNTS, WITHHELD)
    )
    return summary


def _exists(spark: SparkSession, path: str) -> bool:
    jvm: Any = spark._jvm
    where = jvm.org.apache.hadoop.fs.Path(path)  # Spark itself looks one by one, and late
    return bool(where.getFileSystem(spark._jsc.hadoopConfiguration()).exists(where))


def _ids(frame: DataFrame, fields: Fields) -> list[str]:
    """The column of ids, if there is one; only the default may be missing."""
    if fields.id in frame.columns:
        return [fields.id]
    if fields.id != Fields().id:
        problem = missing_column(frame.columns, [fields.id], fields.setting_of)
        raise RedactionError(f"the table {problem}")
    return []


def _write(frame: DataFrame, path: str, kind: str, force: bool) -> None:
    writer = frame.write.format(kind).mode("overwrite" if force else "error")
    if kind == "json":
        writer = writer.option("ignoreNullFields", False)
    writer.save(path)


def _count(done: DataFrame) -> DataFrame:
    """The number of PHI replaced, by type: a row each, already counted."""
    pairs = done.select(F.explode(PHI_COUNTS).alias("phi", "number"))
    counts = pairs.groupBy("phi").agg(F.sum("number").alias("replaced"))
    rows = sorted(counts.collect())
    return done.sparkSession.createDataFrame(rows, counts.schema).coalesce(1)


def _summarize(done: DataFrame, failed: DataFrame, source: str, target: str) -> Summary:
    """The results, from the notes that were written."""
    redacted = F.count_if(F.col(PHI_COUNTS).isNotNull() & F.col(WITHHELD).isNull())
    (row,) = done.agg(redacted.alias("notes"), F.count(WITHHELD).alias("withheld")).collect()
    place = Path(Path(source).name)
    failures = [
        NoteResult(source=place, target=Path(target), row="".join(map(id_text, ids)), error=reason)
        for *ids, reason in failed.limit(_SHOWN).collect()
    ]
    return Summary(notes=row["notes"], withheld=row["withheld"], failures=failures)


@contextmanager
def _in_one_sentence() -> Iterator[None]:
    """Turn errors of Spark into one sentence each; those of running tasks may quote data."""
    try:
        yield
    except PySparkException as error:
        name = error.getCondition() or type(error).__name__
        is_early = isinstance(error, AnalysisException)
        raise RedactionError(_sentence(name, str(error), is_early)) from None
    except Py4JJavaError as error:  # of a class that PySpark does not know
        cause = error.java_exception
        name = cause.getClass().getSimpleName()
        message = str(cause.getMessage())
        raise RedactionError(_sentence(name, message, name in _EARLY)) from None


def _sentence(name: str, message: str, is_early: bool) -> str:
    """What is shown of an error: all of it if it was early, before Spark read any data."""
    if is_early:
        return _CODES.sub("", message.splitlines()[0])
    if ours := _OURS.search(message):
        return ours.group(1)
    return f"the Spark job failed ({name}); its log says why"
