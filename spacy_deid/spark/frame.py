"""Redaction of Spark data frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark import TaskContext
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, MapType, StringType, StructField, StructType

from ..arrow import PHI_COUNTS, WITHHELD, ArrowRedactor
from ..records import Fields
from ..redaction import Policy, RedactionError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_ADDED = (
    StructField(PHI_COUNTS, MapType(StringType(), IntegerType())),
    StructField(WITHHELD, StringType()),
)
_CORRUPT = "spark.sql.columnNameOfCorruptRecord"


def redact(
    df: DataFrame,
    *,
    text: str | Sequence[str] = "text",
    patient: str = "",
    policy: str | Path | Policy = "tag",
    model: str = "en_deid",
    key_file: str | Path | None = None,
) -> DataFrame:
    """Redact columns of notes on the workers; the texts are those of the command `redact`.

    All other columns stay as they are, with any PHI they contain.

    df (DataFrame): One row per note.
    text (str | Sequence[str]): The column of notes, or several; a missing note stays missing.
    patient (str): The column of patient ids; notes of one patient share surrogates.
    policy (str | Path | Policy): A style, a preset or a file, which the driver reads.
    model (str): Name of the model on the workers, or its folder there.
    key_file (str | Path | None): File with the secret on the workers; by default, it is read from
        their environment variable `SPACY_DEID_KEY`. The plan has the name of the file, not the key.
    RETURNS (DataFrame): The same rows, with two more columns: `phi_counts` (what was replaced, by
        type) and `withheld`, the reason if a note failed; its text is null then.
    RAISES (RedactionError): If a column is missing or of another type, or there is no such policy.
    """
    redactor = ArrowRedactor(text, patient=patient, policy=policy, model=model, key_file=key_file)
    redactor.check_columns(df.columns)
    _check_types(df.schema, redactor.fields)
    corrupt = str(df.sparkSession.conf.get(_CORRUPT))
    texts = redactor.fields.text
    if corrupt in df.columns:  # it holds lines that are not valid JSON, with all their PHI
        valid = F.col(corrupt).isNull()
        df = df.withColumns({name: F.when(valid, F.col(quoted(name))) for name in texts})
    # Metadata of columns, such as comments, may quote notes.
    kept = [
        StructField(field.name, field.dataType, field.nullable or field.name in texts)
        for field in df.schema
    ]
    schema = StructType([*kept, *_ADDED])
    numbered = df.toDF(*map(str, range(len(df.columns))))  # mapInArrow takes "a.b" for a field
    result = numbered.mapInArrow(partial(_redact_partition, redactor, df.columns), schema)
    if corrupt in df.columns:
        reason = F.when(F.col(corrupt).isNotNull(), F.lit("its line cannot be read"))
        result = result.withColumn(WITHHELD, F.coalesce(WITHHELD, reason)).drop(corrupt)
    return result


def quoted(name: str) -> str:
    """The name of a column in expressions, where a dot would mean a field of a struct."""
    return "`" + name.replace("`", "``") + "`"


def _redact_partition(
    redactor: ArrowRedactor, names: list[str], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Redact on a worker; a task that failed before looks for a note that is to blame.

    names (list[str]): The names of the columns.
    """
    task = TaskContext.get()
    retried = task is not None and task.attemptNumber() > 0
    named = (batch.rename_columns(names) for batch in batches)
    return redactor.redact(named, isolated=retried, expendable=True)


def _check_types(schema: StructType, fields: Fields) -> None:
    for name in fields.text:
        kind = schema[name].dataType
        if not isinstance(kind, StringType):
            raise RedactionError(
                f"the column '{name}' (`text=`) is {kind.simpleString()}, and notes are strings"
            )
