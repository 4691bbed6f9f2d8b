"""The result types that a signature can name, each computed from the types of the arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel import types as t

Returns = Callable[[Sequence[t.Type]], t.Type]


def _numeric(args: Sequence[t.Type]) -> t.Type:
    """The result of arithmetic: a 64-bit integer, a decimal without a precision, or a 64-bit float."""
    members = [member for arg in args for member in t.members(arg)]
    if any(not isinstance(member, t.Number | t.Null | t.Missing) for member in members):
        return t.union((t.INT64, t.DECIMAL, t.FLOAT64))
    found = {_ARITHMETIC[type(member)] for member in members if isinstance(member, t.Number)}
    if any(isinstance(arg, t.Union) for arg in args):
        return t.union(found)
    return next((kind for kind in (t.FLOAT64, t.DECIMAL) if kind in found), t.INT64)


_ARITHMETIC: dict[type[t.Type], t.Type] = {
    **dict.fromkeys((t.Int8, t.Int16, t.Int32, t.Int64, t.Int), t.INT64),
    t.Decimal: t.DECIMAL,
    **dict.fromkeys((t.Float32, t.Float64), t.FLOAT64),
}


def _mean(arg: t.Type) -> t.Type:
    """The result of AVG: a decimal; of floats possibly a float, because NaN and infinities are no decimals."""
    return t.union((t.DECIMAL, *(member for member in t.members(_numeric([arg])) if member == t.FLOAT64)))


def _zoned(kind: type[t.Time] | type[t.Timestamp], args: Sequence[t.Type]) -> t.Type:
    """A time or timestamp, with a zone if the arguments have one; if that is not known, a union of both."""
    members = [member for arg in args for member in t.members(arg)]
    zones = {member.zone for member in members if isinstance(member, t.Time | t.Timestamp) and type(member) is kind}
    if not zones or any(isinstance(member, t.Any | t.Unresolved) for member in members):
        zones = {False, True}
    return t.union(kind(zone=zone) for zone in sorted(zones))


def _interval(args: Sequence[t.Type]) -> t.Type:
    """An interval of the arguments' unit."""
    units = {arg.unit for arg in args if isinstance(arg, t.Interval)}
    known = len(units) == 1 and all(isinstance(arg, t.Interval | t.Number) for arg in args)
    return t.Interval(units.pop()) if known else t.INTERVAL


def _element(arg: t.Type) -> t.Type:
    return arg.element if isinstance(arg, t.Collection) else t.ANY


def _bag(arg: t.Type) -> t.Type:
    """A bag of a collection's elements; for a value that is no collection, a bag of the value."""
    if isinstance(arg, t.Collection):
        return t.Bag(arg.element)
    known = not isinstance(arg, t.Any | t.Union | t.Null | t.Missing | t.Unresolved)
    return t.Bag(t.proper(arg)) if known else t.BAG


def _merged(args: Sequence[t.Type]) -> t.Type:
    if not all(isinstance(arg, t.Struct) for arg in args):
        return t.STRUCT
    structs = [arg for arg in args if isinstance(arg, t.Struct)]
    return t.Struct(tuple(f for s in structs for f in s.fields), open=any(s.open for s in structs))


#: An attribute of a struct, as `map_entries` gives it.
ENTRY = t.Struct((t.Field("key", t.STRING), t.Field("value", t.ANY)), open=False)

RETURNS: dict[str, Returns] = {
    "any": lambda _: t.ANY,
    "same": lambda args: t.proper(args[0]),
    "either": lambda args: t.union(args),
    "target": lambda args: t.proper(args[-1]),
    "bool": lambda _: t.BOOL,
    "string": lambda _: t.STRING,
    # Numbers.
    "int": lambda _: t.INT64,
    "decimal": lambda _: t.DECIMAL,
    "float": lambda _: t.FLOAT64,
    "exact": lambda _: t.union((t.INT64, t.DECIMAL)),
    "numeric": _numeric,
    "mean": lambda args: _mean(args[0]),
    # Time.
    "date": lambda _: t.DATE,
    "time": lambda args: _zoned(t.Time, args),
    "local_time": lambda _: t.TIME,
    "zoned_time": lambda _: t.Time(zone=True),
    "timestamp": lambda args: _zoned(t.Timestamp, args),
    "local_timestamp": lambda _: t.TIMESTAMP,
    "zoned_timestamp": lambda _: t.Timestamp(zone=True),
    "date_or_timestamp": lambda _: t.union((t.DATE, t.TIMESTAMP)),
    "interval": _interval,
    "day_time": lambda _: t.Interval("day_time"),
    # Containers.
    "struct": lambda _: t.STRUCT,
    "merged": _merged,
    "bag": lambda args: _bag(args[0]),
    "bag_of": lambda args: t.Bag(args[0]),
    "list_of": lambda args: t.Array(args[0]),
    "texts": lambda _: t.Array(t.STRING),
    "elements": lambda args: t.Array(_element(args[0])),
    "all_elements": lambda args: t.Array(t.union(_element(arg) for arg in args)),
    "rows": lambda _: t.BAG,
    "values": lambda _: t.Array(t.ANY),
    "entries": lambda _: t.Array(ENTRY),
    "element": lambda args: _element(args[0]),
    "element_sum": lambda args: _numeric([_element(args[0])]),
    "element_mean": lambda args: _mean(_element(args[0])),
}
