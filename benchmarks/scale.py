"""Time and memory of convert, train and evaluate on a corpus of the size of i2b2 2014.

Generates 790 training and 514 test notes of some 755 tokens (synthetic notes, joined) as i2b2 XML,
and runs on parts of them what a user runs: `scripts/i2b2_corpus.py`, `spacy train` with
`configs/en_deid.cfg` for one and for three epochs, and `spacy-deid evaluate`. Writes
`benchmarks/scale.json`.

    python benchmarks/scale.py output/scale
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from wasabi import table

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.corpora import write_notes
from spacy_deid.files import replacing
from spacy_deid.synthesis import Generator

ROOT = Path(__file__).parent.parent
SIZES = {"train": 790, "test": 514}
WORDS = 600  # of white space; some 755 tokens
EPOCHS = (1, 3)  # the difference is what an epoch takes
_EVALUATE = "from spacy_deid.cli import app; app()"
BATCH = 3000  # tokens of a training step in configs/en_deid.cfg


def long_notes(set_name: str, count: int) -> Iterator[Note]:
    """Synthetic notes joined to the length of those of i2b2 2014."""
    notes = Generator(ROOT / "assets", set_name, seed=2014).notes(8 * count)
    for number in range(count):
        text, spans = "", []
        while len(text.split()) < WORDS:
            note = next(notes)
            spans += [PhiSpan(s.start + len(text), s.end + len(text), s.type) for s in note.spans]
            text += note.text + "\n\n"
        yield Note(f"{number:04}-01", text, tuple(spans))


def measured(command: list[str]) -> dict[str, float]:
    """Processor seconds and peak memory of a command, run on one thread.

    On a machine with nothing else to do these are its wall seconds; on a busy one they still are.
    """
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, *command],
        env=environment,
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{command} failed")
    return {"seconds": usage.ru_utime + usage.ru_stime, "peak_mib": usage.ru_maxrss / 1024}


def part_of(docs: Path, percent: int, folder: Path) -> tuple[Path, int]:
    """The first docs of a file as a file of their own, and their number of tokens."""
    every = list(DocBin().from_disk(docs).get_docs(Vocab()))
    part = every[: max(1, len(every) * percent // 100)]
    path = folder / f"{docs.stem}-{percent}.spacy"
    with replacing(path) as file:
        file.write(DocBin(docs=part, store_user_data=True).to_bytes())
    return path, sum(map(len, part))


def train(train_docs: Path, dev_docs: Path, vectors: Path, steps: int, out: Path) -> list[str]:
    """The command that trains for so many steps and evaluates once, at the end."""
    return [
        *("-m", "spacy", "train", str(ROOT / "configs" / "en_deid.cfg"), "--output", str(out)),
        *("--paths.train", str(train_docs), "--paths.dev", str(dev_docs)),
        *("--paths.vectors", str(vectors), "--training.max_steps", str(steps)),
        *("--training.eval_frequency", str(steps)),
    ]


def main(
    folder: Annotated[Path, typer.Argument(help="Folder to work in.")],
    vectors: Annotated[Path, typer.Option(help="Word vectors.")] = Path("corpus/vectors"),
    percents: Annotated[str, typer.Option(help="Parts of the corpus.")] = "10 50 100",
    output: Annotated[Path, typer.Option(help="File to write.")] = Path("benchmarks/scale.json"),
) -> None:
    """Measure how time and memory grow with the corpus."""
    folder, vectors = folder.resolve(), vectors.resolve()
    for set_name, count in SIZES.items():
        target = folder / "xml" / f"{set_name}ing"
        write_notes(long_notes(set_name, count), target, fmt="i2b2", force=True)
    script = str(ROOT / "scripts" / "i2b2_corpus.py")
    result: dict[str, Any] = {"convert": measured([script, str(folder / "xml"), str(folder)])}
    _, result["test_tokens"] = part_of(folder / "test.spacy", 100, folder)
    dev, _ = part_of(folder / "dev.spacy", 10, folder)
    result["parts"] = []
    for percent in map(int, percents.split()):
        docs, tokens = part_of(folder / "train.spacy", percent, folder)
        steps = -(-tokens // BATCH)
        model = folder / f"model-{percent}"
        once, more = (measured(train(docs, dev, vectors, n * steps, model)) for n in EPOCHS)
        gold, _ = part_of(folder / "test.spacy", percent, folder)
        evaluate = ["-c", _EVALUATE, "evaluate", str(gold), str(model / "model-last")]
        result["parts"].append(
            {
                "percent": percent,
                "train_tokens": tokens,
                "epoch_seconds": (more["seconds"] - once["seconds"]) / (EPOCHS[1] - EPOCHS[0]),
                "train_peak_mib": more["peak_mib"],
                "evaluate": measured(evaluate),
            }
        )
    with replacing(output) as file:
        file.write(json.dumps(result, indent=1).encode() + b"\n")
    print_parts(result["parts"])


def print_parts(parts: list[dict[str, Any]]) -> None:
    """Print the growth as a table."""
    header = ("part", "train tokens", "s/epoch", "train MiB", "evaluate s", "evaluate MiB")
    rows = [
        (
            f"{part['percent']} %",
            f"{part['train_tokens']:,}",
            f"{part['epoch_seconds']:.0f}",
            f"{part['train_peak_mib']:,.0f}",
            f"{part['evaluate']['seconds']:.0f}",
            f"{part['evaluate']['peak_mib']:,.0f}",
        )
        for part in parts
    ]
    typer.echo(table(rows, header=header, divider=True))


if __name__ == "__main__":
    typer.run(main)
