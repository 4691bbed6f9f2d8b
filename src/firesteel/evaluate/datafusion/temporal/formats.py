"""Times by formats of `strftime`, as DataFusion reads and writes them: `to_char`, `to_time` and their like."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from decimal import Decimal

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.datafusion.display import duration_text
from firesteel.evaluate.datafusion.temporal.nanos import NANOS, nanos_of, of_nanos, time_of
from firesteel.evaluate.scalar.calendar import midnight
from firesteel.evaluate.substrait.integers import Factory
from firesteel.evaluate.substrait.moments import in_utc
from firesteel.values import Interval, Time, Timestamp, Value

# ---------------------------------------------------------------------------------------------------------------------
# Reading

_TIME_FORMATS = ("%H:%M:%S%.f", "%H:%M:%S", "%H:%M")


def read_time(text: str, formats: tuple[str | None, ...]) -> Timestamp:
    """The time of a text that is in one of the formats."""
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


def _to_time(value: Value, *formats: str | None) -> Time:
    if isinstance(value, Timestamp):
        return time_of(nanos_of(value))
    return time_of(nanos_of(read_time(value, formats or _TIME_FORMATS)))


# ---------------------------------------------------------------------------------------------------------------------
# Writing

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
#: A part of a format: a padding (`-` none, `_` spaces, `0` zeros), digits of the second, and what is meant.
_ITEM = re.compile(r"%(?P<pad>[-_0]?)(?P<what>\.?[369]?f|:?z|.)", re.DOTALL)

#: Formats that stand for others.
_LONG = {
    "D": "%m/%d/%y",
    "x": "%m/%d/%y",
    "F": "%Y-%m-%d",
    "v": "%e-%b-%Y",
    "R": "%H:%M",
    "T": "%H:%M:%S",
    "X": "%H:%M:%S",
    "r": "%I:%M:%S %p",
    "c": "%a %b %e %H:%M:%S %Y",
}
#: Numbers: how many digits, what they are filled with, and of what.
_NUMBERS: dict[str, tuple[int, str, Callable[[Timestamp], int]]] = {
    "Y": (4, "0", lambda m: m.year),
    "C": (2, "0", lambda m: m.year // 100),
    "y": (2, "0", lambda m: m.year % 100),
    "m": (2, "0", lambda m: m.month),
    "d": (2, "0", lambda m: m.day),
    "e": (2, " ", lambda m: m.day),
    "j": (3, "0", lambda m: m.date.timetuple().tm_yday),
    "w": (1, "0", lambda m: m.date.isoweekday() % 7),
    "u": (1, "0", lambda m: m.date.isoweekday()),
    "U": (2, "0", lambda m: (m.date.timetuple().tm_yday + 6 - m.date.isoweekday() % 7) // 7),
    "W": (2, "0", lambda m: (m.date.timetuple().tm_yday + 6 - m.date.weekday()) // 7),
    "G": (4, "0", lambda m: m.date.isocalendar()[0]),
    "g": (2, "0", lambda m: m.date.isocalendar()[0] % 100),
    "V": (2, "0", lambda m: m.date.isocalendar()[1]),
    "H": (2, "0", lambda m: m.hour),
    "k": (2, " ", lambda m: m.hour),
    "I": (2, "0", lambda m: (m.hour + 11) % 12 + 1),
    "l": (2, " ", lambda m: (m.hour + 11) % 12 + 1),
    "M": (2, "0", lambda m: m.minute),
    "S": (2, "0", lambda m: int(m.second)),
    "s": (1, "0", lambda m: nanos_of(m) // NANOS),
}
_WORDS: dict[str, Callable[[Timestamp], str]] = {
    "a": lambda m: _DAYS[m.date.weekday()][:3],
    "A": lambda m: _DAYS[m.date.weekday()],
    "b": lambda m: _MONTHS[m.month - 1][:3],
    "h": lambda m: _MONTHS[m.month - 1][:3],
    "B": lambda m: _MONTHS[m.month - 1],
    "p": lambda m: "AM" if m.hour < 12 else "PM",
    "P": lambda m: "am" if m.hour < 12 else "pm",
    "n": lambda m: "\n",
    "t": lambda m: "\t",
    "%": lambda m: "%",
}
#: What a time of a zone has, which is UTC here.
_ZONES = {"z": "+0000", ":z": "+00:00", "Z": "+00:00"}


def write_time(moment: Timestamp, format_: str) -> str:
    """A moment by a format."""
    zoned = moment.offset is not None
    here = in_utc(moment)
    written = _ITEM.sub(lambda found: _LONG.get(found["what"], found[0]), format_)

    def item(found: re.Match[str]) -> str:
        what, pad = found["what"], found["pad"]
        if what in _NUMBERS:
            size, fill, number = _NUMBERS[what]
            fill = {"": fill, "-": "", "_": " ", "0": "0"}[pad]
            text = str(number(here))
            return text.rjust(size, fill) if fill else text
        if what in _WORDS:
            return _WORDS[what](here)
        if what.endswith("f"):
            return _fraction(what, int(here.second.scaleb(9)) % NANOS)
        if what in _ZONES and zoned:
            return _ZONES[what]
        raise EvaluationError(f"to_char: no format '{found[0]}'")

    return _ITEM.sub(item, written)


def _fraction(what: str, nanos: int) -> str:
    """`%f` has nine digits, `%3f` three; `%.f` as many as are there of three, six and nine, behind a point."""
    digits = f"{nanos:09}"
    count = next((int(one) for one in "369" if one in what), 0)
    if not what.startswith("."):
        return digits[: count or 9]
    if not count:
        count = 0 if not nanos else 3 if nanos % 10**6 == 0 else 6 if nanos % 1000 == 0 else 9
    return "." + digits[:count] if count else ""


def _to_char(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[Value, str], str]:
    digits = getattr(t.proper(types[0]), "precision", None) or 0

    def apply(moment: Value, format_: str) -> str:
        if isinstance(moment, Interval):
            return duration_text(moment.nanos, digits, iso=format_.lower() == "iso8601")
        if isinstance(moment, Time):
            moment = of_nanos(nanos_of(moment), False)
        return write_time(midnight(moment) if type(moment) is datetime.date else moment, format_)

    return apply


SCALARS: dict[str, Factory] = {
    "to_char": _to_char,
    "to_time": lambda fn, types: _to_time,
}
