"""How much PHI the clinical tokenizer can reach, and how fast it is.

Reads JSONL notes from a folder: `annotated/*.jsonl` (text, spans with start and end) for the share
of gold spans that begin and end on token boundaries, `carrier/*.jsonl` (text) for the speed.

    SPACY_DEID_DATA=path/to/data python benchmarks/tokenizer.py --show-text
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import spacy
import srsly
import typer
from spacy.language import Language
from spacy.tokens import Doc, Token
from wasabi import msg

TOKENIZER = {"nlp": {"tokenizer": {"@tokenizers": "spacy_deid.ClinicalTokenizer.v1"}}}


def find_misses(nlp: Language, notes: list[dict[str, Any]]) -> Iterator[tuple[str, Doc, int, int]]:
    """Gold spans that begin or end inside a token.

    nlp (Language): Pipeline whose tokenizer is measured.
    notes (list[dict[str, Any]]): Notes with `id`, `text` and `spans`.
    YIELDS (tuple[str, Doc, int, int]): Id of the note, its doc, start and end of the span.
    """
    for note in notes:
        doc = nlp.make_doc(note["text"])
        for span in note["spans"]:
            if doc.char_span(span["start"], span["end"]) is None:
                yield note["id"], doc, span["start"], span["end"]


def describe_miss(doc: Doc, start: int, end: int, show_text: bool) -> str:
    """The tokens that a missed span touches, as shapes or, on demand, as text."""

    def describe(token: Token) -> str:
        return token.text if show_text else token.shape_

    touched = doc.char_span(start, end, alignment_mode="expand") or ()
    line = "|".join(map(describe, touched))
    return f"{line} <- {doc.text[start:end]!r}" if show_text else line


def measure_speed(nlp: Language, texts: list[str]) -> float:
    """Words (blank-separated) per second of the tokenizer, on texts new to its cache."""
    start = time.perf_counter()
    for text in texts:
        nlp.make_doc(text)
    return sum(len(text.split()) for text in texts) / (time.perf_counter() - start)


def report_ceiling(pipelines: dict[str, Language], path: Path, show_text: bool) -> list[str]:
    """Print the clinical misses of one annotated set; its row of the table of ceilings."""
    notes = list(srsly.read_jsonl(path))
    n_spans = sum(len(note["spans"]) for note in notes)
    misses = {name: list(find_misses(nlp, notes)) for name, nlp in pipelines.items()}
    for note_id, doc, start, end in misses["clinical"]:
        msg.text(f"{note_id} {start}-{end} {describe_miss(doc, start, end, show_text)}")
    shares = [f"{1 - len(found) / n_spans:.2%}" for found in misses.values()]
    return [path.stem, str(n_spans), *shares]


def main(
    data: Annotated[Path, typer.Argument(envvar="SPACY_DEID_DATA", help="Folder with the notes.")],
    show_text: Annotated[bool, typer.Option(help="Print the text of misses, not shapes.")] = False,
) -> None:
    """Print the ceiling of each annotated set, the misses, and words per second."""
    texts = [
        note["text"]
        for path in sorted(data.glob("carrier/*.jsonl"))
        for note in srsly.read_jsonl(path)
    ]
    pipelines = {
        "clinical": spacy.blank("en", config=TOKENIZER),
        "spacy.blank('en')": spacy.blank("en"),
    }
    for name, nlp in pipelines.items():
        msg.text(f"{name}: {measure_speed(nlp, texts):,.0f} words/s")
    rows = [
        report_ceiling(pipelines, path, show_text)
        for path in sorted(data.glob("annotated/*.jsonl"))
    ]
    msg.table(rows, header=["set", "spans", *pipelines], divider=True)


if __name__ == "__main__":
    typer.run(main)
