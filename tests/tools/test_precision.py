"""How `make saved-plans` compares numbers: by the digits that their types have."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tools.saved_plans import Precision


@pytest.mark.parametrize(
    ("mine", "other", "same_types", "same"),
    [
        (Decimal("1.01"), Decimal("1.01"), False, True),
        (Decimal("1.01"), Decimal("1.02"), False, False),  # a unit in the last digit
        (Decimal("123456789.01"), Decimal("123456789.02"), False, False),
        (Decimal("25.52"), 25.5234, False, True),  # a decimal is declared where the answer is a float
        (Decimal("25.53"), 25.5234, False, False),
        (Decimal("25.52"), 25.5234, True, False),  # a float is declared, and digits are lost
        (25.5234, 25.5234, True, True),
        (0.1 + 0.2, 0.3, True, True),
        (1.0, 1.0000001, True, False),
        (0, 0.5, True, False),
        (float("nan"), float("nan"), True, True),
        (float("inf"), 1.0, True, False),
    ],
)
def test_by_the_digits_of_the_types(
    mine: float | Decimal, other: float | Decimal, same_types: bool, same: bool
) -> None:
    assert Precision(same_types=same_types).same(mine, other) is same


def test_where_a_function_is_approximate() -> None:
    assert Precision(0.1).same(95, 100)
    assert not Precision(0.1).same(85, 100)
