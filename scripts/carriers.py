"""Gather open clinical texts without PHI labels, for the synthetic notes to plant PHI into.

They are read from the sub-folder "carrier" of the folder that the environment variable
SPACY_DEID_DATA names: JSON lines with "id", "text", "source" and "licence". Without it the output
is an empty folder, and the synthetic notes come from the project's own templates alone.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import typer
from wasabi import msg


def carriers(output: Path) -> list[Path]:
    """Copy the carrier files into `output`, which is made afresh.

    RETURNS (list[Path]): The copies; empty where SPACY_DEID_DATA is not set.
    RAISES (FileNotFoundError): If the variable names a folder without a "carrier" folder.
    """
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    data = os.environ.get("SPACY_DEID_DATA")
    if not data:
        return []
    source = Path(data) / "carrier"
    if not source.is_dir():
        raise FileNotFoundError(f"SPACY_DEID_DATA is set, but '{source}' is not a folder")
    return [Path(shutil.copy(path, output)) for path in sorted(source.glob("*.jsonl"))]


def main(output: Path) -> None:
    """Gather carrier texts in a folder."""
    files = carriers(output)
    if files:
        msg.good(f"{len(files)} files of carrier texts in {output}")
    else:
        msg.warn("SPACY_DEID_DATA is not set: training uses the project's own templates alone")


if __name__ == "__main__":
    typer.run(main)
