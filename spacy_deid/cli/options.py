"""Options that several commands share, and how they print and write."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, is_dataclass, replace
from dataclasses import fields as dataclass_fields
from functools import wraps
from inspect import Parameter, Signature, getdoc, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer import Argument, Option
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
from .commands import IMPORTED, SUMMARIES, make_app

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
    "patient_from='folder'": "--patient-id-from folder",
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
_PYTHON_NAME = re.compile(rf"(?<![\w/.-])(?:{'|'.join(map(re.escape, _IN_COMMANDS))})")

SAY = Printer(no_print=True, pretty=not os.environ.get("NO_COLOR"))
"""Marks messages as good, bad or warnings; `typer.echo` strips the colors in files."""

FORMAT_NAMES = ", ".join(FORMATS)
LABEL_SET_NAMES = ", ".join(LABEL_SETS)

Gold = Annotated[
    Path, Argument(metavar="GOLD", help="Notes with gold annotations: a file, or a folder.")
]
Format = Annotated[
    str | None, Option("--format", "-f", help=f"Format of the notes, if unclear: {FORMAT_NAMES}.")
]
Labels = Annotated[str | None, Option(help=f"Label set of the notes: {LABEL_SET_NAMES}.")]
JsonFile = Annotated[Path | None, Option("--json", help="JSON file to write all numbers to.")]
Processes = Annotated[
    int, Option("--n-process", "-n", min=1, help="Number of processes that run the model.")
]
Model = Annotated[str, Option("--model", "-m", help="Name of a model, or its folder.")]
Threshold = Annotated[
    float | None, Option(min=0, max=1, help="Minimum confidence of PHI; lower finds more.")
]
Terms = Annotated[
    Path | None,
    Option(
        help="CSV of own terms that are always or never PHI: type, term or pattern, context, name."
    ),
]
Force = Annotated[bool, Option("--force", "-F", help="Overwrite existing output files.")]
Seed = Annotated[int, Option("--seed", "-s", help="Random seed.")]
PolicyName = Annotated[
    str,
    Option(
        "--policy",
        "-p",
        help=f"Redaction policy: {', '.join(STYLES)}; {', '.join(PRESETS)}; or a file.",
    ),
]
KeyFile = Annotated[
    Path | None,
    Option(help=f"File with your secret key; by default, it is read from {KEY_VARIABLE}."),
]


@dataclass(frozen=True)
class TextColumns:
    """The columns or keys of notes."""

    text_column: Annotated[
        list[str] | None, Option(help="Column or key of the text, by default text; repeatable.")
    ] = None
    id_column: Annotated[str, Option(help="Column or key of the note's id.")] = "id"

    def fields(self) -> Fields:
        """The columns as the readers of files take them."""
        return Fields(tuple(self.text_column or Fields().text), self.id_column)


@dataclass(frozen=True)
class Columns(TextColumns):
    """The columns or keys of notes and patients."""

    patient_column: Annotated[str, Option(help="Column or key of the patient's id, if any.")] = ""

    def fields(self) -> Fields:
        """See `TextColumns`."""
        return replace(super().fields(), patient=self.patient_column)


@dataclass(frozen=True)
class Tables:
    """The style of printed tables; by default, text.

    RAISES (ValueError): If there is more than one.
    """

    csv: Annotated[bool, Option("--csv", help="Print CSV instead of text tables.")] = False
    markdown: Annotated[bool, Option("--markdown", help="Print Markdown.")] = False
    latex: Annotated[bool, Option("--latex", help="Print LaTeX.")] = False

    def __post_init__(self) -> None:
        if len(self._chosen) > 1:
            names = " and ".join(f"--{name}" for name in self._chosen)
            raise ValueError(f"choose one of {names}")

    @property
    def _chosen(self) -> list[str]:
        return [name for name, on in vars(self).items() if on]

    def print(self, tables: Iterable[Table]) -> None:
        """Print tables to standard output."""
        render = RENDERERS[(self._chosen or ["text"])[0]]
        for table in tables:
            typer.echo("\n".join(map(printable, render(table).split("\n"))))


@dataclass(frozen=True)
class Figures:
    """Figures to draw.

    RAISES (ValueError): If they cannot be drawn.
    """

    plots: Annotated[Path | None, Option(help="Folder for the figures (needs matplotlib).")] = None
    plot_format: Annotated[str, Option(help=f"Format of figures: {', '.join(FIGURE_FORMATS)}.")] = (
        "png"
    )

    def __post_init__(self) -> None:
        check_choice(self.plot_format, FIGURE_FORMATS, "--plot-format")
        if self.plots:
            require_matplotlib()

    def write(self, draw: Callable[[], Mapping[str, Figure]]) -> None:
        """Write figures and name the files, if they are wanted."""
        for path in save_figures(draw(), self.plots, self.plot_format) if self.plots else ():
            tell(f"Written: {path}")


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

    Its help is its line in `SUMMARIES` and its docstring. A parameter that is a dataclass stands
    for its fields, each an option.

    **former (str): Former names of options that still work, each with the name of today.
    """
    names = {_flag(old): _flag(new) for old, new in former.items()}
    cls = type("Command", (Command,), {"former": names})

    def register(function: Callable[..., None]) -> Callable[..., None]:
        app = IMPORTED[name] = make_app(add_completion=False)
        text = f"{SUMMARIES[name]}\n\n{getdoc(function)}"
        return app.command(name, cls=cls, help=text)(_exit_on_error()(_flat(function)))

    return register


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}" if len(name) > 1 else f"-{name}"


def _flat(function: Callable[..., None]) -> Callable[..., None]:
    """The function with the fields of its dataclasses as parameters."""
    parameters: list[Parameter] = []
    groups: dict[str, Any] = {}
    for parameter in signature(function, eval_str=True).parameters.values():
        group = parameter.annotation
        if not is_dataclass(group):
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))
            continue
        types = get_type_hints(group, include_extras=True)
        groups[parameter.name] = group
        parameters += (
            Parameter(f.name, Parameter.KEYWORD_ONLY, default=f.default, annotation=types[f.name])
            for f in dataclass_fields(group)
        )

    @wraps(function)
    def flat(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{f.name: values.pop(f.name) for f in dataclass_fields(group)})
        function(**values)

    flat.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return flat


@contextmanager
def _exit_on_error() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # typer ends the command silently
        raise
    except (ValueError, OSError) as error:
        fail(str(error))
        raise typer.Exit(2) from None


def check_choice(value: str, choices: Sequence[str], option: str) -> None:
    """Raise a ValueError if the value of an option is not among the choices."""
    if value not in choices:
        raise ValueError(f"{option} is '{value}'; the choices are {', '.join(choices)}")


def write_json(value: Any, path: Path | None) -> None:
    """Write JSON to the file, if one is wanted, and name it."""
    if path:
        with replacing(path) as file:
            file.write(json.dumps(value, indent=1).encode("utf-8") + b"\n")
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
    text = _PYTHON_NAME.sub(lambda name: _IN_COMMANDS[name.group()], str(message))
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
