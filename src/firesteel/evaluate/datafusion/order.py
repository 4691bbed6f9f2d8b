"""DataFusion's order of values: as ours, but NaN is greater than all numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firesteel.evaluate.substrait.comparison import order as our_order
from firesteel.values import Struct, Value


def _ordering(null: int) -> Callable[[Value], Any]:
    """A key to sort by: of values of one type, none of them NULL at the top."""

    def order(value: Value) -> Any:
        if isinstance(value, float) and value != value:
            return ((3,),)
        if isinstance(value, list):
            return [inner(one) for one in value]
        if isinstance(value, Struct):
            return [inner(one) for _, one in value.pairs]
        return our_order(value)

    def inner(value: Value) -> Any:
        return (null,) if value is None else (0, order(value))

    return order


#: The order of sorting, `min` and `max`: inside of others NULL comes last.
order = _ordering(1)
#: The order of comparisons, `greatest` and `least`: inside of others NULL comes first.
order_null_first = _ordering(-1)
