"""DATE, TIME, TIMESTAMP and INTERVAL literals: the text in the quotes as a value."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Decimal

from firesteel import types as t
from firesteel import values
from firesteel.errors import AnalysisError
from firesteel.evaluate.calendar import MONTHS, NANOS, SECONDS, later
from firesteel.evaluate.moments import read_date, read_time, read_timestamp
from firesteel.partiql import ast


def read(node: ast.Expr) -> tuple[values.Value, t.Type]:
    """The value of a literal of time, and its type."""
    match node:
        case ast.DateLit(text=text):
            return _known(read_date(text), "date", text), t.DATE
        case ast.TimeLit(text=text):
            time = _known(read_time(text) if text.count(":") > 1 else None, "time", text)
            if node.zone and time.offset is None:
                time = values.Time(time.hour, time.minute, time.second, 0)
            return _with_type(_as_asked(time, node))
        case ast.TimestampLit(text=text):
            stamp = _known(read_timestamp(text), "timestamp", text)
            if node.zone and stamp.offset is None:
                raise AnalysisError(f"'{text}' has no offset", help="such as +00:00")
            return _with_type(_as_asked(stamp, node))
        case ast.IntervalLit():
            interval = _interval(node)
            return interval, t.Interval(interval.unit)
        case _:
            raise TypeError(node.tag)


def _known(value: values.Value, what: str, text: str) -> values.Value:
    if value is None:
        raise AnalysisError(f"'{text}' is no {what}")
    return value


def _with_type(value: values.Value) -> tuple[values.Value, t.Type]:
    return value, t.type_of(value)


#: A second has nanoseconds; what is beyond is cut.
_FINEST = 9


def _as_asked(moment: values.Value, node: ast.TimeLit | ast.TimestampLit) -> values.Value:
    """With an offset or without, and with so many digits of a second: rounded, which may well go up to the hour."""
    if node.zone is False and moment.offset is not None:
        raise AnalysisError(f"'{node.text}' has an offset, and is to be WITHOUT TIME ZONE")
    if node.precision is not None and not 0 <= node.precision <= _FINEST:
        raise AnalysisError(f"a second has up to {_FINEST} digits, not {node.precision}")
    second = moment.second
    if node.precision is not None:
        second = second.quantize(Decimal(1).scaleb(-node.precision), ROUND_HALF_EVEN)
    elif moment.digits > _FINEST:
        second = second.quantize(Decimal(1).scaleb(-_FINEST), ROUND_DOWN)
    if second < 60:
        return replace(moment, second=second)
    return later(replace(moment, second=second - 60), nanos=60 * NANOS)


# ---------------------------------------------------------------------------------------------------------------------
# Intervals

#: The digits that the first field of an interval may have, and a second behind the point, unless it says otherwise.
LEADING_DIGITS = 2
SECOND_DIGITS = 6

#: The fields of an interval, and how many of the smallest (months, or nanoseconds) each is.
_NANOS = {name: seconds * NANOS for name, seconds in SECONDS.items()}
_SEPARATORS = {"year": "-", "day": r"\s+", "hour": ":", "minute": ":"}
#: How many of a field make one of the field before it.
_LIMITS = {"month": 12, "hour": 24, "minute": 60, "second": 60}


def _interval(node: ast.IntervalLit) -> values.Interval:
    qualifier = node.qualifier
    sizes = MONTHS if qualifier.start in MONTHS else _NANOS
    fields = _fields(qualifier, list(sizes))
    pattern = r"\s*([+-]?)\s*"
    for i, name in enumerate(fields):
        pattern += r"(\d+(?:\.\d*)?)" if name == "second" else r"(\d+)"
        if i + 1 < len(fields):
            pattern += _SEPARATORS[name]
    found = re.fullmatch(pattern + r"\s*", node.text, re.ASCII)
    if found is None:
        raise AnalysisError(f"'{node.text}' is no interval of {' to '.join(dict.fromkeys((fields[0], fields[-1])))}")
    digits = LEADING_DIGITS if qualifier.precision is None else qualifier.precision
    fraction = SECOND_DIGITS if qualifier.digits is None else qualifier.digits
    if not 1 <= digits <= _FINEST or not 0 <= fraction <= _FINEST:
        raise AnalysisError(f"a field of an interval has up to {_FINEST} digits")
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


def _fields(qualifier: ast.IntervalQualifier, order: list[str]) -> list[str]:
    """From the first to the last."""
    end = qualifier.end or qualifier.start
    fields = order[order.index(qualifier.start) : order.index(end) + 1] if {qualifier.start, end} <= {*order} else []
    if not fields:
        raise AnalysisError(f"an interval does not go from {qualifier.start} to {qualifier.end}")
    return fields
