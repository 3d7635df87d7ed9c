"""`spacy-deid compare`: several systems against the same gold."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Option

from ..evaluation.compare import compare
from ..evaluation.systems import is_model
from . import messages, options
from .decorator import command
from .systems import Systems


@command("compare", gold_format="format")
def compare_cli(
    gold: options.Gold,
    systems: Annotated[
        list[str],
        Argument(
            metavar="SYSTEMS...",
            help="Each system's notes or model, as for `evaluate`; NAME=SYSTEM names it, and "
            "NAME@SIZE=SYSTEM also gives its number of training notes, for the learning curve.",
        ),
    ],
    *,
    reference: Annotated[
        str | None, Option(help="System to test the others against; by default, the best.")
    ] = None,
    shuffles: Annotated[
        int, Option(min=1, help="Number of shuffles for the significance test.")
    ] = 9_999,
    seed: options.Seed = 1,
    tables: options.Tables,
    json: options.JsonFile = None,
    figures: options.Figures,
    reading: Systems,
) -> None:
    """
    The test is approximate randomization: each shuffle exchanges the outputs of two systems note by
    note. The exit code is 2 if the systems cannot be compared.

    Examples:

    spacy-deid compare test.jsonl en_deid other-system.jsonl

    spacy-deid compare gold-xml/ crf=crf-xml/ lstm=lstm-xml/ --reference crf --plots figures/

    spacy-deid compare gold-xml/ lstm@100=training/100 lstm@200=training/200 --plots figures/
    """
    if (reading.threshold, reading.terms) != (None, None) and not any(map(is_model, systems)):
        raise ValueError("--threshold and --terms are for models, and none of the systems is one")
    reading.check_outputs([json], gold, *systems)
    notes = reading.gold(gold)
    comparison = compare(
        notes,
        [reading.find(system, notes, is_model=is_model(system)) for system in systems],
        reference=reference,
        label_set=reading.label_set,
        shuffles=shuffles,
        seed=seed,
    )
    messages.write_json(comparison.to_json(), json)
    figures.write(comparison.figures)
    tables.print(comparison.tables(starred=not tables.csv))  # CSV holds numbers
