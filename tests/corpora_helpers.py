"""The formats that can be tested here, and where their notes are written to."""

from __future__ import annotations

from importlib.util import find_spec

from spacy_deid.corpora import CORPUS_FORMATS

INSTALLED = [name for name in CORPUS_FORMATS if name != "xmi" or find_spec("cassis")]
FOLDERS = [name for name in INSTALLED if CORPUS_FORMATS[name].folder]
FILES = [name for name in INSTALLED if not CORPUS_FORMATS[name].folder]
OF_XML = ("i2b2", "xmi")  # which cannot hold all characters
TARGETS = {
    name: name if each.folder else f"{name}{each.suffixes[0] if each.suffixes else '.json'}"
    for name, each in CORPUS_FORMATS.items()
}
