"""Aggregate functions: each is given the values of its argument, over all rows of a group, in their order."""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable
from decimal import Decimal

from firesteel import values
from firesteel.evaluate.base import Forgivable
from firesteel.evaluate.kinds import NUMBERS, TEXTS, kind
from firesteel.evaluate.scalar.arithmetic import DECIMALS, decimals, float_sum, int64, to_decimal, to_float, trim_zeros
from firesteel.evaluate.scalar.compare import text
from firesteel.evaluate.scalar.text import within
from firesteel.values import MISSING, Bag, Value, absent

Aggregate = Callable[[list[Value]], Value]

#: How many digits behind the point a mean has, at least.
PLACES = 18
#: Wide enough that the order of rows does not change the 38 digits of a sum.
_WIDE = decimal.Context(prec=1_000, traps=[decimal.Overflow, decimal.InvalidOperation])


def _present(items: list[Value]) -> list[Value]:
    return [item for item in items if item is not None and item is not MISSING]


def count_star(rows: list[Value]) -> int:
    return len(rows)


def count(items: list[Value]) -> int:
    return len(_present(items))


def _numbers(name: str, items: list[Value]) -> list[Value]:
    found = _present(items)
    if not NUMBERS.issuperset(map(type, found)):
        wrong = next(item for item in found if type(item) not in NUMBERS)
        raise Forgivable(f"{name} takes numbers, not {kind(wrong)}")
    return found


def _total(items: list[Value]) -> Decimal:
    """The exact sum of integers and decimals, whatever their order."""
    whole = Decimal(sum([item for item in items if type(item) is int]))
    return decimals(_add_all, whole, [to_decimal(item) for item in items if type(item) is not int])


def _add_all(total: Decimal, items: list[Decimal]) -> Decimal:
    add = _WIDE.add
    for item in items:
        total = add(total, item)
    return total


def total(items: list[Value]) -> Value:
    found = _numbers("sum", items)
    kinds = {type(item) for item in found}
    if not found:
        return None
    if float in kinds:
        return float_sum([to_float(item) for item in found])
    if Decimal in kinds:
        return decimals(DECIMALS.plus, _total(found))
    return int64(sum(found))


def mean(items: list[Value]) -> Value:
    found = _numbers("avg", items)
    if not found:
        return None
    if not all(math.isfinite(item) for item in found if type(item) is float):
        return float_sum([to_float(item) for item in found]) / len(found)
    return decimals(DECIMALS.plus, _quotient(decimals(DECIMALS.plus, _total(found)), len(found)))


def _quotient(total: Decimal, count: int) -> Decimal:
    """With `PLACES` digits behind the point, or as many as the total has if that is more; half is rounded up.

    The 38 significant digits that `/` gives would have a different scale in every row of a column of means.
    """
    places = max(PLACES, -int(total.normalize(_WIDE).as_tuple().exponent))
    sign = -1 if total < 0 else 1
    scaled = int(_WIDE.scaleb(_WIDE.abs(total), places))
    return trim_zeros(_WIDE.scaleb(Decimal(sign * ((2 * scaled + count) // (2 * count))), -places))


def least(items: list[Value]) -> Value:
    found = _present(items)
    return min(found, default=None) if _ordered(found) else min(found, key=values.key)


def greatest(items: list[Value]) -> Value:
    found = _present(items)
    return max(found, default=None) if _ordered(found) else max(found, key=values.key)


def _ordered(items: list[Value]) -> bool:
    """Are the values ordered as their keys are?"""
    return set(map(type, items)) in ({str}, {int}, set())


def _booleans(name: str, items: list[Value]) -> list[bool]:
    found = _present(items)
    for item in found:
        if not isinstance(item, bool):
            raise Forgivable(f"{name} takes booleans, not {kind(item)}")
    return found


def every(items: list[Value]) -> bool | None:
    found = _booleans("every", items)
    return all(found) if found else None


def some(items: list[Value]) -> bool | None:
    found = _booleans("any", items)
    return any(found) if found else None


def joined(rows: list[tuple[Value, ...]]) -> str | None:
    """The texts, each after the first with the separator of its own row before it."""
    found = [row for row in rows if not absent(row[0])]
    for value in (value for row in found for value in row if not absent(value)):
        if type(value) not in TEXTS:
            raise Forgivable(f"string_agg takes text, not {kind(value)}")
    parts = [
        (text(row[1]) if i and len(row) > 1 and not absent(row[1]) else "") + text(row[0])
        for i, row in enumerate(found)
    ]
    within(sum(map(len, parts)))
    return "".join(parts) if found else None


#: Aggregates that are given the arguments of every row.
OF_ROWS: dict[str, Callable[[list[tuple[Value, ...]]], Value]] = {"string_agg": joined}

AGGREGATES: dict[str, Aggregate] = {
    "count_star": count_star,
    "count": count,
    "sum": total,
    "avg": mean,
    "min": least,
    "max": greatest,
    "every": every,
    "any": some,
    "collect": Bag,
    "array_agg": list,
}
