"""Substrait's functions on Spark: expressions over plain columns, as one would write them by hand.

A function is named by its extension and its name: `arithmetic:add`. `SCALARS` has the scalar functions, `aggregates.py`
the aggregates. Arguments have complete static types and are never MISSING, so no kinds are tested at run time.
`base.py` says how an entry of the table is written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.functions import substrait as functions
from firesteel.spark.core.expr import Depth, Expr
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.scalar.substrait import datafusion, decimals, integers, reals
from firesteel.spark.scalar.substrait.base import Build, Call, Scalar, is_float, scalar
from firesteel.spark.scalar.substrait.calendars import CALENDARS
from firesteel.spark.scalar.substrait.casts import CASTS
from firesteel.spark.scalar.substrait.dates import DATES
from firesteel.spark.scalar.substrait.formats import FORMATS
from firesteel.spark.scalar.substrait.logic import BOOLEAN, COMPARISON
from firesteel.spark.scalar.substrait.nested import EXPRESSIONS, LISTS, SETS
from firesteel.spark.scalar.substrait.patterns import PATTERNS
from firesteel.spark.scalar.substrait.text import TEXT


def _by_type(integer: Build, real: Build) -> Scalar:
    """Choose the builder by the result type. That for floats mentions its operands only once."""

    def apply(scope: Scope, fn: p.Fn, args: Sequence[Expr | t.Type], where: Where) -> Expr:
        return (_once(real) if is_float(fn.returns) else _twice(integer))(scope, fn, args, where)

    return apply


def _twice(build: Build) -> Scalar:
    return scalar(build, twice=True, cost=Depth.MEDIUM)


def _once(build: Build) -> Scalar:
    return scalar(build, cost=Depth.TINY)


def _real(function: Callable[..., Column], outside: reals.Test | None = None) -> Scalar:
    return scalar(reals.real(function, outside), twice=outside is not None, cost=Depth.TINY)


def _beyond_one(x: Column) -> Column:
    return (x > 1) | (x < -1)


def _sums(integer: Build, real: Build) -> Scalar:
    """A sum, a difference or a product."""

    def several(call: Call) -> bool:
        return not is_float(call.returns) and integers.mentions_operands_twice(call)

    return scalar(lambda call: (real if is_float(call.returns) else integer)(call), twice=several, cost=Depth.TINY)


ARITHMETIC: dict[str, Scalar] = {
    "add": _sums(integers.ADD, reals.add),
    "subtract": _sums(integers.SUBTRACT, reals.subtract),
    "multiply": _sums(integers.MULTIPLY, reals.multiply),
    "divide": _twice(lambda call: (reals.divide if is_float(call.returns) else integers.divide)(call)),
    "modulus": _twice(integers.modulus),
    "negate": _by_type(integers.negate, reals.negate),
    "abs": _by_type(integers.absolute, reals.absolute),
    "sign": _by_type(integers.sign, reals.sign),
    "power": _by_type(integers.power, reals.power),
    "factorial": _twice(integers.factorial),
    **integers.BITS,
    "sqrt": _real(F.sqrt, lambda x: x < 0),
    "exp": _real(F.exp),
    **{name: _real(getattr(F, name)) for name in ("cos", "sin", "tan", "cosh", "sinh", "tanh", "atan", "asinh")},
    "acos": _real(F.acos, _beyond_one),
    "asin": _real(F.asin, _beyond_one),
    "atanh": _real(F.atanh, _beyond_one),
    "acosh": _real(F.acosh, lambda x: x < 1),
    "atan2": _once(reals.atan2),
    "radians": _real(F.radians),
    "degrees": _real(F.degrees),
}

DECIMAL: dict[str, Scalar] = {
    "add": scalar(decimals.add, twice=decimals.mentions_operands_twice, cost=Depth.TINY),
    "subtract": scalar(decimals.subtract, twice=decimals.mentions_operands_twice, cost=Depth.TINY),
    "multiply": scalar(decimals.multiply, twice=decimals.mentions_operands_twice, cost=Depth.TINY),
    "divide": _twice(decimals.divide),
    "modulus": _twice(decimals.modulus),
    "negate": _twice(decimals.negate),
    "abs": _twice(decimals.absolute),
    "sqrt": _twice(decimals.square_root),
    "power": _twice(decimals.power),
    "factorial": _twice(integers.factorial),
    "bitwise_and": _twice(decimals.bitwise(lambda x, y: x.bitwiseAND(y))),
    "bitwise_or": _twice(decimals.bitwise(lambda x, y: x.bitwiseOR(y))),
    "bitwise_xor": _twice(decimals.bitwise(lambda x, y: x.bitwiseXOR(y))),
}

UNSIGNED: dict[str, Scalar] = {
    "add": scalar(integers.ADD, twice=integers.mentions_operands_twice, cost=Depth.MEDIUM),
    "subtract": scalar(integers.SUBTRACT, twice=integers.mentions_operands_twice, cost=Depth.MEDIUM),
    "multiply": scalar(integers.MULTIPLY, twice=integers.mentions_operands_twice, cost=Depth.MEDIUM),
    "divide": _twice(integers.divide),
}

LOGARITHMIC: dict[str, Scalar] = {
    "ln": _twice(reals.logarithm(F.ln)),
    "log10": _twice(reals.logarithm(F.log10)),
    "log2": _twice(reals.logarithm(F.log2)),
    "logb": _twice(reals.logb),
    "log1p": _twice(reals.logarithm(F.log1p, -1.0)),
}


def _round(call: Call) -> Column:
    return integers.round_integer(call) if isinstance(call.returns, t.Integer) else reals.round_float(call)


ROUNDING: dict[str, Scalar] = {
    "ceil": _twice(reals.whole(F.ceil)),
    "floor": _twice(reals.whole(F.floor)),
    "round": _twice(_round),
}

ROUNDING_DECIMAL: dict[str, Scalar] = {
    "ceil": _once(decimals.whole(F.ceil)),
    "floor": _once(decimals.whole(F.floor)),
    "round": _twice(decimals.round_decimal),
}

_EXTENSIONS: dict[str, dict[str, Scalar]] = {
    "arithmetic": ARITHMETIC,
    "arithmetic_decimal": DECIMAL,
    "unsigned_integers": UNSIGNED,
    "boolean": BOOLEAN,
    "comparison": COMPARISON,
    "datafusion": datafusion.SCALARS,
    "datetime": {**DATES, **CALENDARS, **FORMATS},
    "list": LISTS,
    "logarithmic": LOGARITHMIC,
    "rounding": ROUNDING,
    "rounding_decimal": ROUNDING_DECIMAL,
    "set": SETS,
    "string": {**TEXT, **PATTERNS},
    "expression": {**EXPRESSIONS, **CASTS},
}

SCALARS: dict[str, Scalar] = {
    f"{extension}:{name}": function for extension, rows in _EXTENSIONS.items() for name, function in rows.items()
}


def registered(name: str) -> Scalar | None:
    """A user's function that makes a column from columns."""
    found = functions.registered(name)
    make = None if found is None else found.column
    return None if make is None else scalar(lambda call: make(*call.columns), twice=True)
