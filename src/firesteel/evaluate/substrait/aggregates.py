"""Aggregates of Substrait's: each is given the arguments of all rows of a group, in the order of the call."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.scalar.arithmetic import float_sum, to_float
from firesteel.evaluate.substrait.comparison import order
from firesteel.evaluate.substrait.decimals import round_decimal
from firesteel.evaluate.substrait.numbers import EXACT, decimal_fitting, fitting, floating
from firesteel.values import Value, key

Rows = Sequence[tuple[Value, ...]]
Aggregate = Callable[[Rows], Value]
Factory = Callable[[p.Fn, tuple[t.Type, ...]], Aggregate]


def _present(rows: Rows) -> list[Value]:
    """The values of the first argument that are not NULL."""
    return [row[0] for row in rows if row[0] is not None]


def _of_values(operation: Callable[[list[Value]], Value]) -> Factory:
    return lambda fn, types: lambda rows: operation(_present(rows))


def _total(fn: p.Fn) -> Callable[[list[Value]], Value]:
    if isinstance(fn.returns, t.Float32 | t.Float64):
        made = floating(fn.returns)
        return lambda items: made(float_sum(items))
    if isinstance(fn.returns, t.Decimal):
        fit = decimal_fitting(fn)
        return lambda items: fit(sum((Fraction(item) for item in items), Fraction()))
    whole = fitting(fn)
    return lambda items: whole(sum(items))


def _sum(fn: p.Fn, _: tuple[t.Type, ...]) -> Aggregate:
    total = _total(fn)

    def apply(rows: Rows) -> Value:
        items = _present(rows)
        return total(items) if items else None

    return apply


def _sum0(fn: p.Fn, _: tuple[t.Type, ...]) -> Aggregate:
    total = _total(fn)
    return lambda rows: total(_present(rows))


def _mean(fn: p.Fn, _: tuple[t.Type, ...]) -> Aggregate:
    """Of integers without the fraction."""
    if isinstance(fn.returns, t.Float32 | t.Float64):
        made = floating(fn.returns)
        return _unless_empty(lambda items: made(_float_mean(items)))
    if isinstance(fn.returns, t.Decimal):
        fit = decimal_fitting(fn)
        return _unless_empty(lambda items: fit(sum(map(Fraction, items), Fraction()) / len(items)))
    return _unless_empty(lambda items: math.trunc(Fraction(sum(items), len(items))))


def _float_mean(items: list[float]) -> float:
    if not all(map(math.isfinite, items)):
        return float_sum(items)
    return to_float(sum(map(Fraction, items), Fraction()) / len(items))


def _unless_empty(operation: Callable[[list[Value]], Value]) -> Aggregate:
    def apply(rows: Rows) -> Value:
        items = _present(rows)
        return operation(items) if items else None

    return apply


def _extreme(choose: Callable[..., Value]) -> Factory:
    return _of_values(lambda items: choose(items, key=order, default=None))


def _product(fn: p.Fn, _: tuple[t.Type, ...]) -> Aggregate:
    if isinstance(fn.returns, t.Float32 | t.Float64):
        made = floating(fn.returns)
        return lambda rows: made(math.prod(_present(rows), start=1.0))
    fit = fitting(fn)
    return lambda rows: fit(math.prod(_present(rows)))


# Statistics ----------------------------------------------------------------------------------------------------------


def _spread(items: list[float], sample: bool) -> Fraction | None:
    """The exact variance; None if there are too few."""
    count = len(items) - sample
    if not items or count < 1:
        return None
    exact = [Fraction(item) for item in items]
    mean = sum(exact, Fraction()) / len(exact)
    return sum(((item - mean) ** 2 for item in exact), Fraction()) / count


def _deviation(root: bool) -> Factory:
    def factory(fn: p.Fn, _: tuple[t.Type, ...]) -> Aggregate:
        made, sample = floating(fn.returns), fn.choice("distribution") != "POPULATION"

        def apply(rows: Rows) -> Value:
            items = _present(rows)
            if not all(map(math.isfinite, items)):
                return None if len(items) - sample < 1 else math.nan
            found = _spread(items, sample)
            if found is None:
                return None
            return made(_sqrt(found) if root else to_float(found))

        return apply

    return factory


def _sqrt(number: Fraction) -> float:
    exact = EXACT.divide(Decimal(number.numerator), Decimal(number.denominator))
    return to_float(exact.sqrt(EXACT))


def _correlation(fn: p.Fn, _: tuple[t.Type, ...]) -> Aggregate:
    made = floating(fn.returns)

    def apply(rows: Rows) -> Value:
        pairs = [(a, b) for a, b in rows if a is not None and b is not None]
        if not pairs:
            return None
        if not all(math.isfinite(one) for pair in pairs for one in pair):
            return math.nan
        xs, ys = ([Fraction(pair[i]) for pair in pairs] for i in (0, 1))
        x, y = sum(xs, Fraction()) / len(xs), sum(ys, Fraction()) / len(ys)
        together = sum(((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)), Fraction())
        apart = sum(((a - x) ** 2 for a in xs), Fraction()) * sum(((b - y) ** 2 for b in ys), Fraction())
        return made(to_float(together) / _sqrt(apart)) if apart else None  # one pair, or values that do not differ

    return apply


def _mode(items: list[Value]) -> Value:
    """What comes most often; of several the least."""
    if not items:
        return None
    counts = Counter(key(item) for item in items)
    most = max(counts.values())
    return min((item for item in items if counts[key(item)] == most), key=order)


def _median(fn: p.Fn, types: tuple[t.Type, ...]) -> Aggregate:
    mode = fn.choice("rounding") or "TIE_TO_EVEN"

    def middle(items: list[Value]) -> Value:
        items = sorted(items, key=order)
        low, high = items[(len(items) - 1) // 2], items[len(items) // 2]
        return low if low == high else _between(low, high, Fraction(1, 2), types[-1], mode)

    return _unless_empty(middle)


def _between(low: Value, high: Value, part: Fraction, type_: t.Type, mode: str) -> Value:
    """A value so far on the way from one to the other; where there is nothing between them, the lower."""
    if not part or not isinstance(type_, t.Number):
        return low
    if isinstance(type_, t.Float32 | t.Float64) and not (math.isfinite(low) and math.isfinite(high)):
        return floating(type_)(low + (high - low) * float(part))
    exact = Fraction(low) + (Fraction(high) - Fraction(low)) * part
    if isinstance(type_, t.Float32 | t.Float64):
        return floating(type_)(to_float(exact))
    number = EXACT.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    if isinstance(type_, t.Decimal):
        return round_decimal(number, type_.scale or 0, mode)
    return int(round_decimal(number, 0, mode))


def _quantile(fn: p.Fn, types: tuple[t.Type, ...]) -> Aggregate:
    """The values at the bounds of so many bins of equal size, in the order of the rows."""
    mode, ends = fn.choice("rounding") or "TIE_TO_EVEN", fn.choice("boundaries") or "NEITHER"

    def apply(rows: Rows) -> Value:
        if not rows or any(None in row for row in rows) or rows[0][0] < 1:
            return None
        count, items = rows[0][0], [row[1] for row in rows]
        if count > 1_000_000:
            raise EvaluationError(f"{count:,} bins")
        first, last = ends in ("MINIMUM", "BOTH"), ends in ("MAXIMUM", "BOTH")
        found = []
        for i in range(0 if first else 1, count + 1 if last else count):
            at = Fraction(i * (len(items) - 1), count)
            low = math.floor(at)
            high = min(low + 1, len(items) - 1)
            found.append(_between(items[low], items[high], at - low, types[-1], mode))
        return found

    return apply


# Others --------------------------------------------------------------------------------------------------------------


def _count(fn: p.Fn, types: tuple[t.Type, ...]) -> Aggregate:
    if not types:
        return lambda rows: Decimal(len(rows))
    return lambda rows: Decimal(len(_present(rows)))


def _any_value(fn: p.Fn, _: tuple[t.Type, ...]) -> Aggregate:
    """The first; NULL is one only where the call says so."""
    if fn.choice("ignore_nulls") == "FALSE":
        return lambda rows: rows[0][0] if rows else None
    return lambda rows: next(iter(_present(rows)), None)


def _joined(rows: Rows) -> str | None:
    items = [row for row in rows if row[0] is not None]
    if not items:
        return None
    return "".join([items[0][0], *((separator or "") + text for text, separator in items[1:])])


def _truths(operation: Callable[[list[bool]], bool]) -> Factory:
    return lambda fn, types: _unless_empty(operation)


AGGREGATES: dict[str, Factory] = {
    **{
        f"{stem}:{name}": made
        for stem in ("arithmetic", "arithmetic_decimal", "unsigned_integers")
        for name, made in (
            ("sum", _sum),
            ("sum0", _sum0),
            ("avg", _mean),
            ("min", _extreme(min)),
            ("max", _extreme(max)),
        )
    },
    "datetime:min": _extreme(min),
    "datetime:max": _extreme(max),
    "arithmetic:product": _product,
    "arithmetic:std_dev": _deviation(True),
    "arithmetic:variance": _deviation(False),
    "arithmetic:corr": _correlation,
    "arithmetic:mode": _of_values(_mode),
    "arithmetic:median": _median,
    "arithmetic:quantile": _quantile,
    "boolean:bool_and": _truths(all),
    "boolean:bool_or": _truths(any),
    "aggregate_generic:count": lambda fn, types: lambda rows: len(_present(rows)) if types else len(rows),
    "aggregate_generic:any_value": _any_value,
    "aggregate_approx:approx_count_distinct": _of_values(lambda items: len({key(item) for item in items})),
    "aggregate_decimal_output:count": _count,
    "aggregate_decimal_output:approx_count_distinct": _of_values(
        lambda items: Decimal(len({key(item) for item in items}))
    ),
    "string:string_agg": lambda fn, types: _joined,
}
