"""The rows of the aggregate functions. They skip NULL and MISSING; of nothing, `count` is 0 and the others NULL."""

from __future__ import annotations

from firesteel.functions.catalog import Function, Kind, own


def _agg(name: str, signature: str, doc: str, absent: str = "null", names: tuple[str, ...] = ()) -> Function:
    return own(name, signature, doc, absent, kind=Kind.AGGREGATE, partiql=(name, *names))


AGGREGATES: tuple[Function, ...] = (
    _agg("count_star", "() -> int", "The number of bindings.", ""),
    _agg("count", "(any) -> int", "The number of values.", ""),
    _agg("sum", "(number) -> numeric", "The sum."),
    _agg("avg", "(number) -> mean", "The mean, as a decimal."),
    _agg("min", "(any) -> same", "The least, by the total order."),
    _agg("max", "(any) -> same", "The greatest, by the total order."),
    _agg("every", "(bool) -> bool", "Are all true?"),
    _agg("any", "(bool) -> bool", "Is one true?", names=("some",)),
    _agg("collect", "(any) -> bag_of", "All values as a bag, NULL and MISSING included.", ""),
)
