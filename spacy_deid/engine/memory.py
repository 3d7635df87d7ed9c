"""Keeps the memory of a long-running process from growing."""

from __future__ import annotations

import ctypes
import os
import sys


def keep_few_kernels() -> None:
    """Let oneDNN keep the kernels of the last 64 shapes of matrices, not of 1,024.

    It builds one for each shape, and nearly every batch has shapes of its own. This is no slower. A
    user's own setting wins; it has no effect after the first multiplication.
    """
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")


def return_freed_memory() -> None:
    """Let glibc return free memory, which takes some hundredths of a second.

    Batches of varying sizes fragment its heap: without this, a process takes twice the memory after
    some thousand notes, and keeps growing. Other C libraries do not need it.
    """
    if sys.platform == "linux" and hasattr(library := ctypes.CDLL(None), "malloc_trim"):
        library.malloc_trim(0)
