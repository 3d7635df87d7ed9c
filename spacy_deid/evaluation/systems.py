"""Input of an evaluation: gold notes, and a system's notes, its redaction, or a model to run."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePath
from typing import Any

from spacy.language import Language
from spacy.util import is_package
from tqdm import tqdm

from ..annotation.notes import Note, PhiSpan
from ..annotation.phi import CATEGORY, LabelSet, get_label_set, normalize_type
from ..batch import MANIFEST, read_manifest
from ..batch.texts import read_texts
from ..corpora import read_notes
from ..corpora.io import input_format, raise_problem
from ..custom.pipe import AnyTerms
from ..engine.loading import load_pipeline
from ..records import Fields
from .scorer import found_note

_TAG = re.compile(rf"\[({'|'.join(CATEGORY)})\]")


@dataclass(frozen=True)
class System:
    """A system under evaluation, and the notes with the PHI it detected."""

    name: str
    notes: list[Note] = field(repr=False)
    nlp: Language | None = None  # the pipeline, if the system is a model that was run here
    words_per_second: float | None = None  # its speed in that run, in white-space-separated words
    train_size: int | None = None  # number of notes it was trained on, if given
    label_set: LabelSet | None = None  # that of the types in its notes, if not the project's

    @property
    def full_name(self) -> str:
        """Its name, with the number of training notes if given."""
        return self.name if self.train_size is None else f"{self.name}@{self.train_size}"


def find_label_set(name: str | None) -> LabelSet | None:
    """The label set of that name, or None for the project's own types."""
    return None if name is None else get_label_set(name)


def read_gold(path: Path, *, format: str | None = None, labels: str | None = None) -> list[Note]:
    """Read the notes to score against.

    labels (str | None): Name of their label set. Labels are kept, except those without a
        counterpart among the PHI types.
    RAISES (ValueError): If a note cannot be read, or there is none.
    """
    notes = _read_labelled(path, format, find_label_set(labels))
    if not notes:
        raise ValueError(f"there are no notes in {path}")
    return notes


def find_system(
    spec: str,
    gold: list[Note],
    *,
    format: str | None = None,
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
    format, labels (str | None): Format and label set of a corpus, if they cannot be detected.
    threshold (float | None): The threshold of a model; by default its own.
    terms (AnyTerms | None): Own terms that a model is to look for.
    RAISES (ValueError): If it is neither a corpus nor a model.
    """
    name, size, target = _parse(spec)
    if (path := system_path(spec)) and not is_model(spec):
        for setting, value in (("a threshold needs", threshold), ("your own terms need", terms)):
            if value is not None:
                raise ValueError(f"{setting} a model, and {path} holds notes")
        if (path / MANIFEST).is_file():
            return System(name, read_redacted(path, gold), train_size=size)
        format = input_format(path, format, setting="`system_format=`").name
        label_set = find_label_set(labels)
        notes = _read_labelled(path, format, label_set)
        return System(name, notes, train_size=size, label_set=label_set)
    if not is_model(spec):
        raise ValueError(
            f"'{target}' is neither a file or folder of notes, nor the name or folder of a model"
        )
    nlp = load_pipeline(target, threshold, terms)
    start = time.perf_counter()
    notes = run_model(nlp, gold, n_process=n_process, progress=name if progress else None)
    words = sum(len(note.text.split()) for note in gold)
    return System(name, notes, nlp, words / (time.perf_counter() - start), size)


def system_path(spec: str) -> Path | None:
    """Where the notes or the model of a system are; None if it is the name of a model."""
    _, _, target = _parse(spec)
    return Path(target) if Path(target).exists() else None


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


def _read_labelled(path: Path, format: str | None, label_set: LabelSet | None) -> list[Note]:
    """Notes with their labels, except those that have no counterpart among the PHI types."""

    def keep(label: str) -> str | None:
        if label_set is None:
            return normalize_type(label)
        return label if label_set.to_phi(label) else None

    return list(read_notes(path, fmt=format, to_phi=keep, overlaps=True))


def _parse(spec: str) -> tuple[str, int | None, str]:
    """Name, training size and target of "NAME@SIZE=TARGET", or of a path as it is."""
    head, separator, target = spec.partition("=")
    if not separator or not target or "/" in head or Path(spec).exists():
        return Path(spec).name or spec, None, spec
    name, _, size = head.partition("@")
    if size and not size.isdecimal():
        raise ValueError(f"'{head}' should be NAME or NAME@SIZE, with SIZE a number of notes")
    return name, int(size) if size else None, target


def read_redacted(folder: Path, gold: Iterable[Note]) -> list[Note]:
    """The gold notes with the PHI that a run of `redact` replaced by tags.

    A text without an id, as in FHIR and HL7, has the name of its file.

    folder (Path): The output folder of the run.
    RAISES (ValueError): If another policy was used, or a note is not a redacted gold note.
    """
    run = _read_run(folder)
    fields = Fields(tuple(run["fields"]["text"]), run["fields"]["id"])
    texts = {note.id: note.text for note in gold}
    notes = []
    for note, _ in read_texts(folder, fields=fields, on_problem=raise_problem):
        name = note.id if note.id in texts else PurePath(note.id.partition("#")[0]).stem
        if name in texts:
            spans = align_tags(texts[name], note.text)
            if spans is None:
                raise ValueError(f"note '{name}' in {folder} is not a redaction of the gold note")
            notes.append(Note(name, texts[name], spans))
    return notes


def align_tags(text: str, redacted: str) -> tuple[PhiSpan, ...] | None:
    """The spans of a text that stand as "[TYPE]" in its redaction; None if it is not one.

    What stands between two tags may also stand in the PHI: a span then ends where it first does,
    which need not be where the system's ended. A tag that the text holds itself was not replaced.
    """
    first, *parts = _TAG.split(redacted)
    if not text.startswith(first):
        return None
    spans = []
    at = len(first)
    for number, (phi_type, between) in enumerate(zip(parts[::2], parts[1::2], strict=True), 1):
        last = 2 * number == len(parts)
        end = len(text) - len(between) if last else text.find(between, at + 1)
        if end <= at or not text.startswith(between, end):
            return None
        if text[at:end] != f"[{phi_type}]":
            spans.append(PhiSpan(at, end, phi_type))
        at = end + len(between)
    return tuple(spans) if at == len(text) else None


def _read_run(folder: Path) -> Mapping[str, Any]:
    """The first line of a manifest, if it says that tags were written."""
    try:
        (line,) = islice(read_manifest(folder / MANIFEST), 1)
        run: Mapping[str, Any] = line["run"]
        policy = run["policy"]
        styles = {policy["default"], *policy["types"].values()}
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{folder / MANIFEST} is not a manifest of spacy-deid") from None
    if not styles <= {"tag", "keep"}:
        raise ValueError(
            f"{folder} was redacted with the policy '{policy['name']}'; only tags can be scored: "
            "redact the notes with `policy='tag'`"
        )
    return run
