"""`spacy-deid adapt`: fine-tune a model on reviewed notes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ..adapt.adaptation import Adapted, adapt, check_new, save
from ..adapt.gain import gain_table, gain_to_json
from ..adapt.split import Parts, leave_out_learned, split
from ..adapt.training_notes import Replay, read_replay, synthetic_replay
from ..adapt.tune import Tuning, unknown_types
from ..annotation.phi import in_order
from ..engine.loading import load_pipeline
from ..review.results import settled
from ..review.store import DOUBTFUL, RANDOM, STORE, Store
from . import messages, options
from .decorator import command

ReplayFrom = Annotated[
    Path | None,
    Option(
        "--replay",
        help="Annotated notes to mix in, in a format of `convert` that is recognized by its "
        "suffix; by default, synthetic notes are generated from --assets.",
    ),
]
Assets = Annotated[
    Path, Option("--assets", "-a", help="Folder with the templates of synthetic notes.")
]
EvenIfWorse = Annotated[bool, Option("--force", "-F", help="Write it even if it is worse.")]


@command("adapt")
def adapt_cli(
    project: Annotated[Path, Argument(help="Folder of a review.")],
    *,
    out: Annotated[Path, Option("--out", "-o", help="New folder for the model.")],
    model: options.Model = "en_deid",
    replay: ReplayFrom = None,
    assets: Assets = Path("assets"),
    steps: Annotated[int, Option(min=1, help="Steps of the training.")] = Tuning.steps,
    seed: options.Seed = 1,
    force: EvenIfWorse = False,
    json: options.JsonFile = None,
    tables: options.Tables,
) -> None:
    """
    The random notes of a review are split by patient: on 30% the model is measured,
    before and after, 15% choose the threshold, and the rest is learned from, as are doubtful notes.
    In half of the copies names are exchanged, and half of the words are those of synthetic notes,
    so that nothing is forgotten. Templates of synthetic notes are in a clone of the project
    (--assets), and not in the package; --replay takes any other annotated notes.

    A model whose F2 falls is not written, and the exit code is 1. The model holds no words of the
    notes; its weights carry what they learned, so do not publish it.

    Examples:

    spacy-deid adapt ours --out en_deid_ours

    spacy-deid adapt ours --out en_deid_ours --replay corpus.spacy --json gain.json
    """
    check_new(out)
    messages.check_outputs([json], [project / STORE, replay])
    with Store(project) as store:
        random, doubtful = settled(store, RANDOM), settled(store, DOUBTFUL)
    nlp = load_pipeline(model)
    unseen = leave_out_learned(nlp, random)
    parts = split(unseen, [*(note for note in random if note not in unseen), *doubtful], seed)
    if replay:
        replayed = read_replay(replay, [*random, *doubtful], seed=seed)
    else:
        replayed = synthetic_replay(assets, seed=seed)
    if replayed.reviewed:
        messages.tell(f"Reviewed notes left out of the replay: {replayed.reviewed}")
    messages.tell(_plan(parts, replayed))
    if unknown := unknown_types(nlp, (note.gold for note in (*random, *doubtful))):
        types = ", ".join(f"{name} ({unknown[name]:,})" for name in in_order(unknown))
        messages.tell(
            "PHI types of the reviewed notes that the model cannot learn, as it was trained "
            f"without them: {types}. Own terms, known data and rules find them without training; "
            "to learn them, train a new model"
        )
    adapted = adapt(nlp, parts, replayed, Tuning(steps=steps, seed=seed), progress=True)
    tables.print(
        [
            gain_table("Held-out reviewed notes", adapted.local),
            gain_table("Notes like those of its first training", adapted.replayed),
        ]
    )
    written = force or not adapted.worse
    if written:
        save(adapted, out)
        messages.good(f"Written: {out}, with a threshold of {adapted.threshold:g}")
    messages.write_json(_as_json(adapted, parts, model), json)
    if not written:
        messages.fail(f"{out} is not written: {adapted.worse} (--force writes it all the same)")
        raise typer.Exit(1)


def _plan(parts: Parts, replay: Replay) -> str:
    return (
        f"Reviewed notes: {len(parts.learn)} to learn from, {len(parts.choose)} for the threshold, "
        f"{len(parts.held_out)} to measure on; {len(replay.learn):,} replayed ones, and "
        f"{len(replay.test):,} to see what is forgotten"
    )


def _as_json(adapted: Adapted, parts: Parts, model: str) -> dict[str, object]:
    return {
        "model": model,
        "learned_from": len(parts.learn),
        "threshold_from": len(parts.choose),
        "threshold": adapted.threshold,
        "worse": adapted.worse,
        "local": gain_to_json(adapted.local),
        "replayed": gain_to_json(adapted.replayed),
    }
