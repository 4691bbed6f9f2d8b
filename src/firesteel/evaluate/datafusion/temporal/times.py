"""DataFusion's functions of dates, times and intervals."""

from __future__ import annotations

import calendar as months
import datetime
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.datafusion.fit import plain, whole
from firesteel.evaluate.datafusion.temporal.formats import read_time
from firesteel.evaluate.datafusion.temporal.nanos import DAY, NANOS, nanos_of, of_nanos, time_of, towards_zero
from firesteel.evaluate.scalar.calendar import later, midnight
from firesteel.evaluate.scalar.text import within
from firesteel.evaluate.substrait.casts import build
from firesteel.evaluate.substrait.integers import Factory
from firesteel.evaluate.substrait.moments import in_utc, instant, local
from firesteel.values import Interval, Time, Timestamp, Value

_UNITS = {"microsecond": 1000, "millisecond": 10**6, "second": NANOS, "minute": 60 * NANOS, "hour": 3600 * NANOS}
#: The greatest number of nanoseconds that a timestamp has.
_LAST = 2**63 - 1
#: Other names of units that Spark's functions take.
_NAMES = {"yyyy": "year", "yy": "year", "mm": "month", "mon": "month", "dd": "day"}


def _zone(type_: t.Type) -> bool:
    return isinstance(t.proper(type_), t.Timestamp) and bool(getattr(type_, "zone", False))


# ---------------------------------------------------------------------------------------------------------------------
# Starts of units


def _start(unit: str, moment: Timestamp) -> Timestamp:
    year, month, day = moment.year, moment.month, moment.day
    unit = _NAMES.get(unit, unit)
    match unit:
        case "year":
            month = day = 1
        case "quarter":
            month, day = month - (month - 1) % 3, 1
        case "month":
            day = 1
        case "week":
            date = moment.date - datetime.timedelta(days=moment.date.weekday())
            year, month, day = date.year, date.month, date.day
        case "day":
            pass
        case _ if unit in _UNITS:
            nanos = nanos_of(replace(moment, offset=None))
            return replace(of_nanos(nanos - nanos % _UNITS[unit], False), offset=moment.offset)
        case _:
            raise EvaluationError(f"no unit '{unit}' to cut a time to")
    return Timestamp(year, month, day, 0, 0, Decimal(0), moment.offset)


def _date_trunc(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[str, Value], Value]:
    is_date = isinstance(t.proper(fn.returns), t.Date)

    def apply(unit: str, moment: Value) -> Value:
        if isinstance(moment, Time):
            return _time_trunc(unit, moment)
        if isinstance(moment, datetime.date):
            made = _start(unit.lower(), midnight(moment))
            return made.date if is_date else made
        return _start(unit.lower(), in_utc(moment))

    return apply


def _time_trunc(unit: str, moment: Time) -> Time:
    if unit.lower() not in _UNITS:
        raise EvaluationError(f"no unit '{unit}' to cut a time of day to")
    nanos = nanos_of(moment)
    return time_of(nanos - nanos % _UNITS[unit.lower()])


def _date_bin(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[..., Value]:
    zone = _zone(fn.returns)

    def apply(size: Interval, moment: Value, origin: Value = None) -> Value:
        if isinstance(moment, Time):
            start = 0 if origin is None else nanos_of(origin)
            return time_of(start + _floor(nanos_of(moment) - start, size))
        moment = midnight(moment) if isinstance(moment, datetime.date) else in_utc(moment)
        first = 0 if origin is None else nanos_of(origin)
        if not size.months:
            return of_nanos(first + _floor(nanos_of(moment) - first, size), zone)
        base = of_nanos(first, False)
        here = of_nanos(nanos_of(moment), False)
        count = (here.year - base.year) * 12 + here.month - base.month
        count -= count % size.months
        made = later(base, count)
        while nanos_of(made) > nanos_of(here):
            count -= size.months
            made = later(base, count)
        assert isinstance(made, Timestamp)
        return replace(made, offset=0 if zone else None, precision="second")

    return apply


def _floor(nanos: int, size: Interval) -> int:
    if size.nanos <= 0:
        raise EvaluationError("date_bin takes an interval above zero")
    return nanos - nanos % size.nanos


# ---------------------------------------------------------------------------------------------------------------------
# Making them


def _make_date(year: Value, month: Value, day: Value) -> datetime.date:
    return datetime.date(whole(year), whole(month), whole(day))


def _timestamps(digits: int) -> Factory:
    """Of a text, of a number of units, or of another time."""

    def factory(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[..., Value]:
        target, zone = t.proper(fn.returns), _zone(fn.returns)
        if isinstance(types[0], t.Number):
            return lambda value, *_: of_nanos(_scaled(value, digits), zone)
        if isinstance(types[0], t.Timestamp):
            unit = 10 ** (9 - min(9, getattr(target, "precision", None) or 0))
            return lambda moment, *_: of_nanos(unit * towards_zero(nanos_of(moment), unit), zone)
        if len(types) == 1 or not isinstance(types[0], t.Text):
            cast = build(types[0], target)
            return lambda value, *_: cast(value)
        return lambda text, *formats: replace(read_time(text, formats), offset=0 if zone else None)

    return factory


def _scaled(value: Value, digits: int) -> int:
    if isinstance(value, float):
        if math.isnan(value):
            return 0
        if math.isinf(value):
            return _LAST if value > 0 else -_LAST - 1
        return int(value * 10**9) if digits == 0 else int(value) * 10 ** (9 - digits)
    return int(Decimal(value).scaleb(9)) if digits == 0 else int(value) * 10 ** (9 - digits)


def _to_date(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[..., Value]:
    if isinstance(types[0], t.Number):
        return lambda days, *_: datetime.date(1970, 1, 1) + datetime.timedelta(days=whole(days))
    if isinstance(types[0], t.Timestamp | t.Date):
        return lambda moment, *_: moment.date if isinstance(moment, Timestamp) else moment
    if len(types) > 1:
        return lambda text, *formats: read_time(text, formats).date
    return build(types[0], t.DATE)


def _to_unixtime(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[..., Value]:
    if isinstance(types[0], t.Number):
        return lambda value, *_: int(value)
    if len(types) > 1:
        return lambda text, *formats: nanos_of(read_time(text, formats)) // NANOS
    cast = build(types[0], t.Timestamp(9))
    return lambda value: towards_zero(nanos_of(cast(value)), NANOS)


def _make_dt_interval(*parts: Value) -> Interval:
    days, hours, minutes, seconds = (*parts, 0, 0, 0, 0)[:4]
    nanos = int(Decimal(str(seconds)).scaleb(9).to_integral_value("ROUND_HALF_EVEN"))
    return Interval(
        "day_time", nanos=whole(days) * DAY + whole(hours) * 3600 * NANOS + whole(minutes) * 60 * NANOS + nanos
    )


def _make_interval(*parts: Value) -> Interval:
    years, months_, weeks, days, *rest = (*parts, 0, 0, 0, 0, 0, 0, 0)[:7]
    made = _make_dt_interval(whole(weeks) * 7 + whole(days), *rest)
    return Interval("compound", whole(years) * 12 + whole(months_), made.nanos)


# ---------------------------------------------------------------------------------------------------------------------
# Arithmetic


def _moved(sign: int) -> Callable[[Value, Value], Value]:
    def apply(day: Value, by: Value) -> Value:
        if isinstance(by, Interval):
            return later(day, sign * by.months, sign * by.nanos)
        day = day if type(day) is datetime.date else day.date
        return day + datetime.timedelta(days=sign * whole(by))

    return apply


def _sum(sign: int) -> Factory:
    """A sum or a difference in which there is an interval, or the time between two moments."""

    def factory(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[Value, Value], Value]:
        returns = t.proper(fn.returns)
        unit = returns.unit if isinstance(returns, t.Interval) else None

        def apply(a: Value, b: Value) -> Value:
            if isinstance(a, Interval) and isinstance(b, Interval):
                return Interval(unit or a.unit, a.months + sign * b.months, a.nanos + sign * b.nanos)
            if isinstance(a, Interval):
                a, b = b, a
            if isinstance(b, Interval):
                return _shifted(a, sign * b.months, sign * b.nanos, returns)
            between = nanos_of(a) - nanos_of(b)
            return between // DAY if isinstance(returns, t.Integer) else Interval(unit or "day_time", nanos=between)

        return apply

    return factory


def _shifted(moment: Value, by: int, nanos: int, returns: t.Type) -> Value:
    if isinstance(moment, Time):
        total = nanos_of(moment) + nanos
        return Interval("day_time", nanos=total) if isinstance(returns, t.Interval) else time_of(total)
    if type(moment) is datetime.date and isinstance(returns, t.Timestamp):
        moment = midnight(moment)
    if type(moment) is datetime.date:  # what is less than a day is left out
        return later(moment, by, int(nanos / DAY) * DAY)
    made = later(moment, by, nanos)
    return replace(made, precision="second") if isinstance(made, Timestamp) else made


def _last_day(day: Value) -> datetime.date:
    date: datetime.date = day if type(day) is datetime.date else day.date
    return date.replace(day=months.monthrange(date.year, date.month)[1])


_WEEK = ("mo", "tu", "we", "th", "fr", "sa", "su")


def _next_day(day: Value, name: str) -> datetime.date | None:
    date: datetime.date = day if type(day) is datetime.date else day.date
    wanted = name.strip().lower()
    full = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    found = next((i for i, one in enumerate(full) if wanted in (one, one[:3], one[:2])), None)
    return None if found is None else date + datetime.timedelta(days=(found - date.weekday() - 1) % 7 + 1)


def _steps(start: Value, end: Value, step: Value, closed: bool) -> Iterator[Value]:
    """From the start on, each a step after the one before it: a month after January 31 is February 29, and a month
    after that March 29."""
    if not isinstance(step, Interval):
        yield from range(start, end + (closed if step > 0 else -closed), step)
        return
    down, here = step.months < 0 or step.nanos < 0, start
    if not closed and type(start) is datetime.date:  # as DataFusion has it: to a step before the end
        end, closed = later(end, -step.months, -step.nanos), True
    last = nanos_of(end)
    while (nanos_of(here) > last) if down else (nanos_of(here) < last):
        yield here
        here = later(here, step.months, step.nanos)
    if closed and nanos_of(here) == last:
        yield here


def _series(closed: bool) -> Factory:
    def apply(*args: Value) -> list[Value] | None:
        start, end, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        zero = step == 0 if not isinstance(step, Interval) else not step.months and not step.nanos
        if zero:
            raise EvaluationError("a range with a step of zero")
        if isinstance(start, int) and isinstance(step, int):
            within(max(0, (end - start) // step))
        made = []
        for one in _steps(start, end, step, closed):
            made.append(replace(one, precision="second") if isinstance(one, Timestamp) else one)
            within(len(made))
        return made

    return plain(apply)


def _spark_zone(convert: Callable[[Timestamp, str], Timestamp]) -> Factory:
    def apply(moment: Timestamp, zone: str) -> Timestamp:
        return replace(convert(replace(moment, offset=None), zone), offset=moment.offset)

    return plain(apply)


SCALARS: dict[str, Factory] = {
    "date_bin": _date_bin,
    "date_trunc": _date_trunc,
    "time_trunc": plain(_time_trunc),
    "from_unixtime": lambda fn, types: lambda value, *_: of_nanos(whole(value) * NANOS, _zone(fn.returns)),
    "make_date": plain(_make_date),
    "make_time": plain(lambda hour, minute, second: Time(whole(hour), whole(minute), Decimal(whole(second)))),
    "to_date": _to_date,
    "to_local_time": plain(lambda moment: replace(in_utc(moment), offset=None)),
    "to_timestamp": _timestamps(0),
    "to_timestamp_seconds": _timestamps(0),
    "to_timestamp_millis": _timestamps(3),
    "to_timestamp_micros": _timestamps(6),
    "to_timestamp_nanos": _timestamps(9),
    "to_unixtime": _to_unixtime,
    "date_add": plain(_moved(1)),
    "date_sub": plain(_moved(-1)),
    "add_months": plain(lambda day, count: later(day, whole(count))),
    "last_day": plain(_last_day),
    "next_day": plain(_next_day),
    "make_dt_interval": plain(_make_dt_interval),
    "make_interval": plain(_make_interval),
    "to_utc_timestamp": _spark_zone(instant),
    "from_utc_timestamp": _spark_zone(lambda moment, zone: local(replace(moment, offset=0), zone)),
    "range": _series(False),
    "generate_series": _series(True),
    "add": _sum(1),
    "subtract": _sum(-1),
}
