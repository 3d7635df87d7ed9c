"""`spacy-deid evaluate`: a system against gold."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import spacy
import typer
from typer import Argument, Option

from ..corpora.io import input_format
from ..evaluation.drawing import require_matplotlib
from ..evaluation.errors import TrainingData, error_lines
from ..evaluation.evaluate import evaluate
from ..evaluation.export import scores_to_csv
from ..evaluation.report import write_report
from ..evaluation.systems import System, read_gold
from ..text.tokenizer import create_clinical_tokenizer
from . import messages, options
from .decorator import command
from .systems import Systems

SystemOrModel = Annotated[
    str,
    Argument(
        metavar="SYSTEM", help="The system's notes, a folder that `redact` wrote, or a model."
    ),
]
ShowContext = Annotated[
    bool, Option("--show-context", help="Show the text of errors, in --report too: PHI.")
]


@command("evaluate", gold_format="format")
def evaluate_cli(
    gold: options.Gold,
    system: SystemOrModel,
    *,
    tables: options.Tables,
    json: options.JsonFile = None,
    report: Annotated[Path | None, Option(help="HTML report to write, with all results.")] = None,
    figures: options.Figures,
    train: Annotated[
        Path | None, Option(help="The system's training notes, to explain misses.")
    ] = None,
    show_context: ShowContext = False,
    resamples: Annotated[
        int, Option(min=0, help="Resamples for the intervals; 0 for none.")
    ] = 9_999,
    seed: options.Seed = 1,
    reading: Systems,
) -> None:
    """
    GOLD and SYSTEM hold the same notes, each in any format that `convert` reads. SYSTEM may also be
    a model, or a folder that `redact` wrote from the gold notes with the policy `tag`.

    Examples:

    spacy-deid evaluate gold-xml/ system-xml/

    spacy-deid evaluate test.jsonl en_deid --json scores.json --report report.html
    """
    options.check_html(report, "--report")
    if report:
        require_matplotlib()
    reading.check_outputs([json, report], gold, system, train=train)
    notes = reading.gold(gold)
    found = reading.find(system, notes)
    evaluation = evaluate(
        notes,
        found,
        label_set=reading.label_set,
        training=_training(train, reading.labels, found) if train else None,
        resamples=resamples,
        seed=seed,
        thresholds=bool(figures.plots or report),
    )
    messages.write_json(evaluation.to_json(), json)
    figures.write(evaluation.figures)
    if report:
        title = f"{found.name} on {gold.name}"
        write_report(evaluation, report, title, show_context=show_context)
        messages.tell(f"Written: {report}")
    if tables.csv:
        typer.echo(scores_to_csv(evaluation.scores), nl=False)
    else:
        tables.print(evaluation.tables())
    if show_context:
        texts = {note.id: note.text for note in notes}
        for line in error_lines(evaluation.analysis.errors, texts):
            typer.echo(messages.shown(line))


def _training(path: Path, labels: str | None, system: System) -> TrainingData:
    input_format(path, setting="")
    nlp = system.nlp or spacy.blank("en")
    tokenizer = nlp.tokenizer if system.nlp else create_clinical_tokenizer()(nlp)

    def bounds(text: str) -> list[tuple[int, int]]:
        return [(token.idx, token.idx + len(token)) for token in tokenizer(text)]

    return TrainingData.from_notes(read_gold(path, labels=labels), bounds)
