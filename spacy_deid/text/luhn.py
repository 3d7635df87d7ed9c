"""Luhn check digits (ISO/IEC 7812-1), used by payment cards and provider numbers."""

from __future__ import annotations


def luhn_digit(digits: str) -> int:
    """The Luhn check digit to append to these digits."""
    total = 0
    for index, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 if index % 2 else 2)
        total += value - 9 if value > 9 else value
    return -total % 10


def is_luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of the others."""
    return digits.isdecimal() and luhn_digit(digits[:-1]) == int(digits[-1])
