"""Redaction at the size of a hospital: hours, memory, and the ratio to Presidio and Philter.

Writes notes of some 400 words (generated ones, joined and cut) as JSON lines
and runs `spacy-deid redact` on parts of them, with surrogates, in one and in two processes; then
Presidio (analyzer and anonymizer, on a small English spaCy model) and Philter (philter-lite with
its own filters) on the first of the same notes, each in a process of its own on one thread. A peer
that is not installed is left out. Writes `benchmarks/redaction.json`.

Philter tags parts of speech with NLTK's perceptron tagger, whose weights are a download apart;
where they are missing, a tagger of that kind is trained on tags of the spaCy model.

    python benchmarks/redaction.py output/redaction --notes 100000 --peer-model en_core_web_sm
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import srsly
import typer
from wasabi import msg, table

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


def presidio(spacy_model: str) -> Callable[[list[str]], list[str]]:
    """Presidio's analyzer and anonymizer with their defaults, in batches."""
    from presidio_analyzer import AnalyzerEngine, BatchAnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider
    from presidio_anonymizer import AnonymizerEngine

    models = [{"lang_code": "en", "model_name": spacy_model}]
    provider = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models})
    analyzer = AnalyzerEngine(nlp_engine=provider.create_engine(), supported_languages=["en"])
    batches, anonymizer = BatchAnalyzerEngine(analyzer), AnonymizerEngine()

    def run(texts: list[str]) -> list[str]:
        found = batches.analyze_iterator(texts, language="en", batch_size=16)
        return [
            anonymizer.anonymize(text, results).text
            for text, results in zip(texts, found, strict=True)
        ]

    return run


def philter(spacy_model: str) -> Callable[[list[str]], list[str]]:
    """Philter with its own filters, asterisks for PHI."""
    import nltk
    import philter_lite

    folder = Path(philter_lite.__file__).parent
    filters = philter_lite.load_filters(str(folder / "configs" / "philter_delta.toml"))
    try:
        nltk.pos_tag(["ward"])
    except LookupError:
        nltk.pos_tag = _perceptron(spacy_model)
        philter_lite.philter.nltk.pos_tag = nltk.pos_tag

    def run(texts: list[str]) -> list[str]:
        found = (philter_lite.detect_phi(text, filters) for text in texts)
        return [
            philter_lite.transform_text_asterisk(text, include)
            for text, (include, _, _) in zip(texts, found, strict=True)
        ]

    return run


def _perceptron(spacy_model: str) -> Callable[[list[str]], list[tuple[str, str]]]:
    import spacy
    from nltk.tag.perceptron import PerceptronTagger

    nlp = spacy.load(spacy_model)
    docs = nlp.pipe(_long_texts(40))
    sentences = [[(token.text, token.tag_) for token in sent] for doc in docs for sent in doc.sents]
    tagger = PerceptronTagger(load=False)
    tagger.train(sentences, nr_iter=2)
    return lambda tokens: tagger.tag(tokens)


PEERS = {"presidio": presidio, "philter": philter}


def measure_peer(name: str, notes: Path, limit: int, spacy_model: str) -> dict[str, float]:
    """A peer's words per second on the first notes, after a warm-up on a tenth of them."""
    run = PEERS[name](spacy_model)
    texts = [row["text"] for row, _ in zip(srsly.read_jsonl(notes), range(limit), strict=False)]
    run(texts[: max(1, limit // 10)])
    start = time.perf_counter()
    run(texts)
    seconds = time.perf_counter() - start
    return {"notes": limit, "words_per_second": sum(len(t.split()) for t in texts) / seconds}


def _peer_apart(name: str, notes: Path, limit: int, spacy_model: str) -> dict[str, float] | None:
    command = [sys.executable, __file__, str(notes.parent), "--peer", name]
    command += ["--peer-notes", str(limit), "--peer-model", spacy_model]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, env=environment)
    if done.returncode:
        msg.warn(f"{name} was left out: {done.stderr.decode().strip().splitlines()[-1]}")
        return None
    return json.loads(done.stdout.splitlines()[-1])


def main(
    folder: Annotated[Path, typer.Argument(help="Folder to work in.")],
    notes: Annotated[int, typer.Option(help="Number of notes.")] = 100_000,
    parts: Annotated[str, typer.Option(help="Percentages of them to run on.")] = "1 10 100",
    peer_notes: Annotated[int, typer.Option(help="Notes that the peers run on.")] = 200,
    peer_model: Annotated[str, typer.Option(help="spaCy model of the peers.")] = "en_core_web_sm",
    output: Annotated[Path, typer.Option(help="File to write.")] = Path(
        "benchmarks/redaction.json"
    ),
    peer: Annotated[str | None, typer.Option(hidden=True)] = None,
) -> None:
    """Measure, print and write."""
    path = folder / "notes.jsonl"
    if peer:
        typer.echo(json.dumps(measure_peer(peer, path, peer_notes, peer_model)))
        return
    words = write_texts(path, notes)
    result: dict[str, Any] = {"notes": notes, "words_per_note": words / notes, "runs": []}
    for percent, processes in [(int(part), 2) for part in parts.split()] + [(1, 1)]:
        limit = max(1, notes * percent // 100)
        figures = redact(path, folder / "out", limit, processes)
        rate = limit * words / notes / figures["seconds"]
        result["runs"].append(
            {"notes": limit, "processes": processes, "words_per_second": rate, **figures}
        )
    ours = redact(path, folder / "out", peer_notes, 1)
    start_up = redact(path, folder / "out", 1, 1)
    seconds = max(ours["seconds"] - start_up["seconds"], 1e-9)
    result["peers"] = {
        "spacy-deid": {
            "notes": peer_notes,
            "words_per_second": peer_notes * words / notes / seconds,
        }
    }
    for name in PEERS:
        if figures := _peer_apart(name, path, peer_notes, peer_model):
            result["peers"][name] = figures
    with replacing(output) as file:
        file.write((json.dumps(result, indent=1) + "\n").encode())
    print_result(result)


def print_result(result: dict[str, Any]) -> None:
    """Print the runs and the peers."""
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
    peers = [(name, f"{row['words_per_second']:,.0f}") for name, row in result["peers"].items()]
    typer.echo(table(peers, header=("one process, one thread", "words/s"), divider=True))


if __name__ == "__main__":
    typer.run(main)
