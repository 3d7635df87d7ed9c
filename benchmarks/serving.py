"""Throughput and latency of `spacy-deid serve` beside `nlp.pipe` and Presidio, in turns.

Each process has one thread for the model. Notes are generated ones of some 400 words; each request
is one of them. Memory is that of the server after the first 500 requests, and after each run.

Presidio runs in an environment of its own (`--presidio`, the path of its Python, which needs
presidio-analyzer, flask and waitress) with a small English spaCy model. Its wheel has no server:
`presidio_server.py` is the `/analyze` of Presidio's repository, and nothing else, on waitress. It
gets fewer of the same notes. Writes `benchmarks/serving.json`.

    python benchmarks/serving.py output/serving --presidio /opt/presidio/bin/python
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import httpx
import spacy
import srsly
import typer
from redaction import write_texts
from wasabi import table

from spacy_deid.files import replacing

CLIENTS = (1, 8, 64)
"""Concurrent clients."""

_SERVERS: dict[str, tuple[int, str, str, dict[str, str]]] = {
    "spacy-deid": (8765, "/readyz", "/v1/redact", {}),
    "presidio": (8766, "/health", "/analyze", {"language": "en"}),
}
"""Port, probe and path of each server, and what a request has beside its text."""
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


class Server(NamedTuple):
    """A server under test."""

    pid: int
    request: Callable[[httpx.AsyncClient, str], Awaitable[httpx.Response]]


@contextmanager
def server_of(name: str, presidio: Path | None = None, spacy_model: str = "") -> Iterator[Server]:
    """Start a server, "spacy-deid" or "presidio", and end it.

    presidio (Path | None): The Python of Presidio's environment.
    spacy_model (str): The spaCy model for it.
    """
    port, probe, path, about = _SERVERS[name]
    command = [sys.executable, "-c", "from spacy_deid.cli import app; app()", "serve", "--port"]
    if presidio:
        script = Path(__file__).with_name("presidio_server.py")
        command = [str(presidio), str(script), spacy_model]
    process = subprocess.Popen([*command, str(port)], env=_ENVIRONMENT)
    url = f"http://127.0.0.1:{port}"

    async def request(client: httpx.AsyncClient, text: str) -> httpx.Response:
        return await client.post(f"{url}{path}", json={"text": text, **about})

    try:
        _wait(process, f"{url}{probe}")
        yield Server(process.pid, request)
    finally:
        process.terminate()
        process.wait()


def _wait(process: subprocess.Popen[bytes], probe: str) -> None:
    while process.poll() is None:
        try:
            httpx.get(probe).raise_for_status()
            return
        except httpx.TransportError:
            time.sleep(0.1)
    raise typer.Exit(1)


def measure_load(server: Server, texts: list[str], clients: int) -> dict[str, float]:
    """Notes per second, the server's CPU per note, and the milliseconds of requests."""
    start, used = time.perf_counter(), _cpu(server.pid)
    seconds = asyncio.run(load(server.request, texts, clients))
    rate = len(texts) / (time.perf_counter() - start)
    used = _cpu(server.pid) - used
    cuts = statistics.quantiles(seconds, n=100)
    latencies = {f"p{at}": 1000 * cuts[at - 1] for at in (50, 95, 99)}
    return {"rate": rate, "cpu_ms": 1000 * used / len(texts), **latencies}


async def load(
    request: Callable[[httpx.AsyncClient, str], Awaitable[httpx.Response]],
    texts: list[str],
    clients: int,
) -> list[float]:
    """Send texts; the seconds of each request."""
    waiting = iter(texts)
    seconds: list[float] = []

    async def work(client: httpx.AsyncClient) -> None:
        for text in waiting:
            start = time.perf_counter()
            answer = await request(client, text)
            seconds.append(time.perf_counter() - start)
            answer.raise_for_status()

    limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
    async with httpx.AsyncClient(timeout=300, limits=limits) as client:
        await asyncio.gather(*(work(client) for _ in range(clients)))
    return seconds


def memory_of(pid: int) -> int:
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


def measure(notes: Path, turns: int, presidio: Path | None, spacy_model: str) -> dict[str, Any]:
    """Run `nlp.pipe` and the servers in turns; medians of all turns."""
    texts = [row["text"] for row in srsly.read_jsonl(notes)]
    few = texts[: max(2 * CLIENTS[-1], len(texts) // 10)]
    pipes: list[dict[str, float]] = []
    runs: dict[int, list[dict[str, float]]] = {clients: [] for clients in CLIENTS}
    peers: dict[int, list[dict[str, float]]] = {clients: [] for clients in CLIENTS}
    with ExitStack() as stack:
        server = stack.enter_context(server_of("spacy-deid"))
        peer = (
            stack.enter_context(server_of("presidio", presidio, spacy_model)) if presidio else None
        )
        for _ in range(-(-_WARM_UP // len(texts))):
            measure_load(server, texts, CLIENTS[-1])
        if peer:
            measure_load(peer, few, CLIENTS[-1])
        memory = [memory_of(server.pid)]
        for _ in range(turns):
            pipes.append(_pipe_apart(notes))
            for clients in CLIENTS:
                runs[clients].append(measure_load(server, texts, clients))
                memory.append(memory_of(server.pid))
                if peer:
                    peers[clients].append(measure_load(peer, few, clients))
    result = {
        "pipe": _medians(pipes),
        "serve": {clients: _medians(of) for clients, of in runs.items()},
        "requests": turns * len(CLIENTS) * len(texts),
        "mib": memory,
    }
    if presidio:
        result["presidio"] = {clients: _medians(of) for clients, of in peers.items()}
    return result


def main(
    folder: Annotated[Path, typer.Argument(help="Folder to work in.")],
    notes: Annotated[int, typer.Option(help="Number of notes.")] = 500,
    turns: Annotated[int, typer.Option(help="Runs of each kind.")] = 3,
    presidio: Annotated[Path | None, typer.Option(help="Python with Presidio.")] = None,
    peer_model: Annotated[str, typer.Option(help="SpaCy model for it.")] = "en_core_web_sm",
    output: Annotated[Path, typer.Option(help="File to write.")] = Path("benchmarks/serving.json"),
    pipe_only: Annotated[bool, typer.Option("--pipe-only", hidden=True)] = False,
) -> None:
    """Measure, print and write."""
    path = folder / "notes.jsonl"
    if pipe_only:
        typer.echo(json.dumps(pipe(path)))
        return
    words = write_texts(path, notes)
    result = {
        "notes": notes,
        "words_per_note": round(words / notes),
        **measure(path, turns, presidio, peer_model),
    }
    header = ("", "notes/s", "CPU ms", "p50 ms", "p95 ms", "p99 ms")
    rows: list[tuple[Any, ...]] = [("nlp.pipe", *result["pipe"].values(), "", "", "")]
    for name in ("serve", "presidio"):
        rows += [(f"{name}, {n} clients", *run.values()) for n, run in result.get(name, {}).items()]
    typer.echo(table(rows, header=header, divider=True))
    with replacing(output) as file:
        file.write(json.dumps(result, indent=1).encode("utf-8") + b"\n")


if __name__ == "__main__":
    typer.run(main)
