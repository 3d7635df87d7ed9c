"""Redaction at the size of a hospital: hours and memory.

Writes notes of some 400 words (generated ones, joined and cut) as JSON lines
and runs `spacy-deid redact` on parts of them, with surrogates, in one and in two processes. Writes
`benchmarks/redaction.json`.

    python benchmarks/redaction.py output/redaction --notes 100000
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from wasabi import table

from spacy_deid.files import replacing
from spacy_deid.synthesis import Generator

ROOT = Path(__file__).parent.parent
WORDS = 400
DISTINCT = 2000
_REDACT = "from spacy_deid.cli import app; app()"


def write_texts(path: Path, count: int) -> int:
    """Write notes as JSON lines; the number of their words.

    There are `DISTINCT` different ones; each line begins with its number, so that no two are equal.
    """
    texts = list(_long_texts(min(count, DISTINCT)))
    with replacing(path) as file:
        for number in range(count):
            text = f"Note {number}\n{texts[number % len(texts)]}"
            row = {"id": f"{number:07}", "patient": f"{number // 8:06}", "text": text}
            file.write((json.dumps(row) + "\n").encode())
    return sum(len(texts[number % len(texts)].split()) + 2 for number in range(count))


def _long_texts(count: int) -> Iterator[str]:
    notes = Generator(ROOT / "assets", "test", seed=400).notes(8 * count)
    lines = (line for note in notes for line in note.text.splitlines(keepends=True))
    for _ in range(count):
        text, words = "", 0
        while words < WORDS:
            line = next(lines)
            text, words = text + line, words + len(line.split())
        yield text


def redact(notes: Path, out: Path, limit: int, processes: int) -> dict[str, float]:
    """Run `spacy-deid redact` on the first notes.

    RETURNS (dict[str, float]): Wall seconds, and the peak of the memory that its processes hold
        together, in MiB (their shared pages counted once each).
    """
    command = [sys.executable, "-c", _REDACT, "redact", str(notes), "--out", str(out), "--force"]
    command += ["--policy", "surrogate", "--patient-column", "patient", "--limit", str(limit)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "SPACY_DEID_KEY": "benchmark " * 3}
    start = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--n-process", str(processes)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    peak = [0.0]
    watcher = threading.Thread(target=_watch, args=(process, peak))
    watcher.start()
    if process.wait() not in (0, 1):
        raise RuntimeError(f"redact failed with exit code {process.returncode}")
    seconds = time.perf_counter() - start
    watcher.join()
    return {"seconds": seconds, "peak_mib": peak[0]}


def _watch(process: subprocess.Popen[bytes], peak: list[float]) -> None:
    while process.poll() is None:
        peak[0] = max(peak[0], sum(map(_memory, _family(process.pid))))
        time.sleep(0.5)


def _family(pid: int) -> list[int]:
    """A process and all below it."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:  # it ended meanwhile
            continue
    family = [pid]
    for member in family:
        family += [child for child, parent in parents.items() if parent == member]
    return family


def _memory(pid: int) -> float:
    """A process's share of the memory in MiB (proportional set size)."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) / 1024


def main(
    folder: Annotated[Path, typer.Argument(help="Folder to work in.")],
    notes: Annotated[int, typer.Option(help="Number of notes.")] = 100_000,
    parts: Annotated[str, typer.Option(help="Percentages of them to run on.")] = "1 10 100",
    output: Annotated[Path, typer.Option(help="File to write.")] = Path(
        "benchmarks/redaction.json"
    ),
) -> None:
    """Measure, print and write."""
    path = folder / "notes.jsonl"
    words = write_texts(path, notes)
    result: dict[str, Any] = {"notes": notes, "words_per_note": words / notes, "runs": []}
    for percent, processes in [(int(part), 2) for part in parts.split()] + [(1, 1)]:
        limit = max(1, notes * percent // 100)
        figures = redact(path, folder / "out", limit, processes)
        rate = limit * words / notes / figures["seconds"]
        result["runs"].append(
            {"notes": limit, "processes": processes, "words_per_second": rate, **figures}
        )
    with replacing(output) as file:
        file.write((json.dumps(result, indent=1) + "\n").encode())
    print_result(result)


def print_result(result: dict[str, Any]) -> None:
    """Print the runs."""
    header = ("notes", "processes", "minutes", "words/s", "peak MiB")
    rows = [
        (
            f"{run['notes']:,}",
            run["processes"],
            f"{run['seconds'] / 60:.1f}",
            f"{run['words_per_second']:,.0f}",
            f"{run['peak_mib']:,.0f}",
        )
        for run in result["runs"]
    ]
    typer.echo(table(rows, header=header, divider=True))


if __name__ == "__main__":
    typer.run(main)
