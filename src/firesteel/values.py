"""Values: what a query computes with.

| PartiQL                         | Python                                          |
|---------------------------------|-------------------------------------------------|
| NULL, MISSING                   | `None`, `MISSING`                               |
| bool, int, float                | `bool`, `int`, `float`                          |
| decimal                         | `decimal.Decimal`                               |
| string, symbol                  | `str`, `Symbol` (a `str`)                       |
| blob, clob                      | `bytes`, `Clob` (a `bytes`)                     |
| date, time, timestamp, interval | `datetime.date`, `Time`, `Timestamp`, `Interval`|
| array, s-expression, bag        | `list`, `Sexp` (a `list`), `Bag`                |
| struct                          | `Struct`: pairs, so that keys may repeat        |

Values are immutable. Equality, order and conversion work without the Python stack, so a value may
be nested as deeply as memory allows.
"""

from __future__ import annotations

import dataclasses
import datetime
import uuid
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Context as DecimalContext
from decimal import Decimal
from enum import Enum
from functools import cached_property, total_ordering
from typing import Any, Final, TypeVar

from firesteel.errors import UnsupportedError

T = TypeVar("T")
Value = Any


class Missing:
    """The type of `MISSING`, of which there is one."""

    _one: Missing | None = None

    def __new__(cls) -> Missing:
        if cls._one is None:
            cls._one = super().__new__(cls)
        return cls._one

    def __repr__(self) -> str:
        return "MISSING"

    def __bool__(self) -> bool:
        return False

    def __reduce__(self) -> tuple[type[Missing], tuple[()]]:
        return Missing, ()


MISSING: Final = Missing()
NULL: Final = None


def absent(value: Value) -> bool:
    """NULL or MISSING."""
    return value is None or value is MISSING


class Symbol(str):
    """An Ion symbol: acts as a string, is written as a symbol."""

    __slots__ = ()


class Text(str):
    """A string that is a value where a plain `str` would be taken for a file name. It becomes a plain string."""

    __slots__ = ()


class Clob(bytes):
    """Ion's character octets."""

    __slots__ = ()


class Sexp(list[Value]):
    """An Ion s-expression: ranges like an array, is written as an s-expression."""

    __slots__ = ()


class Bag:
    """Values without an order, duplicates kept. Equal by deep equality, in any order."""

    __slots__ = ("items",)

    def __init__(self, items: Iterable[Value] = ()) -> None:
        self.items = list(items)

    def __iter__(self) -> Iterator[Value]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __canonical__(self) -> Iterable[Value]:
        return self.items

    def __eq__(self, other: object) -> bool:
        return equal(self, other) if isinstance(other, Bag) else NotImplemented

    def __hash__(self) -> int:
        return hash(key(self))

    def __repr__(self) -> str:
        return f"Bag({self.items!r})"


class Struct:
    """A tuple: attributes in the order they came in; a key may repeat."""

    __slots__ = ("pairs",)

    def __init__(self, pairs: Iterable[tuple[str, Value]] | Mapping[str, Value] = ()) -> None:
        if type(pairs) is not list and isinstance(pairs, Mapping):
            pairs = pairs.items()
        self.pairs: list[tuple[str, Value]] = list(pairs)

    def get(self, name: str, default: Value = MISSING) -> Value:
        """The first attribute of that exact name."""
        for key_, value in self.pairs:
            if key_ == name:
                return value
        return default

    def get_in_any_case(self, name: str, default: Value = MISSING) -> Value:
        """The attribute of that exact name if there is one, else the first that differs only in case."""
        for key_, value in self.pairs:
            if key_ == name:
                if value is not MISSING:
                    return value
                break
        folded = name.lower()
        for key_, value in self.pairs:
            if key_.lower() == folded:
                return value
        return default

    def __iter__(self) -> Iterator[tuple[str, Value]]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __canonical__(self) -> Iterable[Value]:
        return [item for pair in self.pairs for item in pair]

    def __eq__(self, other: object) -> bool:
        return equal(self, other) if isinstance(other, Struct) else NotImplemented

    def __hash__(self) -> int:
        return hash(key(self))

    def __repr__(self) -> str:
        return f"Struct({self.pairs!r})"


def struct_of(pairs: list[tuple[str, Value]]) -> Struct:
    """A struct of a list that nobody else has: it is not copied."""
    made = Struct.__new__(Struct)
    made.pairs = pairs
    return made


def _digits(seconds: Decimal) -> int:
    exponent = seconds.as_tuple().exponent
    assert isinstance(exponent, int)
    return max(0, -exponent)


@total_ordering
@dataclass(frozen=True, eq=False)
class Time:
    """A time of day; `second` carries its fraction, `offset` is in minutes or None."""

    hour: int
    minute: int
    second: Decimal
    offset: int | None = None

    @property
    def digits(self) -> int:
        return _digits(self.second)

    @cached_property
    def instant(self) -> Decimal:
        """Seconds since midnight, UTC where there is an offset."""
        return _EXACT.add(Decimal(self.hour * 3600 + (self.minute - (self.offset or 0)) * 60), self.second)

    def __canonical__(self) -> Iterable[Value]:
        return (self.hour, self.minute, self.second, self.offset)

    def __eq__(self, other: object) -> bool:
        return self.instant == other.instant if isinstance(other, Time) else NotImplemented

    def __lt__(self, other: Time) -> bool:
        return self.instant < other.instant

    def __hash__(self) -> int:
        return hash(self.instant)


@total_ordering
@dataclass(frozen=True, eq=False)
class Timestamp:
    """A day and time. `offset` is in minutes, None where it is not known or there is no zone; `precision` is Ion's:
    the last field that was written (`year`, `month`, `day`, `minute`, `second`). Equal by instant."""

    year: int
    month: int = 1
    day: int = 1
    hour: int = 0
    minute: int = 0
    second: Decimal = Decimal(0)
    offset: int | None = None
    precision: str = "second"

    @property
    def digits(self) -> int:
        return _digits(self.second)

    @cached_property
    def instant(self) -> Decimal:
        """Seconds since the epoch."""
        minutes = (days_since_epoch(self.year, self.month, self.day) * 24 + self.hour) * 60 + self.minute
        return _EXACT.add(Decimal((minutes - (self.offset or 0)) * 60), self.second)

    @property
    def date(self) -> datetime.date:
        return datetime.date(self.year, self.month, self.day)

    def __canonical__(self) -> Iterable[Value]:
        parts = (self.year, self.month, self.day, self.hour, self.minute, self.second)
        return (*parts, self.offset, self.precision)

    def __eq__(self, other: object) -> bool:
        return self.instant == other.instant if isinstance(other, Timestamp) else NotImplemented

    def __lt__(self, other: Timestamp) -> bool:
        return self.instant < other.instant

    def __hash__(self) -> int:
        return hash(self.instant)


def days_since_epoch(year: int, month: int, day: int) -> int:
    """The days from 1970-01-01, in the calendar of today for all years: Python's own dates end with the year 9999."""
    cycles, year_of_cycle = divmod(year, 400)
    return datetime.date(year_of_cycle + 400, month, day).toordinal() + (cycles - 1) * _DAYS_OF_400_YEARS - _EPOCH


_DAYS_OF_400_YEARS = 146_097
_EPOCH = datetime.date(1970, 1, 1).toordinal()
#: Adding without rounding, however many digits a second has.
_EXACT = DecimalContext(prec=5_000)


@dataclass(frozen=True)
class Interval:
    """A length of time: months and nanoseconds; `unit` is `year_month`, `day_time` or `compound`. How many `digits` its
    years or days may have, and its seconds behind the point, bounds its multiples, and takes no part in equality."""

    unit: str
    months: int = 0
    nanos: int = 0
    digits: int = field(default=9, compare=False)
    fraction: int = field(default=9, compare=False)

    def __canonical__(self) -> Iterable[Value]:
        return (self.unit, self.months, self.nanos)


@dataclass(frozen=True)
class Graph:
    """A property graph, kept as the struct of nodes and edges that it was written as."""

    parts: Struct

    def __canonical__(self) -> Iterable[Value]:
        return (self.parts,)


# ---------------------------------------------------------------------------------------------------------------------
# Folding: the one way down into a value


def items(value: Value) -> list[Value] | None:
    """What a container holds, a struct's values included; None for a scalar."""
    if isinstance(value, list):
        return value
    if isinstance(value, Bag):
        return value.items
    if isinstance(value, Struct):
        return [item for _, item in value.pairs]
    return None


def fold(value: Value, leaf: Callable[[Value], T], container: Callable[[Value, list[T]], T]) -> T:
    """`container(value, results of its items)` from the leaves up, on an explicit stack."""
    if items(value) is None:
        return leaf(value)
    results: list[T] = []
    stack: list[tuple[Value, int | None]] = [(value, None)]
    while stack:
        item, size = stack.pop()
        if size is not None:
            inner = results[len(results) - size :] if size else []
            del results[len(results) - size :]
            results.append(container(item, inner))
            continue
        below = items(item)
        if below is None:
            results.append(leaf(item))
        else:
            stack.append((item, len(below)))
            stack.extend((child, None) for child in reversed(below))
    return results[0]


# ---------------------------------------------------------------------------------------------------------------------
# Equality and the total order
#
# bool < number (nan < -inf < ... < +inf) < date < time < timestamp < text < lob < list < struct < bag.
# A float is the decimal of its shortest text: `0.1e0` is equal to `0.1`, and equality of numbers stays transitive.
# One key serves both: it is flat, so that comparing it does not recurse, and lexicographic comparison of it is the
# total order. NULL and MISSING come last and next to each other; whoever sorts decides where they go.

_END = (-1,)
_NAN, _LOW, _FINITE, _HIGH = 0, 1, 2, 3
_INFINITY = Decimal("inf")
_TEXT, _NUMBER = 7, (2, _FINITE)

#: Values of these classes are their own hash keys.
OWN_KEYS = frozenset({int, str})

Key = tuple[tuple[Hashable, ...], ...]
#: A key in pieces, joined once: joining at every level would make a deep value's key quadratic.
_Rope = Key | list[Any]


def key(value: Value) -> Key:
    """Equal for values that are deeply equal, ordered as the total order has it."""
    kind = type(value)
    if kind is str:
        return ((7, value),)
    if kind is int:
        return ((2, _FINITE, value),)
    return _flat(fold(value, _leaf_key, _container_key))


def _leaf_key(value: Value) -> Key:
    if isinstance(value, str):
        return ((7, str(value)),)
    if isinstance(value, bool):
        return ((1, value),)
    if isinstance(value, (int, Decimal, float)):
        return ((2, *_number_key(value)),)
    if value is None:
        return ((20, 0),)
    if value is MISSING:
        return ((20, 1),)
    if isinstance(value, datetime.date):
        return ((3, value),)
    if isinstance(value, Time):
        return ((4, value.instant),)
    if isinstance(value, Timestamp):
        return ((5, value.instant),)
    if isinstance(value, Interval):
        return ((6, value.unit, value.months, value.nanos),)
    if isinstance(value, bytes):
        return ((8, bytes(value)),)
    if isinstance(value, Graph):
        return ((13, 0), *key(value.parts))
    raise TypeError(f"not a value: {type(value).__name__}")


def decimal_of(number: float) -> Decimal:
    """The decimal that a float stands for: that of its shortest text, so that `0.1e0` is `0.1`."""
    return Decimal(float.__repr__(number))  # a subclass may print itself another way


def _number_key(value: int | float | Decimal) -> tuple[Hashable, ...]:
    if isinstance(value, int):
        return (_FINITE, value)
    if isinstance(value, float):
        value = decimal_of(value)
    if value != value:
        return (_NAN, 0)
    if value == _INFINITY:
        return (_HIGH, 0)
    if value == -_INFINITY:
        return (_LOW, 0)
    return (_FINITE, value)


def _container_key(value: Value, inner: list[_Rope]) -> _Rope:
    if isinstance(value, Struct):
        named = [[((7, name),), item] for (name, _), item in zip(value.pairs, inner, strict=True)]
        return [((11,),), *_sorted(named), (_END,)]
    if isinstance(value, Bag):
        return [((12,),), *_sorted(inner), (_END,)]
    return [((10,),), *inner, (_END,)]


def _sorted(ropes: list[Any]) -> list[Any]:
    return sorted(map(_flat, ropes)) if len(ropes) > 1 else ropes


def _flat(rope: _Rope) -> Key:
    if isinstance(rope, tuple):
        return rope
    out: list[tuple[Hashable, ...]] = []
    stack: list[_Rope] = [rope]
    while stack:
        piece = stack.pop()
        if isinstance(piece, tuple):
            out.extend(piece)
        else:
            stack.extend(reversed(piece))
    return tuple(out)


def hash_key(value: Value) -> Hashable:
    """Equal where `key` is, and hashed faster: text and numbers are keys themselves. It has no order."""
    return value if type(value) in OWN_KEYS else hash_of(key(value))


def hash_of(made: Key) -> Hashable:
    """The hash key for a key."""
    first = made[0]
    return first[1] if first[0] == _TEXT else first[2] if first[:2] == _NUMBER else made


def hash_keys(row: Iterable[Value]) -> tuple[Hashable, ...]:
    """The same for the values of a row."""
    return tuple([hash_key(value) for value in row])


def equal(a: Value, b: Value) -> bool:
    """Deep equality: numbers by value, bags and structs in any order, NULL equal to NULL and not to MISSING."""
    return key(a) == key(b)


# ---------------------------------------------------------------------------------------------------------------------
# To and from plain Python


def to_python(value: Value) -> Any:
    """Lists, dicts and scalars of Python. What it has no room for stays a value of ours: a struct whose keys repeat,
    MISSING, nanoseconds, a length of time in months."""

    def leaf(item: Value) -> Any:
        convert = _TO_PYTHON.get(type(item))
        return item if convert is None else convert(item)

    def container(item: Value, inner: list[Any]) -> Any:
        if not isinstance(item, Struct):
            return inner
        names = [name for name, _ in item.pairs]
        pairs = list(zip(names, inner, strict=True))
        return dict(pairs) if len(set(names)) == len(names) else Struct(pairs)

    return fold(value, leaf, container)


def _python_time(item: Time) -> datetime.time | Time:
    if item.digits > _MICROSECONDS:
        return item
    second, micros = _second(item.second)
    return datetime.time(item.hour, item.minute, second, micros, _zone(item.offset))


def _python_datetime(item: Timestamp) -> datetime.datetime | Timestamp:
    has_room = item.digits <= _MICROSECONDS and datetime.MINYEAR <= item.year <= datetime.MAXYEAR
    if not has_room or item.precision != "second":
        return item
    clock = (item.hour, item.minute, *_second(item.second))
    return datetime.datetime(item.year, item.month, item.day, *clock, _zone(item.offset))


def _python_timedelta(item: Interval) -> datetime.timedelta | Interval:
    micros, rest = divmod(item.nanos, 1_000)
    if item.unit != "day_time" or rest or abs(item.nanos) > _LONGEST:
        return item
    return datetime.timedelta(microseconds=micros)


def _second(second: Decimal) -> tuple[int, int]:
    """Whole seconds and microseconds."""
    return divmod(int(second.scaleb(_MICROSECONDS)), 1_000_000)


def _zone(offset: int | None) -> datetime.timezone | None:
    return None if offset is None else datetime.timezone(datetime.timedelta(minutes=offset))


#: How many digits behind the point of a second Python has room for, and the longest timedelta in nanoseconds.
_MICROSECONDS = 6
_LONGEST = 999_999_999 * 86_400 * 10**9
_TO_PYTHON: dict[type, Callable[[Any], Any]] = {
    Symbol: str,
    Clob: bytes,
    Time: _python_time,
    Timestamp: _python_datetime,
    Interval: _python_timedelta,
}


def from_python(data: Any) -> Value:
    """A value from plain Python data: dicts and dataclasses are structs, lists and tuples arrays, sets bags; a UUID is
    its text, a member of an enumeration its value, a scalar of numpy's the one of Python's; our own values stay."""
    results: list[Value] = []
    stack: list[tuple[Any, Callable[[list[Value]], Value] | None, int]] = [(data, None, 0)]
    around: set[int] = set()  # what is being gone through: it must not come again inside of itself
    while stack:
        item, build, size = stack.pop()
        if build is not None:
            around.discard(id(item))
            inner = results[len(results) - size :] if size else []
            del results[len(results) - size :]
            results.append(build(inner))
            continue
        below, build = _open_python(item)
        if build is None:
            results.append(_scalar_from_python(item))
        elif id(item) in around:
            raise UnsupportedError(f"a {type(item).__name__} that contains itself is no value")
        else:
            around.add(id(item))
            stack.append((item, build, len(below)))
            stack.extend((child, None, 0) for child in reversed(below))
    return results[0]


#: Scalars that stay what they are.
_PLAIN = frozenset(
    {type(None), bool, int, float, Decimal, str, bytes, Missing, Time, Timestamp, Interval, datetime.date}
)


def _open_python(item: Any) -> tuple[list[Any], Callable[[list[Value]], Value] | None]:
    """What is inside of an item, and what makes a value of it; for a scalar, None."""
    if type(item) in _PLAIN:
        return [], None
    if isinstance(item, (Mapping, Struct)):
        pairs = list(item.items()) if isinstance(item, Mapping) else item.pairs
        names = [name for name, _ in pairs]
        for name in names:
            if not isinstance(name, str):
                raise UnsupportedError(f"an attribute's name must be a string, not {type(name).__name__}")
        return [value for _, value in pairs], lambda inner: Struct(zip(names, inner, strict=True))
    if isinstance(item, (Bag, set, frozenset)):
        return list(item), Bag
    if isinstance(item, Enum):
        return [item.value], lambda inner: inner[0]
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        fields = [field.name for field in dataclasses.fields(item)]
        return [getattr(item, name) for name in fields], lambda inner: Struct(zip(fields, inner, strict=True))
    if type(item).__module__ == "numpy" and hasattr(item, "tolist"):
        return [_from_numpy(item)], lambda inner: inner[0]
    if isinstance(item, Sexp):
        return list(item), Sexp
    if isinstance(item, (list, tuple)):
        return list(item), list
    return [], None


def _from_numpy(item: Any) -> Any:
    """A scalar or an array of numpy's as Python's own. Moments are of microseconds, or of days."""
    if item.dtype.kind in "mM" and item.dtype.name != "datetime64[D]":
        coarse = item.astype(f"{item.dtype.kind}8[us]")
        if not (coarse == item).all():
            raise UnsupportedError("moments of numpy's with nanoseconds", help="register a pyarrow table")
        item = coarse
    return item.tolist()


def _scalar_from_python(item: Any) -> Value:
    if isinstance(item, uuid.UUID):
        return str(item)
    if isinstance(item, datetime.datetime):
        offset = item.utcoffset()
        minutes = None if offset is None else int(offset.total_seconds() // 60)
        second = Decimal(item.second)
        if item.microsecond:
            second += Decimal(item.microsecond).scaleb(-6)
        return Timestamp(item.year, item.month, item.day, item.hour, item.minute, second, minutes)
    if isinstance(item, datetime.time):
        offset = item.utcoffset()
        minutes = None if offset is None else int(offset.total_seconds() // 60)
        second = Decimal(item.second)
        if item.microsecond:
            second += Decimal(item.microsecond).scaleb(-6)
        return Time(item.hour, item.minute, second, minutes)
    if isinstance(item, datetime.timedelta):
        micros = (item.days * 86400 + item.seconds) * 1_000_000 + item.microseconds
        return Interval("day_time", nanos=micros * 1000)
    if isinstance(item, Text):
        return str(item)
    if isinstance(item, (bytearray, memoryview)):
        return bytes(item)
    scalar = (
        type(None),
        Missing,
        bool,
        int,
        float,
        Decimal,
        str,
        bytes,
        datetime.date,
        Time,
        Timestamp,
        Interval,
        Graph,
    )
    if isinstance(item, scalar):
        return item
    raise UnsupportedError(
        f"no value for a Python {type(item).__name__}",
        help="a value is made of dicts, lists, text, numbers, dates and times, or is a table of Arrow, pandas or Spark",
    )


_SCALARS = (
    *(type(None), Missing, bool, int, float, Decimal, str, bytes),
    *(datetime.date, Time, Timestamp, Interval, Graph),
)
