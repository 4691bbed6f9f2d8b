"""Physical relations that are no logical ones with a strategy: exchanges, captures, top-N and expand."""

from __future__ import annotations

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.plan.fit import rename_fields
from firesteel.plan.type_fit import alike
from firesteel.rules import PlanRule, RelationRule
from firesteel.substrait import own_messages
from firesteel.substrait.lower.base import FieldScope, Lowerer, Lowering, columns, relation, require_field, scope_over
from firesteel.substrait.lower.expressions.references import input_field
from firesteel.substrait.lower.relations.logical import check_counts, sort_specs
from firesteel.substrait.message import Message

# ---------------------------------------------------------------------------------------------------------------------
# Exchange


@relation("exchange")
def _exchange(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    source = require_field(message, "input")
    rel = yield source, scope
    count = message.partition_count or None  # 0 is how protobuf writes that there is none: the engine chooses
    if count is not None and count < 0:
        raise RelationRule.PARTITIONS.broken(f"an exchange to {count} partitions", where=message.where)
    kind = yield from _kind(lowerer, message, scope_over(scope, (rel, source)), count)
    targets = tuple([_target(one, count) for one in message.targets])
    return p.Exchange(kind.at(message.where), rel, partitions=count, targets=targets)


def _kind(lowerer: Lowerer, message: Message, inner: FieldScope, count: int | None) -> Lowering:
    match message.which("exchange_kind"):
        case "scatter_by_fields":
            fields = message.scatter_by_fields.fields
            if not fields:
                raise PlanRule.EMPTY.broken("an exchange by no fields", where=message.scatter_by_fields.where)
            return p.Scatter(tuple([input_field(lowerer, one, inner) for one in fields]))
        case "single_target":
            options = own_messages.find(message, own_messages.EXCHANGE_OPTIONS)
            constrained = options is not None and bool(options.constrained_to_count)
            rex = yield from _buckets(message.single_target, inner, constrained, count, t.Integer)
            return p.SingleBucket(rex, constrained=constrained)
        case "multi_target":
            constrained = bool(message.multi_target.constrained_to_count)
            rex = yield from _buckets(message.multi_target, inner, constrained, count, t.Array)
            return p.MultiBucket(rex, constrained=constrained)
        case "round_robin":
            return p.RoundRobin(exact=bool(message.round_robin.exact))
        case "broadcast":
            return p.Broadcast()
    raise PlanRule.SAYS_NOTHING.broken("an exchange that does not say of which kind", where=message.where)


def _buckets(
    message: Message, inner: FieldScope, constrained: bool, count: int | None, wanted: type[t.Type]
) -> Lowering:
    """The expression that gives the numbers of buckets. A constant one that is no partition's is an error here."""
    expression = require_field(message, "expression")
    rex: p.Rex = yield expression, inner
    integers = rex.type.element if isinstance(rex.type, t.Array) and wanted is t.Array else rex.type
    if not isinstance(rex.type, wanted) or not isinstance(integers, t.Integer):
        said = "a bucket is an integer" if wanted is t.Integer else "buckets are a list of integers"
        raise RelationRule.BUCKETS.broken(f"{said}, not a {rex.type}", where=expression.where)
    if constrained and count is None:
        raise RelationRule.PARTITIONS.broken(
            "buckets constrained to a number of partitions that is not given", where=message.where
        )
    if constrained and count is not None and isinstance(rex, p.Lit):
        for bucket in rex.value if isinstance(rex.value, list) else [rex.value]:
            if bucket is not None and not 0 <= bucket < count:
                raise RelationRule.PARTITIONS.broken(
                    f"no partition {bucket}: there are {count}", where=expression.where
                )
    return rex


def _target(message: Message, count: int | None) -> p.Target:
    for i, number in enumerate(message.partition_id):
        if number < 0 or (count is not None and number >= count):
            where = message.where_in(f"partition_id[{i}]")
            raise RelationRule.PARTITIONS.broken(
                f"no partition {number}" + (f": there are {count}" if count else ""), where=where
            )
    partitions = tuple(message.partition_id)
    match message.which("target_type"):
        case "uri":
            return p.Target(partitions, uri=message.uri).at(message.where)
        case "extended":
            given = message.extended
            value = values.Struct([("type_url", given.type_url), ("value", bytes(given.value))])
            return p.Target(partitions, value=value).at(message.where)
    raise PlanRule.SAYS_NOTHING.broken("a target that says no place", where=message.where)


# ---------------------------------------------------------------------------------------------------------------------
# Top-N and expand


@relation("top_n")
def _top_n(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    """A NULL offset is 0, a NULL count means all rows."""
    source = require_field(message, "input")
    rel = yield source, scope
    if not message.sorts:
        raise PlanRule.EMPTY.broken("a top-N without fields to sort by", where=message.where)
    specs = yield from sort_specs(lowerer, message.sorts, scope_over(scope, (rel, source)))
    outside = FieldScope(outer=scope)
    skip: p.Rex | None = None
    if message.has("offset"):
        skip = yield message.offset, outside
    count: p.Rex = yield require_field(message, "count"), outside
    check_counts(skip, count, message)
    return p.TopN(specs, count, rel, skip=skip, ties=message.label("mode").endswith("WITH_TIES"))


@relation("expand")
def _expand(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    """Fields of the input beyond the definitions stay as they are."""
    source = require_field(message, "input")
    rel = yield source, scope
    inner = scope_over(scope, (rel, source))
    fields: list[p.ExpandField] = []
    for one in message.fields:
        if one.which("field_type") != "switching_field":
            fields.append(p.Consistent((yield require_field(one, "consistent_field"), inner)).at(one.where))
            continue
        if not one.switching_field.duplicates:
            raise PlanRule.EMPTY.broken("a switching field without duplicates", where=one.where)
        made: list[p.Rex] = []
        for expr in one.switching_field.duplicates:
            made.append((yield expr, inner))
        fields.append(p.Switching(_of_one_type(made, one)).at(one.where))
    types = columns(rel)
    fields += [p.Consistent(p.Var(types[i], i)) for i in range(len(fields), len(types))]
    return p.Expand(tuple(fields), rel)


def _of_one_type(made: list[p.Rex], field: Message) -> tuple[p.Rex, ...]:
    """Expressions that are the same column: of one type, but for NULL and for the names of fields inside."""
    first = next((rex.type for rex in made if not isinstance(rex.type, t.Null)), t.NULL)
    for rex in made:
        if not alike(rex.type, first) and not isinstance(rex.type, t.Null):
            raise RelationRule.SWITCHING.broken(f"a {rex.type} beside a {first} in one field", where=field.where)
    return tuple([rex if isinstance(rex.type, t.Null) else rename_fields(rex, first) for rex in made])
