"""`spacy-deid evaluate`: a system against gold."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import spacy
import typer

from ..annotation.notes import Note
from ..evaluation.errors import TrainingData, error_lines
from ..evaluation.evaluate import Evaluation, evaluate
from ..evaluation.export import scores_to_csv, scores_to_json
from ..evaluation.report import write_report
from ..evaluation.systems import System, find_system, get_label_set, read_gold
from ..text.tokenizer import create_clinical_tokenizer
from . import options

SystemOrModel = Annotated[
    str,
    typer.Argument(
        metavar="SYSTEM", help="The system's notes, a folder that `redact` wrote, or a model."
    ),
]
Report = Annotated[Path | None, typer.Option(help="HTML report to write, with all results.")]
Train = Annotated[Path | None, typer.Option(help="The system's training notes, to explain misses.")]
ShowContext = Annotated[
    bool, typer.Option("--show-context", help="Show the text of errors, in --report too: PHI.")
]
Resamples = Annotated[int, typer.Option(min=0, help="Resamples for the intervals; 0 for none.")]


@options.command("evaluate", gold_format="format")
def evaluate_cli(
    gold: options.Gold,
    system: SystemOrModel,
    csv: options.Csv = False,
    markdown: options.Markdown = False,
    latex: options.Latex = False,
    json: options.JsonFile = None,
    report: Report = None,
    plots: options.Plots = None,
    plot_format: options.PlotFormat = "png",
    train: Train = None,
    show_context: ShowContext = False,
    resamples: Resamples = 9_999,
    seed: options.Seed = 1,
    labels: options.Labels = None,
    system_labels: options.SystemLabels = None,
    format: options.Format = None,
    system_format: options.SystemFormat = None,
    threshold: options.Threshold = None,
    n_process: options.Processes = 1,
) -> None:
    """
    Score a system as the i2b2 2014 evaluation does, and explain its errors.

    GOLD and SYSTEM are i2b2 XML, brat, JSON lines or DocBin with the same notes. SYSTEM may also
    be a model, or a folder that `redact` wrote from the gold notes with the policy `tag`.

    Examples:

    spacy-deid evaluate gold-xml/ system-xml/

    spacy-deid evaluate test.jsonl en_deid --json scores.json --report report.html
    """
    style = options.table_style(csv=csv, markdown=markdown, latex=latex)
    options.check_plots(plots or report, plot_format)
    notes = read_gold(gold, fmt=format, labels=labels)
    found = find_system(
        system,
        notes,
        fmt=system_format,
        labels=system_labels,
        threshold=threshold,
        n_process=n_process,
        progress=True,
    )
    evaluation = evaluate(
        notes,
        found,
        label_set=get_label_set(labels),
        training=_training(train, labels, found) if train else None,
        resamples=resamples if notes else 0,
        seed=seed,
        thresholds=bool(plots or report),
    )
    options.write_json(scores_to_json(evaluation.scores, evaluation.intervals), json)
    if plots:
        options.write_figures(evaluation.figures(), plots, plot_format)
    if report:
        _write_report(evaluation, report, f"{found.name} on {gold.name}", show_context)
    _print(evaluation, notes if show_context else [], None if csv else style)


def _write_report(evaluation: Evaluation, path: Path, title: str, show_context: bool) -> None:
    write_report(evaluation, path, title, show_context=show_context)
    options.tell(f"Written: {path}")


def _print(evaluation: Evaluation, shown: list[Note], style: str | None) -> None:
    """Print the scores, as CSV if no style is given, and the errors in the notes to show."""
    if style is None:
        typer.echo(scores_to_csv(evaluation.scores), nl=False)
    else:
        options.print_tables(evaluation.tables(), style)
    if shown:
        texts = {note.id: note.text for note in shown}
        for line in error_lines(evaluation.analysis.errors, texts):
            typer.echo(options.shown(line))


def _training(path: Path, labels: str | None, system: System) -> TrainingData:
    nlp = system.nlp or spacy.blank("en")
    tokenizer = nlp.tokenizer if system.nlp else create_clinical_tokenizer()(nlp)

    def bounds(text: str) -> list[tuple[int, int]]:
        return [(token.idx, token.idx + len(token)) for token in tokenizer(text)]

    return TrainingData.from_notes(read_gold(path, labels=labels), bounds)
