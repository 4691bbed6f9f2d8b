"""What all functions of Substrait share on Spark.

Their arguments have complete static types and are never MISSING: each is a plain column of the type that the call's
signature declares. A function is a builder: given a `Call`, it makes the column of the result, in Spark's type for the
type that the call returns. If a builder mentions an argument more than once, the argument is bound first (`twice`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.core.conversions import convert
from firesteel.spark.core.expr import (
    UNKNOWN,
    Columns,
    Expr,
    NumberParts,
    Plain,
    StructParts,
    Variant,
    as_decimal,
    column_expr,
    derive,
    null_expr,
)
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import Form, cast_type, form
from firesteel.spark.encoding.variants import from_variant


@dataclass
class Call:
    """One call while it is compiled."""

    scope: Scope
    fn: p.Fn
    #: The arguments that are values, each of its declared type.
    args: tuple[Expr, ...]
    #: The arguments that are types.
    types: tuple[t.Type, ...]
    where: Where
    #: May the result raise an error? Set by `error`.
    throws: bool = False

    @property
    def name(self) -> str:
        """The function's name, without the extension."""
        return self.fn.name.rpartition(":")[2]

    @property
    def columns(self) -> list[Column]:
        return [arg.plain for arg in self.args]

    @property
    def returns(self) -> t.Type:
        return self.fn.returns

    @property
    def spark(self) -> Any:
        """Spark's type of the result, as a cast takes it."""
        return cast_type(self.fn.returns)

    def choice(self, name: str, default: str) -> str:
        """The call's choice for an option or an enum argument, in upper case."""
        return (self.fn.choice(name) or default).upper()

    def error(self, message: str) -> Column:
        self.throws = True
        return self.scope.run.error(f"{self.name}: {message}", self.where)

    def constant(self, at: int, default: Any = UNKNOWN) -> Any:
        """The value of a literal argument, else UNKNOWN; the default if there is no such argument."""
        return self.args[at].constant if at < len(self.args) else default

    def unsupported(self, what: str) -> UnsupportedError:
        return UnsupportedError(f"function '{self.fn.name}' on Spark: {what}", where=self.where)

    def there(self, *args: Expr) -> Column | None:
        """Are all arguments not NULL? None if they never are."""
        tests = [arg.plain.isNotNull() for arg in (args or self.args) if arg.type.nullable]
        if not tests:
            return None
        all_present = tests[0]
        for test in tests[1:]:
            all_present = all_present & test
        return all_present

    def or_else(self, value: Column, other: Column) -> Column:
        """The value; `other` where it is SQL NULL although no argument is NULL."""
        there = self.there()
        return F.coalesce(value, other if there is None else F.when(there, other))


Build = Callable[[Call], Column]
Scalar = Callable[[Scope, p.Fn, Sequence[Expr | t.Type], Where], Expr]


def scalar(build: Build, *, twice: bool | Callable[[Call], bool] = False, cost: int = 2) -> Scalar:
    """A function from a builder. `twice`: does it mention its arguments more than once? It may depend on the call."""

    def apply(scope: Scope, fn: p.Fn, args: Sequence[Expr | t.Type], where: Where) -> Expr:
        given = arguments(fn, args)
        types = tuple(arg for arg in args if isinstance(arg, t.Type))

        def body(*named: Expr) -> Expr:
            call = Call(scope, fn, named, types, where)
            column = build(call)
            return derive(fn.returns, column, *named, throws=call.throws, cost=cost)

        often = twice if isinstance(twice, bool) else twice(Call(scope, fn, tuple(given), types, where))
        return scope.let(given, body) if often else body(*given)

    return apply


def simple(function: Callable[..., Column], *, twice: bool = False, cost: int = 1) -> Scalar:
    """A function from one of plain columns that gives the result type as it is."""
    return scalar(lambda call: function(*call.columns), twice=twice, cost=cost)


def arguments(fn: p.Fn, args: Sequence[Expr | t.Type]) -> list[Expr]:
    """The arguments that are values, each as a column of its declared type."""
    given = [arg for arg in args if isinstance(arg, Expr)]
    declared = [param.type for param in fn.params if isinstance(param, p.ValueParam)]
    if len(declared) != len(given):
        declared = [arg.type for arg in given]
    return [typed(arg, type_, fn.returns) for arg, type_ in zip(given, declared, strict=True)]


def typed(expr: Expr, type_: t.Type, otherwise: t.Type = t.STRING) -> Expr:
    """The expression as a plain column of the declared type. An untyped NULL gets the type `otherwise` if none is
    declared. MISSING becomes NULL: a scalar subquery may give either."""
    if isinstance(expr.type, t.Null | t.Missing):
        wanted = otherwise if isinstance(type_, t.Any | t.Null | t.Missing) else type_
        if form(t.proper(wanted)) is Form.VARIANT:
            return null_expr()
        nothing = F.literal(None, cast_type(t.proper(wanted)))
        return column_expr(t.absent(wanted, nullable=True, missable=False), nothing, atomic=True, constant=None)
    wide = t.absent(type_, nullable=type_.absent or expr.type.absent, missable=False)
    if isinstance(type_, t.Any | t.Union | t.Null) or form(wide) is Form.VARIANT:
        return _without_missing(expr)
    if isinstance(expr, StructParts):
        return expr
    if isinstance(expr, NumberParts):
        expr = as_decimal(expr)
    if isinstance(expr, Variant):
        column = from_variant(expr.column, wide)
    else:  # a `Split` has a plain column, too, although its type may be MISSING
        column = convert(expr.plain, t.absent(expr.type, nullable=True, missable=False), wide)
    assert isinstance(expr, Columns)
    as_it_is = column is expr.value
    place = expr.place if as_it_is else replace(expr.place, height=expr.place.height + 1, own=False)
    return Plain(wide, column, place=place, constant=expr.constant)


def _without_missing(expr: Expr) -> Expr:
    """A variant with NULL for MISSING."""
    if isinstance(expr, StructParts) or not expr.type.missable or not isinstance(expr, Variant):
        return expr
    type_ = t.absent(expr.type, nullable=True, missable=False)
    return derive(type_, F.coalesce(expr.column, variants.null()), expr)


def is_float(type_: t.Type) -> bool:
    return isinstance(type_, t.Float32 | t.Float64)


def null_of(type_: t.Type) -> Column:
    return F.literal(None, cast_type(type_))
