"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from ..annotation.phi import LABEL_SETS
from ..corpora import CORPUS_FORMATS
from ..evaluation.drawing import FIGURE_FORMATS, require_matplotlib, save_figures
from ..files import printable
from ..records import Fields
from ..redaction import PRESETS, STYLES
from ..redaction.key import KEY_VARIABLE
from ..tables import RENDERERS, Table
from .messages import tell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMAT_NAMES = ", ".join(CORPUS_FORMATS)
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
SearchModel = Annotated[
    str | None,
    Option(
        "--model",
        "-m",
        help="Model to find PHI with, instead of what is annotated; by default en_deid for texts.",
    ),
]
Threshold = Annotated[
    float | None, Option(min=0, max=1, help="Minimum confidence of PHI; lower finds more.")
]
Terms = Annotated[
    Path | None,
    Option(
        help="CSV of your own terms, which are always or never PHI: type, term or pattern, "
        "context, name."
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


def check_choice(value: str, choices: Sequence[str], option: str) -> None:
    """Raise a ValueError if the value of an option is not among the choices."""
    if value not in choices:
        raise ValueError(f"{option} is '{value}'; the choices are {', '.join(choices)}")


def check_html(path: Path | None, option: str) -> None:
    """Raise a ValueError if the file of an option is wanted, but not named as an HTML file is."""
    if path:
        check_choice(path.suffix.lower(), (".html", ".htm"), f"the suffix of {option}")
