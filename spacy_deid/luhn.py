"""Luhn's check digit (ISO/IEC 7812-1), as payment cards and provider numbers end in."""

from __future__ import annotations


def luhn_digit(digits: str) -> int:
    """The check digit to append to some digits by Luhn's algorithm."""
    total = 0
    for index, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 if index % 2 else 2)
        total += value - 9 if value > 9 else value
    return -total % 10


def is_luhn(digits: str, prefix: str = "") -> bool:
    """Whether the last of some digits is their check digit.

    prefix (str): Digits before them that are not written but count.
    """
    return digits.isdecimal() and luhn_digit(prefix + digits[:-1]) == int(digits[-1])
