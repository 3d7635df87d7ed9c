"""`spacy-deid synthesize`: synthetic notes with exact gold PHI."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ..synthesis import SETS, synthesize
from . import messages, options
from .decorator import command


@command("synthesize", n="notes")
def synthesize_cli(
    out: Annotated[Path, Argument(metavar="OUTPUT", help="Output folder.")],
    notes: Annotated[int, Option("--notes", min=3, help="Number of notes.")] = 1000,
    seed: options.Seed = 0,
    set_name: Annotated[
        str | None,
        Option("--set", help=f"One of {', '.join(SETS)}; by default all, 80/10/10 percent."),
    ] = None,
    carriers: Annotated[
        list[Path] | None,
        Option(
            "--carriers",
            "-c",
            help="Unlabelled clinical text to plant PHI into: JSONL with a key 'text', .txt, or "
            "a folder of them; repeatable.",
        ),
    ] = None,
    assets: Annotated[
        Path, Option("--assets", "-a", help="Folder with notes, grammar, values and gazetteers.")
    ] = Path("assets"),
    force: options.Force = False,
) -> None:
    """
    The sets train, dev and test share no template, person, street, city, institution or carrier.

    Examples:

    spacy-deid synthesize corpus/ --notes 3000 --seed 1

    spacy-deid synthesize corpus/train --notes 500 --set train --carriers texts.jsonl
    """
    written = synthesize(
        out,
        notes,
        assets=assets,
        seed=seed,
        set_name=set_name,
        carriers=carriers or (),
        force=force,
        progress=True,
    )
    for folder, count in written.items():
        messages.good(f"Notes written to {folder}: {count}")
