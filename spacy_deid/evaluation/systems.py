"""Input of an evaluation: gold notes, and a system's notes or a model to run."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from spacy.language import Language
from spacy.util import is_package
from tqdm import tqdm

from ..annotation.notes import Note
from ..annotation.phi import LABEL_SETS, LabelSet, normalize_type
from ..batch.deidentify import load_pipeline
from ..corpora import read_notes
from ..corpora.io import input_format
from ..custom.pipe import AnyTerms
from .redacted import is_redacted, read_redacted
from .scorer import found_note


@dataclass(frozen=True)
class System:
    """A system under evaluation, and the notes with the PHI it detected."""

    name: str
    notes: list[Note] = field(repr=False)
    nlp: Language | None = None  # the pipeline, if the system is a model that was run here
    words_per_second: float | None = None  # its speed in that run, in white-space-separated words
    train_size: int | None = None  # number of notes it was trained on, if given

    @property
    def full_name(self) -> str:
        """Its name, with the number of training notes if given."""
        return self.name if self.train_size is None else f"{self.name}@{self.train_size}"


def get_label_set(name: str | None) -> LabelSet | None:
    """The label set of that name, or None for the project's own types."""
    if name is None:
        return None
    if name not in LABEL_SETS:
        raise ValueError(f"unknown label set '{name}'; the sets are {', '.join(LABEL_SETS)}")
    return LABEL_SETS[name]


def read_gold(path: Path, *, fmt: str | None = None, labels: str | None = None) -> list[Note]:
    """Read the notes to score against.

    labels (str | None): Name of their label set. Labels are kept, except those without a
        counterpart among the PHI types.
    RAISES (ValueError): If a note cannot be read.
    """
    label_set = get_label_set(labels)

    def keep(label: str) -> str | None:
        if label_set is None:
            return normalize_type(label)
        return label if label_set.to_phi(label) else None

    return list(read_notes(path, fmt=fmt, to_phi=keep, overlaps=True))


def find_system(
    spec: str,
    gold: list[Note],
    *,
    fmt: str | None = None,
    labels: str | None = None,
    threshold: float | None = None,
    terms: AnyTerms | None = None,
    n_process: int = 1,
    progress: bool = False,
) -> System:
    """Read a system's notes, or run a model on the texts of the gold notes.

    spec (str): A corpus, an output folder of `redact`, or the name or folder of a model; a prefix
        `NAME=` sets its name in tables, and `NAME@SIZE=` also the number of notes it was trained
        on.
    fmt, labels (str | None): Format and label set of a corpus, if they cannot be detected.
    threshold (float | None): The threshold of a model; by default its own.
    terms (AnyTerms | None): Own terms that a model is to look for.
    RAISES (ValueError): If it is neither a corpus nor a model.
    """
    name, size, target = _parse(spec)
    path = Path(target)
    if path.exists() and not is_model(spec):
        for setting, value in (("a threshold needs", threshold), ("own terms need", terms)):
            if value is not None:
                raise ValueError(f"{setting} a model, and {path} holds notes")
        if is_redacted(path):
            return System(name, read_redacted(path, gold), train_size=size)
        fmt = input_format(path, fmt, setting="system_format=").name
        label_set = get_label_set(labels)
        to_phi = label_set.to_phi if label_set else normalize_type
        notes = list(read_notes(path, fmt=fmt, to_phi=to_phi, overlaps=True))
        return System(name, notes, train_size=size)
    if not is_model(spec):
        raise ValueError(
            f"'{target}' is neither a file or folder of notes, nor the name or folder of a model"
        )
    nlp = load_pipeline(target, threshold, terms)
    start = time.perf_counter()
    notes = run_model(nlp, gold, n_process=n_process, progress=name if progress else None)
    words = sum(len(note.text.split()) for note in gold)
    return System(name, notes, nlp, words / (time.perf_counter() - start), size)


def is_model(spec: str) -> bool:
    """Whether a system is the folder or name of a model, with a prefix or without; see above."""
    _, _, target = _parse(spec)
    path = Path(target)
    return (path / "config.cfg").is_file() if path.exists() else is_package(target)


def run_model(
    nlp: Language, notes: Iterable[Note], *, n_process: int = 1, progress: str | None = None
) -> list[Note]:
    """Run a pipeline on the texts of notes and return them with the detected PHI.

    progress (str | None): Label of the progress bar; None for no bar.
    """
    pairs = [(note.text, note.id) for note in notes]
    docs = nlp.pipe(pairs, as_tuples=True, n_process=n_process)
    hidden = True if progress is None else None
    bar = tqdm(docs, progress, len(pairs), unit=" notes", disable=hidden)
    return [found_note(doc, note_id) for doc, note_id in bar]


def _parse(spec: str) -> tuple[str, int | None, str]:
    """Name, training size and target of "NAME@SIZE=TARGET"."""
    head, separator, target = spec.partition("=")
    if not separator or not target or "/" in head:
        return Path(spec).name or spec, None, spec
    name, _, size = head.partition("@")
    if size and not size.isdecimal():
        raise ValueError(f"'{head}' should be NAME or NAME@SIZE, with SIZE a number of notes")
    return name, int(size) if size else None, target
