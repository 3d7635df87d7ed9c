"""Options that several commands share, and how they print and write."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand
from wasabi import Printer

from ..annotation.phi import LABEL_SETS
from ..corpora import FORMATS, Problem
from ..evaluation.drawing import FIGURE_FORMATS, require_matplotlib, save_figures
from ..evaluation.render import RENDERERS, Table
from ..files import printable, replacing
from ..records import Fields
from ..redaction import PRESETS, STYLES
from ..redaction.key import KEY_VARIABLE
from .commands import IMPORTED, make_app

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_IN_COMMANDS = {
    "force=True": "--force",
    "resume=True": "--resume",
    "system_format=": "--system-format",
    "target_format=": "--to",
    "format=": "--format",
    "fmt=": "--format",
    "key_file=": "--key-file",
    "policy='tag'": "--policy tag",
    "n_process=1": "--n-process 1",
    "keep_originals=": "--keep-originals",
    "sample=": "--sample",
    "limit=": "--limit",
    "dry_run=": "--dry-run",
    "resume=": "--resume",
    "force=": "--force",
    "fields.text": "--text-column",
    "fields.types": "--redact-columns",
    "fields.patient": "--patient-column",
    "fields.id": "--id-column",
    "the output folder ": "--out ",
}
"""Python names in messages, and the command line options in their place."""

SAY = Printer(no_print=True, pretty=not os.environ.get("NO_COLOR"))
"""Marks messages as good, bad or warnings; `typer.echo` strips the colors in files."""

FORMAT_NAMES = ", ".join(FORMATS)
LABEL_SET_NAMES = ", ".join(LABEL_SETS)

Gold = Annotated[
    Path, typer.Argument(metavar="GOLD", help="Notes with gold annotations: a file, or a folder.")
]
Format = Annotated[
    str | None,
    typer.Option("--format", "-f", help=f"Format of the notes, if unclear: {FORMAT_NAMES}."),
]
Labels = Annotated[str | None, typer.Option(help=f"Label set of the notes: {LABEL_SET_NAMES}.")]
SystemFormat = Annotated[str | None, typer.Option(help="Format of the system's notes, if unclear.")]
SystemLabels = Annotated[str | None, typer.Option(help="Label set of the system's notes.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV instead of text tables.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print Markdown.")]
Latex = Annotated[bool, typer.Option("--latex", help="Print LaTeX.")]
JsonFile = Annotated[Path | None, typer.Option("--json", help="JSON file to write all numbers to.")]
Plots = Annotated[Path | None, typer.Option(help="Folder for the figures (needs matplotlib).")]
PlotFormat = Annotated[str, typer.Option(help=f"Format of figures: {', '.join(FIGURE_FORMATS)}.")]
Processes = Annotated[
    int, typer.Option("--n-process", "-n", min=1, help="Number of processes that run the model.")
]
TextColumn = Annotated[
    list[str] | None, typer.Option(help="Column or key of the text, by default text; repeatable.")
]
IdColumn = Annotated[str, typer.Option(help="Column or key of the note's id.")]
PatientColumn = Annotated[str, typer.Option(help="Column or key of the patient's id, if any.")]
Model = Annotated[str, typer.Option("--model", "-m", help="Name of a model, or its folder.")]
Threshold = Annotated[
    float | None, typer.Option(min=0, max=1, help="Minimum confidence of PHI; lower finds more.")
]
Terms = Annotated[
    Path | None,
    typer.Option(
        help="CSV of own terms that are always or never PHI: type, term or pattern, context, name."
    ),
]
Force = Annotated[bool, typer.Option("--force", "-F", help="Overwrite existing output files.")]
Seed = Annotated[int, typer.Option("--seed", "-s", help="Random seed.")]
PolicyName = Annotated[
    str,
    typer.Option(
        "--policy",
        "-p",
        help=f"Redaction policy: {', '.join(STYLES)}; {', '.join(PRESETS)}; or a file.",
    ),
]
KeyFile = Annotated[
    Path | None,
    typer.Option(help=f"File with your secret key; by default, it is read from {KEY_VARIABLE}."),
]


class Command(TyperCommand):
    """A command that also takes the former names of its options."""

    former: Mapping[str, str] = {}

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments, with names of today in the place of former ones."""
        split = (arg.partition("=") for arg in args)
        return super().parse_args(
            ctx, [f"{self.former.get(name, name)}{sign}{value}" for name, sign, value in split]
        )


def command(name: str, **former: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function a command; an error that the user can correct ends it with exit code 2.

    **former (str): Former names of options that still work, each with the name of today.
    """
    names = {_flag(old): _flag(new) for old, new in former.items()}
    cls = type("Command", (Command,), {"former": names})

    def register(function: Callable[..., None]) -> Callable[..., None]:
        app = IMPORTED[name] = make_app(add_completion=False)
        return app.command(name, cls=cls)(_exit_on_error()(function))

    return register


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}" if len(name) > 1 else f"-{name}"


@contextmanager
def _exit_on_error() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # typer ends the command silently
        raise
    except (ValueError, OSError) as error:
        fail(str(error))
        raise typer.Exit(2) from None


def fields(text: Sequence[str] | None, note_id: str, patient: str, **others: Any) -> Fields:
    """The names of columns or keys, by default `text` for the texts."""
    return Fields(tuple(text or Fields().text), note_id, patient, **others)


def table_style(**flags: bool) -> str:
    """The one table style that was chosen, by default text."""
    chosen = [name for name, on in flags.items() if on]
    if len(chosen) > 1:
        raise ValueError(f"choose one of {' and '.join(f'--{name}' for name in chosen)}")
    return chosen[0] if chosen else "text"


def check_choice(value: str, choices: Sequence[str], option: str) -> None:
    """Raise a ValueError if the value of an option is not among the choices."""
    if value not in choices:
        raise ValueError(f"{option} is '{value}'; the choices are {', '.join(choices)}")


def print_tables(tables: Sequence[Table], style: str) -> None:
    """Print tables to standard output."""
    for table in tables:
        lines = RENDERERS[style](table).split("\n")
        typer.echo("\n".join(map(printable, lines)))


def write_json(value: Any, path: Path | None) -> None:
    """Write JSON to the file, if one is wanted, and name it."""
    if path:
        with replacing(path) as file:
            file.write(json.dumps(value, indent=1).encode("utf-8") + b"\n")
        tell(f"Written: {path}")


def check_plots(plots: object, plot_format: str) -> None:
    """Raise a ValueError if figures are wanted, but cannot be drawn."""
    check_choice(plot_format, FIGURE_FORMATS, "--plot-format")
    if plots:
        require_matplotlib()


def write_figures(figures: Mapping[str, Figure], folder: Path, plot_format: str) -> None:
    """Write figures to a folder, and name the files."""
    for path in save_figures(figures, folder, plot_format):
        tell(f"Written: {path}")


def list_problems(title: str, problems: Sequence[Problem]) -> None:
    """List the notes that failed, and exit with code 1 if there are any."""
    if problems:
        fail(f"{title}: {len(problems)}")
        for problem in problems:
            typer.echo(shown(f"  {problem}"))
        raise typer.Exit(1)


def shown(message: object) -> str:
    """A message for the terminal: control characters escaped, options by their names there."""
    text = str(message)
    for name, option in _IN_COMMANDS.items():
        text = text.replace(name, option)
    return printable(text)


def tell(message: str) -> None:
    """Print a message to standard error; standard output holds only results."""
    typer.echo(shown(message), err=True)


def good(message: str) -> None:
    """Print a success to standard output."""
    typer.echo(SAY.good(shown(message)))


def fail(message: str) -> None:
    """Print an error to standard error."""
    typer.echo(SAY.fail(shown(message)), err=True)
