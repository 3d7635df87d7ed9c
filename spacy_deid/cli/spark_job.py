"""`spacy-deid spark-job`: notes without their PHI, by the workers of a Spark cluster."""

from __future__ import annotations

import os
import sys
from typing import Annotated

from typer import Argument, Option

from ..errors import RedactionError, install
from ..redaction.key import KEY_VARIABLE
from . import options
from .decorator import command
from .redact import print_summary

KeyFile = Annotated[
    str | None,
    Option(
        help="File on the workers with your secret key; by default, it is read from "
        f"{KEY_VARIABLE} in their environment."
    ),
]


@command("spark-job")
def spark_job_cli(
    source: Annotated[
        str, Argument(metavar="DATA", help="Path or address of the notes, for Spark.")
    ],
    *,
    target: Annotated[
        str, Option("--out", "-o", help="Output folder, for notes, counts and withheld.")
    ],
    format: Annotated[
        str,
        Option(
            "--format", "-f", help="Format of both: parquet, jsonl, or another that Spark knows."
        ),
    ] = "parquet",
    policy: options.PolicyName = "tag",
    key_file: KeyFile = None,
    model: options.Model = "en_deid",
    columns: options.Columns,
    force: options.Force = False,
) -> None:
    """
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
    except ModuleNotFoundError as error:
        raise RedactionError(f"this needs {install('spark')}") from error
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    running = SparkSession.getActiveSession()
    session = running or SparkSession.builder.appName("spacy-deid").getOrCreate()
    try:
        summary = redact_dataset(
            session,
            source,
            target,
            format=format,
            fields=columns.fields(),
            policy=policy,
            key_file=key_file,
            model=model,
            force=force,
        )
    finally:
        if running is None:
            session.stop()
    print_summary(summary, target)
