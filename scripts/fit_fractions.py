"""Fit the weights of the evidence for fractions that may be dates ("3/7").

    python scripts/fit_fractions.py benchmarks/*_dev*.jsonl

Prints the weights of `spacy_deid.merger.fractions`. To show what they are worth on other notes, it
also leaves each author out in turn (the letters before the number in a note's id; a set whose ids
have none is one author) and counts wrong and missed dates with the confidences of the tagger, and
with those by the weights from the other authors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import spacy
import typer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from spacy.language import Language
from wasabi import table

from spacy_deid.annotation.candidates import read_candidates
from spacy_deid.corpora import read_notes
from spacy_deid.merger.fractions import Evidence, read_evidence
from spacy_deid.text.tokens import read_tokens

TAGGER = "phi_tagger"
_AUTHOR = re.compile(r"_([a-z]{1,2})[0-9]{1,6}(?:_|\Z)")


class Row(NamedTuple):
    """A fraction that the tagger may take for a date, or that is one."""

    author: str
    is_date: bool
    score: float
    evidence: Evidence


def read_fractions(nlp: Language, path: Path) -> Iterator[Row]:
    """The fractions in a set of annotated notes."""
    notes = list(read_notes(path))
    for note, doc in zip(notes, nlp.pipe(note.text for note in notes), strict=True):
        author = _AUTHOR.search(note.id)
        tokens = read_tokens(doc)
        scores = {
            i: score
            for span, score in read_candidates(doc, TAGGER)
            if span.label_ == "DATE"
            for i in range(span.start, span.end)
        }
        dates = {
            i
            for span in note.spans
            if span.type == "DATE"
            for i, start in enumerate(tokens.offsets)
            if span.start <= start < span.end
        }
        for i, evidence in read_evidence(doc.text, tokens.words, scores).items():
            if i in scores or i in dates:
                name = f"{path.stem} {author[1] if author else ''}".strip()
                yield Row(name, i in dates, scores.get(i, 0.0), evidence)


def main(
    notes: Annotated[list[Path], typer.Argument(help="Files of annotated notes.")],
    model: Annotated[str, typer.Option(help="Name or folder of the model.")] = "en_deid",
    threshold: Annotated[float, typer.Option(help="Confidence of a date.")] = 0.25,
) -> None:
    """Fit the weights of the evidence for fractions that may be dates."""
    nlp = spacy.load(model)
    rows = [row for path in notes for row in read_fractions(nlp, path)]
    if len({row.author for row in rows}) < 2:
        raise SystemExit("notes by two authors or more are needed, as each is left out in turn")
    evidence = np.array([row.evidence for row in rows])
    gold = np.array([row.is_date for row in rows])
    regression = make_pipeline(StandardScaler(), LogisticRegression())
    held_out = cross_val_predict(
        regression,
        evidence,
        gold,
        groups=[row.author for row in rows],
        cv=LeaveOneGroupOut(),
        method="predict_proba",
    )[:, 1]
    for name, scores in (("tagger", np.array([row.score for row in rows])), ("fitted", held_out)):
        found = scores >= threshold
        typer.echo(f"{name}: {sum(found & ~gold)} wrong, {sum(gold & ~found)} missed")
    regression.fit(evidence, gold)
    scaler, fitted = regression[0], regression[1]
    weights = fitted.coef_[0] / scaler.scale_
    bias = fitted.intercept_[0] - weights @ scaler.mean_
    named = zip(("bias", *Evidence._fields), (bias, *weights), strict=True)
    lines = [(name, f"{weight:.2f}") for name, weight in named]
    typer.echo(table(lines, header=(f"{len(rows)} fractions", "weight"), divider=True))


if __name__ == "__main__":
    typer.run(main)
