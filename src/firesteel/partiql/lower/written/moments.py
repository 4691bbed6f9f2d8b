"""DATE, TIME, TIMESTAMP and INTERVAL literals: the text in the quotes as a value."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Decimal

from firesteel import types as t
from firesteel import values
from firesteel.errors import AnalysisError
from firesteel.evaluate.scalar.calendar import MONTHS, NANOS, SECONDS, later
from firesteel.evaluate.scalar.moments import read_date, read_time, read_timestamp
from firesteel.partiql import ast
from firesteel.partiql.lower.written.types import FINEST, interval_digits, interval_fields, second_digits


def read(node: ast.Expr) -> tuple[values.Value, t.Type]:
    """The value of a literal of time, and its type."""
    match node:
        case ast.DateLit(text=text):
            return _known(read_date(text), "date", text), t.DATE
        case ast.TimeLit(text=text):
            time = _known(read_time(text) if text.count(":") > 1 else None, "time", text)
            return _with_type(_as_asked(time, node))
        case ast.TimestampLit(text=text):
            stamp = _known(read_timestamp(text) if text.count(":") > 1 else None, "timestamp", text)
            return _with_type(_as_asked(stamp, node))
        case ast.IntervalLit():
            interval = _interval(node)
            return interval, t.Interval(interval.unit)
        case _:
            raise TypeError(node.tag)


def loses_digits(node: ast.Expr) -> bool:
    """Has a literal more digits of a second than there are nanoseconds, and does not say how many it wants?"""
    if not isinstance(node, ast.TimeLit | ast.TimestampLit) or node.precision is not None:
        return False
    return re.search(rf"\.\d{{{FINEST}}}\d*[1-9]", node.text) is not None


def _known(value: values.Value, what: str, text: str) -> values.Value:
    if value is None:
        raise AnalysisError(f"'{text}' is no {what}")
    return value


def _with_type(value: values.Value) -> tuple[values.Value, t.Type]:
    return value, t.type_of(value)


_Clock = values.Time | values.Timestamp


def _as_asked(moment: _Clock, node: ast.TimeLit | ast.TimestampLit) -> _Clock:
    """The time with or without an offset, rounded to so many digits of a second. Rounding may carry up to the hour, and
    a time of day wraps around midnight. Digits beyond nanoseconds that nobody asked to round are cut."""
    if node.zone is False and moment.offset is not None:
        raise AnalysisError(f"'{node.text}' has an offset, and is to be WITHOUT TIME ZONE")
    precision = second_digits(node.precision, node.where)
    if node.zone and moment.offset is None:
        # The conformance suite has both: TIME WITH TIME ZONE '12:00:00' fails, TIME (2) WITH TIME ZONE '01:23:45.678'
        # does not. A precision makes it a conversion, and those take the offset of the session, which is UTC.
        if precision is None:
            raise AnalysisError(f"'{node.text}' has no offset, and is to be WITH TIME ZONE", help="such as +00:00")
        moment = replace(moment, offset=0)
    second = moment.second
    if precision is not None:
        second = second.quantize(Decimal(1).scaleb(-precision), ROUND_HALF_EVEN)
    elif moment.digits > FINEST:
        second = second.quantize(Decimal(1).scaleb(-FINEST), ROUND_DOWN)
    if second < 60:
        return replace(moment, second=second)
    rounded = later(replace(moment, second=second - 60), nanos=60 * NANOS)
    assert isinstance(rounded, _Clock)
    if isinstance(rounded, values.Timestamp) and rounded.year > _LAST_YEAR:
        raise AnalysisError(f"'{node.text}' is too late to be rounded to {precision} digits of a second")
    return rounded


_LAST_YEAR = 9999


# ---------------------------------------------------------------------------------------------------------------------
# Intervals

#: The fields of an interval, and how many of the smallest (months, or nanoseconds) each is.
_NANOS = {name: seconds * NANOS for name, seconds in SECONDS.items()}
_SEPARATORS = {"year": "-", "day": r"\s+", "hour": ":", "minute": ":"}
#: How many of a field make one of the field before it.
_LIMITS = {"month": 12, "hour": 24, "minute": 60, "second": 60}


def _interval(node: ast.IntervalLit) -> values.Interval:
    qualifier = node.qualifier
    sizes = MONTHS if qualifier.start in MONTHS else _NANOS
    fields = interval_fields(qualifier)
    pattern = r"\s*([+-]?)\s*"
    for i, name in enumerate(fields):
        pattern += r"(\d+(?:\.\d*)?)" if name == "second" else r"(\d+)"
        if i + 1 < len(fields):
            pattern += _SEPARATORS[name]
    found = re.fullmatch(pattern + r"\s*", node.text, re.ASCII)
    if found is None:
        raise AnalysisError(f"'{node.text}' is no interval of {' to '.join(dict.fromkeys((fields[0], fields[-1])))}")
    digits, fraction = interval_digits(qualifier)
    amounts = dict(zip(fields, map(Decimal, found.groups()[1:]), strict=True))
    for name, amount in amounts.items():
        limit = 10**digits if name == fields[0] else _LIMITS[name]
        if amount >= limit:
            raise AnalysisError(f"{amount} is too much for the {name} of the interval '{node.text}'")
    total = sum(int(amount * sizes[name]) for name, amount in amounts.items())
    if sizes is _NANOS:
        total -= total % 10 ** (9 - fraction)
    if (found[1] == "-") != node.negative:
        total = -total
    if sizes is MONTHS:
        return values.Interval("year_month", months=total, digits=digits)
    return values.Interval("day_time", nanos=total, digits=digits, fraction=fraction)
