"""What keeps the memory of a long run from growing."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache


def keep_few_kernels() -> None:
    """Let oneDNN keep the kernels of the last 64 shapes of matrices, not of 1,024; no slower.

    It builds one for each shape, and nearly each batch of notes has shapes of its own. Its own
    variable decides where it is set; nothing changes once the process has multiplied.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")


def return_freed_memory() -> None:
    """Let the C library give back what it holds in reserve; takes some hundredths of a second.

    Batches of ever other sizes leave glibc's heap full of holes: a process that redacts without
    this holds twice the memory after some thousand notes, and goes on growing.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    """glibc's `malloc_trim`; other C libraries have none and need none."""
    if sys.platform != "linux":
        return None
    return getattr(ctypes.CDLL(None), "malloc_trim", None)
