"""`spacy-deid synthesize`: synthetic notes with exact gold PHI."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..synthesis import SETS, synthesize
from . import options

Out = Annotated[Path, typer.Argument(metavar="OUTPUT", help="Output folder.")]
Notes = Annotated[int, typer.Option("--notes", min=3, help="Number of notes.")]
SetName = Annotated[
    str | None,
    typer.Option("--set", help=f"One of {', '.join(SETS)}; by default all, 80/10/10 percent."),
]
Carriers = Annotated[
    list[Path] | None,
    typer.Option(
        "--carriers",
        "-c",
        help="Unlabelled clinical text to plant PHI into: JSONL with a key 'text', .txt, or "
        "a folder of them; repeatable.",
    ),
]
Assets = Annotated[
    Path, typer.Option("--assets", "-a", help="Folder with notes, grammar, values and gazetteers.")
]


@options.command("synthesize", n="notes")
def synthesize_cli(
    out: Out,
    notes: Notes = 1000,
    seed: options.Seed = 0,
    set_name: SetName = None,
    carriers: Carriers = None,
    assets: Assets = Path("assets"),
    force: options.Force = False,
) -> None:
    """
    Write synthetic clinical notes with exact gold PHI, as i2b2 XML.

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
        options.good(f"Notes written to {folder}: {count}")
