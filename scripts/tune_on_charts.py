"""Fine-tune a trained pipeline on whole notes as an EHR holds them, in `assets/charts`.

Half of the words are those of synthetic notes, so that nothing is forgotten, and in half of the
copies of a chart its names are exchanged for others. Only weights change: calibrate afterwards.

    python scripts/tune_on_charts.py training/model-best training/tuned
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import spacy
import typer
from wasabi import msg

from spacy_deid.adapt.training_notes import synthetic_replay, training_notes
from spacy_deid.adapt.tune import Tuning, tune
from spacy_deid.corpora import read_notes
from spacy_deid.prove import ReviewedNote
from spacy_deid.training import save_pipeline

ASSETS = Path(__file__).parent.parent / "assets"
_SYNTHETIC = 2_000
"""Synthetic notes to draw from."""


def main(
    model: Annotated[str, typer.Argument(help="Name or folder of the model.")],
    output: Annotated[Path, typer.Argument(help="New folder for the fine-tuned model.")],
    steps: Annotated[int, typer.Option(help="Number of steps.")] = 1_200,
    learn_rate: Annotated[float, typer.Option(help="The highest learning rate.")] = 0.001,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 1,
    force: Annotated[bool, typer.Option("--force", help="Replace OUTPUT.")] = False,
) -> None:
    """Write MODEL, fine-tuned, to OUTPUT."""
    if output.exists() and not force:
        raise typer.BadParameter(f"{output} is there already; name a new folder, or use --force")
    charts = [ReviewedNote(note, (), ()) for note in read_notes(ASSETS / "charts")]
    synthetic = synthetic_replay(ASSETS, learn=_SYNTHETIC, test=0, seed=seed)
    tuning = Tuning(steps=steps, learn_rate=learn_rate, seed=seed)
    nlp = spacy.load(model)
    tune(nlp, training_notes(charts, synthetic, seed), tuning, progress=True)
    save_pipeline(nlp, output, force=force)
    msg.good(f"Written: {output}, fine-tuned on {len(charts)} charts")


if __name__ == "__main__":
    typer.run(main)
