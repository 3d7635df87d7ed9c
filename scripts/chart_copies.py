"""Write copies of the charts to train on; every second copy of a chart has other names.

A chart is a whole note with little PHI, as an EHR holds it.

    python scripts/chart_copies.py assets/charts corpus/notes/train --copies 9
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm
from wasabi import msg

from spacy_deid.adapt.training_notes import copies_of
from spacy_deid.corpora import read_notes, write_notes
from spacy_deid.prove import ReviewedNote


def main(
    charts: Annotated[Path, typer.Argument(help="Annotated notes.")],
    output: Annotated[Path, typer.Argument(help="Folder to write to, as i2b2 XML.")],
    copies: Annotated[int, typer.Option(help="Copies of each note.")] = 9,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 1,
) -> None:
    """Write copies of CHARTS to OUTPUT, beside what is there."""
    notes = [ReviewedNote(note, (), ()) for note in read_notes(charts)]
    count = copies * len(notes)
    made = tqdm(islice(copies_of(notes, seed), count), "charts", count, disable=None)
    named = (replace(note, id=f"{note.id}-{number}") for number, note in enumerate(made))
    written = write_notes(named, output, fmt="i2b2", force=True)
    msg.good(f"Written: {written.notes} copies of {len(notes)} charts, in {output}")


if __name__ == "__main__":
    typer.run(main)
