"""What each rule of the matcher adds: the scores of a model without it.

Searches each set once, then merges again without one rule at a time, in the notes in which that
rule matched, and writes what changes to `benchmarks/rules.json`. A rule that adds nothing on any
set goes, unless its form can be checked (a check digit, the syntax of an address).

The sets are the development sets of `sets.tsv` and, with `SPACY_DEID_DATA`, those of
`quality.py`; `--more` names other annotated notes (JSON lines). The test sets are not read.

    SPACY_DEID_DATA=path/to/data python benchmarks/rules.py --model en_deid
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import quality
import spacy
import srsly
import typer
from sets import OWN
from spacy.language import Language
from spacy.tokens import Doc, Span
from tqdm import tqdm
from wasabi import table

from spacy_deid.annotation.candidates import write_candidates
from spacy_deid.annotation.notes import Note, PhiSpan, note_from_doc
from spacy_deid.annotation.phi import LABEL_SETS, LabelSet
from spacy_deid.corpora import read_notes
from spacy_deid.evaluation.scores import score_notes
from spacy_deid.files import replacing
from spacy_deid.matcher.pipe import RuleMatch, keep_best

HERE = Path(__file__).parent
MATCHER, MERGER = "phi_matcher", "phi_merger"


@dataclass
class Case:
    """A note, searched but for the merger.

    gold (Note): The note with its true PHI.
    doc (Doc): The doc, with the candidates of the other detectors.
    found (list[RuleMatch]): What the rules match, overlaps included.
    counts (np.ndarray): Counts with all rules: tp, fp, fn of tokens, then of spans and types.
    """

    gold: Note
    doc: Doc
    found: list[RuleMatch]
    counts: np.ndarray = field(default_factory=lambda: np.zeros(6, dtype=int))


@dataclass(frozen=True)
class EvaluationSet:
    """Notes and how they are scored.

    name (str): Name of the set.
    cases (list[Case]): Its notes.
    adapt (Callable[[Note, Note], Note]): From found and gold to what is compared.
    labels (LabelSet | None): Its label set.
    """

    name: str
    cases: list[Case]
    adapt: Callable[[Note, Note], Note]
    labels: LabelSet | None = None

    def count(self, nlp: Language, case: Case, without: frozenset[str]) -> np.ndarray:
        """Counts of a note without some rules."""
        kept = keep_best(found for found in case.found if found.rule.id not in without)
        spans = (
            (Span(case.doc, f.start, f.end, label=f.type, span_id=f.rule.id), f.rule.score)
            for f in kept
        )
        write_candidates(case.doc, MATCHER, spans)
        note = note_from_doc(nlp.get_pipe(MERGER)(case.doc), case.gold.id)
        found = self.adapt(note, case.gold)
        scores = score_notes([case.gold], [found], label_set=self.labels)
        token, strict = scores.micro("token", view="binary"), scores.micro("strict")
        return np.array([token.tp, token.fp, token.fn, strict.tp, strict.fp, strict.fn])


def measures(counts: np.ndarray) -> np.ndarray:
    """Recall, precision and strict F1 of counts."""
    tp, fp, fn, s_tp, s_fp, s_fn = counts.tolist()
    return np.array([tp / (tp + fn), tp / (tp + fp), 2 * s_tp / (2 * s_tp + s_fp + s_fn)])


def read_sets(nlp: Language, data: Path | None, more: Iterable[Path]) -> Iterator[EvaluationSet]:
    """The development sets, searched."""
    for path in (*(own.path for own in OWN.values() if own.role == "dev"), *more):
        yield EvaluationSet(path.stem, search(nlp, read_notes(path)), lambda found, _: found)
    for name, foreign in quality.SETS.items() if data else ():
        labels = LABEL_SETS[foreign.labels]
        gold = foreign_notes(Path(data) / "annotated" / f"{name}.jsonl", foreign, labels)

        def adapt(
            found: Note,
            gold: Note,
            labels: LabelSet = labels,
            foreign: quality.ForeignSet = foreign,
        ) -> Note:
            return quality._adapt(found, gold, labels, foreign)

        yield EvaluationSet(name, search(nlp, gold), adapt, labels)


def foreign_notes(path: Path, foreign: quality.ForeignSet, labels: LabelSet) -> Iterator[Note]:
    """The notes of an annotated set, with its own labels."""
    for row in srsly.read_jsonl(path):
        spans = [PhiSpan(s["start"], s["end"], s["label"]) for s in row["spans"]]
        spans = [span for span in spans if labels.to_phi(span.type)]
        if foreign.wordy:
            spans = [span for span in (quality._shorten(row["text"], s) for s in spans) if span]
        yield Note(row["id"], row["text"], tuple(spans))


def search(nlp: Language, notes: Iterable[Note]) -> list[Case]:
    """Search notes with all pipes but the merger."""
    gold = list(notes)
    with nlp.select_pipes(disable=[MERGER]):
        docs = list(nlp.pipe(note.text for note in gold))
    matcher = nlp.get_pipe(MATCHER)
    return [Case(note, doc, matcher.find(doc)) for note, doc in zip(gold, docs, strict=True)]


class Ablation:
    """Scores of all sets without some rules."""

    def __init__(self, nlp: Language, sets: list[EvaluationSet]) -> None:
        self.nlp, self.sets = nlp, sets
        self.cases: dict[str, list[tuple[EvaluationSet, Case]]] = defaultdict(list)
        for one in sets:
            for case in one.cases:
                case.counts = one.count(nlp, case, frozenset())
                for rule in {found.rule.id for found in case.found}:
                    self.cases[rule].append((one, case))
        self.totals = {one.name: sum(case.counts for case in one.cases) for one in sets}

    def without(self, rule: str, others: frozenset[str] = frozenset()) -> dict[str, np.ndarray]:
        """Counts of each set without a rule, and without others that have gone already."""
        totals = dict(self.totals)
        for one, case in self.cases[rule]:
            counts = one.count(self.nlp, case, others | {rule})
            totals[one.name] = totals[one.name] - case.counts + counts
        return totals

    def drop(self, rule: str, others: frozenset[str]) -> None:
        """Leave a rule out for good."""
        self.totals = self.without(rule, others)
        for one, case in self.cases[rule]:
            case.counts = one.count(self.nlp, case, others | {rule})

    def change(self, totals: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """What measures change, for the sets in which any does."""
        changes = {
            name: measures(totals[name]) - measures(now) for name, now in self.totals.items()
        }
        return {name: change for name, change in changes.items() if np.any(change)}


def main(
    model: Annotated[str, typer.Option(help="Name or folder of the model.")] = "en_deid",
    data: Annotated[
        Path | None, typer.Option(envvar="SPACY_DEID_DATA", help="Folder with `annotated`.")
    ] = None,
    more: Annotated[list[Path] | None, typer.Option(help="Other annotated notes.")] = None,
    output: Annotated[Path, typer.Option(help="File to write.")] = HERE / "rules.json",
) -> None:
    """Score a model without each of its rules."""
    nlp = spacy.load(model)
    ablation = Ablation(nlp, list(read_sets(nlp, data, more or ())))
    rules = [rule.id for rule in nlp.get_pipe(MATCHER).rules]
    rows: list[dict[str, Any]] = []
    for rule in tqdm(rules, "rules", disable=None):
        change = ablation.change(ablation.without(rule))
        matched = sum(f.rule.id == rule for _, case in ablation.cases[rule] for f in case.found)
        rows.append(
            {"rule": rule, "matches": matched, "change": {k: list(v) for k, v in change.items()}}
        )
    typer.echo(render(rows))
    with replacing(output) as file:
        base = {name: measures(now).tolist() for name, now in ablation.totals.items()}
        file.write(json.dumps({"with_all": base, "without": rows}, indent=1).encode() + b"\n")


def render(rows: list[dict[str, Any]]) -> str:
    """The rules and the sum over the sets of what each adds, in points of 0.001."""
    lines = []
    for row in rows:
        total = -1000 * sum(map(np.array, row["change"].values())) if row["change"] else (0, 0, 0)
        lines.append((row["rule"], row["matches"], *(f"{value:+.2f}" for value in total)))
    header = ("rule", "matches", "recall", "precision", "strict F1")
    return table(lines, header=header, divider=True, aligns=("l", "r", "r", "r", "r"))


if __name__ == "__main__":
    typer.run(main)
