"""How often a model sees PHI in clinical prose that has (almost) none.

Reads the unlabelled texts of the folder that SPACY_DEID_DATA names (`carrier/*.jsonl`) and writes
`benchmarks/false_alarms.json`: PHI found per 1,000 words, by type. The texts hold some true dates,
ages and names, so the figure is an upper bound; `--show-text` prints every find for reading.

    SPACY_DEID_DATA=path/to/data python benchmarks/false_alarms.py --show-text > finds.txt

How many of them are no PHI only a reader can tell: `benchmarks/read_by_hand.json` holds the count
of the last reading, by type.

Texts from which the shipped model's training notes were made are left out, unless `--all`.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Annotated

import spacy
import srsly
import typer
from spacy.tokens import Doc, Span
from tqdm import tqdm
from wasabi import table

from spacy_deid.synthesis.values import set_of


def _line(name: str, doc: Doc, span: Span) -> str:
    start, end = span.start_char, span.end_char
    before, after = doc.text[max(0, start - 40) : start], doc.text[end : end + 30]
    shown = f"{before}«{span.text}»{after}".replace("\n", "⏎")
    return f"{span.label_}\t{span.id_}\t{name}\t{shown}"


def main(
    data: Annotated[Path, typer.Option(envvar="SPACY_DEID_DATA", help="Folder with `carrier`.")],
    model: Annotated[str, typer.Option(help="Name or folder of the model.")] = "en_deid",
    every: Annotated[bool, typer.Option("--all", help="Also texts used for training.")] = False,
    show_text: Annotated[bool, typer.Option(help="Print each find in its context.")] = False,
    output: Annotated[Path, typer.Option(help="File to write.")] = Path(
        "benchmarks/false_alarms.json"
    ),
) -> None:
    """Count PHI found per 1,000 words of nearly PHI-free prose."""
    nlp = spacy.load(model)
    files = {}
    for path in sorted((data / "carrier").glob("*.jsonl")):
        rows = [row for row in srsly.read_jsonl(path) if every or set_of(row["id"]) == "test"]
        counts: Counter[str] = Counter()
        pairs = ((row["text"], row["id"]) for row in tqdm(rows, path.stem, disable=None))
        for doc, name in nlp.pipe(pairs, as_tuples=True):
            counts.update(span.label_ for span in doc.spans["phi"])
            for span in doc.spans["phi"] if show_text else ():
                typer.echo(_line(name, doc, span))
        words = sum(len(row["text"].split()) for row in rows)
        files[path.stem] = {
            "texts": len(rows),
            "words": words,
            "spans": counts.total(),
            "per_1000_words": round(1000 * counts.total() / words, 3),
            "by_type": {k: round(1000 * n / words, 3) for k, n in counts.most_common()},
        }
    rows = [(k, v["texts"], v["words"], v["per_1000_words"]) for k, v in files.items()]
    typer.echo(table(rows, header=("texts", "n", "words", "PHI per 1,000 words")), err=True)
    temporary = output.with_suffix(".tmp")
    temporary.write_text(json.dumps({"all": every, "files": files}, indent=1) + "\n", "utf-8")
    os.replace(temporary, output)


if __name__ == "__main__":
    typer.run(main)
