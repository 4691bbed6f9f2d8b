"""How a function of DataFusion is declared: one row, with what it takes and what it does with NULL.

DataFusion's plans declare the type of a scalar call, so a row does not say what a scalar function gives; they do not
declare that of an aggregate, so the row of an aggregate does (`aggregates.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firesteel import types as t
from firesteel.functions.catalog import Function, Signature
from firesteel.functions.properties import Fails, Kind, OfNothing, Origin

#: The first part of the names of the rows: `datafusion:array_has`.
STEM = "datafusion"

#: What an aggregate gives for arguments of these types; None if it does not take them.
Result = Callable[[Sequence[t.Type]], t.Type | None]


@dataclass(frozen=True)
class Aggregate:
    """An aggregate: its row, what it gives, and whether the order of the rows matters."""

    row: Function
    result: Result
    ordered: bool = False


def scalar(name: str, counts: str, doc: str, *, own: bool = False, total: bool = False, dear: bool = False) -> Function:
    """A scalar function. `counts` is how many arguments it takes: `2`, `2-3`, `1+`. If an argument is NULL the result
    is NULL and the function is not called, unless it is its `own` business. `total`: it never fails."""
    return Function(
        f"{STEM}:{name}",
        _signatures(counts),
        doc,
        substrait=f"{STEM}:{name}",
        propagates=not own,
        absent="null",
        dear=dear,
        origin=Origin.SUBSTRAIT,
        fails=Fails.NEVER if total else Fails.MAYBE,
    )


def aggregate(
    name: str, counts: str, doc: str, result: Result, *, ordered: bool = False, zero: bool = False
) -> Aggregate:
    """An aggregate function, or a window function that is one. `zero`: of no rows it gives 0."""
    row = Function(
        f"{STEM}:{name}",
        _signatures(counts),
        doc,
        Kind.AGGREGATE,
        substrait=f"{STEM}:{name}",
        propagates=False,
        absent="null",
        origin=Origin.SUBSTRAIT,
        of_nothing=OfNothing.ZERO if zero else OfNothing.NULL,
    )
    return Aggregate(row, result, ordered)


def _signatures(counts: str) -> tuple[Signature, ...]:
    """`2-3` is two signatures, `1+` one whose last parameter repeats."""
    if counts.endswith("+"):
        least = int(counts[:-1])
        many = Signature(("any",) * max(1, least), "any", variadic=True)
        return (many,) if least else (Signature((), "any"), many)
    low, _, high = counts.partition("-")
    return tuple(Signature(("any",) * count, "any") for count in range(int(low), int(high or low) + 1))
