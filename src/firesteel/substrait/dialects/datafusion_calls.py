"""Calls of DataFusion that are other expressions: constructors, casts to Arrow's types, fields by name, choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.evaluate.substrait import casts
from firesteel.functions.substrait.coercion import bare
from firesteel.plan import build
from firesteel.plan.fit import attribute, rename_fields
from firesteel.repair import Repair, RepairKind
from firesteel.substrait.dialects.arrow_types import arrow_type_text, read_arrow_type
from firesteel.substrait.dialects.base import Given, Rewrite, Rule
from firesteel.substrait.types import read_type


def declared_type(given: Given) -> t.Type | None:
    """The type that the message declares for the call."""
    message = given.message
    if not message.has("output_type") or message.output_type.which("kind") is None:
        return None
    return named_as_given(read_type(message.output_type, given.extensions), given.args)


def named_as_given(type_: t.Type, args: Sequence[Any]) -> t.Type:
    """A declared type has no names of fields: those of an argument's type that is the same but for the names, or of a
    part of one."""
    for arg in args:
        for one in _parts(arg.type) if isinstance(arg, p.Rex) else ():
            if bare(one) == bare(type_):
                return t.absent(one, nullable=type_.nullable)
            if isinstance(type_, t.Array) and bare(one) == bare(type_.element):
                return t.Array(t.absent(one, nullable=True), nullable=type_.nullable)
    return type_


def _parts(type_: t.Type) -> list[t.Type]:
    found = [type_]
    while isinstance(found[-1], t.Array):
        found.append(found[-1].element)
    return found


def values(given: Given) -> list[p.Rex] | None:
    """The arguments, if all of them are values."""
    found = [one for one in given.args if isinstance(one, p.Rex)]
    return found if len(found) == len(given.args) else None


def as_type(rex: p.Rex, type_: t.Type) -> p.Rex:
    """The value cast to the type; NULL gets it, and nested fields get its names."""
    if isinstance(rex.type, t.Null) or (isinstance(rex, p.Lit) and rex.value is None):
        return p.Lit(t.absent(type_, nullable=True), None)
    if bare(rex.type) == bare(type_):
        return rex if t.proper(rex.type) == t.proper(type_) else rename_fields(rex, type_)
    casts.build(rex.type, type_)
    return build.substrait_cast(rex, t.proper(type_))


def _make_array(given: Given) -> p.Rex | None:
    found, type_ = values(given), declared_type(given)
    if found is None or not isinstance(type_, t.Array):
        return None
    element = t.absent(type_.element, nullable=True)
    if not found:
        return p.Lit(t.Array(element), [])
    return p.Collection(t.Array(element), tuple(as_type(one, element) for one in found))


def _text(rex: object) -> str | None:
    return rex.value if isinstance(rex, p.Lit) and isinstance(rex.value, str) else None


def _arrow_cast(failure: str) -> Rewrite:
    def rewrite(given: Given) -> p.Rex | None:
        found = values(given)
        name = _text(found[1]) if found and len(found) == 2 else None
        if found is None or name is None:
            return None
        meant = read_arrow_type(name)
        if meant is None:
            raise UnsupportedError(f"'{given.name}' to the type '{name}'", help="it is no type that is known here")
        if not meant.exact:
            given.extensions.repair(RepairKind.VARIATION, given.message.where, variation=name, type=meant.type)
        return _cast(found[0], meant.type, failure)

    return rewrite


#: Types whose values Arrow writes in another way than the standard.
_WRITTEN = (t.Timestamp, t.Interval, t.Float32, t.Float64, t.Array)


def _has_fewer_digits(target: t.Timestamp, source: t.Timestamp) -> bool:
    return (target.precision or 0) < (source.precision or 0) and bool(target.zone) == bool(source.zone)


_TIMES = (t.Date, t.Time, t.Timestamp, t.Interval)


def cast(value: p.Rex, type_: t.Type, failure: str) -> p.Rex | None:
    """Casts that the standard does not have, or has with another unit: between numbers and times, which are numbers of
    units in Arrow, from text to intervals, of timestamps to fewer digits, which are cut towards zero, and to text as
    Arrow writes it. None for all others."""
    source, target = t.proper(value.type), t.proper(type_)
    if isinstance(value, p.Lit) and value.value is None:
        return None
    counted = isinstance(source, t.Number) and isinstance(target, _TIMES)
    counted |= isinstance(source, _TIMES) and isinstance(target, t.Integer)
    spans = isinstance(target, t.Interval) and isinstance(source, t.Text | t.Interval) and source != target
    written = isinstance(target, t.Text) and isinstance(source, _WRITTEN)
    cut = isinstance(source, t.Timestamp) and isinstance(target, t.Timestamp) and _has_fewer_digits(target, source)
    if not (counted or spans or written or cut) or (failure != "THROW" and not written):
        return None
    return p.Call(build.typed_fn("datafusion:cast", (value,), t.absent(target, nullable=True)), (value,))


def _cast(value: p.Rex, type_: t.Type, failure: str = "THROW") -> p.Rex:
    if isinstance(type_, t.Null):
        return p.Lit(t.NULL, None)
    meant = cast(value, type_, failure)
    if meant is not None:
        return meant
    if bare(value.type) != bare(type_):
        casts.build(value.type, type_)  # refuses by name
    return build.substrait_cast(value, type_, failure=failure)


def _cast_to_type(failure: str) -> Rewrite:
    """`cast_to_type(x, y)` is x in the type of y."""

    def rewrite(given: Given) -> p.Rex | None:
        found = values(given)
        return _cast(found[0], found[1].type, failure) if found and len(found) == 2 else None

    return rewrite


#: Repairs by which several types of Arrow are read as one of ours.
_MERGING = (RepairKind.UNSIGNED, RepairKind.VARIATION, RepairKind.DICTIONARY)


#: Functions whose results have another type in DataFusion than in the standard, by a name of the type of ours.
_OTHER_RESULTS = {
    "Int64": (
        *("row_number", "rank", "dense_rank", "ntile"),
        *("array_length", "cardinality", "date_part", "approx_distinct"),
    ),
    "Decimal": ("sum", "avg"),
}


def _arrow_typeof(given: Given) -> p.Rex | None:
    found = values(given)
    text = arrow_type_text(found[0].type) if found else None
    why = "" if text is None else _why_unknown(text, given)
    if text is None or why:
        raise UnsupportedError(f"'arrow_typeof': which of Arrow's types a value has is not known here{why}")
    return p.Lit(t.STRING, text)


#: Types of Substrait of which Arrow has several, with what Arrow's names of all of them have in common.
_SEVERAL = {"string": "Utf8", "binary": "Binary", "list": "List", "array": "List", "time": "Time", "date": "Date"}


#: Arrow's names of the types that unsigned integers of so many bits are read as.
_UNSIGNED = {8: "Int16", 16: "Int32", 32: "Int64", 64: "Decimal128(20, 0)"}


def _concerns(repair: Repair, text: str) -> bool:
    """May the repair have merged types of which the text names one?"""
    if repair.kind is RepairKind.UNSIGNED:
        return any(f"of {bits} bits" in repair.message and read_as in text for bits, read_as in _UNSIGNED.items())
    return next((common in text for name, common in _SEVERAL.items() if name in repair.message), True)


def _why_unknown(text: str, given: Given) -> str:
    merged = (one for one in given.extensions.repairs if one.kind in _MERGING)
    found = next((one for one in merged if _concerns(one, text)), None)
    if found is not None:
        return f", because {found.message}"
    if "Float" in text and any(one.name == "fp16" for one in given.extensions.types.values()):
        return ", because 'fp16' is read as float32"
    called = {one.name for one in given.extensions.functions.values()}
    for type_, names in _OTHER_RESULTS.items():
        other = next((name for name in names if name in called), None) if type_ in text else None
        if other is not None:
            return f", because '{other}' of the standard gives another type than DataFusion's"
    return ""


def _get_field(given: Given) -> p.Rex | None:
    found = values(given)
    if not found:
        return None
    root, *keys = found
    for key in keys:
        step = _step(root, key)
        if step is None:
            return None
        root = step
    return root


def _step(root: p.Rex, key: p.Rex) -> p.Rex | None:
    if isinstance(root.type, t.Struct):
        name = _text(key)
        if name is None or root.type.field(name) is None:
            raise UnsupportedError(f"'get_field': the plan does not name a field '{name}' of {root.type}")
        return attribute(root, name)
    if isinstance(root.type, t.Map):
        wanted = key if bare(key.type) == bare(root.type.key) else as_type(key, root.type.key)
        return build.substrait_expression("map_value", (root, wanted), t.absent(root.type.value, nullable=True))
    return None


def _named_struct(given: Given) -> p.Rex | None:
    found = values(given)
    if not found or len(found) % 2:
        return None
    names = [_text(one) for one in found[::2]]
    if None in names:
        return None
    return build.struct([(name or "", value) for name, value in zip(names, found[1::2], strict=True)])


def _struct(given: Given) -> p.Rex | None:
    found = values(given)
    return None if not found else build.struct([(f"c{i}", value) for i, value in enumerate(found)])


def _if(given: Given) -> p.Rex | None:
    found = values(given)
    if not found or len(found) != 3:
        return None
    return _choice(found[0], found[1], found[2], given)


def _trunc(given: Given) -> p.Rex | None:
    """Spark's `trunc(day, unit)`; that of numbers is no rewrite."""
    found = values(given)
    if not found or len(found) != 2 or not isinstance(found[0].type, t.Date):
        return None
    day, unit = found
    return p.Call(build.typed_fn("datafusion:date_trunc", (unit, day), t.Date(nullable=True)), (unit, day))


def _nvl(given: Given) -> p.Rex | None:
    found = values(given)
    if not found or len(found) != 2:
        return None
    return _choice(build.call("is_null", found[0]), found[1], found[0], given)


def _nvl2(given: Given) -> p.Rex | None:
    found = values(given)
    if not found or len(found) != 3:
        return None
    return _choice(build.call("is_null", found[0]), found[2], found[1], given)


def _choice(when: p.Rex, then: p.Rex, otherwise: p.Rex, given: Given) -> p.Rex | None:
    type_ = declared_type(given)
    if type_ is None:
        return None
    type_ = t.absent(type_, nullable=True)
    return p.Case(type_, None, (p.Branch(when, as_type(then, type_)),), default=as_type(otherwise, type_))


def _unknown(negated: bool) -> Rewrite:
    def rewrite(given: Given) -> p.Rex | None:
        found = values(given)
        if not found or len(found) != 1:
            return None
        made = build.call("is_null", found[0])
        return build.call("not", made) if negated else made

    return rewrite


def _zoned(given: Given) -> p.Rex | None:
    """The plan says that a time is of a zone, and not of which."""
    if any(isinstance(one, p.Rex) and isinstance(one.type, t.Timestamp) and one.type.zone for one in given.args):
        if _text(given.args[0]) is not None and (_text(given.args[0]) or "").lower() == "epoch":
            return None
        raise UnsupportedError(f"'{given.name}' of a time of a zone, of which the plan does not say the name")
    return None


_ZONED = Rule(_zoned, "DataFusion's types have the name of a zone, which Substrait's do not have: it is refused")
_BY_ZONE = ("date_part", "date_trunc", "to_local_time", "hour", "minute", "second", "to_utc_timestamp")
_ARRAY = Rule(_make_array, "it is a list of its arguments")

#: Calls by the function's name, each with the reason.
RULES: dict[str, Rule] = {
    **dict.fromkeys(_BY_ZONE, _ZONED),
    "make_array": _ARRAY,
    "array": _ARRAY,
    "arrow_cast": Rule(_arrow_cast("THROW"), "it is a cast to the type that its text names"),
    "arrow_try_cast": Rule(_arrow_cast("NULL"), "it is a cast to the type that its text names; NULL where it fails"),
    "cast_to_type": Rule(_cast_to_type("THROW"), "it is a cast to the type of its second argument"),
    "try_cast_to_type": Rule(_cast_to_type("NULL"), "it is a cast to the type of its second argument"),
    "arrow_typeof": Rule(_arrow_typeof, "the type of an argument is known when the plan is read"),
    "get_field": Rule(_get_field, "it is a field of a struct by its name, or the value under a key of a map"),
    "named_struct": Rule(_named_struct, "it is a struct of names and values"),
    "struct": Rule(_struct, "it is a struct with the names c0, c1 ..."),
    "if": Rule(_if, "it is a choice"),
    "trunc": Rule(_trunc, "of a date it is the start of a unit, as in Spark SQL"),
    "nvl": Rule(_nvl, "it is a choice"),
    "nvl2": Rule(_nvl2, "it is a choice"),
    "is_unknown": Rule(_unknown(False), "it is IS NULL of a boolean"),
    "is_not_unknown": Rule(_unknown(True), "it is IS NOT NULL of a boolean"),
}
