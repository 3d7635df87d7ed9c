"""The folder that a run keeps for itself in its output folder, and the checkpoint in it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ..files import open_unlinked
from ..redaction import RedactionError
from .lock import Lock
from .manifest import MANIFEST

WORKSPACE = ".spacy-deid"
"""Name of the folder with the lock, checkpoint and unfinished file of a run."""

OWN_NAMES = (MANIFEST, WORKSPACE)
"""Names in an output folder that no result may have."""


@contextmanager
def writing(path: Path, hint: str = "; when it can, continue with resume=True") -> Iterator[None]:
    """Turn an error in writing a file into one sentence, with a hint what to do.

    RAISES (RedactionError): If the file cannot be written.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise RedactionError(f"{path} cannot be written: {reason}{hint}") from error


class Workspace:
    """A run's own folder in its output folder, locked against other runs.

    It is removed at the end, with all folders made for it, unless a checkpoint has to stay.
    """

    def __init__(self, out: Path) -> None:
        self.out = out
        self.folder = out / WORKSPACE
        self.manifest = out / MANIFEST
        self.draft = self.folder / "manifest"
        self.state = self.folder / "state.json"
        self.part = self.folder / "part"
        self._made: list[Path] = []

    def __enter__(self) -> Workspace:
        """Make and lock the folder.

        RAISES (RedactionError): If it cannot be written, or another run holds it.
        """
        with writing(self.out):
            if self.folder.is_symlink():
                self.folder.unlink()
            folders = (self.folder, *self.folder.parents)
            self._made = [self.folder, *(path for path in folders[1:] if not path.exists())]
            self.folder.mkdir(parents=True, exist_ok=True)
            try:
                self._lock = Lock(self.folder / "lock")
            except BaseException:
                self._remove_empty()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._lock.release()
        self._remove_empty()

    def clear(self) -> None:
        """Remove what only a resumed run would need."""
        for path in self.folder.iterdir():
            if path.name != "lock":
                path.unlink()

    def _remove_empty(self) -> None:
        with suppress(OSError):  # not empty
            for path in self._made:
                path.rmdir()


@dataclass(frozen=True)
class Checkpoint:
    """How far a run got; everything after it is done again.

    inputs (str): A digest of the inputs; see `input_digest`.
    file (int): Number of the unfinished file, if chunks of one are done.
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
    """Read a checkpoint; None if there is none.

    RAISES (RedactionError): If it cannot be read.
    """
    try:
        return Checkpoint(**json.loads(path.read_text("ascii")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise RedactionError(f"{path} cannot be read; start over with force=True") from error
