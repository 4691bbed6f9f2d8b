"""DataFusion's own functions as Spark columns, where Spark has the same; the others run in Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pyspark.sql import Column

from firesteel import types as t
from firesteel.evaluate.substrait.numbers import bounds
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import cast_type
from firesteel.spark.keys.comparison import is_own_key
from firesteel.spark.scalar.substrait.base import Call, Scalar, is_float, scalar
from firesteel.spark.scalar.substrait.decimals import cut_quotient, digits, in_units

#: The longest text that Spark has.
_LONGEST = 2**31 - 1
#: Units that Spark's `date_trunc` knows by the same names.
_UNITS = frozenset(
    ["year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond", "microsecond"]
)
#: The most digits of a second in Spark's timestamps.
_DIGITS = 6


def _element_type(call: Call, at: int = 0) -> t.Type:
    type_ = call.args[at].type
    if not isinstance(type_, t.Array):
        raise call.unsupported("values that are no lists")
    return type_.element


def _comparable(call: Call, type_: t.Type) -> None:
    if not is_own_key(type_) or is_float(type_):
        raise call.unsupported("values that Spark compares in another way")


def _empty(call: Call, column: Column) -> Column:
    """The list; an empty one for NULL."""
    return F.coalesce(column, F.array().cast(cast_type(call.returns)))


def _append(call: Call) -> Column:
    list_, value = call.columns
    return F.concat(_empty(call, list_), F.array(value)).cast(call.spark)


def _prepend(call: Call) -> Column:
    value, list_ = call.columns
    return F.concat(F.array(value), _empty(call, list_)).cast(call.spark)


def _has(call: Call) -> Column:
    list_, value = call.columns
    _comparable(call, _element_type(call))
    there = list_.isNotNull() & value.isNotNull()
    return F.when(there, F.coalesce(F.array_contains(list_, value), F.lit(False)))


def _element(call: Call) -> Column:
    list_, at = call.columns
    return F.try_element_at(list_, F.when(at != 0, at.cast("int")))


def _distinct(call: Call) -> Column:
    _comparable(call, _element_type(call))
    return F.array_distinct(call.columns[0])


def _concat(call: Call) -> Column:
    if not isinstance(t.proper(call.returns), t.Text):
        raise call.unsupported("values that are no texts")
    return F.concat_ws("", *call.columns)


def _concat_ws(call: Call) -> Column:
    separator = call.constant(0)
    if not isinstance(separator, str) or not isinstance(t.proper(call.returns), t.Text):
        raise call.unsupported("a separator that only the run knows, or values that are no texts")
    return F.concat_ws(separator, *call.columns[1:])


def _chosen(function: Callable[..., Column]) -> Callable[[Call], Column]:
    def build(call: Call) -> Column:
        if not is_own_key(t.proper(call.returns)) and not is_float(call.returns):
            raise call.unsupported("values that Spark does not compare")
        return function(*call.columns) if len(call.columns) > 1 else call.columns[0]

    return build


def _left(call: Call) -> Column:
    text, count = call.columns
    return F.substring(text, F.lit(1), _at_least_zero(F.when(count < 0, F.length(text) + count).otherwise(count)))


def _right(call: Call) -> Column:
    text, count = call.columns
    size = _at_least_zero(F.when(count < 0, F.length(text) + count).otherwise(F.least(count, F.length(text))))
    return F.substring(text, F.length(text) - size + 1, size)


def _at_least_zero(column: Column) -> Column:
    return F.greatest(column, F.lit(0)).cast("int")


def _substr(call: Call) -> Column:
    """Places before the first character count for the length."""
    if not isinstance(t.proper(call.returns), t.Text):
        raise call.unsupported("octets")
    text, start, *rest = call.columns
    first = F.greatest(start, F.lit(1))
    if not rest:
        return F.substring(text, first.cast("int"), F.lit(_LONGEST))
    if not isinstance(call.constant(2), int) or call.constant(2) < 0:
        raise call.unsupported("a length that only the run knows: a negative one is an error")
    return F.substring(text, first.cast("int"), _at_least_zero(start + rest[0] - first))


def _date_trunc(call: Call) -> Column:
    unit, type_ = call.constant(0), t.proper(call.returns)
    if not isinstance(unit, str) or unit.lower() not in _UNITS:
        raise call.unsupported("a unit that only the run knows, or that Spark does not have")
    if not isinstance(type_, t.Timestamp) or type_.zone or (type_.precision or _DIGITS) > _DIGITS:
        raise call.unsupported("values that are no timestamps of microseconds")
    return F.date_trunc(unit.lower(), call.columns[1]).cast(call.spark)


def _text(function: Callable[..., Column]) -> Callable[[Call], Column]:
    def build(call: Call) -> Column:
        if not all(isinstance(arg.type, t.Text) for arg in call.args):
            raise call.unsupported("values that are no texts")
        return function(*call.columns).cast(call.spark)

    return build


def _compared(test: Callable[[Column, Column], Column]) -> Callable[[Call], Column]:
    """Spark compares floats as DataFusion does: NaN is greater than all numbers."""

    def build(call: Call) -> Column:
        if not all(isinstance(arg.type, t.Number) for arg in call.args):
            raise call.unsupported("values that Spark compares in another way")
        return test(*call.columns)

    return build


def _wrapped(function: Callable[[Column], Column]) -> Callable[[Call], Column]:
    """The least integer stays itself."""

    def build(call: Call) -> Column:
        type_ = call.args[0].type
        if not isinstance(type_, t.Integer):
            raise call.unsupported("values that are no integers")
        value, least = call.columns[0], F.lit(bounds(type_)[0]).cast(call.spark)
        return F.when(value == least, value).otherwise(function(value)).cast(call.spark)

    return build


def _divide(call: Call) -> Column:
    a, b = call.columns
    kinds = [arg.type for arg in call.args]
    if not all(isinstance(one, t.Decimal) for one in (*kinds, call.returns)):
        raise call.unsupported("values that are no decimals")
    left, right = (digits(one)[1] for one in kinds)
    by = F.when(b == 0, call.error("division by zero")).otherwise(b)
    made = cut_quotient(in_units(a, left), in_units(by, right), digits(call.returns)[1] - left + right, call.returns)
    if made is None:
        raise call.unsupported("more digits than Spark has")
    return call.or_else(made, call.error("overflow"))


SCALARS: dict[str, Scalar] = {
    "lt": scalar(_compared(lambda a, b: a < b)),
    "lte": scalar(_compared(lambda a, b: a <= b)),
    "gt": scalar(_compared(lambda a, b: a > b)),
    "gte": scalar(_compared(lambda a, b: a >= b)),
    "negative": scalar(_wrapped(F.negative), twice=True),
    "negate": scalar(_wrapped(F.negative), twice=True),
    "abs": scalar(_wrapped(F.abs), twice=True),
    "divide": scalar(_divide, twice=True),
    "array_append": scalar(_append),
    "array_prepend": scalar(_prepend),
    "array_has": scalar(_has, twice=True),
    "array_element": scalar(_element, twice=True),
    "array_distinct": scalar(_distinct),
    "array_length": scalar(lambda call: _length(call)),
    "array_reverse": scalar(lambda call: F.reverse(call.columns[0])),
    "concat": scalar(_concat),
    "concat_ws": scalar(_concat_ws),
    "greatest": scalar(_chosen(F.greatest)),
    "least": scalar(_chosen(F.least)),
    "left": scalar(_left, twice=True),
    "right": scalar(_right, twice=True),
    "substr": scalar(_substr, twice=True),
    "substring": scalar(_substr, twice=True),
    # The function of PySpark takes strings only.
    "translate": scalar(_text(partial(F.call_function, "translate"))),
    "date_trunc": scalar(_date_trunc),
    "ascii": scalar(_text(F.ascii)),
}


def _length(call: Call) -> Column:
    _element_type(call)
    if len(call.args) > 1:
        raise call.unsupported("a dimension")
    return F.array_size(call.columns[0]).cast(call.spark)
