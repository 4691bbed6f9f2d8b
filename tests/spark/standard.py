"""What the tests of Substrait's functions share: a table of odd values, and calls over it."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, NamedTuple

from firesteel import types as t
from firesteel import values
from firesteel.evaluate import evaluate
from firesteel.functions import Kind
from firesteel.functions.substrait import Constant, EnumValue, resolve
from firesteel.spark import SparkEngine
from firesteel.values import Bag, Interval, Struct, Time, Timestamp
from tests.spark.helpers import p
from tools.spark_batch import FAST, configured

URN = "extension:io.substrait:functions_{}".format
UNSIGNED = "extension:io.substrait:unsigned_integers"
NULLABLE = {"nullable": True}


def unsigned(name: str) -> t.Type:
    return t.UserDefined(UNSIGNED, name, nullable=True)


def stamp(text: str, zone: bool = False) -> Timestamp:
    found = datetime.datetime.fromisoformat(text)
    second = (Decimal(found.second) + Decimal(found.microsecond).scaleb(-6)).quantize(Decimal("0.000001"))
    offset = 0 if zone else None
    return Timestamp(found.year, found.month, found.day, found.hour, found.minute, second, offset)


#: The columns of the table: each the type and a value for every row.
COLUMNS: dict[str, tuple[t.Type, list[Any]]] = {
    "i8": (t.Int8(**NULLABLE), [100, -128, 7, None, 0]),
    "j8": (t.Int8(**NULLABLE), [100, -1, -3, 5, 0]),
    "i32": (t.Int32(**NULLABLE), [2, -7, 12, None, 0]),
    "n": (t.Int32(), [3, 0, -2, 1, 10]),
    "i64": (t.Int64(**NULLABLE), [9_223_372_036_854_775_807, -45, 3, None, 0]),
    "j64": (t.Int64(), [2, -2, 5, 1, 7]),
    "k64": (t.Int64(), [1, 2, 1, 3, 1]),
    "f": (t.Float64(**NULLABLE), [1.5, -0.25, math.nan, None, -math.inf]),
    "g": (t.Float64(), [0.0, 2.0, -1.0, 1.0, -0.0]),
    "h": (t.Float64(), [0.5, 0.1, 1.0, 0.9, 0.0]),
    "r": (t.Float32(**NULLABLE), [2.675, 0.1, -3.5, None, 0.0]),
    "d": (
        t.Decimal(10, 2, **NULLABLE),
        [Decimal("12.34"), Decimal("-0.05"), Decimal("99999999.99"), None, Decimal("0.00")],
    ),
    "e": (t.Decimal(8, 3), [Decimal("2.500"), Decimal("-7.125"), Decimal("0.001"), Decimal("1.000"), Decimal("3.000")]),
    "w": (t.Decimal(38, 0, **NULLABLE), [Decimal("9" * 38), Decimal("-" + "9" * 38), Decimal(3), None, Decimal(-1)]),
    "s": (t.String(**NULLABLE), ["Hello World", "", "aXbXc äé", None, "the cat\tand a dog"]),
    "u": (t.String(), ["l", "x", "X", "a", " "]),
    "v": (t.String(20), ["abc", "  pad ", "x", "😄y", ""]),
    "day": (
        t.Date(**NULLABLE),
        [
            datetime.date(2016, 2, 29),
            datetime.date(1999, 12, 31),
            datetime.date(2021, 1, 3),
            None,
            datetime.date(1, 1, 1),
        ],
    ),
    "ts": (
        t.Timestamp(6, **NULLABLE),
        [
            stamp("2016-02-29T13:30:15.220001"),
            stamp("1969-12-31T23:59:59.999999"),
            stamp("2024-01-31T00:00:00"),
            None,
            stamp("2000-03-26T02:30:00"),
        ],
    ),
    "tz": (
        t.Timestamp(6, zone=True, **NULLABLE),
        [
            stamp("2016-02-29T23:30:15.220001", True),
            stamp("1969-12-31T23:59:59", True),
            stamp("2024-07-01T00:00:00", True),
            None,
            stamp("2000-03-26T01:30:00", True),
        ],
    ),
    "clock": (
        t.Time(6, **NULLABLE),
        [
            Time(1, 2, Decimal("3.155000")),
            Time(23, 59, Decimal("59.999999")),
            Time(0, 0, Decimal("0.000000")),
            None,
            Time(12, 0, Decimal("1.000001")),
        ],
    ),
    "span": (
        t.Interval("day_time", 6, **NULLABLE),
        [
            Interval("day_time", nanos=86_400 * 10**9),
            Interval("day_time", nanos=-1_000),
            Interval("day_time", nanos=3_600 * 10**9),
            None,
            Interval("day_time"),
        ],
    ),
    "months": (
        t.Interval("year_month", **NULLABLE),
        [
            Interval("year_month", 1),
            Interval("year_month", -13),
            Interval("year_month", 24),
            None,
            Interval("year_month"),
        ],
    ),
    "b": (t.Bool(**NULLABLE), [True, False, None, True, None]),
    "c": (t.Bool(), [True, True, False, False, True]),
    "ints": (t.Array(t.Int32(**NULLABLE), **NULLABLE), [[3, None, 1], [], [2, 2], None, [None]]),
    "floats": (t.Array(t.Float64(**NULLABLE)), [[1.0, math.nan, None, -1.0], [], [0.0], [2.0], [None]]),
    "u8": (unsigned("u8"), [200, 0, 255, None, 7]),
    "v8": (t.UserDefined(UNSIGNED, "u8"), [100, 3, 2, 1, 0]),
    "u64": (unsigned("u64"), [2**64 - 1, 10, 3, None, 0]),
    "v64": (t.UserDefined(UNSIGNED, "u64"), [2**63, 3, 2**40, 1, 7]),
    "id": (
        t.Uuid(**NULLABLE),
        [
            "123e4567-e89b-12d3-a456-426614174000",
            "00000000-0000-0000-0000-000000000000",
            None,
            None,
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
        ],
    ),
    "entries": (
        t.Map(t.STRING, t.Int64(**NULLABLE), **NULLABLE),
        [Struct({"a": 1, "b": None}), Struct(), Struct({"x": 2}), None, Struct({"a": 3})],
    ),
}
ROW = t.Struct(tuple(t.Field(name, type_) for name, (type_, _) in COLUMNS.items()), open=False)
ROWS = [Struct([(name, items[i]) for name, (_, items) in COLUMNS.items()]) for i in range(5)]


class Word(NamedTuple):
    """An argument that is a name."""

    name: str


class Of(NamedTuple):
    """A call: arguments are names of columns, literals, or words; a literal is of the type that stands with it."""

    extension: str
    name: str
    args: tuple[Any, ...]
    options: dict[str, str]
    kind: Kind = Kind.SCALAR

    def __str__(self) -> str:
        return f"{self.extension}:{self.name}{self.args} {self.options}"


def of(name: str, *args: Any, **options: str) -> Of:
    extension, _, function = name.partition(":")
    return Of(extension, function, args, options)


def column(name: str) -> p.Rex:
    return p.Path(ROW.field(name) or t.ANY, p.Var(ROW, 0), (p.Key(p.Lit(t.STRING, name)),))


def rex(arg: Any) -> p.Rex:
    if isinstance(arg, str):
        return column(arg)
    type_, value = arg
    return p.Lit(t.absent(type_, nullable=value is None), value)


def made(call: Of) -> tuple[p.Fn, tuple[p.Rex, ...]]:
    urn = UNSIGNED if call.extension == "unsigned_integers" else URN(call.extension)
    given = [arg if isinstance(arg, Word) else rex(arg) for arg in call.args]
    asked = [
        EnumValue(arg.name)
        if isinstance(arg, Word)
        else Constant(arg.type, arg.value)
        if isinstance(arg, p.Lit)
        else arg.type
        for arg in given
    ]
    found = resolve(urn, call.name, None, call.kind, asked, [(name, (value,)) for name, value in call.options.items()])
    assert not any(found.casts), call
    rexes = tuple(arg for arg in given if isinstance(arg, p.Rex))
    params = tuple(p.ValueParam(arg.type) for arg in rexes)
    choices = tuple(p.Choice(name, value) for name, value in found.choices)
    return p.Fn(found.row.name, p.FnOption.NONE, params, found.returns, choices=choices), rexes


def scan() -> p.Rel:
    return p.Scan(p.Lit(t.Bag(ROW), Bag(ROWS)))


def plan(rel: p.Rel, width: int) -> p.Plan:
    return p.Plan(p.Root(tuple(f"c{i}" for i in range(width)), rel, mode=p.Mode.STRICT), globals=())


def alike(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-6)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(alike, a, b))
    return type(a) is type(b) and values.equal(a, b)


def compare(engine: SparkEngine, exprs: Sequence[p.Rex], said: Sequence[object]) -> None:
    """All in one job."""
    rel = p.Project((*exprs, column("n")), scan())
    both = plan(rel, len(exprs) + 1)
    answers = [sorted(found, key=lambda row: row.pairs[-1][1]) for found in (engine.run(both).value(), evaluate(both))]
    wrong = []
    for actual, expected in zip(*answers, strict=True):
        pairs = zip(said, actual.pairs, expected.pairs, strict=False)
        wrong += [f"{what}: {a!r}, not {b!r}" for what, (_, a), (_, b) in pairs if not alike(a, b)]
    assert not wrong, "\n".join(wrong)


@contextmanager
def native(spark: Any) -> Iterator[SparkEngine]:
    """An engine that refuses to run Python. Nothing runs long enough for generated code to be worth its while."""
    with configured(spark, FAST):
        yield SparkEngine(spark, fallback="refuse")


I32, I64, STR = t.INT32, t.INT64, t.STRING


def text(value: str | None) -> tuple[t.Type, str | None]:
    return STR, value


def i32(value: int | None) -> tuple[t.Type, int | None]:
    return I32, value


def i64(value: int | None) -> tuple[t.Type, int | None]:
    return I64, value
