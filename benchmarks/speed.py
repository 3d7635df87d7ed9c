"""Words per second and peak memory of a model beside a peer, on the same text in the same run.

Each model runs in processes of its own, on one thread, in turns; the median of the turns counts.
The text is that of the folder that SPACY_DEID_DATA names (`carrier/mtsamples.jsonl`), or the
synthetic notes of `--notes`. Writes `benchmarks/speed.json`.

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
from wasabi import table

from spacy_deid.corpora import read_notes


def measure(model: str, texts: list[str], exclude: list[str]) -> dict[str, Any]:
    """Load a model and run it over texts, once to warm up on a tenth of them.

    RETURNS (dict): Name and version, seconds to load, words (blank-separated) per second, and peak
        memory in MiB.
    """
    start = time.perf_counter()
    nlp = spacy.load(model, exclude=exclude)
    load = time.perf_counter() - start
    for _ in nlp.pipe(texts[: len(texts) // 10]):
        pass
    start = time.perf_counter()
    for _ in nlp.pipe(texts):
        pass
    seconds = time.perf_counter() - start
    meta = nlp.meta
    return {
        "pipeline": f"{meta['lang']}_{meta['name']} {meta['version']}",
        "load_seconds": load,
        "words_per_second": sum(len(text.split()) for text in texts) / seconds,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _measure_apart(model: str, source: Path, exclude: list[str]) -> dict[str, Any]:
    """`measure` in a process of its own, so that memory and caches are the model's own."""
    command = [sys.executable, __file__, "--measure", model, "--notes", str(source)]
    command += [part for name in exclude for part in ("--exclude", name)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    output = subprocess.run(command, check=True, capture_output=True, env=environment).stdout
    return json.loads(output)


def _medians(runs: list[dict[str, Any]]) -> dict[str, float]:
    keys = ("load_seconds", "words_per_second", "peak_mib")
    return {key: round(statistics.median(run[key] for run in runs), 2) for key in keys}


def _read_texts(source: Path) -> list[str]:
    if source.suffix == ".jsonl":
        return [row["text"] for row in srsly.read_jsonl(source)]
    return [note.text for note in read_notes(source)]


def main(
    model: Annotated[str, typer.Option(help="Name or folder of the model.")] = "en_deid",
    peer: Annotated[str | None, typer.Option(help="Another model, NER and tok2vec only.")] = None,
    notes: Annotated[Path | None, typer.Option(help="Notes, or a JSONL file of texts.")] = None,
    data: Annotated[Path | None, typer.Option(envvar="SPACY_DEID_DATA")] = None,
    turns: Annotated[int, typer.Option(help="Runs of each model.")] = 3,
    output: Annotated[Path, typer.Option(help="File to write.")] = Path("benchmarks/speed.json"),
    measure_model: Annotated[str | None, typer.Option("--measure", hidden=True)] = None,
    exclude: Annotated[list[str] | None, typer.Option(hidden=True)] = None,
) -> None:
    """Time a model beside a peer."""
    source = notes or (data / "carrier" / "mtsamples.jsonl" if data else Path("corpus/notes/test"))
    if measure_model:
        typer.echo(json.dumps(measure(measure_model, _read_texts(source), exclude or [])))
        return
    models: dict[str, list[str]] = {model: []}
    if peer:
        # What finds entities stays; tagger, parser and lemmatizer would be work for nothing.
        models[peer] = ["tagger", "parser", "senter", "attribute_ruler", "lemmatizer"]
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in models}
    for _ in range(turns):
        for name, left_out in models.items():
            runs[name].append(_measure_apart(name, source, left_out))
    words = sum(len(text.split()) for text in _read_texts(source))
    result = {measured[0].pop("pipeline"): _medians(measured) for measured in runs.values()}
    rows = [
        (name, *(f"{value:,.1f}" for value in figures.values())) for name, figures in result.items()
    ]
    typer.echo(table(rows, header=("pipeline", "load s", "words/s", "peak MiB"), divider=True))
    temporary = output.with_suffix(".tmp")
    temporary.write_text(
        json.dumps({"text": source.stem, "words": words, "models": result}, indent=1) + "\n",
        "utf-8",
    )
    os.replace(temporary, output)


if __name__ == "__main__":
    typer.run(main)
