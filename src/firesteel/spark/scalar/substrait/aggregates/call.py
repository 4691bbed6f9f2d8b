"""A call of a Substrait aggregate function while it is compiled, and its values in the call's order."""

from __future__ import annotations

from dataclasses import dataclass, field

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.core.expr import Depth, Expr, column_expr, reference
from firesteel.spark.core.rows import Order
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import cast_type
from firesteel.spark.scalar.collections.aggregates import Group
from firesteel.spark.scalar.collections.in_order import in_order as values_in_order


@dataclass(frozen=True)
class AggregateCall:
    """One call while it is compiled: the group, the signature, the arguments in their declared types, the order."""

    group: Group
    fn: p.Fn
    args: tuple[Expr, ...]
    order: tuple[Order, ...] = ()
    #: The rows that count; None for all.
    filter: Column | None = None
    more: list[str] = field(default_factory=list)

    @property
    def returns(self) -> t.Type:
        return self.fn.returns

    def choice(self, name: str, default: str) -> str:
        return (self.fn.choice(name) or default).upper()

    def value(self, at: int = 0) -> Column:
        return self.args[at].plain

    def cast(self, column: Column) -> Column:
        return column.cast(cast_type(self.returns))

    def error(self, message: str) -> Column:
        return self.group.error(f"{self.group.name.rpartition(':')[2]}: {message}")

    def result(self, column: Column) -> Expr:
        """The result, if it is an aggregated column as it is."""
        return reference(self.returns, self.group.total(column))

    def after(self, column: Column, *, throws: bool = False) -> Expr:
        """The result, if it is an expression over aggregated columns."""
        return column_expr(self.returns, column, height=Depth.SMALL, throws=throws)

    def addends(self, column: Column) -> Column:
        """The number of values of the only argument."""
        if self.group.distinct:
            return self.group.add(F.count_distinct(column))
        return self.group.add(F.count(column if self.args[0].type.absent else F.lit(1)))

    def unsupported(self, what: str) -> UnsupportedError:
        return UnsupportedError(f"function '{self.fn.name}' on Spark: {what}", where=self.group.where)


def collect_values(call: AggregateCall, value: Column) -> Column:
    """The present values, as an array without an order; each once for DISTINCT."""
    return call.group.add((F.collect_set if call.group.distinct else F.collect_list)(value))


def ordered(call: AggregateCall, value: Column) -> Column:
    """The present values, as an array in the call's order; each once for DISTINCT."""
    found = in_order(call, value)
    return F.array_distinct(found) if call.group.distinct else found


def in_order(call: AggregateCall, value: Column) -> Column:
    """The present values, as an array in the call's order."""
    return values_in_order(call.group.add, call.order, value)
