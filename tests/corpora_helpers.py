"""The formats that can be tested here, and where their notes are written to."""

from __future__ import annotations

from importlib.util import find_spec

from spacy_deid.corpora import FORMATS

INSTALLED = [name for name in FORMATS if name != "xmi" or find_spec("cassis")]
TARGETS = {name: name if FORMATS[name].folder else f"notes.{name}" for name in FORMATS} | {
    "jsonl": "notes.jsonl",
    "docbin": "notes.spacy",
    "label-studio": "tasks.json",
    "prodigy": "prodigy.jsonl",
    "doccano": "doccano.jsonl",
}
