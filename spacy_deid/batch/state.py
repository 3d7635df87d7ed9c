"""How far a run got, as far as that is not in its manifest."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from ..files import open_unlinked
from ..redaction import RedactionError


@dataclass(frozen=True)
class Checkpoint:
    """How far a run got: what lies behind it is done again.

    inputs (str): What tells the inputs from others; see `describe_inputs`.
    file (int): Number of the file under way, if chunks of one are done.
    chunks (int): How many chunks of it are done.
    part (int): Bytes of its result.
    manifest (int): Bytes of the manifest.
    seconds (float): The time it took.
    kept (tuple[str, ...]): Names of the columns and elements beside the texts so far.
    """

    inputs: str = ""
    file: int = 0
    chunks: int = 0
    part: int = 0
    manifest: int = 0
    seconds: float = 0.0
    kept: tuple[str, ...] = ()

    def save(self, path: Path) -> None:
        """Write the checkpoint, whole or not at all."""
        temporary = path.with_name(f"{path.name}.tmp")
        with open_unlinked(temporary, new=True) as file:
            file.write(json.dumps(asdict(self)).encode("ascii"))
        os.replace(temporary, path)


def load_checkpoint(path: Path) -> Checkpoint | None:
    """Read a checkpoint; None if there is none, as no run is under way.

    RAISES (RedactionError): If it cannot be read.
    """
    try:
        return Checkpoint(**json.loads(path.read_text("ascii")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise RedactionError(f"{path} cannot be read; start over with force=True") from error
