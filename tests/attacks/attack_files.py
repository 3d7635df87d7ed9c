"""A file redacted as the command line does it, with the toy pipeline."""

from __future__ import annotations

from spacy_deid.batch import redact_files
from spacy_deid.redaction import Key

KEY = Key(b"0123456789abcdef")


def redact_file(nlp, folder, name, data, **options):
    """The result of a file, and the summary of its run; None if the file has no result."""
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    out = folder / "out"
    summary = redact_files([folder / name], out, nlp, key=KEY, force=True, **options)
    return (out / name).read_bytes() if (out / name).exists() else None, summary


def withheld(summary):
    """Why texts were withheld, by row."""
    return {failure.row: failure.error for failure in summary.failures}
