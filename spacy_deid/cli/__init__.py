"""The `spacy-deid` command: one module a command, each a thin shell over a plain function."""

from .app import app
from .compare import compare_cli
from .convert import convert_cli
from .evaluate import evaluate_cli
from .redact import redact_cli
from .reidentify import reidentify_cli
from .report import report_cli
from .select_features import select_features_cli
from .show import show_cli
from .synthesize import synthesize_cli
from .thresholds import thresholds_cli

__all__ = [
    "app",
    "compare_cli",
    "convert_cli",
    "evaluate_cli",
    "redact_cli",
    "reidentify_cli",
    "report_cli",
    "select_features_cli",
    "show_cli",
    "synthesize_cli",
    "thresholds_cli",
]
