"""What a model learns from: reviewed notes, half of them with other names, and replayed notes."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import count
from pathlib import Path

from ..annotation.notes import Note
from ..annotation.phi import PHI_TYPES
from ..corpora import read_notes
from ..corpora.io import input_format
from ..prove import ReviewedNote
from ..redaction import Policy, Redactor
from ..synthesis import Generator

_MOST_TESTED = 100
_OTHER_NAMES = Policy("other names", "keep", dict.fromkeys(PHI_TYPES["NAME"], "surrogate"))


@dataclass(frozen=True)
class Replay:
    """Annotated notes like those the model was trained on, so that it does not forget them."""

    learn: Sequence[Note]  # notes to train on
    test: Sequence[Note]  # other notes, to see what it forgets
    reviewed: int = 0  # reviewed notes that were left out
    generated: bool = False  # whether nobody wrote them, so that no review holds them


def synthetic_replay(assets: Path, *, learn: int = 1_000, test: int = 100, seed: int = 1) -> Replay:
    """Generate synthetic notes from assets, as `synthesize` does.

    RAISES (ValueError): If there is no such folder.
    """
    if not assets.is_dir():
        raise ValueError(
            f"there is no folder {assets} to generate notes for replay from; name that of a clone "
            "of the project with --assets, or annotated notes with --replay"
        )
    train, held_out = (Generator(assets, name, seed) for name in ("train", "test"))
    return Replay(list(train.notes(learn)), list(held_out.notes(test)), generated=True)


def read_replay(path: Path, reviewed: Iterable[ReviewedNote] = (), *, seed: int = 1) -> Replay:
    """Read annotated notes; a tenth of them, 100 at most, is not trained on.

    path (Path): A file or a folder in any format, recognized by suffix.
    reviewed (Iterable[ReviewedNote]): Notes that are left out, by their texts: some are held out.
    RAISES (ValueError): If a note cannot be read, or there are fewer than ten.
    """
    input_format(path, setting="")
    texts = {note.gold.text for note in reviewed}
    every = list(read_notes(path, overlaps=True))
    notes = [note for note in every if note.text not in texts]
    left_out = len(every) - len(notes)
    if len(notes) < 10:
        others = f" besides {left_out} reviewed ones" if left_out else ""
        raise ValueError(
            f"{path} has {len(notes)} annotated notes{others}; a replay takes 10 at least"
        )
    random.Random(seed).shuffle(notes)
    size = min(_MOST_TESTED, len(notes) // 10)
    return Replay(notes[size:], notes[:size], left_out)


def exchange_names(note: ReviewedNote, seed: str) -> Note:
    """The gold note with other names of the same form; what else it says stays.

    seed (str): Another seed draws other names.
    """
    gold = note.gold
    redactor = Redactor(_OTHER_NAMES, sha256(seed.encode()).hexdigest())
    redacted = redactor.redact(gold.text, gold.spans, note.patient_id)
    places = (redacted.moved(span.start, span.end) for span in gold.spans)
    moved = (
        replace(span, start=start, end=end)
        for span, (start, end) in zip(gold.spans, places, strict=True)
    )
    return Note(gold.id, redacted.text, tuple(span for span in moved if span.start < span.end))


def copies_of(reviewed: Sequence[ReviewedNote], seed: int = 1) -> Iterator[Note]:
    """Copies of the notes, without end; every second copy of a note has other names."""
    order = random.Random(seed)
    for epoch in count():
        for number, note in order.sample(list(enumerate(reviewed)), len(reviewed)):
            yield exchange_names(note, f"{seed}:{epoch}") if (epoch + number) % 2 else note.gold


def training_notes(
    reviewed: Sequence[ReviewedNote], replay: Replay, seed: int = 1
) -> Iterator[Note]:
    """Notes to train on, without end: as many words of reviewed notes as of replayed ones."""
    ours, theirs = copies_of(reviewed, seed), _shuffled(replay.learn, seed)
    lead = 0
    while True:
        note = next(ours) if lead <= 0 else next(theirs)
        words = len(note.text.split()) or 1
        lead += words if lead <= 0 else -words
        yield note


def _shuffled(notes: Sequence[Note], seed: int) -> Iterator[Note]:
    order = random.Random(seed)
    while True:
        yield from order.sample(notes, len(notes))
