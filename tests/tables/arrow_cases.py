"""Columns of every type of Arrow: values at the limits, NULLs, what is nested; and what they are here."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from firesteel import types as t
from firesteel.values import Interval, Struct, Time, Timestamp, Value

DAY = 86_400


@dataclass(frozen=True)
class Case:
    """A column: its values as Arrow takes them, without NULLs, what they are here, and of which type."""

    name: str
    arrow: Any
    given: list[Any]
    expected: list[Value]
    type: t.Type

    def array(self, items: list[Any]) -> Any:
        """Some of the given values, and NULLs, as an array."""
        if isinstance(self.arrow, pa.BaseExtensionType):
            return pa.ExtensionArray.from_storage(self.arrow, pa.array(items, self.arrow.storage_type))
        return pa.array(items, self.arrow)


def ints(bits: int, *, signed: bool = True) -> list[Any]:
    return [-(1 << bits - 1), -1, 0, (1 << bits - 1) - 1] if signed else [0, 1, (1 << bits) - 1]


def stamp(year: int, month: int = 1, day: int = 1, *clock: Any, offset: int | None = None) -> Timestamp:
    hour, minute, second = clock or (0, 0, "0")
    return Timestamp(year, month, day, hour, minute, Decimal(second), offset)


FIRST = (datetime.date(1, 1, 1) - datetime.date(1970, 1, 1)).days * DAY
LAST = (datetime.date(9999, 12, 31) - datetime.date(1970, 1, 1)).days * DAY + DAY - 1
#: By unit: ticks, and the moments that they are.
_MOMENTS: dict[str, list[tuple[int, tuple[Any, ...]]]] = {
    "s": [(FIRST, (1,)), (-1, (1969, 12, 31, 23, 59, "59")), (0, (1970,)), (LAST, (9999, 12, 31, 23, 59, "59"))],
    "ms": [
        (-1, (1969, 12, 31, 23, 59, "59.999")),
        (1, (1970, 1, 1, 0, 0, "0.001")),
        (LAST * 1000 + 999, (9999, 12, 31, 23, 59, "59.999")),
    ],
    "us": [
        (FIRST * 10**6, (1, 1, 1, 0, 0, "0.000000")),
        (-1, (1969, 12, 31, 23, 59, "59.999999")),
        (1, (1970, 1, 1, 0, 0, "0.000001")),
    ],
    "ns": [
        (-(1 << 63) + 1, (1677, 9, 21, 0, 12, "43.145224193")),
        (1, (1970, 1, 1, 0, 0, "1e-9")),
        (2, (1970, 1, 1, 0, 0, "2e-9")),
        ((1 << 63) - 1, (2262, 4, 11, 23, 47, "16.854775807")),
    ],
}
_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_WIDE = Decimal("1" + "0" * 74 + ".5")
_UUID = uuid.UUID("12345678-1234-5678-9abc-def012345678")


def _times() -> list[Case]:
    found = []
    for unit, digits in _DIGITS.items():
        arrow = (pa.time32 if digits < 6 else pa.time64)(unit)
        last = Decimal(60) - Decimal(1).scaleb(-digits)
        values = [Time(0, 0, Decimal(0).scaleb(-digits)), Time(0, 0, Decimal(1).scaleb(-digits)), Time(23, 59, last)]
        found.append(Case(f"time_{unit}", arrow, [0, 1, DAY * 10**digits - 1], values, t.Time(digits)))
        limits = [-(1 << 63) + 1, 1, (1 << 63) - 1]
        lengths = [Interval("day_time", nanos=ticks * 10 ** (9 - digits)) for ticks in limits]
        found.append(Case(f"duration_{unit}", pa.duration(unit), limits, lengths, t.Interval("day_time", digits)))
        ticks, parts = zip(*_MOMENTS[unit], strict=True)
        for tz in (None, "UTC", "Europe/Berlin"):
            offset = None if tz is None else 0
            moments = [stamp(*part, offset=offset) for part in parts]
            type_ = t.Timestamp(digits, zone=tz is not None)
            found.append(Case(f"timestamp_{unit}_{tz}", pa.timestamp(unit, tz), list(ticks), moments, type_))
    return found


def _same(name: str, arrow: Any, items: list[Any], type_: t.Type) -> Case:
    return Case(name, arrow, items, items, type_)


def _decimal(arrow: Any, *texts: str) -> Case:
    type_ = t.Decimal(arrow.precision, arrow.scale)
    return _same(str(arrow), arrow, [Decimal(text) for text in texts], type_)


_DATES = [datetime.date(1, 1, 1), datetime.date(1969, 12, 31), datetime.date(9999, 12, 31)]
_FLOATS = [0.0, -1.5, 65504.0, 2.0**-24, float("inf"), float("-inf")]
_TEXTS = ["", "ä\U0001f600", "x" * 40]
_OCTETS = [b"", b"\x00\xff", b"x" * 40]
LEAVES: list[Case] = [
    _same("bool", pa.bool_(), [True, False], t.BOOL),
    *(_same(f"int{n}", getattr(pa, f"int{n}")(), ints(n), getattr(t, f"INT{n}")) for n in (8, 16, 32, 64)),
    _same("uint8", pa.uint8(), ints(8, signed=False), t.INT16),
    _same("uint16", pa.uint16(), ints(16, signed=False), t.INT32),
    _same("uint32", pa.uint32(), ints(32, signed=False), t.INT64),
    Case("uint64", pa.uint64(), ints(64, signed=False), [Decimal(n) for n in ints(64, signed=False)], t.Decimal(20, 0)),
    _same("halffloat", pa.float16(), _FLOATS, t.FLOAT32),
    _same("float", pa.float32(), [*_FLOATS, 2.0**-149], t.FLOAT32),
    _same("double", pa.float64(), [*_FLOATS, 5e-324, 1.7976931348623157e308], t.FLOAT64),
    _decimal(pa.decimal32(9, 2), "9999999.99", "-0.01"),
    _decimal(pa.decimal64(18, 4), "99999999999999.9999", "-0.0001"),
    _decimal(pa.decimal128(11, 2), "1.50", "-999999999.99"),
    _decimal(pa.decimal128(38, 0), "9" * 38, "-" + "9" * 38),
    _decimal(pa.decimal256(20, 3), "1.500", "-0.001"),
    _decimal(pa.decimal256(76, 1), str(_WIDE), "-0.1"),
    Case("decimal_of_hundreds", pa.decimal128(5, -2), [Decimal("1E+2")], [Decimal(100)], t.Decimal(7, 0)),
    *(_same(name, getattr(pa, name)(), _TEXTS, t.STRING) for name in ("string", "large_string", "string_view")),
    *(_same(name, getattr(pa, name)(), _OCTETS, t.BLOB) for name in ("binary", "large_binary", "binary_view")),
    _same("fixed_size_binary", pa.binary(3), [b"abc", b"\x00\xff\x01"], t.Byte(3)),
    _same("date32", pa.date32(), _DATES, t.DATE),
    _same("date64", pa.date64(), _DATES, t.DATE),
    *_times(),
    Case(
        "month_day_nano",
        pa.month_day_nano_interval(),
        [(1, 2, 3), (-13, -1, 5)],
        [Interval("compound", 1, 2 * DAY * 10**9 + 3), Interval("compound", -13, 5 - DAY * 10**9)],
        t.Interval("compound", 9),
    ),
    Case("uuid", pa.uuid(), [_UUID.bytes], [str(_UUID)], t.Uuid()),
    _same("json", pa.json_(), ['{"a": 1}'], t.STRING),
    Case("bool8", pa.bool8(), [0, 1], [False, True], t.BOOL),
]


# ---------------------------------------------------------------------------------------------------------------------
# What holds others: an array, and its values, of three items each, the last one NULL or empty

Built = tuple[Any, list[Value]]


def _listed(cls: Any, offsets: Any) -> Callable[[Built], Built]:
    def build(inner: Built) -> Built:
        array, items = inner
        return cls.from_arrays(pa.array([0, 1, None, len(items)], offsets), array), [items[:1], items[1:], None]

    return build


def _list_view(inner: Built) -> Built:
    array, items = inner
    starts, sizes = pa.array([1, 0, 0], pa.int32()), pa.array([len(items) - 1, 1, 0], pa.int32())
    return pa.ListViewArray.from_arrays(starts, sizes, array), [items[1:], items[:1], []]


def _fixed_list(inner: Built) -> Built:
    array, items = inner
    return pa.FixedSizeListArray.from_arrays(array.slice(0, 2), 2), [items[:2]]


def _struct(inner: Built) -> Built:
    array, items = inner
    mask = pa.array([False] * (len(items) - 1) + [True])
    found = [Struct([("a", item), ("B c", item)]) for item in items[:-1]]
    return pa.StructArray.from_arrays([array, array], names=["a", "B c"], mask=mask), [*found, None]


def _map(inner: Built) -> Built:
    array, items = inner
    keys = pa.array([f"k{i}" for i in range(len(items))])
    found = Struct([(f"k{i}", item) for i, item in enumerate(items)])
    return pa.MapArray.from_arrays(pa.array([0, len(items), len(items)], pa.int32()), keys, array), [found, Struct()]


def _dictionary(inner: Built) -> Built:
    array, items = inner
    return pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), array), [items[1], None, items[0]]


def _runs(inner: Built) -> Built:
    array, items = inner
    ends = pa.array([2 * (i + 1) for i in range(len(items))], pa.int16())
    return pa.RunEndEncodedArray.from_arrays(ends, array), [item for item in items for _ in range(2)]


def _union(inner: Built) -> Built:
    array, items = inner
    codes, places = pa.array([1, 0, 0], pa.int8()), pa.array([0, 0, 1], pa.int32())
    return pa.UnionArray.from_dense(codes, places, [array, pa.array(["other"])]), ["other", items[0], items[1]]


def _sparse(inner: Built) -> Built:
    array, items = inner
    codes = pa.array([1] + [0] * (len(items) - 1), pa.int8())
    others = pa.array([f"o{i}" for i in range(len(items))])
    return pa.UnionArray.from_sparse(codes, [array, others]), ["o0", *items[1:]]


WRAPPERS: dict[str, Callable[[Built], Built]] = {
    "list": _listed(pa.ListArray, pa.int32()),
    "large_list": _listed(pa.LargeListArray, pa.int64()),
    "list_view": _list_view,
    "fixed_size_list": _fixed_list,
    "struct": _struct,
    "map": _map,
    "dictionary": _dictionary,
    "run_end_encoded": _runs,
    "dense_union": _union,
    "sparse_union": _sparse,
}


def leaf(case: Case) -> Built:
    """All values of a case, and a NULL."""
    return case.array([*case.given, None]), [*case.expected, None]


@st.composite
def columns(draw: st.DrawFn) -> Built:
    """A column of a leaf's values, wrapped up to three times, and perhaps a slice of that."""
    case = draw(st.sampled_from(LEAVES))
    picked = draw(st.lists(st.sampled_from([*range(len(case.given)), None]), min_size=2, max_size=5))
    array = case.array([None if i is None else case.given[i] for i in picked])
    built: Built = array, [None if i is None else case.expected[i] for i in picked]
    for name in draw(st.lists(st.sampled_from(sorted(WRAPPERS)), max_size=3)):
        if len(built[1]) >= 2 and not (name == "run_end_encoded" and pa.types.is_run_end_encoded(built[0].type)):
            built = WRAPPERS[name](built)
    start = draw(st.integers(0, len(built[1])))
    return built[0].slice(start), built[1][start:]
