"""Throughput and latency of `spacy-deid serve` beside `nlp.pipe`, in turns, on the same notes.

Each process has one thread for the model. Notes are generated ones of some 400 words; each request
is one of them. Memory is that of the server after the first 500 requests, and after each run.
Writes `benchmarks/serving.json`.

    python benchmarks/serving.py output/serving
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import httpx
import spacy
import srsly
import typer
from redaction import write_texts
from wasabi import table

from spacy_deid.files import replacing

CLIENTS = (1, 8, 64)
"""Concurrent clients."""

_PORT = 8765
_URL = f"http://127.0.0.1:{_PORT}"
_ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}
_WARM_UP = 500


def pipe(notes: Path) -> dict[str, float]:
    """Notes per second of `nlp.pipe`, and milliseconds of CPU per note."""
    nlp = spacy.load("en_deid")
    texts = [row["text"] for row in srsly.read_jsonl(notes)]
    with nlp.memory_zone():
        for _ in nlp.pipe(texts[:50]):
            pass
    start, used = time.perf_counter(), time.process_time()
    with nlp.memory_zone():
        for _ in nlp.pipe(texts, batch_size=64):
            pass
    used = time.process_time() - used
    rate = len(texts) / (time.perf_counter() - start)
    return {"rate": rate, "cpu_ms": 1000 * used / len(texts)}


def serve(server: int, texts: list[str], clients: int) -> dict[str, float]:
    """Notes per second, the server's CPU per note, and the milliseconds of requests."""
    start, used = time.perf_counter(), _cpu(server)
    seconds = asyncio.run(_load(texts, clients))
    rate = len(texts) / (time.perf_counter() - start)
    used = _cpu(server) - used
    cuts = statistics.quantiles(seconds, n=100)
    latencies = {f"p{at}": 1000 * cuts[at - 1] for at in (50, 95, 99)}
    return {"rate": rate, "cpu_ms": 1000 * used / len(texts), **latencies}


async def _load(texts: list[str], clients: int) -> list[float]:
    """Send texts; the seconds of each request."""
    waiting = iter(texts)
    seconds: list[float] = []

    async def work(client: httpx.AsyncClient) -> None:
        for text in waiting:
            start = time.perf_counter()
            answer = await client.post("/v1/redact", json={"text": text})
            seconds.append(time.perf_counter() - start)
            answer.raise_for_status()

    limits = httpx.Limits(max_connections=clients)
    async with httpx.AsyncClient(base_url=_URL, timeout=60, limits=limits) as client:
        await asyncio.gather(*(work(client) for _ in range(clients)))
    return seconds


def _start() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", "from spacy_deid.cli import app; app()"]
    server = subprocess.Popen([*command, "serve", "--port", str(_PORT)], env=_ENVIRONMENT)
    while server.poll() is None:
        try:
            httpx.get(f"{_URL}/readyz").raise_for_status()
            return server
        except httpx.TransportError:
            time.sleep(0.1)
    raise typer.Exit(1)


def _memory(pid: int) -> int:
    """Memory of a process, in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


def _cpu(pid: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _pipe_apart(notes: Path) -> dict[str, float]:
    command = [sys.executable, __file__, str(notes.parent), "--pipe-only"]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=_ENVIRONMENT).stdout
    return json.loads(output)


def _medians(runs: list[dict[str, float]]) -> dict[str, float]:
    return {key: round(statistics.median(run[key] for run in runs), 1) for key in runs[0]}


def measure(notes: Path, turns: int) -> dict[str, Any]:
    """Run `nlp.pipe` and the server in turns; medians of all turns."""
    texts = [row["text"] for row in srsly.read_jsonl(notes)]
    pipes: list[dict[str, float]] = []
    runs: dict[int, list[dict[str, float]]] = {clients: [] for clients in CLIENTS}
    server = _start()
    try:
        for _ in range(-(-_WARM_UP // len(texts))):
            serve(server.pid, texts, CLIENTS[-1])
        memory = [_memory(server.pid)]
        for _ in range(turns):
            pipes.append(_pipe_apart(notes))
            for clients in CLIENTS:
                runs[clients].append(serve(server.pid, texts, clients))
                memory.append(_memory(server.pid))
    finally:
        server.terminate()
        server.wait()
    return {
        "pipe": _medians(pipes),
        "serve": {clients: _medians(of) for clients, of in runs.items()},
        "requests": turns * len(CLIENTS) * len(texts),
        "mib": memory,
    }


def main(
    folder: Annotated[Path, typer.Argument(help="Folder to work in.")],
    notes: Annotated[int, typer.Option(help="Number of notes.")] = 500,
    turns: Annotated[int, typer.Option(help="Runs of each kind.")] = 3,
    output: Annotated[Path, typer.Option(help="File to write.")] = Path("benchmarks/serving.json"),
    pipe_only: Annotated[bool, typer.Option("--pipe-only", hidden=True)] = False,
) -> None:
    """Measure, print and write."""
    path = folder / "notes.jsonl"
    if pipe_only:
        typer.echo(json.dumps(pipe(path)))
        return
    words = write_texts(path, notes)
    result = {"notes": notes, "words_per_note": round(words / notes), **measure(path, turns)}
    header = ("", "notes/s", "CPU ms", "p50 ms", "p95 ms", "p99 ms")
    rows: list[tuple[Any, ...]] = [("nlp.pipe", *result["pipe"].values(), "", "", "")]
    rows += [(f"{clients} clients", *run.values()) for clients, run in result["serve"].items()]
    typer.echo(table(rows, header=header, divider=True))
    with replacing(output) as file:
        file.write(json.dumps(result, indent=1).encode("utf-8") + b"\n")


if __name__ == "__main__":
    typer.run(main)
