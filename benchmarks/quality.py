"""How much PHI a model finds in notes it was not made from.

Scores a model on synthetic notes (`--synthetic corpus/notes/test`), on the project's own sets
(`sets.tsv`), and on the annotated sets of the folder that SPACY_DEID_DATA names
(`annotated/*.jsonl`), each with its own labels, and writes `benchmarks/quality.json`.

    SPACY_DEID_DATA=path/to/data python benchmarks/quality.py --model en_deid

The sets disagree with each other; how each was scored is said in `SETS` and printed.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import spacy
import srsly
import typer
from sets import BROKEN, OWN
from spacy.language import Language
from wasabi import msg, table

from spacy_deid.annotation.notes import Note, PhiSpan
from spacy_deid.annotation.phi import LABEL_SETS, LabelSet
from spacy_deid.corpora import read_notes
from spacy_deid.evaluation.scores import Scores, score_notes
from spacy_deid.evaluation.systems import run_model

_TITLE = re.compile(r"(?i:dr|prof|mr|mrs|ms|miss)\b\.?\s{0,3}")
_AGE = re.compile(r"(?:age[d:]?\s{1,3})?(\d{1,3})[\s-]{0,2}(?:(?:years?|yrs?)[\s-]old|y/?o|yo)?")
_BETWEEN_PLACES = re.compile(r"[\s,]{1,4}\Z")
_PLACES = frozenset(("STREET", "CITY", "STATE", "ZIP", "COUNTRY", "LOCATION-OTHER"))


@dataclass(frozen=True)
class ForeignSet:
    """An annotated set and what it needs to be compared with.

    labels (str): Its label set in `spacy_deid.annotation.phi.LABEL_SETS`.
    policy (str): How it was scored, for the reader of the table.
    wordy (bool): Whether its names begin with titles and its ages hold words ("91-year-old"); both
        are cut down to what i2b2 2014 annotates before scoring.
    addresses (bool): Whether an address is one span; the model's adjoining places are then joined.
    ages_from (int): Lowest age that the set annotates; younger ones that the model finds do not
        count.
    """

    labels: str
    policy: str
    wordy: bool = False
    addresses: bool = False
    ages_from: int = 0


SETS = {
    "handwritten_dev": ForeignSet("i2b2-2014", "i2b2 2014 types as they are"),
    "meddeid_en_us": ForeignSet(
        "meddeid", "titles cut off names; addresses joined", wordy=True, addresses=True
    ),
    "localscrub_templates": ForeignSet(
        "localscrub",
        "ages cut to their number, those under 90 and hospitals do not count; addresses joined",
        wordy=True,
        addresses=True,
        ages_from=90,
    ),
    "presidio_generated_large": ForeignSet(
        "presidio-research", "titles do not count; addresses joined", wordy=True, addresses=True
    ),
    "au_call_transcripts": ForeignSet(
        "au-call", "types it does not label do not count; addresses joined", addresses=True
    ),
    "deidgate_seed": ForeignSet("deidgate", "hospitals and organisations do not count"),
}


def score_foreign(nlp: Language, path: Path, foreign: ForeignSet) -> Scores:
    """Score a model on an annotated set, under the set's own labels."""
    labels = LABEL_SETS[foreign.labels]
    gold = []
    for row in srsly.read_jsonl(path):
        spans = [PhiSpan(s["start"], s["end"], s["label"]) for s in row["spans"]]
        spans = [span for span in spans if labels.to_phi(span.type)]
        if foreign.wordy:
            spans = [span for span in (_shorten(row["text"], s) for s in spans) if span]
        gold.append(Note(row["id"], row["text"], tuple(spans)))
    system = [
        _adapt(note, one, labels, foreign)
        for one, note in zip(gold, run_model(nlp, gold, progress=path.stem), strict=True)
    ]
    return score_notes(gold, system, label_set=labels)


def _shorten(text: str, span: PhiSpan) -> PhiSpan | None:
    """A span without a title in front and words around an age; None for a bare title."""
    age = _AGE.fullmatch(text, span.start, span.end)
    if age and age.end(1) - age.start(1) < span.end - span.start:
        return replace(span, start=age.start(1), end=age.end(1))
    title = _TITLE.match(text, span.start, span.end)
    if title is None:
        return span
    return replace(span, start=title.end()) if title.end() < span.end else None


def _adapt(note: Note, gold: Note, labels: LabelSet, foreign: ForeignSet) -> Note:
    """The system's note without what the set does not annotate, places joined where it joins.

    What overlaps the set's PHI always counts, as it is covered, if perhaps as another type.
    """
    spans: list[PhiSpan] = []
    for span in note.spans:
        if labels.from_phi(span.type) is None and not any(map(span.overlaps, gold.spans)):
            continue
        if span.type == "AGE" and _number(note.text[span.start : span.end]) < foreign.ages_from:
            continue
        last = spans[-1] if spans else None
        if foreign.addresses and last and {last.type, span.type} <= _PLACES:
            if _BETWEEN_PLACES.match(note.text[last.end : span.start]):
                spans[-1] = replace(last, end=span.end)
                continue
        spans.append(span)
    return replace(note, spans=tuple(spans))


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _row(name: str, policy: str, scores: Scores) -> dict[str, Any]:
    token, strict = scores.micro("token", view="binary"), scores.micro("strict")
    return {
        "set": name,
        "policy": policy,
        "notes": len(scores.ids),
        "recall": token.recall,
        "precision": token.precision,
        "f2": token.f2,
        "strict_f1": strict.f1,
        "phi_per_1000_words": 1000 * strict.total / int(scores.words.sum()),
        "missed_per_1000_words": scores.per_1000_words(scores.leaked_mentions),
        "false_alarms_per_1000_words": scores.per_1000_words(scores.false_alarms),
        "leak_free_notes": scores.leak_free_notes,
        "per_type": {
            label: {"p": counts.precision, "r": counts.recall, "gold": counts.tp + counts.fn}
            for label, counts in scores.per_type("strict").items()
        },
    }


def main(
    model: Annotated[str, typer.Option(help="Name or folder of the model.")] = "en_deid",
    synthetic: Annotated[Path | None, typer.Option(help="Synthetic test notes, i2b2 XML.")] = Path(
        "corpus/notes/test"
    ),
    data: Annotated[
        Path | None, typer.Option(envvar="SPACY_DEID_DATA", help="Folder with `annotated`.")
    ] = None,
    output: Annotated[Path, typer.Option(help="File to write.")] = Path("benchmarks/quality.json"),
    details: Annotated[bool, typer.Option(help="Print every type of every set.")] = False,
) -> None:
    """Score a model on synthetic and foreign notes."""
    nlp = spacy.load(model)
    rows = []
    if synthetic and synthetic.is_dir():
        gold = list(read_notes(synthetic))
        scores = score_notes(gold, run_model(nlp, gold, progress="synthetic"))
        rows.append(_row("synthetic test", "own generator; shares no template or name", scores))
    for own in OWN.values():
        gold = list(read_notes(own.path))
        found = run_model(nlp, gold, progress=own.name)
        rows.append(_row(own.name, own.policy, score_notes(gold, found)))
        broken = [[note for note in notes if BROKEN in note.id] for notes in (gold, found)]
        if broken[0]:
            rows.append(_row(f"{own.name}, broken notes", own.policy, score_notes(*broken)))
    for name, foreign in SETS.items() if data else ():
        scores = score_foreign(nlp, Path(data) / "annotated" / f"{name}.jsonl", foreign)
        rows.append(_row(name, foreign.policy, scores))
    print_rows(rows, details)
    version = f"{nlp.meta['lang']}_{nlp.meta['name']} {nlp.meta['version']}"
    temporary = output.with_suffix(".tmp")
    temporary.write_text(json.dumps({"model": version, "sets": rows}, indent=1) + "\n", "utf-8")
    os.replace(temporary, output)


def print_rows(rows: list[dict[str, Any]], details: bool) -> None:
    """Print the table, and for each set the types on demand."""
    header = (
        "set",
        "notes",
        "PHI",
        "recall",
        "precision",
        "strict F1",
        "missed",
        "false",
        "leak-free",
    )
    lines = [
        (
            r["set"],
            r["notes"],
            f"{r['phi_per_1000_words']:.0f}",
            *(f"{r[k]:.3f}" for k in ("recall", "precision", "strict_f1")),
            *(f"{r[f'{k}_per_1000_words']:.2f}" for k in ("missed", "false_alarms")),
            f"{r['leak_free_notes']:.0%}",
        )
        for r in rows
    ]
    msg.info("PHI, missed PHI and false alarms: per 1,000 words; leak-free: share of the notes")
    typer.echo(table(lines, header=header, divider=True))
    for row in rows if details else ():
        msg.divider(row["set"])
        typer.echo(
            table(
                [
                    (k, f"{v['p']:.2f}", f"{v['r']:.2f}", v["gold"])
                    for k, v in row["per_type"].items()
                ],
                header=("type", "strict P", "strict R", "gold"),
            )
        )


if __name__ == "__main__":
    typer.run(main)
