"""Rounding moments: to a multiple of a unit, counted from an origin that is given, or from the start of a larger unit.

A moment is a number of picoseconds, or of months, from an origin; of the two multiples around it one is chosen.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.scalar.calendar import later, midnight
from firesteel.evaluate.substrait.integers import Factory
from firesteel.evaluate.substrait.moments import instant, local
from firesteel.values import Time, Timestamp

Moment = datetime.date | Time | Timestamp

_MONTHS = {"YEAR": 12, "MONTH": 1}
_NANOS = {
    "WEEK": 604_800 * 10**9,
    "DAY": 86_400 * 10**9,
    "HOUR": 3_600 * 10**9,
    "MINUTE": 60 * 10**9,
    "SECOND": 10**9,
    "MILLISECOND": 10**6,
    "MICROSECOND": 10**3,
}


def _timestamp(moment: Moment) -> Timestamp:
    """A moment on the line of all: a time of day is one of the first day."""
    if isinstance(moment, Time):
        return Timestamp(1970, 1, 1, moment.hour, moment.minute, moment.second)
    return moment if isinstance(moment, Timestamp) else midnight(moment)


def _back(moment: Timestamp, type_: t.Type) -> Moment:
    if isinstance(type_, t.Date):
        return moment.date
    if isinstance(type_, t.Time):
        if moment.date != datetime.date(1970, 1, 1):
            raise EvaluationError("the next multiple is beyond the day")
        return Time(moment.hour, moment.minute, _seconds(moment, type_.precision))
    return replace(moment, second=_seconds(moment, type_.precision if isinstance(type_, t.Timestamp) else None))


def _seconds(moment: Timestamp, precision: int | None) -> Decimal:
    unit = Decimal((0, (1,), -(6 if precision is None else precision)))
    return moment.second.quantize(unit, "ROUND_DOWN")


def _rounded(moment: Timestamp, origin: Timestamp, unit: str, multiple: int, rounding: str) -> Timestamp:
    """The multiple before, the moment itself, or the multiple after."""
    if multiple < 1:
        raise EvaluationError(f"a multiple of {multiple}: it is at least 1")
    steps = _steps(moment, origin, unit) // multiple
    while _at(origin, unit, (steps + 1) * multiple) <= moment:
        steps += 1
    while _at(origin, unit, steps * multiple) > moment:
        steps -= 1
    before = _at(origin, unit, steps * multiple)
    if before == moment or rounding == "FLOOR":
        return before
    after = _at(origin, unit, (steps + 1) * multiple)
    if rounding == "CEIL":
        return after
    below, above = moment.instant - before.instant, after.instant - moment.instant
    if below == above:
        return after if rounding == "ROUND_TIE_UP" else before
    return before if below < above else after


def _steps(moment: Timestamp, origin: Timestamp, unit: str) -> int:
    """About how many units lie between."""
    if unit in _MONTHS:
        return ((moment.year - origin.year) * 12 + moment.month - origin.month) // _MONTHS[unit]
    return int((moment.instant - origin.instant).scaleb(9) // _NANOS[unit])


def _at(origin: Timestamp, unit: str, count: int) -> Timestamp:
    if unit in _MONTHS:
        made = later(origin, months=count * _MONTHS[unit])
    else:
        made = later(origin, nanos=count * _NANOS[unit])
    assert isinstance(made, Timestamp)
    return replace(made, precision="second")


def _start(moment: Timestamp, unit: str) -> Timestamp:
    """When the unit that the moment is in began: a year, a week, an hour."""
    day = moment.date
    if unit.endswith("WEEK"):
        sunday = unit in ("SUNDAY_WEEK", "US_WEEK")
        return midnight(day - datetime.timedelta(days=day.isoweekday() % 7 if sunday else day.weekday()))
    match unit:
        case "YEAR":
            return Timestamp(moment.year)
        case "MONTH":
            return Timestamp(moment.year, moment.month)
        case "DAY":
            return midnight(day)
        case "HOUR":
            return Timestamp(*day.timetuple()[:3], moment.hour)
        case "MINUTE":
            return Timestamp(*day.timetuple()[:3], moment.hour, moment.minute)
    places = {"SECOND": 0, "MILLISECOND": 3}[unit]
    second = moment.second.quantize(Decimal((0, (1,), -places)), "ROUND_DOWN")
    return Timestamp(*day.timetuple()[:3], moment.hour, moment.minute, second)


def _round_temporal(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., Moment]:
    rounding, unit = fn.choice("rounding") or "FLOOR", fn.choice("unit") or "DAY"

    def apply(moment: Moment, multiple: int, *more: Any) -> Moment:
        *names, origin = more
        if names:
            there, begin = local(_timestamp(moment), names[0]), local(_timestamp(origin), names[0])
            return instant(_finished(_rounded(there, begin, unit, multiple, rounding)), names[0])
        return _back(_rounded(_timestamp(moment), _timestamp(origin), unit, multiple, rounding), fn.returns)

    def _finished(moment: Timestamp) -> Timestamp:
        made = _back(moment, fn.returns)
        assert isinstance(made, Timestamp)
        return made

    return apply


def _round_calendar(fn: p.Fn, _: tuple[t.Type, ...]) -> Callable[..., Moment]:
    rounding, unit = fn.choice("rounding") or "FLOOR", fn.choice("unit") or "DAY"
    origin = fn.choice("origin") or "YEAR"

    def apply(moment: Moment, multiple: int, name: str | None = None) -> Moment:
        there = _timestamp(moment) if name is None else local(_timestamp(moment), name)
        made = _back(_rounded(there, _start(there, origin), unit, multiple, rounding), fn.returns)
        return made if name is None or not isinstance(made, Timestamp) else instant(made, name)

    return apply


SCALARS: dict[str, Factory] = {
    "datetime:round_temporal": _round_temporal,
    "datetime:round_calendar": _round_calendar,
}
