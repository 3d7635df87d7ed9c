"""Train systems of `configs/` on one corpus, with ablations and learning curves; compare them.

Every training is a `spacy train` of its own, with its config, log and time in a folder under the
output, and is not repeated while neither config nor corpus change: a comparison that was stopped
goes on where it was.

    python scripts/compare_systems.py corpus comparison --systems "liu2015 jiang2017" --notes 300
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer
from spacy.tokens import DocBin
from spacy.util import load_config
from spacy.vocab import Vocab
from thinc.api import Config
from tqdm import tqdm
from wasabi import msg

from spacy_deid.errors import install
from spacy_deid.evaluation.compare import Comparison, compare
from spacy_deid.evaluation.drawing import has_matplotlib, save_figures
from spacy_deid.evaluation.matching import MEASURES, Criterion
from spacy_deid.evaluation.systems import System, find_system, read_gold
from spacy_deid.evaluation.tables import stars
from spacy_deid.files import replacing
from spacy_deid.tables import Table, as_markdown, as_text

CONFIGS = Path(__file__).parent.parent / "configs"

_OVERVIEW = (
    *(Criterion(measure) for measure in MEASURES),
    *(Criterion(measure, "hipaa") for measure in ("token", "strict")),
)


@dataclass(frozen=True)
class Training:
    """One `spacy train`.

    name (str): Name of its folder and of the system in tables.
    config (Config): The config, paths and all.
    notes (int): Number of training notes.
    """

    name: str
    config: Config
    notes: int

    def fingerprint(self) -> str:
        """What tells whether it is done already: config and corpora."""
        digest = hashlib.sha256(self.config.to_str().encode("utf-8"))
        for key in ("train", "dev"):
            digest.update(Path(self.config["paths"][key]).read_bytes())
        return digest.hexdigest()


def read_system(text: str) -> tuple[str, int | None]:
    """The name of a config and its number of training notes, if one follows a colon.

    RAISES (ValueError): If what follows is no number above 0.
    """
    name, colon, notes = text.partition(":")
    if colon and not (notes.isdecimal() and int(notes)):
        raise ValueError(f"'{text}' needs a number of notes after the colon, such as {name}:300")
    return name, int(notes) if colon else None


def base_training(
    system: str, train: Path, dev: Path, vectors: Path, steps: int | None
) -> Training:
    """The training of a system.

    train, dev (Path): Docs to train on and to choose the best step by.
    vectors (Path): Folder of a pipeline with word vectors, if it is there.
    steps (int | None): Other number of steps for what trains in steps.
    RAISES (ValueError): If there is no such config.
    """
    path = CONFIGS / f"{system}.cfg"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in CONFIGS.glob("*.cfg")))
        raise ValueError(f"there is no config for '{system}'; there are {known}")
    config = load_config(path)
    paths = config["paths"]
    paths["train"], paths["dev"] = str(train), str(dev)
    paths["gazetteers"] = str(CONFIGS.parent / paths["gazetteers"])
    if (vectors / "config.cfg").is_file():
        paths["vectors"] = str(vectors)
    if steps and config["training"]["max_steps"] > 1:
        config["training"]["max_steps"] = steps
    return Training(system, config, len(DocBin().from_disk(paths["train"])))


def ablations(training: Training) -> Iterator[Training]:
    """The training without one of its feature groups, word parts or detectors, each in turn."""
    for name, component in training.config["components"].items():
        for group in component.get("features", ()):
            config = training.config.copy()
            features = config["components"][name]["features"]
            config["components"][name]["features"] = [f for f in features if f != group]
            yield replace(training, name=f"{training.name} - {group}", config=config)
        parts = component.get("model", {}).get("tok2vec", {}).get("parts", {})
        for part in parts if len(parts) > 1 else ():
            config = training.config.copy()
            del config["components"][name]["model"]["tok2vec"]["parts"][part]
            yield replace(training, name=f"{training.name} - {part}", config=config)
        detectors = component.get("detectors", ())
        for detector in detectors if len(detectors) > 1 else ():
            config = training.config.copy()
            left = [other for other in detectors if other != detector]
            config["components"][name]["detectors"] = left
            config["nlp"]["pipeline"].remove(detector)
            opinions = component.get("second_opinions", {}).items()
            config["components"][name]["second_opinions"] = {
                heard: by for heard, by in opinions if detector not in (heard, by)
            }
            yield replace(training, name=f"{training.name} - {detector}", config=config)


def learning_curve(training: Training, percents: Sequence[int], folder: Path) -> Iterator[Training]:
    """The training on parts of its notes, each part inside the next larger one."""
    for percent in percents:
        n = max(1, training.notes * percent // 100)
        config = training.config.copy()
        config["paths"]["train"] = str(take_notes(Path(config["paths"]["train"]), n, folder))
        yield Training(f"{training.name} {percent}%", config, n)


@cache
def take_notes(docs: Path, n: int, folder: Path) -> Path:
    """Write `n` of the docs, drawn at random: the same each time, and among those of a larger n."""
    drawn = list(DocBin().from_disk(docs).get_docs(Vocab()))
    random.Random(1).shuffle(drawn)
    path = folder / f"train-{n}.spacy"
    with replacing(path) as file:
        file.write(DocBin(docs=drawn[:n], store_user_data=True).to_bytes())
    return path


def run_training(training: Training, folder: Path) -> dict[str, Any]:
    """Run a training, unless it is done already.

    RETURNS (dict[str, Any]): Its "seconds" of processor time, its "memory" at the peak in MiB and
        the "megabytes" of the model.
    RAISES (ValueError): If it fails; the log in its folder says why.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done = folder / "done.json"
    fingerprint = training.fingerprint()
    if done.is_file() and (known := json.loads(done.read_text()))["fingerprint"] == fingerprint:
        return known
    done.unlink(missing_ok=True)
    training.config.to_disk(folder / "config.cfg")
    command = [sys.executable, "-m", "spacy", "train", str(folder / "config.cfg")]
    with (folder / "log.txt").open("w") as log:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        process = subprocess.Popen(
            [*command, "--output", str(folder)], stdout=log, stderr=log, env=environment
        )
        _, status, used = os.wait4(process.pid, 0)  # unlike wait(), says what it cost
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise ValueError(f"training '{training.name}' failed; {folder / 'log.txt'} says why")
    size = sum(f.stat().st_size for f in (folder / "model-best").rglob("*") if f.is_file())
    result = {
        "fingerprint": fingerprint,
        "seconds": used.ru_utime + used.ru_stime,
        "memory": used.ru_maxrss / 1024,
        "megabytes": size / 1e6,
    }
    with replacing(done) as file:
        file.write(json.dumps(result).encode())
    return result


def run_all(trainings: Sequence[Training], folder: Path, jobs: int) -> dict[str, dict[str, Any]]:
    """Run trainings, some at a time; the results by name."""
    with ThreadPoolExecutor(jobs) as pool:
        results = pool.map(lambda one: run_training(one, folder / one.name), trainings)
        bar = tqdm(results, "training", len(trainings), disable=None)
        return {one.name: result for one, result in zip(trainings, bar, strict=True)}


def overview_table(
    trainings: Sequence[Training], results: dict[str, Any], found: Comparison
) -> Table:
    """Quality and cost of each system in one row; stars as in the other tables."""
    rows = []
    for one in trainings:
        scores, cost = found.scores[one.name], results[one.name]
        token = scores.micro("token", view="binary")
        p = found.p_values.get(one.name)
        mark = stars(p[Criterion("token", view="binary"), "micro"].f1) if p else ""
        f1s = (scores.micro(*criterion).f1 for criterion in _OVERVIEW)
        rows.append(
            [
                one.name,
                f"{one.notes:,}",
                f"{token.precision:.4f}",
                f"{token.recall:.4f}",
                f"{token.f1:.4f}{mark}",
                *(f"{f1:.4f}" for f1 in f1s),
                f"{cost['seconds'] / 60:.1f}",
                f"{cost['memory']:,.0f}",
                f"{found.systems[one.name].words_per_second or 0:,.0f}",
                f"{cost['megabytes']:.1f}",
            ]
        )
    header = ["system", "training notes", "P", "R", "F1", "token F1", "strict F1", "relaxed F1"]
    header += ["HIPAA token F1", "HIPAA strict F1", "core-minutes", "MiB"]
    header += ["words/s", "MB of model"]
    return Table("Quality and cost (P, R, F1: binary tokens; the other F1 typed)", header, rows)


def main(
    corpus: Annotated[Path, typer.Argument(help="Folder with train.spacy, dev and test.")],
    output: Annotated[Path, typer.Argument(help="Folder to write.")],
    systems: Annotated[
        str, typer.Option(help="Names of configs, separated by spaces; NAME:300 has 300 notes.")
    ],
    ablate: Annotated[str, typer.Option(help="Those to train again without each part.")] = "",
    curve: Annotated[str, typer.Option(help="Those to train on parts of the corpus.")] = "",
    percents: Annotated[str, typer.Option(help="Sizes of these parts.")] = "10 25 50",
    notes: Annotated[int | None, typer.Option(help="Training notes, if not all.")] = None,
    vectors: Annotated[Path, typer.Option(help="Word vectors.")] = Path("corpus/vectors"),
    steps: Annotated[int | None, typer.Option(help="Steps, in place of the configs'.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Trainings at a time.")] = 2,
) -> None:
    """Train systems on one corpus and compare them on its test set."""
    figures = has_matplotlib()
    if not figures:
        msg.warn(f"Figures are left out; they need matplotlib: {install('plots')}")
    try:
        docs, dev = corpus / "train.spacy", corpus / "dev.spacy"
        bases = {}
        for one in systems.split():
            name, n = read_system(one)
            size = n or notes
            part = take_notes(docs, size, output) if size else docs
            training = base_training(name, part, dev, vectors, steps)
            bases[one] = replace(training, name=f"{name} {n} notes" if n else name)
        ablated = {bases[one].name: list(ablations(bases[one])) for one in ablate.split()}
        sizes = [int(percent) for percent in percents.split()]
        curves = {
            bases[one].name: list(learning_curve(bases[one], sizes, output))
            for one in curve.split()
        }
        more = [one for group in (ablated, curves) for many in group.values() for one in many]
        everything = [*bases.values(), *more]
        results = run_all(everything, output, jobs)
    except (KeyError, ValueError) as error:
        msg.fail(f"{error}", exits=1)
    gold = read_gold(corpus / "test.spacy")
    found = {
        one.name: find_system(f"{one.name}={output / one.name / 'model-best'}", gold)
        for one in tqdm(everything, "evaluation", disable=None)
    }
    report(gold, list(bases.values()), found, results, output, ablated, curves, figures)


def report(
    gold: list,
    bases: list[Training],
    found: dict[str, System],
    results: dict[str, dict[str, Any]],
    output: Path,
    ablated: dict[str, list[Training]],
    curves: dict[str, list[Training]],
    draw: bool,
) -> None:
    """Write `comparison.md`, `comparison.json` and, if `draw`, the figures."""
    comparison = compare(gold, [found[one.name] for one in bases])
    tables = [overview_table(bases, results, comparison), *comparison.tables()]
    costs = {one.name: results[one.name] for one in bases}
    values: dict[str, Any] = {"systems": comparison.to_json(), "costs": costs}
    for name, many in ablated.items():
        base = next(one for one in bases if one.name == name)
        parts = compare(gold, [found[one.name] for one in (base, *many)], reference=name)
        tables.append(
            replace(overview_table([base, *many], results, parts), title=f"{name} without …")
        )
        values[f"{name} ablations"] = parts.to_json()
    figures = dict(comparison.figures()) if draw else {}
    sized = [
        replace(found[one.name], name=name, train_size=one.notes)
        for name, many in curves.items()
        for one in (*many, next(base for base in bases if base.name == name))
    ]
    if sized:
        learning = compare(gold, sized)
        if draw:
            figures["learning_curve"] = learning.figures()["learning_curve"]
        values["learning curve"] = learning.to_json()
    save_figures(figures, output)
    with replacing(output / "comparison.json") as file:
        file.write(json.dumps(values, indent=1).encode("utf-8"))
    with replacing(output / "comparison.md") as file:
        file.write("\n".join(map(as_markdown, tables)).encode("utf-8"))
    typer.echo(as_text(tables[0]))
    msg.good(f"Written: {output / 'comparison.md'}, comparison.json{' and figures' * draw}")


if __name__ == "__main__":
    typer.run(main)
