"""Keep the memory of a long run from growing."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache


def keep_few_kernels() -> None:
    """Let oneDNN keep the kernels of the last 64 shapes of matrices, not of 1,024.

    It builds one for each shape, and nearly every batch has shapes of its own. This is no slower. A
    user's own setting wins; it has no effect after the first multiplication.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")


def return_freed_memory() -> None:
    """Let the C library return free memory, which takes some hundredths of a second.

    Batches of varying sizes fragment glibc's heap: without this, a process takes twice the memory
    after some thousand notes, and keeps growing.
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
