"""DataFusion's order of values: as ours, but NaN is greater than all numbers."""

from __future__ import annotations

from typing import Any

from firesteel.evaluate.substrait.comparison import order as our_order
from firesteel.values import Struct, Value


def order(value: Value) -> Any:
    """A key to sort by: of values of one type, none of them NULL at the top."""
    if isinstance(value, float) and value != value:
        return ((3,),)
    if isinstance(value, list):
        return [_inner(one) for one in value]
    if isinstance(value, Struct):
        return [_inner(one) for _, one in value.pairs]
    return our_order(value)


def _inner(value: Value) -> Any:
    """Inside of others NULL comes first."""
    return (0,) if value is None else (1, order(value))
