"""What each part of `en_deid` is worth: the model again without it, on notes by foreign authors.

Trains `configs/en_deid.cfg` in a smaller form (fewer notes, fewer steps) on other data (without
carriers, with fewer hand-written notes) and without parts of its word embedding, and takes
detectors and propagation away from the trained whole. Each is scored on the annotated sets of the
folder that SPACY_DEID_DATA names. Goes on where it was stopped; writes `benchmarks/ablations.json`.

    SPACY_DEID_DATA=path/to/data python benchmarks/ablations.py output/ablations
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import spacy
import typer
from quality import SETS, score_foreign
from sets import OWN
from spacy.language import Language
from tqdm import tqdm
from wasabi import msg, table

from spacy_deid.corpora import read_notes
from spacy_deid.evaluation.scores import score_notes
from spacy_deid.evaluation.systems import run_model
from spacy_deid.files import replacing
from spacy_deid.synthesis.template import Slot, parse_template

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Variant:
    """A model to train.

    name (str): Its name in the table.
    carriers (bool): Whether PHI is planted into open texts.
    keep_notes (int): Percentage of the hand-written notes that are used.
    written (bool): Whether notes with their values written in place are used.
    without (str): A part of the word embedding to leave out.
    """

    name: str
    carriers: bool = True
    keep_notes: int = 100
    written: bool = True
    without: str = ""


VARIANTS = (
    Variant("all, small"),
    Variant("no carriers", carriers=False),
    Variant("half of the hand-written notes", keep_notes=50),
    Variant("a tenth of the hand-written notes", keep_notes=10),
    Variant("no freely written notes", written=False),
    Variant("no word vectors", without="vectors"),
    Variant("no gazetteer features", without="lists"),
    Variant("no characters", without="chars"),
)
"""What is trained; the first is the whole."""


@dataclass(frozen=True)
class Setting:
    """The whole model with other settings of one of its components."""

    name: str
    settings: dict[str, Any] = field(default_factory=dict)
    component: str = "phi_merger"


RULES_FIRST = {"sure_score": 0.0, "second_opinions": {}}
SETTINGS = (
    Setting("en_deid as released"),
    Setting("no rules", {"detectors": ["phi_tagger"]}),
    Setting("rules alone", {"detectors": ["phi_matcher"], "second_opinions": {}}),
    Setting("no propagation", {"propagate": False}),
    Setting("no second opinion", {"second_opinions": {}}),
    Setting("types of a person apart", {"one_type_per_person": False}, "phi_tagger"),
    Setting("merged by priority", {"strategy": "priority"}),
    Setting("merged by union", {"strategy": "union"}),
    Setting("priority, rules first", {"strategy": "priority", **RULES_FIRST}),
    Setting("union, rules first", {"strategy": "union", **RULES_FIRST}),
)
"""What is taken from the released model."""


MEASURED = ("blind_dev", *SETS)
"""The sets to score on; the tests are left for releases."""


def train(
    variant: Variant, folder: Path, data: Path, vectors: Path, notes: int, steps: int
) -> Path:
    """Train a variant, unless it was trained before; the folder of its model."""
    home = folder / variant.name.replace(" ", "_").replace(",", "")
    model = home / "model-best"
    if model.is_dir() and (home / "done").is_file():
        return model
    home.mkdir(parents=True, exist_ok=True)
    assets = _assets(home, variant)
    deid = partial(_run, home, "-c", "from spacy_deid.cli import app; app()")
    extra = ["--carriers", str(data / "carrier")] if variant.carriers else []
    deid("synthesize", str(home / "notes"), "-n", str(notes), "-a", str(assets), "-F", *extra)
    for name in ("train", "dev"):
        deid("convert", str(home / "notes" / name), str(home / f"{name}.spacy"), "-F")
    config = str(_config(home, variant.without))
    _run(home, "-m", "spacy", "train", config, *_paths(home, vectors, steps))
    (home / "done").touch()
    return model


def _assets(home: Path, variant: Variant) -> Path:
    """The assets with the hand-written notes of the training set that a variant keeps."""
    assets = home / "assets"
    shutil.rmtree(assets, ignore_errors=True)
    shutil.copytree(ROOT / "assets", assets, ignore=shutil.ignore_patterns("carriers", "i2b2"))
    number = itertools.count()
    for path in sorted((assets / "notes" / "train").glob("*.txt")):
        notes = re.split(r"^(?=%%)", path.read_text("utf8"), flags=re.MULTILINE)[1:]
        path.write_text("".join(n for n in notes if _keeps(variant, next(number), n)), "utf8")
    return assets


def _keeps(variant: Variant, number: int, note: str) -> bool:
    chosen = number * variant.keep_notes % 100 < variant.keep_notes
    return chosen and (variant.written or not _is_written(note))


def _is_written(note: str) -> bool:
    """Whether a note template holds values that its author wrote."""
    nodes = parse_template(note, "note")
    return any(isinstance(node, Slot) and node.default for node in nodes)


def _config(home: Path, without: str) -> Path:
    config = spacy.util.load_config(ROOT / "configs" / "en_deid.cfg")
    if without:
        del config["components"]["phi_tagger"]["model"]["tok2vec"]["parts"][without]
    config.to_disk(home / "config.cfg")
    return home / "config.cfg"


def _paths(home: Path, vectors: Path, steps: int) -> list[str]:
    return [
        *("--output", str(home), "--training.max_steps", str(steps)),
        *("--paths.train", str(home / "train.spacy"), "--paths.dev", str(home / "dev.spacy")),
        *("--paths.gazetteers", str(ROOT / "assets" / "gazetteers")),
        *("--paths.vectors", str(vectors)),
    ]


def _run(home: Path, *command: str) -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with (home / "log.txt").open("a") as log:
        subprocess.run(
            [sys.executable, *command], stdout=log, stderr=log, env=environment, check=True
        )


def scored(name: str, nlp: Language, data: Path) -> dict[str, Any]:
    """Recall, precision and strict F1 of a model on each set."""
    row: dict[str, Any] = {"name": name}
    for set_name in MEASURED:
        if set_name in OWN:
            gold = list(read_notes(OWN[set_name].path))
            scores = score_notes(gold, run_model(nlp, gold))
        else:
            path = data / "annotated" / f"{set_name}.jsonl"
            scores = score_foreign(nlp, path, SETS[set_name])
        token = scores.micro("token", view="binary")
        row[set_name] = {
            "recall": token.recall,
            "precision": token.precision,
            "strict_f1": scores.micro("strict").f1,
        }
    return row


def scored_with(setting: Setting, nlp: Language, data: Path) -> dict[str, Any]:
    """The scores of a model while a setting is in force."""
    component: Any = nlp.get_pipe(setting.component)
    before = {key: getattr(component, key) for key in setting.settings}
    left_out = {*before.get("detectors", ())} - {*setting.settings.get("detectors", ())}
    vars(component).update(setting.settings)
    try:
        with nlp.select_pipes(disable=sorted(left_out)):
            return scored(setting.name, nlp, data)
    finally:
        vars(component).update(before)


def main(
    folder: Annotated[Path, typer.Argument(help="Folder to train in.")],
    model: Annotated[str, typer.Option(help="The released model.")] = "en_deid",
    data: Annotated[
        Path, typer.Option(envvar="SPACY_DEID_DATA", help="Folder with `annotated` and `carrier`.")
    ] = Path(),
    vectors: Annotated[Path, typer.Option(help="Word vectors.")] = Path("corpus/vectors"),
    notes: Annotated[int, typer.Option(help="Notes of each small model.")] = 1000,
    steps: Annotated[int, typer.Option(help="Training steps of each small model.")] = 800,
    jobs: Annotated[int, typer.Option(help="Trainings at a time.")] = 2,
    output: Annotated[Path, typer.Option(help="File to write.")] = Path(
        "benchmarks/ablations.json"
    ),
) -> None:
    """Train, take away, score and print."""
    folder, vectors = folder.resolve(), vectors.resolve()
    with ThreadPoolExecutor(jobs) as pool:
        made = pool.map(lambda one: train(one, folder, data, vectors, notes, steps), VARIANTS)
        models = list(tqdm(made, "training", len(VARIANTS), disable=None))
    trained = [
        scored(variant.name, spacy.load(path), data)
        for variant, path in zip(VARIANTS, models, strict=True)
    ]
    nlp = spacy.load(model)
    released = [scored_with(setting, nlp, data) for setting in SETTINGS]
    result = {
        "model": f"{model} {nlp.meta['version']}",
        "notes": notes,
        "steps": steps,
        "released": released,
        "trained": trained,
    }
    with replacing(output) as file:
        file.write((json.dumps(result, indent=1) + "\n").encode())
    for title, rows in (("The released model", released), ("Small models", trained)):
        msg.divider(title)
        header = ("recall / precision / strict F1", *MEASURED)
        cells = [(row["name"], *(_cell(row[name]) for name in MEASURED)) for row in rows]
        typer.echo(table(cells, header=header, divider=True))


def _cell(scores: dict[str, float]) -> str:
    return " / ".join(f"{scores[key]:.3f}" for key in ("recall", "precision", "strict_f1"))


if __name__ == "__main__":
    typer.run(main)
