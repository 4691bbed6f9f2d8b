"""Read the function cases of Substrait's specification from the package `substrait-extensions`.

add(120::i8, 10::i8) [overflow:ERROR] = <!ERROR>
sum((0, -1, 2)::i8) = 1::i64?
((1.0), (2.0)) std_dev(SAMPLE::enum, col0::fp64) = 0.5::fp64?
DEFINE f1(i32) = ((1998), (1999))
lag(col0) OVER f1 = (Null, 1998)::i32?
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from importlib.metadata import distribution
from typing import Any

from firesteel import types as t
from firesteel.values import Interval, Struct, Time, Timestamp

#: The results of cases that expect no value.
ERROR, UNDEFINED = "<!ERROR>", "<!UNDEFINED>"

TYPES: dict[str, t.Type] = {
    "bool": t.BOOL,
    "boolean": t.BOOL,
    "i8": t.INT8,
    "i16": t.INT16,
    "i32": t.INT32,
    "i64": t.INT64,
    "fp32": t.FLOAT32,
    "fp64": t.FLOAT64,
    "str": t.STRING,
    "string": t.STRING,
    "vbin": t.BLOB,
    "binary": t.BLOB,
    "date": t.DATE,
    "uuid": t.Uuid(),
    "iyear": t.Interval("year_month"),
    "iday": t.Interval("day_time", 6),
    "ts": t.Timestamp(6),
    "tstz": t.Timestamp(6, zone=True),
    "time": t.Time(6),
}


@dataclass(frozen=True)
class Enum:
    """An enum argument: a word such as `SAMPLE`."""

    name: str


@dataclass(frozen=True)
class Column:
    """An argument that is a column of the case's table."""

    index: int
    type: t.Type | None = None


@dataclass(frozen=True)
class Literal:
    """An argument or a result that is a value; for an argument of an aggregate, a column of values."""

    type: t.Type
    value: Any


@dataclass(frozen=True)
class Parameter:
    """A parameter of a lambda."""

    name: str


@dataclass(frozen=True)
class Call:
    """A call inside a lambda."""

    function: str
    args: tuple[Any, ...]


@dataclass(frozen=True)
class Lambda:
    """An argument that is a function."""

    parameters: tuple[str, ...]
    body: Any
    type: t.Type


@dataclass(frozen=True)
class Case:
    """One line of a file."""

    file: str
    line: int
    text: str
    #: `scalar`, `aggregate` or `window`.
    kind: str
    #: The URNs that the file includes: that of the function, and those of functions that lambdas call.
    urns: tuple[str, ...]
    function: str
    args: tuple[Any, ...]
    options: tuple[tuple[str, str], ...] = ()
    #: The rows of the table that an aggregate or a window reads, if the case has one.
    rows: tuple[tuple[Any, ...], ...] | None = None
    columns: tuple[t.Type, ...] = ()
    #: A `Literal`, ERROR or UNDEFINED. For a window function, a `Literal` whose value has one item per row.
    expected: Any = None


def load() -> Iterator[Case]:
    """All cases of the installed package, file by file."""
    for path in sorted(distribution("substrait-extensions").files or (), key=str):
        if path.suffix == ".test":
            yield from _File("/".join(path.parts[-2:]), path.read_text(encoding="utf-8")).cases()


@dataclass
class _File:
    name: str
    text: str
    urns: list[str] = field(default_factory=list)
    tables: dict[str, tuple[tuple[t.Type, ...], tuple[tuple[Any, ...], ...]]] = field(default_factory=dict)
    kind: str = ""

    def cases(self) -> Iterator[Case]:
        for number, line in enumerate(self.text.splitlines(), 1):
            line = line.strip()
            if line.startswith("### SUBSTRAIT_"):
                self._header(line)
            elif line.startswith("DEFINE "):
                self._define(line)
            elif line and not line.startswith("#"):
                yield self._case(number, line)

    def _header(self, line: str) -> None:
        key, _, value = line.removeprefix("### SUBSTRAIT_").partition(": ")
        if key.endswith("_TEST"):
            self.kind = key.removesuffix("_TEST").lower()
        else:
            self.urns.extend(part.strip().strip("'") for part in value.split(","))

    def _define(self, line: str) -> None:
        reader = Reader(line.removeprefix("DEFINE "))
        name = reader.word()
        reader.take("(")
        types = tuple(reader.separated(reader.type, ")"))
        reader.take("=")
        self.tables[name] = types, reader.rows(types)

    def _case(self, number: int, line: str) -> Case:
        reader = Reader(line)
        raw = None
        if reader.at("("):
            start = reader.position
            reader.skip_parentheses()
            raw = reader.text[start : reader.position]
        function = reader.word()
        reader.take("(")
        args = tuple(reader.separated(reader.argument, ")"))
        columns: tuple[t.Type, ...] = ()
        rows = None
        if raw is not None:
            known = {arg.index: arg.type for arg in args if isinstance(arg, Column) and arg.type is not None}
            columns = tuple(known[i] for i in sorted(known))
            rows = Reader(raw).rows(columns)
        options = tuple(reader.options())
        if reader.accept("OVER"):
            columns, rows = self.tables[reader.word()]
        reader.take("=")
        expected = reader.result(self.kind == "window")
        return Case(
            self.name, number, line, self.kind, tuple(self.urns), function, args, options, rows, columns, expected
        )


_TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>'(?:[^'\\]|\\.)*')
    | (?P<failure><!\w+>)
    | (?P<moment>-?\d{4,}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?|\d\d:\d\d:\d\d(?:\.\d+)?)
    | (?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]inf(?:inity)?\b)
    | (?P<word>u![A-Za-z_]\w*|[A-Za-z_]\w*)
    | (?P<sign>->|::|[()\[\]{}<>,:=?-])
    )""",
    re.VERBOSE,
)


class Reader:
    """Reads one line from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    # Tokens ----------------------------------------------------------------------------------------------------------

    def peek(self) -> tuple[str, str]:
        found = _TOKEN.match(self.text, self.position)
        if found is None:
            if self.text[self.position :].strip():
                raise ValueError(f"cannot read {self.text[self.position :]!r} of {self.text!r}")
            return "end", ""
        kind = found.lastgroup or ""
        return kind, found[kind]

    def next(self) -> tuple[str, str]:
        kind, text = self.peek()
        found = _TOKEN.match(self.text, self.position)
        if found is not None:
            self.position = found.end()
        return kind, text

    def at(self, sign: str) -> bool:
        return self.peek()[1] == sign

    def accept(self, sign: str) -> bool:
        if self.at(sign):
            self.next()
            return True
        return False

    def take(self, sign: str) -> None:
        if not self.accept(sign):
            raise ValueError(f"expected {sign!r} at {self.text[self.position :]!r} of {self.text!r}")

    def word(self) -> str:
        kind, text = self.next()
        if kind != "word":
            raise ValueError(f"expected a word at {text!r} of {self.text!r}")
        return text

    def separated(self, read: Any, end: str) -> Iterator[Any]:
        while not self.accept(end):
            yield read()
            if not self.at(end):
                self.take(",")

    def skip_parentheses(self) -> None:
        depth = 0
        while True:
            _, text = self.next()
            depth += {"(": 1, ")": -1}.get(text, 0)
            if depth == 0:
                return

    # Types -----------------------------------------------------------------------------------------------------------

    def type(self) -> t.Type:
        name = self.word().lower()
        nullable = self.accept("?")
        made = self._parameters(name)
        return t.absent(made, nullable=nullable or self.accept("?"))

    def _parameters(self, name: str) -> t.Type:
        if name.startswith("u!"):
            return t.UserDefined("extension:io.substrait:unsigned_integers", name.removeprefix("u!"))
        if name == "func":
            return self._func()
        if name in ("list", "struct", "map"):
            self.take("<")
            inner = tuple(self.separated(self.type, ">"))
            if name == "list":
                return t.Array(inner[0])
            if name == "map":
                return t.Map(*inner)
            return t.Struct(tuple(t.Field(f"_{i}", one) for i, one in enumerate(inner, 1)), open=False)
        numbers = [int(n) for _, n in self.separated(self.next, ">")] if self.accept("<") else []
        match name, numbers:
            case "dec" | "decimal", _:
                return t.Decimal(*(numbers or (38, 0)))
            case "vchar" | "varchar", [length]:
                return t.String(length)
            case "fchar" | "fixedchar", [length]:
                return t.Char(length)
            case "fbin" | "fixedbinary", [length]:
                return t.Byte(length)
            case "pt" | "precision_time", [digits]:
                return t.Time(digits)
            case "pts" | "precision_timestamp", [digits]:
                return t.Timestamp(digits)
            case "ptstz" | "precision_timestamp_tz", [digits]:
                return t.Timestamp(digits, zone=True)
            case "iday" | "interval_day", [digits]:
                return t.Interval("day_time", digits)
            case _, []:
                return TYPES[name]
        raise ValueError(f"no type {name!r} in {self.text!r}")

    def _func(self) -> t.Type:
        self.take("<")
        parameters = tuple(self.separated(self.type, ")")) if self.accept("(") else (self.type(),)
        self.take("->")
        returns = self.type()
        self.take(">")
        return t.Function(parameters, returns)

    # Values ----------------------------------------------------------------------------------------------------------

    def raw(self) -> Any:
        """A value in raw form; its type, which comes later, decides what it is."""
        if self.accept("("):
            return tuple(self.separated(self.raw, ")"))
        if self.accept("["):
            return list(self.separated(self.raw, "]"))
        kind, text = self.next()
        return (kind, text)

    def rows(self, types: tuple[t.Type, ...]) -> tuple[tuple[Any, ...], ...]:
        """The rows of a table, with values of the columns' types."""
        found = self.raw()
        if not isinstance(found, tuple):
            raise ValueError(f"no rows in {self.text!r}")
        return tuple(
            tuple(value_of(item, type_) for item, type_ in zip(row, types, strict=True)) for row in found if row
        )

    def argument(self) -> Any:
        if self.at("(") and (found := self._lambda()) is not None:
            return found
        start = self.position
        kind, text = self.peek()
        if kind == "word" and re.fullmatch(r"col\d+", text):
            self.next()
            return Column(int(text[3:]), self.type() if self.accept("::") else None)
        raw = self.raw()
        if kind == "word" and self.at("("):  # a call inside a lambda
            self.position = start
            return self._call()
        if not self.accept("::"):
            return Parameter(text)
        if self.accept("enum"):
            return Enum(text)
        return self._literal(raw)

    def _literal(self, raw: Any) -> Literal:
        type_ = self.type()
        if isinstance(raw, tuple) and (not raw or not isinstance(raw[0], str)):
            if (
                isinstance(type_, t.UserDefined) and len(raw) == 1 and isinstance(raw[0][0], str)
            ):  # a struct of one text
                return Literal(type_, value_of(raw[0], type_))
            return Literal(type_, [value_of(item, type_) for item in raw])
        return Literal(type_, value_of(raw, type_))

    def _call(self) -> Call:
        name = self.word()
        self.take("(")
        return Call(name, tuple(self.separated(self.argument, ")")))

    def _lambda(self) -> Lambda | None:
        start = self.position
        self.take("(")
        if self.accept("("):
            names = []
            while self.peek()[0] == "word":
                names.append(self.word())
                self.accept(",")
            closed = self.accept(")")
        else:
            names, closed = ([self.word()], True) if self.peek()[0] == "word" else ([], False)
        if not names or not closed or not self.accept("->"):
            self.position = start
            return None
        body = self.argument()
        self.take(")")
        self.take("::")
        return Lambda(tuple(names), body, self.type())

    def options(self) -> Iterator[tuple[str, str]]:
        if self.accept("["):
            yield from self.separated(self._option, "]")

    def _option(self) -> tuple[str, str]:
        name = self.word()
        self.take(":")
        return name, self.next()[1]

    def result(self, many: bool) -> Any:
        kind, text = self.peek()
        if kind == "failure":
            return text
        raw = self.raw()
        self.take("::")
        found = self._literal(raw)
        if many and not isinstance(found.value, list):
            raise ValueError(f"a window has a result per row: {self.text!r}")
        return found


# ---------------------------------------------------------------------------------------------------------------------
# Raw forms to values


def value_of(raw: Any, type_: t.Type) -> Any:
    """The value of that type that a raw form stands for."""
    if isinstance(type_, t.Array) and isinstance(raw, list):
        return [value_of(item, type_.element) for item in raw]
    if isinstance(raw, tuple) and raw and isinstance(raw[0], tuple):  # a struct
        if isinstance(type_, t.UserDefined):
            return int(_unquoted(raw[0][1]))
        assert isinstance(type_, t.Struct)
        return Struct((f.name or "", value_of(item, f.type)) for f, item in zip(type_.fields, raw, strict=True))
    kind, text = raw
    if kind == "word" and text.lower() == "null":
        return None
    match type_:
        case t.Bool():
            return {"true": True, "false": False}[text.lower()]
        case t.Integer():
            return int(Decimal(text))
        case t.Float32() | t.Float64():
            return float(text)
        case t.Decimal():
            return Decimal(text)
        case t.Text() | t.Uuid():
            return _unquoted(text)
        case t.Octets():
            return _unquoted(text).encode()
        case t.UserDefined():
            return int(_unquoted(text))
        case t.Date() | t.Time() | t.Timestamp() | t.Interval():
            return _moment(_unquoted(text), type_)
    raise ValueError(f"no value of {type_} in {text!r}")


def _unquoted(text: str) -> str:
    """The text without its quotes. A backslash is an escape only before a quote, because the cases write regular
    expressions without doubling backslashes."""
    return text[1:-1].replace("\\'", "'") if text.startswith("'") else text


_PERIOD = re.compile(
    r"(?P<sign>-)?P(?:(?P<years>-?\d+)Y)?(?:(?P<months>-?\d+)M)?(?:(?P<days>-?\d+)D)?"
    r"(?:T(?:(?P<hours>-?\d+)H)?(?:(?P<minutes>-?\d+)M)?(?:(?P<seconds>-?\d+(?:\.\d+)?)S)?)?"
)


def _moment(text: str, type_: t.Type) -> Any:
    match type_:
        case t.Date():
            return datetime.date.fromisoformat(text)
        case t.Time():
            return _time(text)
        case t.Timestamp(zone=zone):
            day, _, clock = text.partition("T")
            offset = 0 if zone else None
            if (signed := re.search(r"(Z|[+-]\d\d:\d\d)$", clock)) is not None:
                clock = clock[: signed.start()]
                if signed[1] != "Z":
                    minutes = int(signed[1][1:3]) * 60 + int(signed[1][4:])
                    offset = -minutes if signed[1].startswith("-") else minutes
            date, time = datetime.date.fromisoformat(day), _time(clock or "00:00:00")
            return Timestamp(date.year, date.month, date.day, time.hour, time.minute, time.second, offset)
    found = _PERIOD.fullmatch(text)
    if found is None:
        raise ValueError(f"no interval: {text!r}")
    part = {name: Decimal(value or 0) for name, value in found.groupdict().items() if name != "sign"}
    sign = -1 if found["sign"] else 1
    assert isinstance(type_, t.Interval)
    if type_.unit == "year_month":
        return Interval("year_month", months=sign * int(part["years"] * 12 + part["months"]))
    hours = part["days"] * 24 + part["hours"]
    return Interval("day_time", nanos=sign * int(((hours * 60 + part["minutes"]) * 60 + part["seconds"]) * 10**9))


def _time(text: str) -> Time:
    hour, minute, second = text.split(":")
    return Time(int(hour), int(minute), Decimal(second))
