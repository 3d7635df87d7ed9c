"""How often the bounds of `spacy-deid prove` hold.

Simulates reviews: notes with 25 pieces of PHI on average, of which a system misses some, more in
some notes than in others; and readers who miss some of what it missed. Counts in how many reviews
the lower bound of recall is not above the true recall. Writes `benchmarks/bounds.json`.

    python benchmarks/bounds.py --reviews 2000
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from tqdm import tqdm
from wasabi import table

from spacy_deid.files import replacing
from spacy_deid.prove.bounds import measure_share
from spacy_deid.prove.readers import Trials, corrected_recall

HERE = Path(__file__).parent
PHI_PER_NOTE = 25
KINDS = ("exact", "bootstrap", "clustered", "corrected")


class Scenario(NamedTuple):
    """A system and its readers.

    correlation (float): Correlation of misses in a note; 0 if they are independent.
    sensitivity (float): Share of the missed PHI that a reader finds.
    planted (int): Detections that are held back from the reader.
    """

    notes: int
    recall: float
    correlation: float
    sensitivity: float = 0.9
    planted: int = 200


SCENARIOS = [
    Scenario(notes, recall, correlation)
    for notes in (40, 100)
    for recall in (0.98, 0.95)
    for correlation in (0.0, 0.02, 0.05)
] + [Scenario(100, 0.99, correlation) for correlation in (0.0, 0.02, 0.05)]


def review(scenario: Scenario, rng: np.random.Generator, resamples: int) -> dict[str, float]:
    """Lower bounds of recall after one review."""
    pieces = 1 + rng.negative_binomial(2, 2 / (1 + PHI_PER_NOTE), scenario.notes)
    rates = np.full(scenario.notes, 1 - scenario.recall)
    if scenario.correlation:
        spread = 1 / scenario.correlation - 1
        rates = rng.beta((1 - scenario.recall) * spread, scenario.recall * spread, scenario.notes)
    missed = rng.binomial(pieces, rates)
    full = measure_share(pieces - missed, pieces, resamples=resamples)
    seen = pieces - missed + rng.binomial(missed, scenario.sensitivity)
    partial = measure_share(pieces - missed, seen, resamples=0)
    caught = int(rng.binomial(scenario.planted, scenario.sensitivity))
    corrected = corrected_recall(partial, [Trials(caught, scenario.planted)], [(1, 1.0)], 0.95)
    return {
        "exact": full.exact.low,
        "bootstrap": full.bootstrap.low,
        "clustered": full.clustered.low,
        "corrected": corrected[1] if corrected else 0.0,
    }


def simulate(scenario: Scenario, reviews: int, resamples: int = 1_000) -> dict[str, float]:
    """Share of the reviews in which each kind of bound holds."""
    rng = np.random.default_rng(1)
    bounds = [review(scenario, rng, resamples) for _ in range(reviews)]
    return {kind: np.mean([b[kind] <= scenario.recall for b in bounds]).item() for kind in KINDS}


def main(
    reviews: Annotated[int, typer.Option(min=1, help="Reviews of each scenario.")] = 2_000,
    out: Annotated[Path, typer.Option(help="JSON file to write.")] = HERE / "bounds.json",
) -> None:
    """Measure the coverage of all bounds."""
    rows: list[dict[str, Any]] = [
        {**scenario._asdict(), **simulate(scenario, reviews)} for scenario in tqdm(SCENARIOS)
    ]
    with replacing(out) as file:
        result = {"reviews": reviews, "confidence": 0.95, "scenarios": rows}
        file.write(json.dumps(result, indent=1).encode() + b"\n")
    header = ["notes", "recall", "correlation", *KINDS]
    typer.echo(table([[f"{row[name]:g}" for name in header] for row in rows], header=header))


if __name__ == "__main__":
    typer.run(main)
