"""The typer application that the commands register with."""

import typer

app = typer.Typer(
    name="spacy-deid",
    help="Find and remove protected health information (PHI) in clinical notes.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,  # locals hold the text of notes
    rich_markup_mode="markdown",
)
