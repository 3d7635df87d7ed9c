"""The `spacy-deid` command: a module for each command, which calls one plain function."""

from . import (  # noqa: F401
    check_audit,
    compare,
    convert,
    evaluate,
    prove,
    redact,
    reidentify,
    report,
    review,
    select_features,
    serve,
    show,
    synthesize,
    thresholds,
)
from .options import app

__all__ = ["app"]
