"""Words per second and peak memory of a model beside others, on the same texts in the same run.

Each model runs in processes of its own, on one thread, in turns; the median of the turns counts.
Seconds are those of the processor, so that other work on the machine counts less. The texts are the
dictated reports of the folder that SPACY_DEID_DATA names (`carrier/mtsamples.jsonl`), or the notes
of `--notes`, and the dense notes of `blind_dev3`. Writes `benchmarks/speed.json`.

    SPACY_DEID_DATA=path/to/data python benchmarks/speed.py --peer en_core_web_sm
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import spacy
import srsly
import typer
from tqdm import tqdm
from wasabi import table

from spacy_deid.corpora import read_notes
from spacy_deid.files import replacing

HERE = Path(__file__).parent
DENSE = HERE / "blind_dev3.jsonl"
TORCH = "components.phi_tagger.model.engine=torch"
UNUSED = ("tagger", "parser", "senter", "attribute_ruler", "lemmatizer")
"""Pipes of a general model that NER does without."""


def measure(model: str, settings: list[str], sources: list[Path]) -> dict[str, Any]:
    """Load a model and run it over texts, once to warm up on a tenth of them.

    settings (list[str]): Settings of the config, `name=value`.
    sources (list[Path]): Files or folders of texts, each with a speed of its own.
    RETURNS (dict): Name and version, seconds to load, words (blank-separated) per second for each
        source, and peak memory in MiB.
    """
    config = dict(setting.split("=", 1) for setting in settings)
    start = time.process_time()
    nlp = spacy.load(model, exclude=UNUSED, config=config)
    figures: dict[str, Any] = {"load_seconds": time.process_time() - start}
    for source in sources:
        texts = _read_texts(source)
        for _ in nlp.pipe(texts[: len(texts) // 10]):
            pass
        start = time.process_time()
        for _ in nlp.pipe(texts):
            pass
        seconds = time.process_time() - start
        figures[source.stem] = sum(len(text.split()) for text in texts) / seconds
    figures["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    name = f"{nlp.meta['lang']}_{nlp.meta['name']} {nlp.meta['version']}"
    return {"pipeline": name + (", torch" if TORCH in settings else ""), **figures}


def _measure_apart(model: str, settings: list[str], sources: list[Path]) -> dict[str, Any]:
    """`measure` in a process of its own, so that memory and caches are the model's own."""
    command = [sys.executable, __file__, "--measure", model]
    command += [part for source in sources for part in ("--notes", str(source))]
    command += [part for setting in settings for part in ("--set", setting)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    output = subprocess.run(command, check=True, capture_output=True, env=environment).stdout
    return json.loads(output)


def _medians(runs: list[dict[str, Any]]) -> dict[str, float]:
    return {key: round(statistics.median(run[key] for run in runs), 2) for key in runs[0]}


def _read_texts(source: Path) -> list[str]:
    if source.suffix == ".jsonl":
        return [row["text"] for row in srsly.read_jsonl(source)]
    return [note.text for note in read_notes(source)]


def main(
    model: Annotated[str, typer.Option(help="Name or folder of the model.")] = "en_deid",
    peer: Annotated[list[str] | None, typer.Option(help="Other models; repeatable.")] = None,
    torch: Annotated[bool, typer.Option(help="Measure the model's torch engine, too.")] = False,
    notes: Annotated[list[Path] | None, typer.Option(help="Notes, or JSONL; repeatable.")] = None,
    data: Annotated[Path | None, typer.Option(envvar="SPACY_DEID_DATA")] = None,
    turns: Annotated[int, typer.Option(help="Runs of each model.")] = 3,
    output: Annotated[Path, typer.Option(help="File to write.")] = HERE / "speed.json",
    measured: Annotated[str | None, typer.Option("--measure", hidden=True)] = None,
    settings: Annotated[list[str] | None, typer.Option("--set", hidden=True)] = None,
) -> None:
    """Time a model beside others."""
    sources = notes or ([data / "carrier" / "mtsamples.jsonl"] if data else []) + [DENSE]
    if measured:
        typer.echo(json.dumps(measure(measured, settings or [], sources)))
        return
    plans = [(model, [])] + [(model, [TORCH])] * torch + [(name, []) for name in peer or []]
    runs: dict[str, list[dict[str, Any]]] = {}
    for _ in tqdm(range(turns), desc="Turns"):
        for name, changed in plans:
            figures = _measure_apart(name, changed, sources)
            runs.setdefault(figures.pop("pipeline"), []).append(figures)
    result = {name: _medians(figures) for name, figures in runs.items()}
    header = ("pipeline", *next(iter(result.values())))
    rows = [(name, *(f"{value:,.1f}" for value in row.values())) for name, row in result.items()]
    typer.echo(table(rows, header=header, divider=True))
    words = {
        source.stem: sum(len(text.split()) for text in _read_texts(source)) for source in sources
    }
    with replacing(output) as file:
        file.write((json.dumps({"words": words, "models": result}, indent=1) + "\n").encode())


if __name__ == "__main__":
    typer.run(main)
