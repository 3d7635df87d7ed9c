"""Words per second of `en_deid` beside other systems, on the same notes in the same run.

The systems of `peers.py` take turns. Each measurement is a process of its own, on one thread, with
nothing cached. Seconds are those of the processor, so that other work on the machine counts less. A
system that is not in this environment is run by the Python of its own; one that cannot be run is
named, with the reason. The notes are the dictated reports of the folder that SPACY_DEID_DATA names
(`carrier/mtsamples.jsonl`), or those of `--notes`, and the dense notes of `blind_dev3`. Writes
`benchmarks/speed.json`, from which `readme_tables.py` makes the table.

    SPACY_DEID_DATA=path/to/data python benchmarks/speed.py \\
        --peer presidio=/opt/presidio/bin/python --peer philter-lite=/opt/philter/bin/python
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import typer
from peers import PEERS, read_texts
from readme_tables import speed_table
from tqdm import tqdm

from spacy_deid.files import replacing

HERE = Path(__file__).parent
DENSE = HERE / "blind_dev3.jsonl"
_ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


def pythons_of(given: list[str]) -> dict[str, str]:
    """The Python of each system: this one, but for those given as `name=python`.

    RAISES (typer.BadParameter): If there is no such system.
    """
    own = dict(each.partition("=")[::2] for each in given)
    for name, python in own.items():
        if name not in PEERS or not python:
            raise typer.BadParameter(f"'{name}={python}' is not NAME=PYTHON of {', '.join(PEERS)}")
    return {name: own.get(name, sys.executable) for name in PEERS}


def measure(pythons: dict[str, str], strides: dict[Path, int], turns: int) -> dict[str, Any]:
    """Run the systems in turns.

    strides (dict[Path, int]): Files of notes; of so many notes, one is taken.
    RETURNS (dict): The figures of each system in all turns, words per second by the file's name,
        and why others are missing.
    RAISES (RuntimeError): If `en_deid`, to which they are compared, cannot be run.
    """
    systems: dict[str, dict[str, Any]] = {}
    missing: dict[str, str] = {}
    for _ in tqdm(range(turns), desc="Turns"):
        for name, path in product(PEERS, strides):
            if name in missing:
                continue
            figures = _measure_apart(pythons[name], name, path, strides[path])
            if isinstance(figures, str):
                missing[name] = figures
                systems.pop(name, None)
                continue
            figures[path.stem] = figures.pop("words_per_second")
            runs = systems.setdefault(name, {"system": figures.pop("system")})
            for key, value in figures.items():
                runs.setdefault(key, []).append(round(value, 2))
        if "en_deid" in missing:
            raise RuntimeError(f"en_deid cannot be run: {missing['en_deid']}")
    return {"systems": systems, "missing": missing}


def _measure_apart(python: str, name: str, path: Path, every: int) -> dict[str, Any] | str:
    """The figures of a process of its own, or the last line of its error."""
    command = [python, str(HERE / "peers.py"), name, str(path), "--every", str(every)]
    done = subprocess.run(command, capture_output=True, text=True, env=_ENVIRONMENT)
    if done.returncode:
        return (done.stderr.splitlines() or [f"exit code {done.returncode}"])[-1]
    return json.loads(done.stdout.splitlines()[-1])


def main(
    peer: Annotated[list[str] | None, typer.Option(help="NAME=PYTHON; repeatable.")] = None,
    notes: Annotated[list[Path] | None, typer.Option(help="JSON lines; repeatable.")] = None,
    data: Annotated[Path | None, typer.Option(envvar="SPACY_DEID_DATA")] = None,
    words: Annotated[int, typer.Option(help="Words to take of each file, about.")] = 50_000,
    turns: Annotated[int, typer.Option(help="Runs of each system.")] = 5,
    output: Annotated[Path, typer.Option(help="File to write.")] = HERE / "speed.json",
) -> None:
    """Time the systems, print the table and write the figures."""
    pythons = pythons_of(peer or [])
    files = notes or ([data / "carrier" / "mtsamples.jsonl"] if data else []) + [DENSE]
    totals = {path: _count_words(read_texts(path)) for path in files}
    strides = {path: max(1, round(total / words)) for path, total in totals.items()}
    texts = {path.stem: read_texts(path, every) for path, every in strides.items()}
    counts = {name: {"notes": len(of), "words": _count_words(of)} for name, of in texts.items()}
    result = {"texts": counts, **measure(pythons, strides, turns)}
    typer.echo(speed_table(result))
    with replacing(output) as file:
        file.write((json.dumps(result, indent=1) + "\n").encode())


def _count_words(texts: list[str]) -> int:
    return sum(len(text.split()) for text in texts)


if __name__ == "__main__":
    typer.run(main)
