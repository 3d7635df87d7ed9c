"""The application: its commands, each imported only when it is run."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer import Option
from typer.core import TyperCommand

from .. import __version__
from ..errors import install

SUMMARIES = {
    "adapt": "Fine-tune a model on reviewed notes, and measure the gain on others.",
    "check-audit": "Check that no line of an audit log was changed, removed or inserted.",
    "compare": "Score systems side by side; stars mark significant differences from the best.",
    "convert": "Convert a corpus between the formats of corpora, spaCy and annotation tools.",
    "evaluate": "Score a system as the i2b2 2014 evaluation does, and explain its errors.",
    "prove": "Compute the recall, with its lower bound, from the random notes of a review.",
    "redact": "Redact the PHI in notes: text, JSON lines, CSV and more; see --format.",
    "reidentify": "Print the originals that a run replaced. **This prints PHI.**",
    "report": "Summarize a redaction run: notes, withheld notes with reasons, PHI by type and "
    "detector.",
    "review": "Read notes in the browser, correct what was found, and add what was missed.",
    "select-features": "Choose feature groups for a phi_crf by greedy search on the token F1 of "
    "the dev corpus.",
    "serve": "De-identify over HTTP: our own paths, and those of Presidio; /docs describes them.",
    "show": "Write one HTML page with notes, their PHI highlighted, beside the redacted text.",
    "spark-job": "Redact notes on a Spark cluster; the texts are those of the command redact.",
    "synthesize": "Write synthetic clinical notes with exact gold PHI, as i2b2 XML.",
    "thresholds": "Show recall and precision at each confidence threshold, and the best one for "
    "each recall.",
}
"""The commands, each with the first line of its help; `redact` is in `redact.py`, and so on."""


EXTRAS = {"scipy": "review", "torch": "train", "onnx": "train"}
"""Packages that a command imports at once, with the extra of ours that installs them."""

IMPORTED: dict[str, typer.Typer] = {}
"""Commands whose modules are imported: `command` puts them here."""


class LazyCommand(TyperCommand):
    """A command that imports its module when it is run, or asked for its own help."""

    def load(self) -> Any:
        """The command itself: the `command` of its module."""
        assert self.name is not None
        try:
            import_module(f".{self.name.replace('-', '_')}", __package__)
        except ModuleNotFoundError as error:
            extra = EXTRAS.get((error.name or "").partition(".")[0])
            if extra is None:
                raise
            raise typer.BadParameter(f"it needs {install(extra)}") from error
        return typer.main.get_command(IMPORTED[self.name])

    def make_context(self, *args: Any, **settings: Any) -> Any:
        """A context of the command itself, in place of this one."""
        return self.load().make_context(*args, **settings)


def make_app(**settings: Any) -> typer.Typer:
    """An application in the style of this command line."""
    # locals hold the text of notes
    style: dict[str, Any] = {"pretty_exceptions_show_locals": False}
    return typer.Typer(**style, rich_markup_mode="markdown", **settings)


app = make_app(name="spacy-deid", no_args_is_help=True)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"spacy-deid {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Find and remove protected health information (PHI) in clinical notes."""


for _name, _summary in SUMMARIES.items():
    app.command(_name, cls=LazyCommand, help=_summary)(lambda: None)
