"""Redaction on a Spark cluster (needs pyspark): `frame` redacts data frames, `job` files."""

from .frame import redact
from .job import redact_dataset

__all__ = ["redact", "redact_dataset"]
