"""`spacy-deid spark-job`: notes without their PHI, by the workers of a Spark cluster."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from ..redaction import RedactionError
from . import options
from .redact import print_summary

Source = Annotated[
    str, typer.Argument(metavar="DATA", help="Path or address of the notes, for Spark.")
]
Target = Annotated[
    str, typer.Option("--out", "-o", help="Output folder, for notes, counts and withheld.")
]
Format = Annotated[
    str,
    typer.Option(
        "--format", "-f", help="Format of both: parquet, jsonl, or another that Spark knows."
    ),
]
KeyFile = Annotated[
    str | None,
    typer.Option(
        help="File on the workers with your secret key; by default, it is read from "
        f"{options.KEY_VARIABLE} in their environment."
    ),
]


@options.command("spark-job")
def spark_job_cli(
    source: Source,
    target: Target,
    format: Format = "parquet",
    policy: options.PolicyName = "tag",
    key_file: KeyFile = None,
    model: options.Model = "en_deid",
    text_column: options.TextColumn = None,
    id_column: options.IdColumn = "id",
    patient_column: options.PatientColumn = "",
    force: options.Force = False,
) -> None:
    """
    Redact notes on a Spark cluster; the texts are those of the command redact.

    Only the text is searched: **other columns stay as they are**, and may hold PHI. A note that
    fails becomes null and is listed with its reason; the exit code is then 1.

    The cluster is that of your Spark configuration; docs/how-to/clusters.md has more, and how to
    submit the command to a cluster with spark-submit.

    Example:

    spacy-deid spark-job notes.parquet --out redacted --policy surrogate --patient-column mrn
    --key-file /etc/deid/key
    """
    try:
        from pyspark.sql import SparkSession

        from ..spark import redact_dataset
    except ImportError as error:
        raise RedactionError('this needs pip install "spacy_deid[spark]"') from error
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    running = SparkSession.getActiveSession()
    session = running or SparkSession.builder.appName("spacy-deid").getOrCreate()
    try:
        summary = redact_dataset(
            session,
            source,
            target,
            format=format,
            fields=options.fields(text_column, id_column, patient_column),
            policy=policy,
            key_file=key_file,
            model=model,
            force=force,
        )
    finally:
        if running is None:
            session.stop()
    print_summary(summary, target)
