"""What a run keeps in its output folder to be continued after it was killed at any moment."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from ..redaction import RedactionError
from .manifest import MANIFEST

STATE = ".resume.json"
"""Name of the checkpoint in the output folder, while a run is under way."""

PART = ".part"
"""Name of the file under way, in the folder of its result."""

OWN_FILES = (MANIFEST, STATE, PART)
"""Files of a run in its output folder that hold no notes."""


@dataclass(frozen=True)
class Checkpoint:
    """How far a run got: what lies behind it is done again.

    file (int): Number of the file under way.
    chunks (int): How many chunks of it are done.
    part (int): Bytes of its result.
    manifest (int): Bytes of the manifest.
    seconds (float): The time it took.
    kept (tuple[str, ...]): Names of the columns and elements beside the texts so far.
    """

    file: int = 0
    chunks: int = 0
    part: int = 0
    manifest: int = 0
    seconds: float = 0.0
    kept: tuple[str, ...] = ()

    def save(self, out: Path) -> None:
        """Write the checkpoint, whole or not at all."""
        temporary = out / f"{STATE}.tmp"
        temporary.write_text(json.dumps(asdict(self)), "ascii")
        os.replace(temporary, out / STATE)


def load_checkpoint(out: Path) -> Checkpoint | None:
    """The checkpoint of an output folder; None if no run is under way there.

    RAISES (RedactionError): If it cannot be read.
    """
    try:
        return Checkpoint(**json.loads((out / STATE).read_text("ascii")))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, TypeError) as error:
        raise RedactionError(f"{out / STATE} cannot be read; start over with 'force'") from error
