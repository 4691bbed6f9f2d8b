"""DataFusion's aggregates: each is given the arguments of all rows of a group, in the order of the call."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import reduce

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.datafusion.arrays import distinct
from firesteel.evaluate.datafusion.fit import fitting, whole
from firesteel.evaluate.datafusion.order import order
from firesteel.evaluate.scalar.arithmetic import float_sum
from firesteel.evaluate.substrait.aggregates import AGGREGATES as STANDARD
from firesteel.evaluate.substrait.aggregates import Aggregate, Factory, Rows
from firesteel.evaluate.substrait.numbers import EXACT
from firesteel.values import Interval, Value


def _present(rows: Rows) -> list[Value]:
    return [row[0] for row in rows if row[0] is not None]


def _plain(operation: Callable[[Rows], Value]) -> Factory:
    def factory(fn: p.Fn, types: tuple[t.Type, ...]) -> Aggregate:
        fit = fitting(fn.returns)
        return lambda rows: fit(operation(rows))

    return factory


def _of_present(operation: Callable[[list[Value]], Value]) -> Factory:
    """An aggregate of the values that are not NULL; NULL without any."""

    def apply(rows: Rows) -> Value:
        found = _present(rows)
        return operation(found) if found else None

    return _plain(apply)


def _nth(rows: Rows) -> Value:
    if not rows or rows[0][1] is None:
        return None
    place = whole(rows[0][1])
    at = place - 1 if place > 0 else len(rows) + place
    return rows[at][0] if place and 0 <= at < len(rows) else None


def _joined(rows: Rows) -> str | None:
    found = [row for row in rows if row[0] is not None]
    separator = found[0][1] if found and len(found[0]) > 1 else ""
    return (separator or "").join(row[0] for row in found) if found else None


# Places between values -----------------------------------------------------------------------------------------------


def _between(low: Value, high: Value, part: Fraction) -> Value:
    """A value so far on the way from one to the other."""
    if not part or low == high:
        return low
    if isinstance(low, Interval):
        return Interval(low.unit, low.months, low.nanos + int((high.nanos - low.nanos) * part))
    if isinstance(low, float):
        if not (math.isfinite(low) and math.isfinite(high)):
            return low + (high - low) * float(part)
        return float(Fraction(low) + (Fraction(high) - Fraction(low)) * part)
    exact = Fraction(low) + (Fraction(high) - Fraction(low)) * part
    if isinstance(low, Decimal):
        return Decimal(exact.numerator) / Decimal(exact.denominator)
    return exact


#: The parts of the way between two values that DataFusion knows.
_PARTS = 1_000_000


def _at(items: list[Value], part: Fraction) -> Value:
    """The value so far through the ordered values. As DataFusion has it, the place is a float, and what is between two
    values is counted in millionths."""
    ordered = sorted(items, key=order)
    place = (len(ordered) - 1) * float(part)
    low = math.floor(place)
    between = Fraction(int((place - low) * _PARTS), _PARTS)
    return _between(ordered[low], ordered[min(low + 1, len(ordered) - 1)], between)


def _median(fn: p.Fn, types: tuple[t.Type, ...]) -> Aggregate:
    fit, type_ = fitting(fn.returns), t.proper(fn.returns)

    def middle(rows: Rows) -> Value:
        found = sorted(_present(rows), key=order)
        if not found:
            return None
        low, high = found[(len(found) - 1) // 2], found[len(found) // 2]
        if isinstance(type_, t.Integer):  # without the fraction, towards zero
            return math.trunc(Fraction(low + high, 2))
        if isinstance(type_, t.Decimal):
            unit = Decimal((0, (1,), -(type_.scale or 0)))
            return ((low + high) / 2).quantize(unit, "ROUND_DOWN")
        return fit(_between(low, high, Fraction(1, 2)))

    return middle


def _part(value: Value) -> Fraction:
    found = Fraction(str(value))
    if not 0 <= found <= 1:
        raise EvaluationError(f"a percentile is from 0 to 1, not {value}")
    return found


def _percentile(fn: p.Fn, types: tuple[t.Type, ...]) -> Aggregate:
    fit, integer = fitting(fn.returns), isinstance(t.proper(fn.returns), t.Integer)
    descending = fn.choice("direction") == "DESC"

    def apply(rows: Rows) -> Value:
        found = _present(rows)
        if not found:
            return None
        part = _part(rows[0][1])
        made = _at(found, Fraction(1 - float(part)) if descending else part)
        return math.trunc(made) if integer else fit(float(made) if isinstance(made, Fraction) else made)

    return apply


def _weighted(rows: Rows) -> Value:
    found = [(row[0], float(row[1])) for row in rows if row[0] is not None and row[1] is not None]
    if any(not math.isfinite(weight) for _, weight in found):
        raise EvaluationError("a weight that is no finite number")
    repeated = [one for one, weight in found for _ in range(max(0, int(weight)))]
    return _at(repeated, _part(rows[0][2])) if repeated else None


# Pairs ---------------------------------------------------------------------------------------------------------------


def _pairs(rows: Rows) -> list[tuple[Fraction, Fraction]]:
    return [(Fraction(a), Fraction(b)) for a, b in rows if a is not None and b is not None]


class _Line:
    """The sums that the statistics of pairs (y, x) are made of."""

    def __init__(self, pairs: list[tuple[Fraction, Fraction]]) -> None:
        self.count = len(pairs)
        self.y = sum((y for y, _ in pairs), Fraction()) / self.count
        self.x = sum((x for _, x in pairs), Fraction()) / self.count
        self.sxx = sum(((x - self.x) ** 2 for _, x in pairs), Fraction())
        self.syy = sum(((y - self.y) ** 2 for y, _ in pairs), Fraction())
        self.sxy = sum(((x - self.x) * (y - self.y) for y, x in pairs), Fraction())


def _line(operation: Callable[[_Line], Fraction | None]) -> Factory:
    def apply(rows: Rows) -> Value:
        try:
            pairs = _pairs(rows)
        except (ValueError, OverflowError):  # NaN, or an infinity
            return math.nan
        made = operation(_Line(pairs)) if pairs else None
        return None if made is None else float(made)

    return _plain(apply)


def _correlation(fn: p.Fn, types: tuple[t.Type, ...]) -> Aggregate:
    """The standard's, but NULL where one side does not vary, whatever the other is."""
    standard = STANDARD["arithmetic:corr"](fn, types)

    def apply(rows: Rows) -> Value:
        pairs = [row for row in rows if None not in row]
        varies = all(any(one != side[0] for one in side) for side in zip(*pairs, strict=True))
        return standard(pairs) if varies else None

    return apply


def _over(a: Fraction, b: Fraction | int) -> Fraction | None:
    return a / b if b else None


def _r2(line: _Line) -> Fraction | None:
    if not line.sxx:
        return None
    return line.sxy**2 / (line.sxx * line.syy) if line.syy else Fraction(1)


def _intercept(line: _Line) -> Fraction | None:
    return line.y - line.sxy / line.sxx * line.x if line.sxx else None


# Sums ----------------------------------------------------------------------------------------------------------------


def _interval_sum(items: list[Value]) -> Value:
    unit = items[0].unit
    return Interval(unit, sum(one.months for one in items), sum(one.nanos for one in items))


def _interval_mean(items: list[Value]) -> Value:
    made = _interval_sum(items)
    months = math.trunc(Fraction(made.months, len(items)))
    return Interval(made.unit, months, math.trunc(Fraction(made.nanos, len(items))))


def _mean(fn: p.Fn, types: tuple[t.Type, ...]) -> Aggregate:
    """Of decimals without the digits behind those of the result; else of intervals."""
    type_ = t.proper(fn.returns)
    if not isinstance(type_, t.Decimal):
        return _of_present(_interval_mean)(fn, types)
    unit, fit = 10 ** (type_.scale or 0), fitting(type_)

    def apply(rows: Rows) -> Value:
        found = [Fraction(one) for one in _present(rows)]
        mean = sum(found, Fraction()) / len(found) if found else None
        return None if mean is None else fit(Decimal(math.trunc(mean * unit)).scaleb(-(type_.scale or 0), EXACT))

    return apply


def _try_sum(fn: p.Fn, types: tuple[t.Type, ...]) -> Aggregate:
    fit = fitting(fn.returns)

    def apply(rows: Rows) -> Value:
        found = _present(rows)
        if not found:
            return None
        if isinstance(found[0], Interval):
            return _interval_sum(found)
        if isinstance(found[0], float):
            return fit(float_sum(found))
        try:
            return fit(sum(found))
        except EvaluationError:
            return None

    return apply


def _bits(operation: Callable[[int, int], int]) -> Factory:
    def factory(fn: p.Fn, types: tuple[t.Type, ...]) -> Aggregate:
        fit = fitting(fn.returns)

        def apply(rows: Rows) -> Value:
            found = [whole(one) for one in _present(rows)]
            return fit(reduce(operation, found)) if found else None

        return apply

    return factory


AGGREGATES: dict[str, Factory] = {
    "min": _of_present(lambda items: min(items, key=order)),
    "max": _of_present(lambda items: max(items, key=order)),
    "first_value": _plain(lambda rows: rows[0][0] if rows else None),
    "last_value": _plain(lambda rows: rows[-1][0] if rows else None),
    "nth_value": _plain(_nth),
    "array_agg": _plain(lambda rows: [row[0] for row in rows] if rows else None),
    "collect_list": _plain(_present),
    "collect_set": _plain(lambda rows: distinct(_present(rows))),
    "string_agg": _plain(_joined),
    "median": _median,
    "approx_median": _median,
    "percentile_cont": _percentile,
    "approx_percentile_cont": _percentile,
    "approx_percentile_cont_with_weight": _plain(_weighted),
    "bit_and": _bits(lambda a, b: a & b),
    "bit_or": _bits(lambda a, b: a | b),
    "bit_xor": _bits(lambda a, b: a ^ b),
    "sum": _of_present(_interval_sum),
    "avg": _mean,
    "try_sum": _try_sum,
    "count": _plain(lambda rows: sum(None not in row for row in rows)),
    "covar_pop": _line(lambda line: line.sxy / line.count),
    "covar_samp": _line(lambda line: _over(line.sxy, line.count - 1)),
    "regr_slope": _line(lambda line: _over(line.sxy, line.sxx)),
    "regr_intercept": _line(_intercept),
    "regr_r2": _line(_r2),
    "regr_avgx": _line(lambda line: line.x),
    "regr_avgy": _line(lambda line: line.y),
    "regr_sxx": _line(lambda line: line.sxx),
    "regr_syy": _line(lambda line: line.syy),
    "regr_sxy": _line(lambda line: line.sxy),
    "regr_count": _plain(lambda rows: sum(None not in row for row in rows)),
    "corr": _correlation,
}
