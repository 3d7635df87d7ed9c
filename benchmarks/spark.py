"""`spacy-deid spark-job` on a local cluster beside `spacy-deid redact`, on the same notes.

Notes are generated ones of some 400 words, as Parquet. Both commands draw surrogates with the same
key, on the same number of cores, with one thread for each model. Each runs on one note first: what
that takes, starting and loading, is subtracted. Rates are per second and core, and per second of
processor time, which does not depend on what else the machine does. The texts are compared. Writes
`benchmarks/spark.json`.

    python benchmarks/spark.py output/spark --notes 20000
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import pyarrow.parquet as pq
import srsly
import typer
from redaction import _family, _memory, write_texts
from wasabi import table

from spacy_deid.files import replacing

_APP = [sys.executable, "-c", "from spacy_deid.cli import app; app()"]
_OPTIONS = ["--policy", "surrogate", "--patient-column", "patient", "--force"]
_TICKS = os.sysconf("SC_CLK_TCK")


def prepare(folder: Path, count: int) -> int:
    """Write the notes as Parquet, and the first one by itself; the number of words."""
    words = write_texts(folder / "notes.jsonl", count)
    notes = pa.Table.from_pylist(list(srsly.read_jsonl(folder / "notes.jsonl")))
    pq.write_table(notes, folder / "notes.parquet", row_group_size=500)
    pq.write_table(notes.slice(0, 1), folder / "one.parquet")
    return words


def commands(folder: Path, name: str, cores: int) -> dict[str, list[str]]:
    """The commands that are compared."""
    source, out = folder / f"{name}.parquet", folder / f"{name}-out"
    redact = ["redact", str(source), "--out", f"{out}-redact", "--n-process", str(cores)]
    spark = ["spark-job", str(source), "--out", f"{out}-spark"]
    return {"redact": [*_APP, *redact, *_OPTIONS], "spark-job": [*_APP, *spark, *_OPTIONS]}


def measure(command: list[str], cores: int) -> dict[str, float]:
    """Run a command: seconds, seconds of processor time, and the peak of memory in MiB."""
    # A split of Spark ends where a row group does.
    spark = f"--master local[{cores},4] --conf spark.sql.files.maxPartitionBytes=1m pyspark-shell"
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "SPACY_DEID_KEY": "benchmark " * 3,
        "PYSPARK_SUBMIT_ARGS": spark,
    }
    start = time.perf_counter()
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    used: dict[int, float] = {}
    peak = [0.0, 0.0]
    watcher = threading.Thread(target=_watch, args=(process.pid, used, peak), daemon=True)
    watcher.start()
    _, errors = process.communicate()
    if process.returncode not in (0, 1):
        raise RuntimeError(errors.decode()[-2000:])
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "cpu": sum(used.values()), "mib": peak[0], "process_mib": peak[1]}


def _watch(pid: int, used: dict[int, float], peak: list[float]) -> None:
    """Note the processor time of each process, and the peak of all and of the largest Python."""
    while Path(f"/proc/{pid}").exists():
        family = _family(pid)
        memory = {member: _memory(member) for member in family}
        for member in family:
            used[member] = max(used.get(member, 0.0), _cpu(member))
        peak[0] = max(peak[0], sum(memory.values()))
        python = [size for member, size in memory.items() if "python" in _name(member)]
        peak[1] = max(peak[1], *python, 0.0)
        time.sleep(0.5)


def _cpu(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:  # it ended meanwhile
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text()
    except OSError:
        return ""


def differing(folder: Path) -> int:
    """The number of notes with another text."""
    one = pq.read_table(folder / "notes-out-redact" / "notes.parquet").to_pylist()
    other = pq.read_table(folder / "notes-out-spark" / "notes").to_pylist()
    texts = {row["id"]: row["text"] for row in other}
    assert len(texts) == len(one)
    return sum(texts[row["id"]] != row["text"] for row in one)


def main(
    folder: Annotated[Path, typer.Argument(help="Folder to work in.")],
    notes: Annotated[int, typer.Option(help="Number of notes.")] = 20_000,
    cores: Annotated[int, typer.Option(help="Number of cores.")] = 2,
    output: Annotated[Path, typer.Option(help="File to write.")] = Path("benchmarks/spark.json"),
) -> None:
    """Measure, compare, print and write."""
    folder.mkdir(parents=True, exist_ok=True)
    words = prepare(folder, notes)
    result: dict[str, object] = {"notes": notes, "words": words, "cores": cores}
    rows = []
    for name, command in commands(folder, "notes", cores).items():
        start_up = measure(commands(folder, "one", cores)[name], cores)
        run = measure(command, cores)
        seconds, cpu = (run[unit] - start_up[unit] for unit in ("seconds", "cpu"))
        rates = {"per_core": words / seconds / cores, "per_cpu_second": words / cpu}
        result[name] = {**run, "start_up": start_up["seconds"], **rates}
        rates_shown = [f"{rate:,.0f}" for rate in rates.values()]
        rows.append((name, *rates_shown, f"{run['mib']:,.0f}", f"{run['process_mib']:,.0f}"))
    result["differing"] = differing(folder)
    with replacing(output) as file:
        file.write((json.dumps(result, indent=1) + "\n").encode())
    header = ("command", "words/s/core", "words/CPU s", "peak MiB", "of a Python process")
    typer.echo(table(rows, header=header, divider=True))
    typer.echo(f"Notes whose texts differ: {result['differing']} of {notes:,}")


if __name__ == "__main__":
    typer.run(main)
