"""Train a screen for an exported pipeline: it then reads only sentences that may hold PHI.

The screen learns from the tagger itself; NOTES need no gold.

    python scripts/train_screen.py training/exported corpus/train.spacy assets/charts \\
        --out training/screened
"""

from __future__ import annotations

from itertools import chain, islice
from pathlib import Path
from typing import Annotated

import spacy
import typer

from spacy_deid.corpora import read_notes
from spacy_deid.matcher.pipe import PhiMatcher
from spacy_deid.tagger.screen_training import train_screen
from spacy_deid.training import save_pipeline


def main(
    model: Annotated[str, typer.Argument(help="Name or folder of the exported model.")],
    notes: Annotated[list[Path], typer.Argument(help="Files or folders of notes.")],
    out: Annotated[Path, typer.Option(help="New folder for the model with a screen.")],
    most: Annotated[int, typer.Option(help="Notes of each file or folder that are used.")] = 3_000,
    steps: Annotated[int, typer.Option(help="Number of steps.")] = 2_500,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 1,
    force: Annotated[bool, typer.Option("--force", help="Replace OUT.")] = False,
) -> None:
    """Write MODEL to OUT, with a screen that learned from NOTES."""
    if out.exists() and not force:
        raise typer.BadParameter(f"{out} is there already; name a new folder, or use --force")
    nlp = spacy.load(model)
    texts = (note.text for note in chain(*(islice(read_notes(path), most) for path in notes)))
    rules = [name for name, pipe in nlp.pipeline if isinstance(pipe, PhiMatcher)]
    try:
        with nlp.select_pipes(disable=rules):  # the tagger does not read what they find
            train_screen(nlp, texts, steps=steps, seed=seed)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    save_pipeline(nlp, out, force=force)


if __name__ == "__main__":
    typer.run(main)
