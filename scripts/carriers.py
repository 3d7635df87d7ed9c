"""Gather open clinical texts without PHI labels, for the synthetic notes to plant PHI into.

They come from the sub-folder "carrier" of the folder that the environment variable SPACY_DEID_DATA
names (JSON lines with "id", "text", "source" and "licence"); without it, from what
`spacy project assets .` fetched; without either the output is an empty folder, and the synthetic
notes come from the project's own templates alone.
"""

from __future__ import annotations

import csv
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import srsly
import typer
from wasabi import msg


class Source(NamedTuple):
    """Public texts in CSV files.

    folder (str): Folder under `assets/carriers` that `project.yml` puts the files in.
    column (str): Column with the text.
    licence (str): Licence of the texts.
    """

    folder: str
    column: str
    licence: str


SOURCES = (
    Source("mts-dialog", "section_text", "CC BY 4.0"),
    Source("aci-bench", "note", "CC BY 4.0"),
)
"""What `assets` of `project.yml` fetches."""


def carriers(output: Path, fetched: Path) -> list[Path]:
    """Gather the carrier files in `output`, in place of those that are there.

    output (Path): The folder to write.
    fetched (Path): Folder of the assets that the project fetched.
    RETURNS (list[Path]): The files; empty where there is no source.
    RAISES (FileNotFoundError): If the variable names a folder without a "carrier" folder.
    """
    output.mkdir(parents=True, exist_ok=True)
    for old in output.glob("*.jsonl"):
        old.unlink()
    data = os.environ.get("SPACY_DEID_DATA")
    if not data:
        return [_convert(source, fetched, output) for source in _present(fetched)]
    folder = Path(data) / "carrier"
    if not folder.is_dir():
        raise FileNotFoundError(f"SPACY_DEID_DATA is set, but '{folder}' is not a folder")
    return [Path(shutil.copy(path, output)) for path in sorted(folder.glob("*.jsonl"))]


def _present(fetched: Path) -> list[Source]:
    return [source for source in SOURCES if any((fetched / source.folder).glob("*.csv"))]


def _convert(source: Source, fetched: Path, output: Path) -> Path:
    path = output / f"{source.folder}.jsonl"
    srsly.write_jsonl(path, _rows(source, fetched / source.folder))
    return path


def _rows(source: Source, folder: Path) -> Iterator[dict[str, str]]:
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf8", newline="") as file:
            for number, row in enumerate(csv.DictReader(file)):
                if row.get(source.column):
                    yield {
                        "id": f"{path.stem}-{number}",
                        "text": row[source.column],
                        "source": f"{source.folder} {path.name}",
                        "licence": source.licence,
                    }


def main(
    output: Path,
    fetched: Annotated[Path, typer.Option(help="Folder of the fetched assets.")] = Path(
        "assets/carriers"
    ),
) -> None:
    """Gather carrier texts in a folder."""
    files = carriers(output, fetched)
    if files:
        msg.good(f"{len(files)} files of carrier texts in {output}")
    else:
        msg.warn(
            "no open texts to plant PHI into: training uses the project's own notes alone; "
            "`spacy project assets .` fetches some"
        )


if __name__ == "__main__":
    typer.run(main)
