"""A lock against a second run, which the system releases when the process ends."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

from ..redaction import RedactionError

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)  # far from what others read
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Lock:
    """A locked file that names the process which holds it.

    path (Path): The file.
    RAISES (RedactionError): If another process holds it.
    RAISES (OSError): If it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = self._open()
        while not self._is_at_path():  # its last holder removed it in between
            os.close(self._descriptor)
            self._descriptor = self._open()
        try:
            os.ftruncate(self._descriptor, 0)
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, f"process {os.getpid()} on {platform.node()}".encode())
        except OSError:
            self.release()
            raise

    def release(self) -> None:
        """Remove the file, and let others lock the folder."""
        if sys.platform == "win32":  # which cannot remove an open file
            os.close(self._descriptor)
            self.path.unlink(missing_ok=True)
        else:
            self.path.unlink(missing_ok=True)
            os.close(self._descriptor)

    def _open(self) -> int:
        if self.path.is_symlink():
            self.path.unlink()
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(self.path, flags, 0o644)
        try:
            _lock(descriptor)
        except (BlockingIOError, PermissionError):
            holder = os.read(descriptor, 200).decode("utf-8", "replace")
            os.close(descriptor)
            raise RedactionError(
                f"another run ({holder or 'it has just begun'}) is writing to "
                f"{self.path.parent.parent}; wait for its end, or choose another folder"
            ) from None
        except OSError:
            pass  # a file system without locks
        return descriptor

    def _is_at_path(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.stat(self.path))
        except FileNotFoundError:
            return False
