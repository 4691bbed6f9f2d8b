"""Timestamps in Ion binary: fields in UTC beside the offset they were written with, where text has local time."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from decimal import Decimal

from firesteel.errors import UnsupportedError
from firesteel.ion.scalars import MAX_DIGITS
from firesteel.values import Timestamp

_PRECISIONS = ("", "year", "month", "day", "", "minute", "second")  # by the number of fields


@dataclass(frozen=True)
class Fields:
    """Year, month, day, hour, minute, second, as many as there are; the fraction of the second; the offset."""

    numbers: list[int]
    fraction: Decimal | None
    offset: int | None


def from_utc(fields: Fields) -> Timestamp:
    """The timestamp of binary fields; ValueError if there is none."""
    year, month, day, hour, minute, second = (fields.numbers + [1, 1, 1, 0, 0, 0][len(fields.numbers) :])[:6]
    precision = _PRECISIONS[len(fields.numbers)]
    datetime.time(hour, minute, second)
    fraction = fields.fraction
    if fraction is not None and not (0 <= fraction < 1 and not fraction.is_signed()):
        raise ValueError(f"{fraction} is no fraction of a second")
    offset = fields.offset if precision in ("minute", "second") else None
    if offset is not None and abs(offset) >= 24 * 60:
        raise ValueError(f"{offset} minutes are no offset")
    if not 0 <= year <= 10000:
        raise ValueError(f"year {year} is out of range")
    year, month, day, hour, minute = _shift(year, month, day, hour, minute, offset or 0)
    if not 1 <= year <= 9999:
        raise ValueError(f"year {year} is out of range")
    return Timestamp(year, month, day, hour, minute, _joined(second, fraction), offset, precision)


def _joined(second: int, fraction: Decimal | None) -> Decimal:
    """By digits: adding would round to the precision of the context."""
    if fraction is None:
        return Decimal(second)
    _, digits, exponent = fraction.as_tuple()
    assert isinstance(exponent, int)
    if -exponent > MAX_DIGITS:
        raise ValueError(f"a second of {-exponent:,} digits")
    return Decimal(f"{second}." + "".join(map(str, digits)).rjust(-exponent, "0")) if exponent < 0 else Decimal(second)


def to_utc(value: Timestamp) -> Fields:
    """The binary fields of a timestamp."""
    if not 1 <= value.year <= 9999:
        raise UnsupportedError(f"an Ion timestamp has no year {value.year}")
    size = _PRECISIONS.index(value.precision)
    offset = value.offset if size >= 5 else None
    year, month, day, hour, minute = _shift(
        value.year, value.month, value.day, value.hour, value.minute, -(offset or 0)
    )
    second = int(value.second)
    fraction = None
    if size == 6 and value.digits:
        fraction = Decimal((0, value.second.as_tuple().digits[-value.digits :], -value.digits))
    return Fields([year, month, day, hour, minute, second][:size], fraction, offset)


def _shift(year: int, month: int, day: int, hour: int, minute: int, minutes: int) -> tuple[int, int, int, int, int]:
    """Minutes later. The Gregorian calendar repeats every 400 years, so UTC's year 0 and 10000 are no trouble."""
    era = year // 400 - 2
    days, rest = divmod(hour * 60 + minute + minutes, 24 * 60)
    date = datetime.date(year - era * 400, month, day) + datetime.timedelta(days)
    return date.year + era * 400, date.month, date.day, rest // 60, rest % 60
