"""Rules that a message breaks by itself, although the plan runs: a table of functions that judge messages."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator

from firesteel.rules import CallRule, LiteralRule, PlanRule, RelationRule, Remark, TypeRule
from firesteel.substrait.message import Message
from firesteel.substrait.schema import REMOVED

Judge = Callable[[Message], Iterator[Remark]]


def judge_message(message: Message) -> Iterator[Remark]:
    """What is to be said of a message."""
    for judge in _JUDGES.get(message.kind.short, ()):
        yield from judge(message)
    for field in _REMOVED.get(message.kind.name, ()):
        if message.has(field):
            yield Remark(PlanRule.OLD_FORM, f"'{field}' of {message.kind.short} is of an old version", message.where)


_REMOVED = {name: tuple([field.name for field in fields]) for name, fields in REMOVED.items()}


# The plan ------------------------------------------------------------------------------------------------------------


def _version(plan: Message) -> Iterator[Remark]:
    version = plan.version
    if not any((version.major_number, version.minor_number, version.patch_number, version.git_hash)):
        yield Remark(PlanRule.NO_VERSION, "the plan does not say for which version it is written", plan.where)


def _has_root(plan: Message) -> Iterator[Remark]:
    doing = ("write", "ddl", "update")
    if plan.relations and not any(
        tree.which("rel_type") == "root" or tree.rel.which("rel_type") in doing for tree in plan.relations
    ):
        yield Remark(PlanRule.NO_ROOT, "the plan has no root, and so gives no rows", plan.where)


# Types ---------------------------------------------------------------------------------------------------------------


def _nullability(type_: Message) -> Iterator[Remark]:
    kind = type_.which("kind")
    inner = type_.given[kind] if kind else None
    if isinstance(inner, Message) and "nullability" in inner.kind.by_name and not inner.nullability:
        yield Remark(TypeRule.NULLABILITY, f"the type {kind} does not say whether it is nullable", type_.where)


def _schema(schema: Message) -> Iterator[Remark]:
    if schema.has("struct") and schema.struct.label("nullability") != "NULLABILITY_REQUIRED":
        yield Remark(TypeRule.SCHEMA_STRUCT, "the struct of the schema is not said to be required", schema.struct.where)


# Calls ---------------------------------------------------------------------------------------------------------------


def _output_type(call: Message) -> Iterator[Remark]:
    if call.output_type.which("kind") is None:
        yield Remark(CallRule.NO_OUTPUT_TYPE, "the call does not say what type it gives", call.where)


def _phase(call: Message) -> Iterator[Remark]:
    if not call.phase:
        yield Remark(RelationRule.PHASE, "the phase is not said: all of the aggregation is assumed", call.where)


def _bare_name(declared: Message) -> Iterator[Remark]:
    if declared.name and ":" not in declared.name:
        yield Remark(
            CallRule.BARE_NAME, f"'{declared.name}' is declared without the types of its arguments", declared.where
        )


# Windows -------------------------------------------------------------------------------------------------------------


def _frame(call: Message) -> Iterator[Remark]:
    bounds = [_bound(call.lower_bound, first=True), _bound(call.upper_bound, first=False)]
    for message in (call.lower_bound, call.upper_bound):
        kind = message.which("kind")
        if kind in ("preceding", "following") and not message.given[kind].has("offset_expr"):
            offset = message.given[kind].offset
            if offset <= 0:
                yield Remark(RelationRule.FRAME_OFFSET, f"a bound of {offset} rows {kind}", message.where)
    start, end = bounds
    if start is not None and end is not None and start > end:
        yield Remark(RelationRule.FRAME_ORDER, "the frame begins after its end, and has no rows", call.where)


def _bound(message: Message, *, first: bool) -> float | None:
    """The row that a bound is at, counted from the current one; None where an expression says it."""
    kind = message.which("kind")
    if kind == "current_row":
        return 0
    if kind in ("unbounded", None):
        return float("-inf") if first else float("inf")
    inner = message.given[str(kind)]
    if inner.has("offset_expr"):
        return None
    return -inner.offset if kind == "preceding" else inner.offset


# Literals ------------------------------------------------------------------------------------------------------------


_EPOCH = datetime.date(1970, 1, 1)
#: The days from 1970 of the first date that every consumer has, and of the first one after the last.
_FIRST, _END = (datetime.date(1000, 1, 1) - _EPOCH).days, (datetime.date(9999, 12, 31) - _EPOCH).days + 1
_MOST_YEARS, _MOST_DAYS = 10_000, 3_650_000
_DAY = 86_400


def _calendar(literal: Message) -> Iterator[Remark]:
    kind = literal.which("literal_type") or ""
    inside = _RANGES.get(kind)
    if inside is not None and not inside(literal.given[kind]):
        yield Remark(LiteralRule.CALENDAR, f"a {kind.replace('_', ' ')} beyond the range of its type", literal.where)


def _is_instant(units: int, precision: int) -> bool:
    return not 0 <= precision <= 12 or _FIRST <= units // 10**precision // _DAY < _END


def _is_years(given: Message) -> bool:
    return abs(int(given.years) * 12 + int(given.months)) <= _MOST_YEARS * 12


def _is_days(given: Message) -> bool:
    return abs(int(given.days) * _DAY + int(given.seconds)) <= _MOST_DAYS * _DAY


_RANGES: dict[str, Callable[..., bool]] = {
    "date": lambda days: _FIRST <= days < _END,
    "timestamp": lambda units: _is_instant(units, 6),
    "timestamp_tz": lambda units: _is_instant(units, 6),
    "precision_timestamp": lambda given: _is_instant(given.value, given.precision),
    "precision_timestamp_tz": lambda given: _is_instant(given.value, given.precision),
    "interval_year_to_month": _is_years,
    "interval_day_to_second": _is_days,
}

_JUDGES: dict[str, tuple[Judge, ...]] = {
    "Plan": (_version, _has_root),
    "Type": (_nullability,),
    "NamedStruct": (_schema,),
    "ScalarFunction": (_output_type,),
    "AggregateFunction": (_output_type, _phase),
    "WindowFunction": (_output_type, _phase, _frame),
    "WindowRelFunction": (_output_type, _phase, _frame),
    "ExtensionFunction": (_bare_name,),
    "Literal": (_calendar,),
}
