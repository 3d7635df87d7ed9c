"""Matrix products in NumPy arrays."""

from __future__ import annotations

import numpy as np

_MOST = 2**18  # multiplications up to which OpenBLAS, which comes with NumPy, starts no threads


def multiply(left: np.ndarray, right: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """The product of two matrices, on one thread: that of a few rows of the left one at a time.

    Matrices this small gain nothing from the threads that NumPy may start, and lose much when other
    processes compete for the cores.

    left, out (np.ndarray): Contiguous.
    """
    if out is None:
        out = np.empty((len(left), right.shape[1]), dtype=left.dtype)
    assert out.flags.c_contiguous, "the product would be written to a copy"
    rows = max(1, _MOST // right.size)
    whole = len(left) - len(left) % rows
    few = left[:whole].reshape(-1, rows, left.shape[1])
    np.matmul(few, right, out=out[:whole].reshape(-1, rows, out.shape[1]))
    np.matmul(left[whole:], right, out=out[whole:])
    return out
