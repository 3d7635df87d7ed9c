"""Files of unknown origin: which are safe to open, how to write beside them, how to name them."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_BINARY = getattr(os, "O_BINARY", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def special_kind(path: Path) -> str:
    """What stands at a path if it is neither a file nor a folder; else, or without any, empty."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return ""
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return ""
    return _KINDS.get(stat.S_IFMT(mode), "no regular file")


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading; unlike `open`, this never waits for a pipe's writer.

    RAISES (OSError): If it cannot be opened or is no regular file.
    """
    file = os.fdopen(os.open(path, os.O_RDONLY | _BINARY | _NO_WAIT), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    return file


def open_unlinked(path: Path, *, new: bool) -> BinaryIO:
    """Open a file for writing; a symbolic link in its place is removed, never followed.

    path (Path): The file.
    new (bool): Whether to begin it anew; else it has to be there.
    RAISES (OSError): If it cannot be opened.
    """
    if path.is_symlink():
        path.unlink()
    begin = os.O_CREAT | os.O_TRUNC if new else 0
    return os.fdopen(os.open(path, os.O_RDWR | _BINARY | _NO_LINK | begin, 0o666), "r+b")


def printable(text: str) -> str:
    """A text for the terminal: control and format characters, which may act there, are escaped."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )
