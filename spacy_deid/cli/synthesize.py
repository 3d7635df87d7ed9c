"""`spacy-deid synthesize`: write synthetic notes with exact gold PHI."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Optional

import typer
from tqdm import tqdm
from wasabi import msg

from ..corpora.io import write_notes
from ..synthesis import SETS, Generator, load_carriers, share_out
from .app import app

EPILOG = """
**Examples**

- `spacy-deid synthesize corpus --notes 3000 --seed 1`: train, dev and test notes in corpus/
- `spacy-deid synthesize corpus/train --notes 500 --set train`: one set
- `spacy-deid synthesize corpus --carriers clinical_texts/`: plant PHI into text of your own
"""


@app.command("synthesize", epilog=EPILOG)
def synthesize_cli(
    # fmt: off
    out: Annotated[Path, typer.Argument(help="Folder to write; new or empty", file_okay=False)],
    notes: Annotated[int, typer.Option("--notes", "-n", help="Number of notes", min=1)] = 1000,
    seed: Annotated[int, typer.Option("--seed", "-s", help="Same seed, same notes")] = 0,
    set_name: Annotated[Optional[str], typer.Option("--set", help="train, dev or test; by default all three, 80/10/10 percent, in folders of their own")] = None,  # noqa: E501, UP045
    carriers: Annotated[Optional[list[Path]], typer.Option("--carriers", "-c", help="Clinical text without labels to plant PHI into: JSONL with a 'text', .txt, or a folder of them")] = None,  # noqa: E501, UP045
    assets: Annotated[Path, typer.Option("--assets", "-a", help="Folder with notes, grammar, values and gazetteers")] = Path("assets"),  # noqa: E501
    # fmt: on
) -> None:
    """Write synthetic clinical notes with exact gold PHI, as i2b2 XML.

    The sets share no template, person, street, city, institution or carrier.
    """
    try:
        sizes = synthesize(out, notes, seed, set_name, carriers or (), assets)
    except (ValueError, OSError) as error:
        msg.fail(str(error), exits=1)
    for folder, count in sizes.items():
        msg.good(f"{count} notes in {folder}")


def synthesize(
    out: Path,
    notes: int,
    seed: int = 0,
    set_name: str | None = None,
    carriers: Sequence[Path] = (),
    assets: Path = Path("assets"),
) -> dict[Path, int]:
    """Write synthetic notes as i2b2 XML.

    out (Path): The folder; without `set_name` it gets one folder for each set.
    notes (int): Number of notes in all.
    seed (int): Equal seeds give equal files.
    set_name (str | None): The set, or None for all three.
    carriers (Sequence[Path]): Text to plant PHI into.
    assets (Path): Folder with notes, grammar, values and gazetteers.
    RETURNS (dict[Path, int]): Number of notes written to each folder.
    RAISES (ValueError): If the set is unknown, or the folder is not empty.
    RAISES (FileNotFoundError): If assets or carriers are missing.
    """
    if set_name is not None and set_name not in SETS:
        raise ValueError(f"there is no set '{set_name}'; the sets are {', '.join(SETS)}")
    if not assets.is_dir():
        raise FileNotFoundError(f"there is no folder {assets}; name the assets with --assets")
    texts = load_carriers(carriers)
    sizes = {set_name: notes} if set_name else share_out(notes)
    written = {}
    for name, count in sizes.items():
        folder = out if set_name else out / name
        generator = Generator(assets, name, seed, texts)
        progress = tqdm(generator.notes(count), total=count, desc=name, unit="notes", leave=False)
        written[folder] = write_notes(progress, folder, fmt="i2b2").notes
    return written
