"""Counts the steps of code on hostile input, as time depends on the machine."""

from __future__ import annotations

import sys
from collections.abc import Callable


def steps(run: Callable[[], object]) -> int:
    """The calls of functions, Python's and C's, that running something takes.

    What a regular expression does inside one call does not count; it has to end within the time
    limit of every test.
    """
    count = 0

    def add(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(add)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


def assert_linear(run: Callable[[str], object], unit: str, length: int) -> None:
    """Check that text of four times the length takes at most about four times the steps."""
    few, many = (steps(lambda n=n: run(unit * (n // len(unit)))) for n in (length // 4, length))
    assert many <= 5 * few + 1000
