"""Matrix products in NumPy arrays."""

from __future__ import annotations

import numpy as np
from blis.py import gemm


def multiply(
    left: np.ndarray, right: np.ndarray, out: np.ndarray | None = None, *, add: bool = False
) -> np.ndarray:
    """The product of two matrices, on one thread; `add` adds it to what `out` holds.

    Matrices this small gain nothing from the threads that NumPy may start, and lose much when other
    processes compete for the cores.
    """
    return gemm(left, right, out=out, beta=float(add))
