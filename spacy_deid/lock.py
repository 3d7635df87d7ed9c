"""A lock against a second process, which the system releases when its holder ends."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)  # far from what others read
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Locked(Exception):
    """Another process holds the lock; the message is which."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a locked file that names this process, and remove it at the end.

    RAISES (Locked): If another process holds it.
    RAISES (OSError): If it cannot be written.
    """
    descriptor = _open(path)
    while not _is_at(path, descriptor):  # its last holder removed it in between
        os.close(descriptor)
        descriptor = _open(path)
    try:
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, f"process {os.getpid()} on {platform.node()}".encode())
        yield
    finally:
        with suppress(OSError):
            if sys.platform == "win32":  # which cannot remove an open file
                os.close(descriptor)
                path.unlink(missing_ok=True)
            else:
                path.unlink(missing_ok=True)
                os.close(descriptor)


def _open(path: Path) -> int:
    if path.is_symlink():
        path.unlink()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
    try:
        _lock(descriptor)
    except (BlockingIOError, PermissionError):
        holder = os.read(descriptor, 200).decode("utf-8", "replace")
        os.close(descriptor)
        raise Locked(holder or "it has just begun") from None
    except OSError:
        pass  # a file system without locks
    return descriptor


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
