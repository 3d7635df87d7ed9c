"""The folder that a run keeps for itself in its output folder."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from types import TracebackType

from .errors import writing
from .lock import Lock
from .manifest import MANIFEST

WORKSPACE = ".spacy-deid"
"""Name of the folder with all that a run needs until it ends: lock, checkpoint, file under way."""

OWN_NAMES = (MANIFEST, WORKSPACE)
"""Names in an output folder that no result may have."""


class Workspace:
    """A run's own folder, locked against other runs.

    It is removed at the end, with all folders made for it, unless a checkpoint has to stay.

    out (Path): The output folder.
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with suppress(OSError):
            self._lock.release()
        self._remove_empty()

    def clear(self) -> None:
        """Remove what only a run that goes on would need."""
        for path in self.folder.iterdir():
            if path.name != "lock":
                path.unlink()

    def _remove_empty(self) -> None:
        with suppress(OSError):  # not empty
            for path in self._made:
                path.rmdir()
