"""Physical relations that are no logical ones with a strategy, and windows."""

from __future__ import annotations

from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.functions import Kind
from firesteel.plan.fit import names_of
from firesteel.plan.type_fit import alike
from firesteel.substrait import own_messages
from firesteel.substrait.message import Message, message
from firesteel.substrait.schema import schema
from firesteel.substrait.write import calls
from firesteel.substrait.write.base import Row, Writer, Writing, common, relation, row_over
from firesteel.substrait.write.own_nodes import own_node
from firesteel.substrait.write.reads import optimization
from firesteel.substrait.write.references import field_reference
from firesteel.substrait.write.relations import sort_fields

# ---------------------------------------------------------------------------------------------------------------------
# Exchange and captures


@relation(p.Exchange)
def _exchange(writer: Writer, node: p.Exchange, row: Row) -> Writing:
    kind = yield from _kind(writer, node, row_over(row, node.input))
    targets = [_target(one) for one in node.targets]
    if kind is None or node.numbered or node.partitions == 0 or None in targets:
        return None
    made = message("ExchangeRel", common=common(), input=(yield node.input, row), **kind)
    made.given.update(message("ExchangeRel", partition_count=node.partitions or 0, targets=targets).given)
    return "exchange", made


def _kind(writer: Writer, node: p.Exchange, row: Row) -> Writing:
    kind = node.kind
    match kind:
        case p.Scatter():
            fields = [field_reference(writer, rex, row) for rex in kind.fields]
            if not fields or None in fields:
                return None
            return {"scatter_by_fields": message("ExchangeRel.ScatterFields", fields=fields)}
        case p.SingleBucket():
            if not isinstance(kind.expression.type, t.Integer):
                return None
            parts: dict[str, Any] = {
                "single_target": message("ExchangeRel.SingleBucketExpression", expression=(yield kind.expression, row))
            }
            if kind.constrained:
                options = message("firesteel.ExchangeOptions", constrained_to_count=True)
                parts["advanced_extension"] = optimization(own_messages.EXCHANGE_OPTIONS, options)
            return parts
        case p.MultiBucket():
            type_ = kind.expression.type
            if not isinstance(type_, t.Array) or not isinstance(type_.element, t.Integer):
                return None
            expression = yield kind.expression, row
            made = message(
                "ExchangeRel.MultiBucketExpression", expression=expression, constrained_to_count=kind.constrained
            )
            return {"multi_target": made}
        case p.RoundRobin():
            return {"round_robin": message("ExchangeRel.RoundRobin", exact=kind.exact)}
        case p.Broadcast():
            return {"broadcast": message("ExchangeRel.Broadcast")}
    return None


def _target(target: p.Target) -> Message | None:
    """A place of some partitions; None for one that no message says."""
    parts: dict[str, Any] = {"partition_id": list(target.partitions)}
    if target.uri is not None:
        return message("ExchangeRel.ExchangeTarget", uri=target.uri, **parts) if target.value is None else None
    if not isinstance(target.value, values.Struct):
        return None
    found = dict(target.value.pairs)
    if [key for key, _ in target.value.pairs] != ["type_url", "value"] or not isinstance(found["value"], bytes):
        return None
    held = Message(schema().messages["google.protobuf.Any"])
    held.given.update(found)
    return message("ExchangeRel.ExchangeTarget", extended=held, **parts)


@relation(p.MergingCapture, p.SimpleCapture)
def _capture(writer: Writer, node: p.MergingCapture | p.SimpleCapture, row: Row) -> Writing:
    if isinstance(node, p.MergingCapture):
        name, detail = own_messages.MERGING_CAPTURE, message("firesteel.MergingCapture", blocking=node.blocking)
    else:
        name, detail = own_messages.SIMPLE_CAPTURE, message("firesteel.SimpleCapture")
    source = yield node.input, row
    held = own_messages.packed(name, detail)
    return "extension_single", message("ExtensionSingleRel", common=common(), input=source, detail=held)


# ---------------------------------------------------------------------------------------------------------------------
# Top-N and expand


@relation(p.TopN)
def _top_n(writer: Writer, node: p.TopN, row: Row) -> Writing:
    if any(not isinstance(rex.type, t.Integer | t.Null | t.Any) for rex in (node.count, node.skip) if rex is not None):
        return None
    sorts = yield from sort_fields(writer, node.specs, row_over(row, node.input))
    if not sorts:
        return None
    counts = Row(outer=row)
    made = message(
        "TopNRel", common=common(), input=(yield node.input, row), sorts=sorts, count=(yield node.count, counts)
    )
    if node.skip is not None:
        made.given["offset"] = yield node.skip, counts
    mode = "WITH_TIES" if node.ties else "ROWS_ONLY"
    labels = schema().enums[made.kind.by_name["mode"].of].numbers
    made.given.update(
        message("TopNRel", mode=next(number for label, number in labels.items() if label.endswith(mode))).given
    )
    return "top_n", made


@relation(p.Expand)
def _expand(writer: Writer, node: p.Expand, row: Row) -> Writing:
    inner = row_over(row, node.input)
    if len(node.fields) < len(inner.columns) or not all(_is_field(field) for field in node.fields):
        return None
    fields: list[Message] = []
    for field in node.fields:
        if isinstance(field, p.Consistent):
            fields.append(message("ExpandRel.ExpandField", consistent_field=(yield field.value, inner)))
            continue
        assert isinstance(field, p.Switching)
        duplicates: list[Message] = []
        for rex in field.duplicates:
            duplicates.append((yield rex, inner))
        switching = message("ExpandRel.SwitchingField", duplicates=duplicates)
        fields.append(message("ExpandRel.ExpandField", switching_field=switching))
    return "expand", message("ExpandRel", common=common(), input=(yield node.input, row), fields=fields)


def _is_field(field: p.ExpandField) -> bool:
    """Is it a field that is read as it is: of one type and the same names in all duplicates?"""
    if not isinstance(field, p.Switching):
        return True
    typed = [rex.type for rex in field.duplicates if not isinstance(rex.type, t.Null)]
    return bool(field.duplicates) and all(alike(one, typed[0]) and names_of(one) == names_of(typed[0]) for one in typed)


# ---------------------------------------------------------------------------------------------------------------------
# Windows


@relation(p.Window)
def _window(writer: Writer, node: p.Window, row: Row) -> Writing:
    first = node.calls[0] if node.calls else None
    if first is None or any((one.partition, one.order) != (first.partition, first.order) for one in node.calls):
        return None
    inner = row_over(row, node.input)
    sorts = yield from sort_fields(writer, first.order, inner, compares=False)
    if sorts is None:
        return None
    functions: list[Message] = []
    for call in node.calls:
        made = yield from _call(writer, call, inner)
        if made is None:
            return None
        functions.append(made)
    partitions: list[Message] = []
    for rex in first.partition:
        partitions.append((yield rex, inner))
    if not writer.target.window_relations:
        return "project", message(
            "ProjectRel",
            common=common(),
            input=(yield node.input, row),
            expressions=[_expression(one, partitions, sorts) for one in functions],
        )
    made = message(
        "ConsistentPartitionWindowRel",
        common=common(),
        input=(yield node.input, row),
        window_functions=functions,
        partition_expressions=partitions,
        sorts=sorts,
    )
    yield from _method(writer, node, inner, made)
    return "window", made


def _expression(function: Message, partitions: list[Message], sorts: list[Message]) -> Message:
    """A window function as an expression, which says its partitions and its order itself."""
    made = message("Expression.WindowFunction", partitions=partitions, sorts=sorts)
    made.given.update(function.given)
    return message("Expression", window_function=made)


def _method(writer: Writer, node: p.Window, row: Row, made: Message) -> Writing:
    """How the functions are computed; or all of the node, where a call has no frame of its own."""
    if writer.target.portable:
        return
    if any(call.frame is None for call in node.calls):
        said = yield from own_node(writer, node, row)
        made.given["advanced_extension"] = optimization(own_messages.NODE, said)
    elif node.method is not p.WindowMethod.CONSISTENT:
        name = "ANY" if node.method is None else node.method.name
        strategy = message("firesteel.WindowStrategy", method=f"METHOD_{name}")
        made.given["advanced_extension"] = optimization(own_messages.WINDOW_STRATEGY, strategy)


def usual_frame(call: p.WindowCall) -> p.Frame:
    """The frame of a call that has none: up to the last peer where there is an order, else all of the partition."""
    start = p.Bound(p.BoundSide.PRECEDING, None)
    if not call.order:
        return p.Frame(p.FrameUnit.ROWS, start, p.Bound(p.BoundSide.FOLLOWING, None))
    return p.Frame(p.FrameUnit.RANGE, start, p.Bound(p.BoundSide.CURRENT, None))


def _call(writer: Writer, call: p.WindowCall, row: Row) -> Writing:
    frame = call.frame or usual_frame(call)
    parts = yield from calls.over_rows(writer, call.fn, call.args, row, Kind.WINDOW)
    lower = yield from _bound(frame.start, p.BoundSide.PRECEDING)
    upper = yield from _bound(frame.end, p.BoundSide.FOLLOWING)
    around = frame.unit is p.FrameUnit.RANGE and (frame.start.offset is not None or frame.end.offset is not None)
    measured = len(call.order) == 1 and isinstance(call.order[0].key.type, t.Number | t.Temporal | t.Null)
    if parts is None or lower is None or upper is None or frame.unit is p.FrameUnit.GROUPS or (around and not measured):
        return None
    invocation = "AGGREGATION_INVOCATION_DISTINCT" if call.distinct else "AGGREGATION_INVOCATION_ALL"
    return message(
        "ConsistentPartitionWindowRel.WindowRelFunction",
        invocation=invocation,
        phase="AGGREGATION_PHASE_INITIAL_TO_RESULT",
        bounds_type=f"BOUNDS_TYPE_{frame.unit.name}",
        lower_bound=lower,
        upper_bound=upper,
        **parts,
    )


def _bound(bound: p.Bound, outwards: p.BoundSide) -> Writing:
    """An end of a frame; None for one that no message says."""
    name = "Expression.WindowFunction.Bound"
    match bound:
        case p.Bound(side=p.BoundSide.CURRENT, offset=None):
            return message(name, current_row=message(f"{name}.CurrentRow"))
        case p.Bound(side=side, offset=None):
            return message(name, unbounded=message(f"{name}.Unbounded")) if side is outwards else None
        case p.Bound(side=p.BoundSide.PRECEDING | p.BoundSide.FOLLOWING as side, offset=p.Rex() as offset):
            inner = message(f"{name}.{side.name.capitalize()}", offset_expr=(yield offset, Row(is_leaf=True)))
            return message(name, **{side.name.lower(): inner})
    return None
