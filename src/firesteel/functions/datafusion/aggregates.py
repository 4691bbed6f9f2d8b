"""DataFusion's aggregates that the standard does not have, or has for fewer types, and what they give."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel import types as t
from firesteel.functions.datafusion.rows import Aggregate, Result, aggregate

_MOST_DIGITS = 38
#: A sum of decimals has this many more digits, a mean this many more behind the point.
_SUM_DIGITS, _MEAN_DIGITS = 10, 4


def _given(types: Sequence[t.Type]) -> t.Type:
    return t.absent(types[0], nullable=True)


def _list(types: Sequence[t.Type]) -> t.Type:
    return t.Array(t.absent(types[0], nullable=True), nullable=True)


def _float(types: Sequence[t.Type]) -> t.Type | None:
    return t.Float64(nullable=True) if all(isinstance(one, t.Number | t.Null) for one in types) else None


def _count(types: Sequence[t.Type]) -> t.Type:
    return t.INT64


def _number(types: Sequence[t.Type]) -> t.Type | None:
    return _given(types) if isinstance(types[0], t.Number | t.Null) else None


def _middle(types: Sequence[t.Type]) -> t.Type | None:
    """A value between two others: of integers an integer."""
    return _given(types) if isinstance(types[0], t.Number | t.Interval | t.Null) else None


def _quantile(types: Sequence[t.Type]) -> t.Type | None:
    """Between numbers is a float, unless the numbers are decimals."""
    if isinstance(types[0], t.Integer | t.Null):
        return t.Float64(nullable=True)
    return _middle(types)


def _interval_sum(types: Sequence[t.Type]) -> t.Type | None:
    return _given(types) if isinstance(types[0], t.Interval | t.Null) else None


def _mean(types: Sequence[t.Type]) -> t.Type | None:
    match t.proper(types[0]):
        case t.Decimal(precision=precision, scale=scale):
            more = (min(_MOST_DIGITS, (one or 0) + _MEAN_DIGITS) for one in (precision or _MOST_DIGITS, scale))
            return t.Decimal(*more, nullable=True)
    return _interval_sum(types)


def _wide_sum(types: Sequence[t.Type]) -> t.Type | None:
    match t.proper(types[0]):
        case t.Decimal(precision=precision, scale=scale):
            return t.Decimal(min(_MOST_DIGITS, (precision or _MOST_DIGITS) + _SUM_DIGITS), scale, nullable=True)
        case t.Integer():
            return t.Int64(nullable=True)
        case t.Number():
            return t.Float64(nullable=True)
        case t.Interval() | t.Null():
            return _given(types)
    return None


def _text(types: Sequence[t.Type]) -> t.Type | None:
    return t.String(nullable=True) if isinstance(types[0], t.Text | t.Null) else None


def _statistic(name: str, doc: str) -> Aggregate:
    return aggregate(name, "2", doc, _float)


def _rows(result: Result, *rows: tuple[str, str, str]) -> list[Aggregate]:
    return [aggregate(name, counts, doc, result) for name, counts, doc in rows]


_LINE = "of the line through the pairs (y, x), NULL in pairs with a NULL."

AGGREGATES: tuple[Aggregate, ...] = (
    *_rows(
        _given,
        ("min", "1", "The least value of any type; NaN is greater than all numbers."),
        ("max", "1", "The greatest value of any type; NaN is greater than all numbers."),
    ),
    aggregate("first_value", "1", "The value of the first row.", _given, ordered=True),
    aggregate("last_value", "1", "The value of the last row.", _given, ordered=True),
    aggregate("nth_value", "2", "The value of the n-th row, from the end where n is negative.", _given, ordered=True),
    aggregate("array_agg", "1", "The values as a list, NULL of no rows.", _list, ordered=True),
    aggregate("string_agg", "1-2", "The texts, joined by a separator.", _text, ordered=True),
    *_rows(
        _middle,
        ("median", "1", "The middle value, of an even number of integers the mean of the two without its fraction."),
        ("approx_median", "1", "The median; here it is exact."),
        ("approx_percentile_cont", "2-3", "A percentile, interpolated; here it is exact."),
        ("approx_percentile_cont_with_weight", "3-4", "A percentile of weighted values."),
    ),
    *_rows(_quantile, ("percentile_cont", "2", "The value at a part of the way through the ordered values.")),
    *_rows(
        _number,
        ("bit_and", "1", "The bits that all values have."),
        ("bit_or", "1", "The bits that some value has."),
        ("bit_xor", "1", "The bits that an odd number of values has."),
    ),
    *_rows(_interval_sum, ("sum", "1", "The sum of intervals.")),
    *_rows(_mean, ("avg", "1", "The mean of intervals, or of decimals without the digits behind those of its type.")),
    *_rows(_wide_sum, ("try_sum", "1", "The sum, NULL where it overflows.")),
    aggregate("count", "2+", "The number of rows in which no argument is NULL.", _count, zero=True),
    _statistic("corr", "The correlation; NULL where one side does not vary, even if the other is NaN."),
    _statistic("covar_pop", "The covariance of all pairs."),
    _statistic("covar_samp", "The covariance of a sample of pairs."),
    _statistic("regr_slope", f"The slope {_LINE}"),
    _statistic("regr_intercept", f"The intercept {_LINE}"),
    _statistic("regr_r2", f"The square of the correlation {_LINE}"),
    _statistic("regr_avgx", f"The mean of x {_LINE}"),
    _statistic("regr_avgy", f"The mean of y {_LINE}"),
    _statistic("regr_sxx", f"The sum of squares of x {_LINE}"),
    _statistic("regr_syy", f"The sum of squares of y {_LINE}"),
    _statistic("regr_sxy", f"The sum of products {_LINE}"),
    aggregate("regr_count", "2", "The number of pairs without a NULL.", _count, zero=True),
    aggregate("collect_list", "1", "The values that are not NULL, as a list.", _list, ordered=True),
    aggregate("collect_set", "1", "The different values that are not NULL, as a list.", _list, ordered=True),
)
