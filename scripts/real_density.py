"""Gather a corpus with as little PHI as notes of hospitals hold, to compare systems on.

Systems learn from charts and from synthetic notes with little PHI. Their best step is chosen on
notes of other authors, and they are tested on notes of others again.

    python scripts/real_density.py corpus/train.spacy corpus/real --notes 1000
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from spacy_deid.annotation.notes import Note
from spacy_deid.corpora import read_notes, write_notes

ROOT = Path(__file__).parent.parent
_CHARTS = 128
"""Charts to take: those of `a.jsonl` to `h.jsonl`."""
_DENSITY = (25, 70)
"""Pieces of PHI in 1,000 words of a synthetic note that is taken."""
_MAX_WORDS = 760
"""Longer notes are left out, so that 1,000 notes are about as much text as the i2b2 2014 corpus."""


def main(
    synthetic: Annotated[Path, typer.Argument(help="Synthetic notes to draw from.")],
    output: Annotated[Path, typer.Argument(help="Folder to write.")],
    notes: Annotated[int, typer.Option(help="Training notes.")] = 1_000,
    test: Annotated[str, typer.Option(help="Sets to test on, of benchmarks/.")] = "blind_ehr_test",
) -> None:
    """Write train.spacy, dev.spacy and test.spacy to OUTPUT."""
    charts = list(islice(read_notes(ROOT / "assets" / "charts"), _CHARTS))
    sparse = [note for note in read_notes(synthetic) if is_sparse(note)]
    random.Random(1).shuffle(sparse)
    parts = {
        "train": [*charts, *sparse][:notes],
        "dev": evaluation_notes(["blind_ehr_dev"]),
        "test": evaluation_notes(test.split()),
    }
    output.mkdir(parents=True, exist_ok=True)
    for name, part in parts.items():
        write_notes(part, output / f"{name}.spacy")
        words = sum(len(note.text.split()) for note in part)
        density = 1_000 * sum(len(note.spans) for note in part) / words
        msg.good(f"{name}: {len(part):,} notes, {words:,} words, {density:.0f} PHI per 1,000 words")


def is_sparse(note: Note) -> bool:
    """Whether a note is short enough and has as little PHI as notes of hospitals."""
    words = len(note.text.split())
    low, high = _DENSITY
    return words <= _MAX_WORDS and low * words <= 1_000 * len(note.spans) <= high * words


def evaluation_notes(names: Iterable[str]) -> list[Note]:
    """The notes of sets of `benchmarks/`."""
    return [note for name in names for note in read_notes(ROOT / "benchmarks" / f"{name}.jsonl")]


if __name__ == "__main__":
    typer.run(main)
