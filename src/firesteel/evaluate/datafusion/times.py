"""DataFusion's functions of dates, times and intervals."""

from __future__ import annotations

import calendar as months
import datetime
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.datafusion.fit import plain, whole
from firesteel.evaluate.scalar.calendar import later, midnight
from firesteel.evaluate.scalar.text import within
from firesteel.evaluate.substrait.casts import build
from firesteel.evaluate.substrait.integers import Factory
from firesteel.evaluate.substrait.moments import in_utc, instant, local
from firesteel.values import Interval, Time, Timestamp, Value, days_since_epoch

NANOS = 10**9
_DAY = 86_400 * NANOS
_UNITS = {"microsecond": 1000, "millisecond": 10**6, "second": NANOS, "minute": 60 * NANOS, "hour": 3600 * NANOS}


def nanos_of(moment: Value) -> int:
    """The nanoseconds from 1970, or of a time of day from midnight."""
    if isinstance(moment, datetime.date):
        return days_since_epoch(moment.year, moment.month, moment.day) * _DAY
    return int(moment.instant.scaleb(9))


def of_nanos(nanos: int, zone: bool) -> Timestamp:
    """The timestamp so many nanoseconds from 1970."""
    start = Timestamp(1970, 1, 1, 0, 0, Decimal(0), 0 if zone else None)
    made = later(start, 0, nanos)
    assert isinstance(made, Timestamp)
    return replace(made, precision="second")


def _zone(type_: t.Type) -> bool:
    return isinstance(t.proper(type_), t.Timestamp) and bool(getattr(type_, "zone", False))


# ---------------------------------------------------------------------------------------------------------------------
# Starts of units


def _start(unit: str, moment: Timestamp) -> Timestamp:
    year, month, day = moment.year, moment.month, moment.day
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


def time_of(nanos: int) -> Time:
    """The time of day so many nanoseconds after midnight."""
    second, fraction = divmod(nanos % _DAY, NANOS)
    minute, second = divmod(second, 60)
    hour, minute = divmod(minute, 60)
    return Time(hour, minute, Decimal(second) + Decimal(fraction).scaleb(-9))


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
# Parts


def _interval_part(unit: str, value: Interval) -> Value:
    days, rest = abs(value.nanos) // _DAY, abs(value.nanos) % _DAY
    sign = -1 if value.nanos < 0 else 1
    parts: dict[str, Value] = {
        "year": int(value.months / 12),
        "month": int(math.fmod(value.months, 12)),
        "day": sign * days,
        "hour": sign * (rest // (3600 * NANOS)),
        "minute": sign * (rest // (60 * NANOS) % 60),
        "second": sign * (rest % (60 * NANOS)) // NANOS,
        "millisecond": sign * (rest % (60 * NANOS)) // 10**6,
        "microsecond": sign * (rest % (60 * NANOS)) // 1000,
        "nanosecond": sign * (rest % (60 * NANOS)),
    }
    if unit == "epoch":
        return value.months * 30 * 86_400 + value.nanos / NANOS
    if unit not in parts:
        raise EvaluationError(f"an interval has no part '{unit}'")
    return parts[unit]


def _date_part(unit: str, moment: Value) -> Value:
    plain_unit = unit.strip("'\"").lower().removesuffix("s")
    name = _ALIASES.get(plain_unit, plain_unit)
    if isinstance(moment, Interval):
        return _interval_part(name, moment)
    day = None if isinstance(moment, Time) else moment if isinstance(moment, datetime.date) else in_utc(moment).date
    if name == "epoch":
        return nanos_of(moment) / NANOS
    if name in _CLOCK:
        clock = Time(0, 0, Decimal(0)) if type(moment) is datetime.date else moment
        clock = in_utc(clock) if isinstance(clock, Timestamp) else clock
        return _CLOCK[name](clock)
    if day is None or name not in _DATE:
        raise EvaluationError(f"no part '{unit}' of a time")
    return _DATE[name](day)


_ALIASES = {
    "ye": "year",
    "dow": "dow",
    "mon": "month",
    "hr": "hour",
    "min": "minute",
    "sec": "second",
    "m": "millisecond",
    "msec": "millisecond",
    "u": "microsecond",
    "n": "nanosecond",
    "qtr": "quarter",
}
_CLOCK: dict[str, Callable[[Time | Timestamp], int]] = {
    "hour": lambda m: m.hour,
    "minute": lambda m: m.minute,
    "second": lambda m: int(m.second),
    "millisecond": lambda m: int(m.second.scaleb(3)),
    "microsecond": lambda m: int(m.second.scaleb(6)),
    "nanosecond": lambda m: int(m.second.scaleb(9)),
}
_DATE: dict[str, Callable[[datetime.date], int]] = {
    "year": lambda day: day.year,
    "quarter": lambda day: (day.month + 2) // 3,
    "month": lambda day: day.month,
    "week": lambda day: day.isocalendar()[1],
    "isoweek": lambda day: day.isocalendar()[1],
    "isoyear": lambda day: day.isocalendar()[0],
    "day": lambda day: day.day,
    "doy": lambda day: day.timetuple().tm_yday,
    "dow": lambda day: day.isoweekday() % 7,
    "isodow": lambda day: day.isoweekday(),
}

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
        if len(types) == 1 or not isinstance(types[0], t.Text):
            cast = build(types[0], target)
            return lambda value, *_: cast(value)
        return lambda text, *formats: replace(_parsed(text, formats), offset=0 if zone else None)

    return factory


def _scaled(value: Value, digits: int) -> int:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise EvaluationError("a number of seconds that is none")
        return int(value * 10**9) if digits == 0 else int(value) * 10 ** (9 - digits)
    return int(Decimal(value).scaleb(9 - digits))


def _parsed(text: str, formats: tuple[str | None, ...]) -> Timestamp:
    for one in formats:
        if one is None:
            continue
        try:
            return _by_format(text, one)
        except ValueError:
            continue
    raise EvaluationError(f"'{text}' is in none of the formats {', '.join(map(repr, formats))}")


def _by_format(text: str, format_: str) -> Timestamp:
    """By a format of chrono's; what Python's does not have is refused."""
    known = format_.replace("%.f", ".%f").replace("%T", "%H:%M:%S").replace("%F", "%Y-%m-%d").replace("%D", "%m/%d/%y")
    known = known.replace("%R", "%H:%M").replace("%e", "%d").replace("%h", "%b")
    found = datetime.datetime.strptime(text, known)
    offset = found.utcoffset()
    found = found.replace(tzinfo=None) - (offset or datetime.timedelta())
    second = Decimal(found.second) + Decimal(found.microsecond).scaleb(-6)
    return Timestamp(found.year, found.month, found.day, found.hour, found.minute, second)


def _to_date(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[..., Value]:
    if isinstance(types[0], t.Number):
        return lambda days: datetime.date(1970, 1, 1) + datetime.timedelta(days=whole(days))
    if len(types) > 1:
        return lambda text, *formats: _parsed(text, formats).date
    return build(types[0], t.DATE)


def _to_unixtime(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[..., Value]:
    if isinstance(types[0], t.Number):
        return lambda value, *_: int(value)
    if len(types) > 1:
        return lambda text, *formats: nanos_of(_parsed(text, formats)) // NANOS
    cast = build(types[0], t.Timestamp(9))
    return lambda value: nanos_of(cast(value)) // NANOS


def _make_dt_interval(*parts: Value) -> Interval:
    days, hours, minutes, seconds = (*parts, 0, 0, 0, 0)[:4]
    nanos = int(Decimal(str(seconds)).scaleb(9).to_integral_value("ROUND_HALF_EVEN"))
    return Interval(
        "day_time", nanos=whole(days) * _DAY + whole(hours) * 3600 * NANOS + whole(minutes) * 60 * NANOS + nanos
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
            return between // _DAY if isinstance(returns, t.Integer) else Interval(unit or "day_time", nanos=between)

        return apply

    return factory


def _shifted(moment: Value, by: int, nanos: int, returns: t.Type) -> Value:
    if isinstance(moment, Time):
        total = nanos_of(moment) + nanos
        return Interval("day_time", nanos=total) if isinstance(returns, t.Interval) else time_of(total)
    if type(moment) is datetime.date and isinstance(returns, t.Timestamp):
        moment = midnight(moment)
    if type(moment) is datetime.date:  # what is less than a day is left out
        return later(moment, by, int(nanos / _DAY) * _DAY)
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
    down = (step.months < 0 or step.nanos < 0) if isinstance(step, Interval) else step < 0
    here, count = start, 0
    while (
        (here > end if down else here < end)
        if not isinstance(start, Timestamp)
        else (nanos_of(here) > nanos_of(end) if down else nanos_of(here) < nanos_of(end))
    ):
        yield here
        count += 1
        here = (
            later(start, count * step.months, count * step.nanos)
            if isinstance(step, Interval)
            else start + count * step
        )
    if closed and (nanos_of(here) == nanos_of(end) if isinstance(start, Timestamp) else here == end):
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


def _cast(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[Value], Value]:
    """A number of units as a time or an interval of that type, or the other way round; a text as an interval."""
    source, target = t.proper(types[0]), t.proper(fn.returns)
    if isinstance(target, t.Interval) and isinstance(source, t.Text):
        return lambda text: _read_interval(text, target)
    if isinstance(target, t.Interval) and isinstance(source, t.Interval):
        return lambda value: Interval(target.unit or value.unit, value.months, value.nanos)
    if isinstance(target, t.Text):
        return _iso_text
    if isinstance(target, t.Number):
        unit = _unit(source)
        return lambda value: (value.nanos if isinstance(value, Interval) else nanos_of(value)) // unit
    unit, zone = _unit(target), _zone(fn.returns)

    def of_number(number: Value) -> Value:
        nanos = whole(number) * unit
        if isinstance(target, t.Date):
            return datetime.date(1970, 1, 1) + datetime.timedelta(days=whole(number))
        if isinstance(target, t.Interval):
            return Interval("day_time", nanos=nanos)
        return time_of(nanos) if isinstance(target, t.Time) else of_nanos(nanos, zone)

    return of_number


def _iso_text(moment: Timestamp) -> str:
    """`2024-01-15T12:30:45.123`, with three, six or nine digits of a second, or none."""
    second, nanos = divmod(int(moment.second.scaleb(9)), NANOS)
    digits = f"{nanos:09}"
    fraction = (
        "" if not nanos else "." + (digits[:3] if nanos % 10**6 == 0 else digits[:6] if nanos % 1000 == 0 else digits)
    )
    date = f"{moment.year:04}-{moment.month:02}-{moment.day:02}"
    return f"{date}T{moment.hour:02}:{moment.minute:02}:{second:02}{fraction}"


def _unit(type_: t.Type) -> int:
    """The nanoseconds of a unit of the type."""
    if isinstance(type_, t.Date):
        return _DAY
    return int(10 ** (9 - min(9, getattr(type_, "precision", None) or 0)))


_WORDS = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*([a-zA-Z]+)", re.ASCII)
_LENGTHS: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("c", "cent", "century", "centurie"), (1200, 0)),
    **dict.fromkeys(("dec", "decade"), (120, 0)),
    **dict.fromkeys(("y", "yr", "year"), (12, 0)),
    **dict.fromkeys(("mon", "month"), (1, 0)),
    **dict.fromkeys(("w", "week"), (0, 7 * _DAY)),
    **dict.fromkeys(("d", "day"), (0, _DAY)),
    **dict.fromkeys(("h", "hr", "hour"), (0, 3600 * NANOS)),
    **dict.fromkeys(("m", "min", "minute"), (0, 60 * NANOS)),
    **dict.fromkeys(("sec", "second"), (0, NANOS)),
    **dict.fromkeys(("ms", "msec", "millisecond"), (0, 10**6)),
    **dict.fromkeys(("us", "usec", "microsecond"), (0, 1000)),
    **dict.fromkeys(("ns", "nsec", "nanosecond"), (0, 1)),
}


def _read_interval(text: str, target: t.Interval) -> Interval:
    """`1 year 2 months 3.5 hours`, or a number of seconds."""
    months_, nanos, at = Decimal(0), Decimal(0), 0
    for found in _WORDS.finditer(text):
        name = found[2].lower()
        size = _LENGTHS.get(name) or _LENGTHS.get(name.removesuffix("s"))
        if size is None or found.start() != at:
            raise EvaluationError(f"'{text}' is no interval")
        months_ += Decimal(found[1]) * size[0]
        nanos += Decimal(found[1]) * size[1]
        at = found.end()
    if not at or text[at:].strip() or months_ != int(months_):
        raise EvaluationError(f"'{text}' is no interval that is known here")
    return Interval(target.unit or "compound", int(months_), int(nanos))


SCALARS: dict[str, Factory] = {
    "cast": _cast,
    "date_bin": _date_bin,
    "date_trunc": _date_trunc,
    "time_trunc": plain(_time_trunc),
    "date_part": plain(_date_part),
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
    "hour": plain(lambda moment: _date_part("hour", moment)),
    "minute": plain(lambda moment: _date_part("minute", moment)),
    "second": plain(lambda moment: _date_part("second", moment)),
    "range": _series(False),
    "generate_series": _series(True),
    "add": _sum(1),
    "subtract": _sum(-1),
}
