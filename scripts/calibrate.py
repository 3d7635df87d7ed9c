"""Fit the tagger's temperature, so that a confidence of 0.8 is right in 80 % of the cases.

    python scripts/calibrate.py training/exported training/calibrated \\
        --notes benchmarks/blind_ehr_dev.jsonl --test benchmarks/blind_ehr_test.jsonl

A detection is right if it overlaps PHI. Prints confidences and shares before and after, on the test
notes where some are named, and the expected calibration error: the mean difference of the two.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import spacy
import typer
from spacy.language import Language
from wasabi import table

from spacy_deid.annotation.candidates import read_candidates
from spacy_deid.annotation.notes import PhiSpan
from spacy_deid.corpora import read_notes
from spacy_deid.evaluation.thresholds import Calibration
from spacy_deid.training import save_pipeline

TAGGER = "phi_tagger"
_TEMPERATURES = np.arange(0.5, 3.01, 0.05)
_EPSILON = 1e-6


def read_confidences(nlp: Language, path: Path) -> np.ndarray:
    """Confidence of each of the tagger's candidates in notes, and whether it is PHI.

    RETURNS (np.ndarray): *Shape:* `(n_candidates, 2)`
    """
    gold = list(read_notes(path))
    rows = []
    for note, doc in zip(gold, nlp.pipe(note.text for note in gold), strict=True):
        for span, score in read_candidates(doc, TAGGER):
            found = PhiSpan(span.start_char, span.end_char, span.label_)
            rows.append((score, any(map(found.overlaps, note.spans))))
    return np.array(rows, dtype=float)


def rescale(confidences: np.ndarray, temperature: float) -> np.ndarray:
    """Confidences with their log-odds divided by a temperature."""
    clipped = np.clip(confidences, _EPSILON, 1 - _EPSILON)
    return 1 / (1 + ((1 - clipped) / clipped) ** (1 / temperature))


def fit(rows: np.ndarray) -> float:
    """The temperature of the lowest cross-entropy, by grid search."""

    def loss(temperature: float) -> float:
        scaled = rescale(rows[:, 0], temperature)
        return float(-np.log(np.where(rows[:, 1] > 0, scaled, 1 - scaled)).mean())

    return round(float(min(_TEMPERATURES, key=loss)), 2)


def show(name: str, rows: np.ndarray) -> None:
    """Print the calibration of candidates: number, mean confidence and share of PHI by bin."""
    calibration = Calibration.of(rows)
    columns = (calibration.counts, calibration.confidence, calibration.phi_share)
    width = 1 / len(calibration.counts)
    lines = [
        (f"{i * width:.1f} to {(i + 1) * width:.1f}", f"{n:,}", f"{mean:.3f}", f"{share:.3f}")
        for i, (n, mean, share) in enumerate(zip(*columns, strict=True))
        if n
    ]
    typer.echo(f"{name}: expected calibration error {calibration.expected_error:.4f}")
    typer.echo(table(lines, header=("confidence", "candidates", "mean", "PHI"), divider=True))


def main(
    model: Annotated[str, typer.Argument(help="Name or folder of the model.")],
    out: Annotated[Path, typer.Argument(help="New folder for the calibrated model.")],
    notes: Annotated[Path, typer.Option(help="Annotated notes to fit on.")],
    test: Annotated[Path | None, typer.Option(help="Other notes, to measure on.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace OUT.")] = False,
) -> None:
    """Write MODEL to OUT with the temperature that fits NOTES."""
    if out.exists() and not force:
        raise typer.BadParameter(f"{out} is there already; name a new folder, or use --force")
    nlp = spacy.load(model)
    nlp.get_pipe(TAGGER).temperature = 1.0
    fitted = read_confidences(nlp, notes)
    temperature = fit(fitted)
    rows = read_confidences(nlp, test) if test else fitted
    show("Temperature 1", rows)
    scaled = rescale(rows[:, 0], temperature)
    show(f"Temperature {temperature:g}", np.column_stack([scaled, rows[:, 1]]))
    config = {"components": {TAGGER: {"temperature": temperature}}}
    save_pipeline(spacy.load(model, config=config), out, force=force)


if __name__ == "__main__":
    typer.run(main)
