"""Memory of `spacy-deid serve` over many requests: short notes, on connections that stay open.

Every note has a number and made-up words of its own, so that none of its words can be kept for the
next. Memory goes up and down with the caches, so the growth is that of the mean: of the last
quarter of the requests over the first one after a warm-up of a tenth. Writes
`benchmarks/serving_memory.json`.

    python benchmarks/serving_memory.py output/serving --requests 100000
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import string
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import srsly
import typer
from redaction import write_texts
from serving import load, memory_of, server_of

from spacy_deid.files import replacing

_CLIENTS = 64
_DISTINCT = 500
_LINES = 2
_STEPS = 50


def short_notes(notes: Path) -> Iterator[str]:
    """Endlessly, a few lines of a note and words that were never seen before."""
    texts = [row["text"].splitlines() for row in srsly.read_jsonl(notes)]
    draw = random.Random(0)
    number = 0
    while True:
        for lines in texts:
            start = draw.randrange(max(1, len(lines) - _LINES))
            new = ("".join(draw.choices(string.ascii_lowercase, k=9)) for _ in range(3))
            yield "\n".join([f"Note {number}", *lines[start : start + _LINES], " ".join(new)])
            number += 1


def growth(mib: list[int]) -> float:
    """Growth of the memory after the warm-up."""
    warm = mib[len(mib) // 10 :]
    quarter = max(1, len(warm) // 4)
    return statistics.mean(warm[-quarter:]) / statistics.mean(warm[:quarter]) - 1


def main(
    folder: Annotated[Path, typer.Argument(help="Folder to work in.")],
    requests: Annotated[int, typer.Option(help="Number of requests.")] = 100_000,
    minutes: Annotated[float, typer.Option(help="Stop after this time.")] = 25,
    output: Annotated[Path, typer.Option()] = Path("benchmarks/serving_memory.json"),
) -> None:
    """Measure, print and write."""
    write_texts(folder / "short.jsonl", _DISTINCT)
    notes = short_notes(folder / "short.jsonl")
    step = requests // _STEPS
    words, done, mib = 0, 0, []
    start = time.monotonic()
    with server_of("spacy-deid") as server:
        while done < requests and time.monotonic() - start < 60 * minutes:
            texts = [next(notes) for _ in range(step)]
            asyncio.run(load(server.request, texts, _CLIENTS))
            words += sum(len(text.split()) for text in texts)
            done += step
            mib.append(memory_of(server.pid))
            typer.echo(f"{done:,} requests, {time.monotonic() - start:.0f} s, {mib[-1]} MiB")
    result = {
        "requests": done,
        "words_per_note": round(words / done),
        "mib": mib,
        "growth": round(growth(mib), 3),
    }
    typer.echo(f"growth after the warm-up: {result['growth']:.1%}")
    with replacing(output) as file:
        file.write(json.dumps(result, indent=1).encode("utf-8") + b"\n")


if __name__ == "__main__":
    typer.run(main)
