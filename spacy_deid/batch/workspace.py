"""The folder that a run keeps for itself in its output folder, and the checkpoint in it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ..errors import RedactionError
from ..files import MANIFEST, WORKSPACE, open_unlinked
from ..lock import Locked, locked

_LOCK = "lock"

OWN_NAMES = (MANIFEST, WORKSPACE)
"""Names in an output folder that no result may have."""


@contextmanager
def writing(path: Path, hint: str = "; when it can, continue with `resume=True`") -> Iterator[None]:
    """Turn an error in writing a file into one sentence, with a hint what to do.

    RAISES (RedactionError): If the file cannot be written.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise RedactionError(f"{path} cannot be written: {reason}{hint}") from error


class Workspace:
    """A run's own folder in its output folder, and the places of its files."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.folder = out / WORKSPACE
        self.manifest = out / MANIFEST
        self.draft = self.folder / "manifest"
        self.state = self.folder / "state.json"
        self.part = self.folder / "part"

    def clear(self) -> None:
        """Remove what only a resumed run would need."""
        for path in self.folder.iterdir():
            if path.name != _LOCK:
                path.unlink()


@contextmanager
def open_workspace(out: Path) -> Iterator[Workspace]:
    """Make a workspace, and lock it against other runs.

    It is removed at the end, with all folders made for it, unless a checkpoint has to stay.

    RAISES (RedactionError): If it cannot be written, or another run holds it.
    """
    space = Workspace(out)
    with ExitStack() as stack:
        with writing(out):
            if space.folder.is_symlink():
                space.folder.unlink()
            made = [space.folder, *(path for path in space.folder.parents if not path.exists())]
            space.folder.mkdir(parents=True, exist_ok=True)
            stack.callback(_remove_empty, made)
            try:
                stack.enter_context(locked(space.folder / _LOCK))
            except Locked as holder:
                raise RedactionError(
                    f"another run ({holder}) is writing to {out}; wait for its end, or choose "
                    "another folder"
                ) from None
        yield space


def _remove_empty(folders: Sequence[Path]) -> None:
    with suppress(OSError):  # not empty
        for folder in folders:
            folder.rmdir()


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """How far a run got; everything after it is done again."""

    inputs: str = ""  # a digest of the inputs; see `input_digest`
    file: int = 0  # number of the unfinished file, if chunks of one are done
    chunks: int = 0  # how many chunks of it are done
    part: int = 0  # bytes of its result
    manifest: int = 0  # bytes of the manifest
    seconds: float = 0.0  # the time it took
    kept: tuple[str, ...] = ()  # names of the columns and elements beside the texts so far

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
        raise RedactionError(f"{path} cannot be read; start over with `force=True`") from error
