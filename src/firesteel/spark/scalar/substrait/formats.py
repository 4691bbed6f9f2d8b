"""Moments as text and back, by C's `strftime` formats. A literal format is parsed here: writing concatenates the parts
of the moment, reading uses a regular expression. Formats that are no literals, and other directives, are not native.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import Depth
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import Form, form
from firesteel.spark.scalar.substrait.base import Call, Scalar, scalar
from firesteel.spark.scalar.substrait.dates import instant, local
from firesteel.spark.time.moments import long

#: Directives that abbreviate several.
_SHORT = {"F": "%Y-%m-%d", "T": "%H:%M:%S", "D": "%m/%d/%y", "R": "%H:%M"}


def _pieces(call: Call) -> Iterator[tuple[str, str]]:
    """The directives and the text between them: ("%", "Y"), ("", "-") ..."""
    value = call.constant(1)
    if not isinstance(value, str):
        raise call.unsupported("a format that only the run knows")
    value = re.sub(r"%(.)", lambda found: _SHORT.get(found[1], found[0]), value)
    for directive, text in re.findall(r"%(.?)|([^%]+)", value):
        yield ("%", directive) if not text else ("", text)


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def _zero_padded(part: Callable[[Column], Column], size: int) -> Callable[[Column], Column]:
    return lambda x: F.lpad(part(x).cast("string"), size, "0")


def _half(x: Column) -> Column:
    return F.pmod(F.hour(x) + 11, F.lit(12)) + 1


def _micros(x: Column) -> Column:
    return F.pmod(F.unix_micros(x.cast("timestamp")), long(1_000_000))


_WRITTEN: dict[str, Callable[[Column], Column]] = {
    "Y": lambda x: F.year(x).cast("string"),
    "y": _zero_padded(lambda x: F.year(x) % 100, 2),
    "m": _zero_padded(F.month, 2),
    "d": _zero_padded(F.day, 2),
    "H": _zero_padded(F.hour, 2),
    "I": _zero_padded(_half, 2),
    "M": _zero_padded(F.minute, 2),
    "S": _zero_padded(F.second, 2),
    "f": _zero_padded(_micros, 6),
    "j": _zero_padded(F.dayofyear, 3),
    "p": lambda x: F.when(F.hour(x) < 12, F.lit("AM")).otherwise(F.lit("PM")),
    "a": lambda x: F.date_format(x, "EEE"),
    "A": lambda x: F.date_format(x, "EEEE"),
    "b": lambda x: F.date_format(x, "MMM"),
    "B": lambda x: F.date_format(x, "MMMM"),
    "u": lambda x: (F.weekday(x) + 1).cast("string"),
    "w": lambda x: (F.dayofweek(x) - 1).cast("string"),
    "%": lambda x: F.lit("%"),
}


def _strftime(call: Call) -> Column:
    x = call.args[0]
    if form(x.type) is Form.VARIANT:
        raise call.unsupported("times of day, or more than six digits of a second")
    moment = local(call, x, call.args[2].plain if len(call.args) > 2 else None)
    if isinstance(x.type, t.Date):
        moment = moment.cast("timestamp_ntz")
    parts = []
    for kind, text in _pieces(call):
        if kind and text not in _WRITTEN:
            raise call.unsupported(f"the format '%{text}'")
        parts.append(_WRITTEN[text](moment) if kind else F.lit(text))
    text_ = F.concat(*parts) if parts else F.lit("")
    return F.when(moment.isNotNull(), text_)


# ---------------------------------------------------------------------------------------------------------------------
# Reading

_READ = {
    "Y": r"(\d{4})",
    "m": r"(1[0-2]|0[1-9]|[1-9])",
    "d": r"(3[0-1]|[1-2]\d|0[1-9]|[1-9]| [1-9])",
    "H": r"(2[0-3]|[0-1]\d|\d)",
    "M": r"([0-5]\d|\d)",
    "S": r"([0-5]\d|\d)",
    "f": r"(\d{1,6})",
}
_MEANT = {"Y": 1900, "m": 1, "d": 1, "H": 0, "M": 0, "S": 0}


def _parse(call: Call, precision: int) -> Column:
    """The local timestamp; an error if the text does not match the format."""
    text = call.args[0].plain
    pattern, groups = "", []
    for kind, piece in _pieces(call):
        if kind and piece != "%":
            if piece not in _READ or piece in groups:
                raise call.unsupported(f"the format '%{piece}'")
            pattern += _READ[piece]
            groups.append(piece)
        else:
            pattern += "".join(r"\s+" if part.isspace() else _quoted(part) for part in re.split(r"(\s+)", piece))
    whole = f"^(?i:{pattern})$"

    def part(directive: str) -> Column:
        if directive not in groups:
            return F.lit(_MEANT[directive])
        return F.trim(F.regexp_extract(text, whole, groups.index(directive) + 1)).try_cast("int")

    seconds = part("S").cast("decimal(16,6)")
    if "f" in groups:
        fraction = F.rpad(F.regexp_extract(text, whole, groups.index("f") + 1), 6, "0")
        truncated = F.rpad(F.left(fraction, F.lit(precision)), 6, "0")
        millionth = F.literal("0.000001", "decimal(6,6)")
        seconds = (seconds + truncated.try_cast("decimal(6,0)") * millionth).cast("decimal(16,6)")
    clock = (part("H"), part("M"), seconds)
    timestamp = F.try_make_timestamp_ntz(part("Y"), part("m"), part("d"), *clock)
    return call.or_else(F.when(text.rlike(whole), timestamp), call.error("the text is not written so"))


def _quoted(text: str) -> str:
    return re.sub(r"([\\\[\](){}.*+?^$|])", r"\\\1", text)


def _strptime_date(call: Call) -> Column:
    return _parse(call, 0).cast("date")


def _strptime_timestamp(call: Call) -> Column:
    """The text is local time in the given zone, else UTC."""
    if form(call.returns) is Form.VARIANT:
        raise call.unsupported("more than six digits of a second")
    assert isinstance(call.returns, t.Timestamp)
    zone = call.args[2].plain if len(call.args) > 3 else None
    return instant(_parse(call, call.returns.precision or 0), zone)


FORMATS: dict[str, Scalar] = {
    "strftime": scalar(_strftime, twice=True, cost=Depth.LARGE),
    "strptime_date": scalar(_strptime_date, twice=True, cost=Depth.DEEP),
    "strptime_timestamp": scalar(_strptime_timestamp, twice=True, cost=Depth.DEEP),
}
