"""`spacy-deid compare`: several systems against the same gold."""

from __future__ import annotations

from typing import Annotated

import typer

from ..evaluation.compare import compare
from ..evaluation.systems import find_system, get_label_set, read_gold
from . import options

Systems = Annotated[
    list[str],
    typer.Argument(
        metavar="SYSTEMS...",
        help="Each system's notes or model, as for `evaluate`; NAME=SYSTEM names it, and "
        "NAME@SIZE=SYSTEM also gives its number of training notes, for the learning curve.",
    ),
]
Reference = Annotated[
    str | None, typer.Option(help="System to test the others against; by default, the best.")
]
Shuffles = Annotated[int, typer.Option(min=1, help="Number of shuffles for the significance test.")]


@options.command("compare", gold_format="format")
def compare_cli(
    gold: options.Gold,
    systems: Systems,
    reference: Reference = None,
    shuffles: Shuffles = 9_999,
    seed: options.Seed = 1,
    csv: options.Csv = False,
    markdown: options.Markdown = False,
    latex: options.Latex = False,
    json: options.JsonFile = None,
    plots: options.Plots = None,
    plot_format: options.PlotFormat = "png",
    labels: options.Labels = None,
    system_labels: options.SystemLabels = None,
    format: options.Format = None,
    system_format: options.SystemFormat = None,
    n_process: options.Processes = 1,
) -> None:
    """
    Score systems side by side; stars mark significant differences from the best.

    The test is approximate randomization: each shuffle exchanges the outputs of two systems note by
    note. The exit code is 2 if the systems cannot be compared.

    Examples:

    spacy-deid compare test.jsonl en_deid other-system.jsonl

    spacy-deid compare gold-xml/ crf=crf-xml/ lstm=lstm-xml/ --reference crf --plots figures/

    spacy-deid compare gold-xml/ lstm@100=training/100 lstm@200=training/200 --plots figures/
    """
    style = options.table_style(csv=csv, markdown=markdown, latex=latex)
    options.check_plots(plots, plot_format)
    notes = read_gold(gold, fmt=format, labels=labels)
    comparison = compare(
        notes,
        [
            find_system(
                system,
                notes,
                fmt=system_format,
                labels=system_labels,
                n_process=n_process,
                progress=True,
            )
            for system in systems
        ],
        reference=reference,
        label_set=get_label_set(labels),
        shuffles=shuffles,
        seed=seed,
    )
    options.write_json(comparison.to_json(), json)
    if plots:
        options.write_figures(comparison.figures(), plots, plot_format)
    options.print_tables(comparison.tables(), style)
