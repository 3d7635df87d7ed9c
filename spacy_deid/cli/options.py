"""Options that several commands share, and how they print and write."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from wasabi import Printer

from ..corpora import FORMATS
from ..corpora.base import replacing
from ..evaluation.drawing import FIGURE_FORMATS
from ..evaluation.render import RENDERERS, Table
from ..files import printable
from ..phi import LABEL_SETS
from ..redaction import PRESETS, STYLES
from ..redaction.key import KEY_VARIABLE

_AS_TYPED = {
    "force=True": "--force",
    "resume=True": "--resume",
    "format=": "--format",
    "n_process=1": "--n-process 1",
    "fields.text": "--text-column",
    "fields.patient": "--patient-column",
    "fields.id": "--id-column",
    "the output folder ": "--out ",
}
"""What messages call by its name in Python, and how it is typed here."""

SAY = Printer(no_print=True)
"""Marks messages as good, bad or worth a look; `typer.echo` leaves the colors out of files."""

_FORMAT_NAMES = ", ".join(FORMATS)

Gold = Annotated[
    Path, typer.Argument(metavar="GOLD", help="Notes with the true PHI: a file, or a folder.")
]
GoldFormat = Annotated[
    str | None,
    typer.Option("--gold-format", help=f"Format of GOLD if unclear: {_FORMAT_NAMES}."),
]
SystemFormat = Annotated[
    str | None,
    typer.Option("--system-format", help="Format of a system's notes if their files do not tell."),
]
Labels = Annotated[
    str | None,
    typer.Option(help=f"Label set that GOLD is annotated with: {', '.join(LABEL_SETS)}."),
]
SystemLabels = Annotated[
    str | None,
    typer.Option("--system-labels", help="Label set of a system's notes, likewise."),
]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV in place of text tables.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print Markdown, likewise.")]
Latex = Annotated[bool, typer.Option("--latex", help="Print LaTeX, likewise.")]
Processes = Annotated[int, typer.Option("--n-process", "-n", min=1, help="Processes for a model.")]
Seed = Annotated[int, typer.Option("--seed", "-s", help="Seed of all random draws.")]
Plots = Annotated[
    Path | None, typer.Option("--plots", help="Folder to write the figures to (needs matplotlib).")
]
PlotFormat = Annotated[
    str, typer.Option("--plot-format", help=f"Format of the figures: {', '.join(FIGURE_FORMATS)}.")
]
PolicyName = Annotated[
    str,
    typer.Option(
        "--policy",
        "-p",
        help=f"What stands for PHI: {', '.join(STYLES)}; {', '.join(PRESETS)}; or a file.",
    ),
]
KeyFile = Annotated[
    Path | None,
    typer.Option("--key-file", help=f"File that holds your key; by default, {KEY_VARIABLE} does."),
]
JsonFile = Annotated[Path | None, typer.Option("--json", help="File to write all figures to.")]


def table_style(**flags: bool) -> str:
    """The one style that is asked for by its flag, or text.

    RAISES (ValueError): If there are two.
    """
    chosen = [name for name, on in flags.items() if on]
    if len(chosen) > 1:
        raise ValueError(f"choose one of {' and '.join(f'--{name}' for name in chosen)}")
    return chosen[0] if chosen else "text"


def check_choice(value: str, choices: Sequence[str], option: str) -> None:
    """Check the value of an option.

    RAISES (ValueError): If it is none of the choices.
    """
    if value not in choices:
        raise ValueError(f"{option} is '{value}'; the choices are {', '.join(choices)}")


def print_tables(tables: Sequence[Table], style: str) -> None:
    """Print tables to standard output."""
    for table in tables:
        lines = RENDERERS[style](table).split("\n")
        typer.echo("\n".join(map(printable, lines)))


def write_json(value: Any, path: Path) -> None:
    """Write JSON to a file, complete or not at all."""
    with replacing(path) as file:
        file.write(json.dumps(value, indent=1).encode("utf-8") + b"\n")


def shown(message: object) -> str:
    """A message as it is fit for the terminal, with options as they are typed."""
    text = str(message)
    for name, option in _AS_TYPED.items():
        text = text.replace(name, option)
    return printable(text)


def tell(message: str) -> None:
    """Say something on standard error, so that standard output holds results alone."""
    typer.echo(shown(message), err=True)


def fail(message: str) -> None:
    """Say on standard error that something failed."""
    typer.echo(SAY.fail(shown(message)), err=True)
