"""How far the numbers of a collection are apart: variances, standard deviations, the median. Sums are exact, so the
order of the numbers makes no difference; the result is a float."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Context
from fractions import Fraction

from firesteel.evaluate.base import Forgivable
from firesteel.evaluate.kinds import NUMBERS, kind
from firesteel.evaluate.scalar.arithmetic import to_float
from firesteel.values import Value, absent

_ROOT = Context(prec=50)


def _numbers(name: str, collection: Value) -> list[Value]:
    """The elements that are there."""
    found = [item for item in collection if not absent(item)]
    for item in found:
        if type(item) not in NUMBERS:
            raise Forgivable(f"{name} takes numbers, not {kind(item)}")
    return found


def _spread(name: str, less: int, *, root: bool) -> Callable[[Value], float | None]:
    """The variance, or its root. A sample of n numbers has n - 1 (`less`) degrees of freedom; none gives NULL."""

    def apply(collection: Value) -> float | None:
        found = _numbers(name, collection)
        if len(found) <= less:
            return None
        if not all(math.isfinite(item) for item in found):
            return math.nan
        exact = [Fraction(item) for item in found]
        mean = sum(exact, Fraction()) / len(exact)
        apart = [item - mean for item in exact]
        variance = sum((item * item for item in apart), Fraction()) / (len(exact) - less)
        if not root:
            return to_float(variance)
        return float(_ROOT.sqrt(_ROOT.divide(variance.numerator, variance.denominator)))

    return apply


def median(collection: Value) -> float | None:
    """The number in the middle, or the mean of the two there."""
    found = _numbers("coll_median", collection)
    if not found:
        return None
    if any(item != item for item in found):
        return math.nan
    found.sort()
    low, high = found[(len(found) - 1) // 2], found[len(found) // 2]
    if math.isinf(low) or math.isinf(high):
        return float(low) + float(high)
    return to_float((Fraction(low) + Fraction(high)) / 2)


DEVIATIONS: dict[str, Callable[[Value], float | None]] = {
    "coll_var_samp": _spread("coll_var_samp", 1, root=False),
    "coll_var_pop": _spread("coll_var_pop", 0, root=False),
    "coll_stddev_samp": _spread("coll_stddev_samp", 1, root=True),
    "coll_stddev_pop": _spread("coll_stddev_pop", 0, root=True),
    "coll_median": median,
}
