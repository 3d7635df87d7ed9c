"""The learning curve of `spacy-deid adapt`: 0 to 200 reviewed notes of hospitals unlike any other.

The "hospitals" are the foreign sets of the folder that SPACY_DEID_DATA names
(`annotated/*.jsonl`), whose conventions differ from those of i2b2 2014: what counts is what they
mark, with their own bounds. `blind_ehr_dev` has the usual conventions, and notes of a form that the
model did not learn from. Two fifths of each set, 100 notes at most, are the test. The others are
read at random, or in the order of `review --doubtful`; a fifth of the notes that are read, always
random ones, choose the threshold.

    SPACY_DEID_DATA=path/to/data python benchmarks/adapt.py --figures output/curves

It writes `benchmarks/adapt.json` after each training, so that nothing is lost if it is stopped.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from tqdm import tqdm

from spacy_deid.adapt.adaptation import Adapted, adapt
from spacy_deid.adapt.gain import gain_to_json
from spacy_deid.adapt.split import Parts
from spacy_deid.adapt.training_notes import Replay, synthetic_replay
from spacy_deid.adapt.tune import Tuning
from spacy_deid.annotation.notes import Note
from spacy_deid.annotation.phi import LABEL_SETS, normalize_type
from spacy_deid.corpora import read_notes
from spacy_deid.engine.loading import load_pipeline
from spacy_deid.evaluation.drawing import save_figures
from spacy_deid.evaluation.plots import plot_learning_curve
from spacy_deid.evaluation.scores import Scores
from spacy_deid.files import replacing
from spacy_deid.prove import ReviewedNote
from spacy_deid.review.begin import SUSPECTED, expected_misses
from spacy_deid.review.findings import find_in_docs

HERE = Path(__file__).parent
SIZES = (10, 20, 50, 100, 200)
ORDERS = ("random", "doubtful")
SETS = {
    "blind_ehr_dev": None,
    "au_call_transcripts": "au-call",
    "meddeid_en_us": "meddeid",
    "presidio_generated_large": "presidio-research",
}
"""The sets, with their label sets; None for the project's own."""


def read_hospital(name: str, data: Path, seed: int = 1) -> tuple[list[Note], list[Note]]:
    """The test notes of a set, and those to read, both in random order."""
    labels = SETS[name]
    path = (data / "annotated" if labels else HERE) / f"{name}.jsonl"
    to_phi = LABEL_SETS[labels].to_phi if labels else normalize_type
    notes = list(read_notes(path, to_phi=to_phi, on_problem=lambda problem: None))
    random.Random(seed).shuffle(notes)
    size = min(100, len(notes) * 2 // 5)
    return notes[:size], notes[size:]


def by_doubt(model: str, notes: Sequence[Note]) -> list[Note]:
    """The notes with most expected misses for the time of reading first."""
    threshold = load_pipeline(model).get_pipe("phi_merger").threshold
    nlp = load_pipeline(model, min(SUSPECTED, threshold))
    docs = nlp.pipe(((note.text, note.id) for note in notes), as_tuples=True)
    worth = [expected_misses(finding, threshold) for finding in find_in_docs(docs)]
    places = sorted(range(len(notes)), key=lambda place: -worth[place])
    return [notes[place] for place in places]


def parts_of(test: Sequence[Note], pool: Sequence[Note], order: Sequence[Note], n: int) -> Parts:
    """The parts after reading `n` notes: a fifth of them at random, the others in the order."""
    choose = pool[: max(1, n // 5)]
    learn = [note for note in order if note not in choose][: n - len(choose)]
    gold = ([ReviewedNote(note, (), ()) for note in notes] for notes in (learn, choose, test))
    return Parts(*gold)


def curve(
    model: str,
    test: Sequence[Note],
    pool: Sequence[Note],
    sizes: Sequence[int],
    replay: Replay,
    tuning: Tuning,
) -> Iterator[tuple[str, int, Adapted, float]]:
    """Adapt to more and more notes; yields order, number of notes, result and processor seconds."""
    orders: Mapping[str, Sequence[Note]] = {"random": pool, "doubtful": by_doubt(model, pool)}
    for name in ORDERS:
        for n in (size for size in sizes if size <= len(pool)):
            start = time.process_time()
            parts = parts_of(test, pool, orders[name], n)
            adapted = adapt(load_pipeline(model), parts, replay, tuning)
            yield name, n, adapted, time.process_time() - start


def _row(hospital: str, order: str, n: int, adapted: Adapted, seconds: float) -> dict[str, Any]:
    return {
        "set": hospital,
        "order": order,
        "notes": n,
        "threshold": adapted.threshold,
        "worse": adapted.worse,
        "cpu_seconds": round(seconds),
        "local": gain_to_json(adapted.local),
        "replayed": gain_to_json(adapted.replayed),
    }


def main(
    data: Annotated[Path, typer.Option(envvar="SPACY_DEID_DATA", help="Folder with `annotated`.")],
    model: Annotated[str, typer.Option(help="Name or folder of the model.")] = "en_deid",
    sets: Annotated[str, typer.Option(help="Names of sets.")] = " ".join(SETS),
    sizes: Annotated[str, typer.Option(help="Numbers of notes.")] = " ".join(map(str, SIZES)),
    steps: Annotated[int, typer.Option(help="Steps of each training.")] = Tuning.steps,
    out: Annotated[Path, typer.Option(help="JSON file to write.")] = HERE / "adapt.json",
    figures: Annotated[Path | None, typer.Option(help="Folder for the figures.")] = None,
) -> None:
    """Measure the learning curves."""
    replay = synthetic_replay(HERE.parent / "assets")
    rows: list[dict[str, Any]] = []
    meta = load_pipeline(model).meta
    version = f"{meta['lang']}_{meta['name']} {meta['version']}"
    for hospital in sets.split():
        test, pool = read_hospital(hospital, data)
        numbers = [int(size) for size in sizes.split()]
        points = curve(model, test, pool, numbers, replay, Tuning(steps=steps))
        lines: dict[str, list[tuple[int, Scores]]] = {}
        for order, n, adapted, seconds in tqdm(points, hospital, disable=None):
            before, after = adapted.local.before.scores, adapted.local.after.scores
            lines.setdefault(order, [(0, before)]).append((n, after))
            rows.append(_row(hospital, order, n, adapted, seconds))
            with replacing(out) as file:
                result = {"model": version, "steps": steps, "rows": rows}
                file.write(json.dumps(result, indent=1).encode() + b"\n")
        if figures:
            save_figures({f"adapt-{hospital}": plot_learning_curve(lines)}, figures)


if __name__ == "__main__":
    typer.run(main)
