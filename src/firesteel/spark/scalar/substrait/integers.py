"""Arithmetic of integers, signed and unsigned: exact, in the type of the operands, with a check for overflow.

`overflow` is an option of the call: ERROR, SATURATE (the bound itself) or SILENT (wraps around, as two's complement
does). The default is ERROR, because a silently wrong answer is the worst.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from pyspark.sql import Column

from firesteel import types as t
from firesteel.evaluate.substrait.integers import NO_BITS
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import UNSIGNED
from firesteel.spark.scalar.substrait.base import Build, Call, Scalar, scalar

#: Wide enough for the product of any two integers of 64 bits.
WIDE = "decimal(38,0)"
_UNIT = "decimal(20,0)"


class Bounds(NamedTuple):
    """The least and the greatest value of a type of integers."""

    least: int
    greatest: int


def bounds(type_: t.Type) -> Bounds:
    if isinstance(type_, t.UserDefined):
        return Bounds(0, 2 ** UNSIGNED[type_.name] - 1)
    assert isinstance(type_, t.Integer)
    bits = type_.bits or 64
    return Bounds(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def number(value: int, spark: str = WIDE) -> Column:
    """An integer of any size, as a decimal."""
    return F.literal(Decimal(value), spark)


def _fits_long(type_: t.Type) -> bool:
    """Is a column of the type a bigint or narrower?"""
    return not (isinstance(type_, t.UserDefined) and type_.name == "u64")


def wrapped(value: Column, type_: t.Type) -> Column:
    """The number wrapped around to the type's bits, as two's complement does."""
    low, high = bounds(type_)
    return (F.pmod((value - number(low)).cast(WIDE), number(high - low + 1)) + number(low)).cast(WIDE)


def narrow(call: Call, value: Column, type_: t.Type) -> Column:
    """A wide number in the type; out of bounds, the `overflow` option decides. Bind it first: it is mentioned often."""
    low, high = bounds(type_)
    spark = call.spark
    within = (value >= number(low)) & (value <= number(high))
    fitted = F.when(within, value).cast(spark)
    match call.choice("overflow", "ERROR"):
        case "SATURATE":
            bound = F.when(value < number(low), number(low)).when(value > number(high), number(high))
            return F.coalesce(fitted, bound.cast(spark))
        case "SILENT":
            return F.coalesce(fitted, wrapped(value, type_).cast(spark))
    return F.when(value.isNotNull() & ~within, call.error("overflow")).otherwise(fitted)


def mentions_operands_twice(call: Call) -> bool:
    """Does a sum, a difference or a product mention its operands more than once?"""
    if isinstance(call.returns, t.UserDefined):
        return call.name == "multiply"
    return call.choice("overflow", "ERROR") != "ERROR" or any(arg.type.nullable for arg in call.args)


Pair = Callable[[Column, Column], Column]


def arithmetic(attempt: Pair, wide: Pair) -> Build:
    """A sum, a difference or a product: `attempt` gives SQL NULL on overflow of Spark's type, `wide` is exact."""

    def build(call: Call) -> Column:
        x, y = call.columns
        if isinstance(call.returns, t.UserDefined):
            value = wide(x.cast(_UNIT), y.cast(_UNIT)).cast(WIDE)
            return narrow_bound(call, value)
        if call.choice("overflow", "ERROR") == "ERROR":
            return call.or_else(attempt(x, y), call.error("overflow"))
        exact = wide(x.cast(_UNIT), y.cast(_UNIT)).cast(WIDE)
        return F.coalesce(attempt(x, y), narrow_bound(call, exact))

    return build


def narrow_bound(call: Call, value: Column) -> Column:
    """`narrowed`, with the value bound in a lambda."""
    return F.element_at(F.transform(F.array(value), lambda found: narrow(call, found, call.returns)), 1)


def divide(call: Call) -> Column:
    """Integer division, truncated."""
    x, y = call.columns
    unsigned = isinstance(call.returns, t.UserDefined)
    wide = "bigint" if _fits_long(call.returns) else _UNIT
    by = F.when(y != 0, y)
    quotient = F.call_function("div", x.cast(wide), by.cast(wide)).cast(call.spark)
    if not unsigned:
        low, high = bounds(call.returns)
        beyond = (x == low) & (y == -1)
        bound = {"SATURATE": F.lit(high), "SILENT": F.lit(low)}.get(call.choice("overflow", "ERROR"))
        at_overflow = call.error("overflow") if bound is None else bound.cast(call.spark)
        quotient = F.when(beyond, at_overflow).otherwise(
            F.call_function("div", F.when(~beyond, x).cast(wide), by.cast(wide)).cast(call.spark)
        )
    if "ERROR" in (call.choice("on_division_by_zero", ""), call.choice("on_domain_error", "")):
        return F.when(x.isNotNull() & (y == 0), call.error("division by zero")).otherwise(quotient)
    return quotient


def modulus(call: Call) -> Column:
    x, y = call.columns
    rest = F.try_mod(x, y)
    if call.choice("division_type", "TRUNCATE") == "FLOOR":
        wrong = (rest != 0) & ((rest < 0) != (y < 0))
        rest = F.when(wrong, F.try_add(rest, y)).otherwise(rest)
    if call.choice("on_domain_error", "NULL") == "ERROR":
        return F.when(x.isNotNull() & (y == 0), call.error("division by zero")).otherwise(rest)
    return rest


def _beyond_least(call: Call) -> Column:
    """The result of -x and |x| for the least value of the type, where both overflow."""
    low, high = bounds(call.returns)
    match call.choice("overflow", "ERROR"):
        case "SATURATE":
            return F.literal(high, call.spark)
        case "SILENT":
            return F.literal(low, call.spark)
    return call.error("overflow")


def negate(call: Call) -> Column:
    (x,) = call.columns
    return call.or_else(F.try_subtract(F.literal(0, call.spark), x), _beyond_least(call))


def absolute(call: Call) -> Column:
    (x,) = call.columns
    least = bounds(call.returns).least
    other = F.when(x != least, x)
    return F.when(x == least, _beyond_least(call)).otherwise(F.abs(other))


def sign(call: Call) -> Column:
    (x,) = call.columns
    return F.signum(x).cast(call.spark)


def power(call: Call) -> Column:
    """The power, by multiplication, which is exact to 38 digits. With a negative exponent it is truncated."""
    x, y = call.columns
    one, wide = number(1), x.cast(WIDE)
    step = F.aggregate(
        F.sequence(F.lit(1), F.least(y, F.literal(127, "bigint")).cast("int")),
        one,
        lambda total, _: F.try_multiply(total, wide).cast(WIDE),
    )
    sides = F.when(F.abs(x.cast("double")) <= 1, F.when(x == 0, number(0)).otherwise(_unit_power(x, y)))
    exact = F.when(y == 0, one).when(y < 0, _fraction(x, y)).otherwise(F.coalesce(sides, F.when(y > 0, step)))
    low, high = bounds(call.returns)
    size = F.pow(F.abs(x.cast("double")), y.cast("double"))
    far = size > float(2**64)
    odd = (x < 0) & (F.pmod(y, F.lit(2)) == 1)
    beyond = {"SATURATE": F.when(odd, F.lit(low)).otherwise(F.lit(high)).cast("bigint")}.get(
        call.choice("overflow", "ERROR")
    )
    if call.choice("overflow", "ERROR") == "SILENT":
        raise call.unsupported("the last bits of a power")
    if beyond is None:
        beyond = call.error("overflow")
    near = F.when(~far, exact)
    within = near.between(number(low), number(high))
    found = F.when(far | ~within, beyond).otherwise(F.when(within, near).cast(call.spark))
    return F.when((x == 0) & (y < 0), call.error("zero has no negative power")).otherwise(
        F.when(x.isNotNull() & y.isNotNull(), found)
    )


def _unit_power(x: Column, y: Column) -> Column:
    """1 or -1 to any power."""
    return F.when((x < 0) & (F.pmod(y, F.lit(2)) == 1), number(-1)).otherwise(number(1))


def _fraction(x: Column, y: Column) -> Column:
    """A negative power, truncated: zero for all numbers but 1 and -1."""
    return F.when(F.abs(x.cast("double")) == 1, _unit_power(x, y)).otherwise(number(0))


#: The greatest decimal of 38 digits.
_WIDEST = 10**38 - 1


def factorial(call: Call) -> Column:
    """The factorial, from a table: only a few fit in the type."""
    (x,) = call.columns
    low, high = (-_WIDEST, _WIDEST) if isinstance(call.returns, t.Decimal) else bounds(call.returns)
    overflow = call.choice("overflow", "ERROR")
    known = _factorials(NO_BITS) if overflow == "SILENT" else [n for n in _factorials(NO_BITS) if n <= high]
    last = len(known) - 1
    table = F.array(*(number((n - low) % (high - low + 1) + low).cast(call.spark) for n in known))
    value = F.get(table, F.when(x.between(0, last), x).cast("int"))
    ends = {"SATURATE": high, "SILENT": 0}
    beyond = number(ends[overflow]).cast(call.spark) if overflow in ends else call.error("overflow")
    return F.when(x < 0, call.error("a negative number has none")).when(x > last, beyond).otherwise(value)


def _factorials(last: int) -> list[int]:
    results = [1]
    for n in range(1, last + 1):
        results.append(results[-1] * n)
    return results


# ---------------------------------------------------------------------------------------------------------------------
# Bits


BITS: dict[str, Scalar] = {
    "bitwise_and": scalar(lambda call: call.columns[0].bitwiseAND(call.columns[1])),
    "bitwise_or": scalar(lambda call: call.columns[0].bitwiseOR(call.columns[1])),
    "bitwise_xor": scalar(lambda call: call.columns[0].bitwiseXOR(call.columns[1])),
    "bitwise_not": scalar(lambda call: F.bitwise_not(call.columns[0])),
    "shift_left": scalar(lambda call: F.call_function("shiftleft", *call.columns)),
    "shift_right": scalar(lambda call: F.call_function("shiftright", *call.columns)),
    "shift_right_unsigned": scalar(lambda call: F.call_function("shiftrightunsigned", *call.columns)),
}


def _product(x: Column, y: Column) -> Column:
    """The exact product; if it has more than 38 digits, a number that is out of bounds for every type."""
    too_much = F.when(x.isNotNull() & y.isNotNull(), number(10**38 - 1))
    return F.coalesce(F.try_multiply(x, y).cast(WIDE), too_much)


ADD = arithmetic(F.try_add, lambda x, y: x + y)
SUBTRACT = arithmetic(F.try_subtract, lambda x, y: x - y)
MULTIPLY = arithmetic(F.try_multiply, _product)


# ---------------------------------------------------------------------------------------------------------------------
# Rounding


def round_integer(call: Call) -> Column:
    """Round to tens, hundreds ...: `s` is a negative number of digits."""
    x, s = call.columns
    places = call.constant(1)
    if type(places) is int and places >= 0:
        return x
    units = F.array(*(number(10**n) for n in range(21)))
    unit = number(10 ** min(-places, 20)) if type(places) is int else F.get(units, F.when(s < -20, 20).otherwise(-s))
    wide = x.cast(WIDE)
    rest = F.pmod(wide, unit)
    low = wide - rest
    odd = F.pmod(F.call_function("div", low.cast(WIDE), unit), F.lit(2)) == 1
    up = is_up(call.choice("rounding", "TIE_AWAY_FROM_ZERO"), x, rest, (rest + rest).cast(WIDE), unit, odd)
    rounded = narrow_bound(call, F.when(up, low + unit).otherwise(low).cast(WIDE))
    return rounded if type(places) is int else F.when(s >= 0, x).otherwise(rounded)


def is_up(mode: str, x: Column, rest: Column, twice: Column, unit: Column, odd: Column) -> Column:
    """Is the number rounded up to the next multiple of the unit?"""
    tie = twice == unit
    more = twice > unit
    return {
        "FLOOR": F.lit(False),
        "CEILING": rest > 0,
        "TRUNCATE": (x < 0) & (rest > 0),
        "AWAY_FROM_ZERO": (x > 0) & (rest > 0),
        "TIE_DOWN": more,
        "TIE_UP": more | tie,
        "TIE_TOWARDS_ZERO": more | (tie & (x < 0)),
        "TIE_AWAY_FROM_ZERO": more | (tie & (x > 0)),
        "TIE_TO_ODD": more | (tie & ~odd),
    }.get(mode, more | (tie & odd))
