from __future__ import annotations

import pytest

from spacy_deid.redaction.surrogates.numbers.check_digits import (
    dea_digit,
    find_scheme,
    nhs_digit,
    vin_digit,
)
from spacy_deid.text.luhn import luhn_digit


@pytest.mark.parametrize(
    "digits, check", [("7992739871", 3), ("80840123456789", 3), ("411111111111111", 1), ("0", 0)]
)
def test_luhn_digit(digits, check):
    assert luhn_digit(digits) == check


@pytest.mark.parametrize("digits, check", [("943476591", 9), ("000000006", 10), ("000000000", 0)])
def test_nhs_digit(digits, check):
    # 9*10 + 4*9 + 3*8 + 4*7 + 7*6 + 6*5 + 5*4 + 9*3 + 1*2 = 299 = 27 * 11 + 2, and 11 - 2 = 9
    assert nhs_digit(digits) == check


def test_dea_digit():
    # (1 + 3 + 5) + 2 * (2 + 4 + 6) = 33
    assert dea_digit("123456") == 3


@pytest.mark.parametrize(
    "number, check",
    [("1M8GDM9AXKP042788", "X"), ("11111111111111111", "1"), ("1HGBH41JXMN109186", "X")],
)
def test_vin_digit(number, check):
    assert vin_digit(number) == check


@pytest.mark.parametrize(
    "number", ["", "1", "12345678901", "9434765918", "5111111111111119", "IHGBH41JXMN109186"]
)
def test_find_scheme_of_other_numbers(number):
    assert find_scheme(number) is None


def test_scheme_completes_a_draw():
    nhs = find_scheme("9434765919")
    assert nhs.complete("9434765910") == "9434765919"
    assert nhs.complete("0000000060") is None
    card = find_scheme("4111111111111111")
    assert card.valid(card.complete("9000000000000000"))
