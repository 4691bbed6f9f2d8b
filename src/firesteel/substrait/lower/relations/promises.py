"""What a plan promises of a read: the order and the distribution of its rows, and name / value pairs.

Substrait's documents have them as properties of a read, its messages do not: they are a message of ours, which is an
optimization of the `ReadRel` (docs/substrait-extensions.md).
"""

from __future__ import annotations

from firesteel import plan as p
from firesteel.rules import PlanRule, RelationRule
from firesteel.substrait import own_messages
from firesteel.substrait.lower.base import FieldScope, Lowerer, columns, require_field
from firesteel.substrait.lower.expressions.references import input_field
from firesteel.substrait.lower.relations.logical import ORDERS
from firesteel.substrait.message import Message


def promised(lowerer: Lowerer, rel: p.Rel, read: Message) -> p.Rel:
    """The rows of a read, with what the plan promises of them."""
    found = own_messages.find(read, own_messages.READ_PROPERTIES)
    if found is None:
        return rel
    row = _emitted(rel, read)
    order: list[p.SortSpec] = []
    for one in found.orderedness:
        direction = ORDERS.get(one.label("direction"))
        if direction is None:
            raise RelationRule.SORT.broken("a sort field without a direction", where=one.where)
        order.append(p.SortSpec(input_field(lowerer, require_field(one, "field"), row), direction).at(one.where))
    fields, singleton = _distribution(lowerer, found.distribution, row) if found.has("distribution") else ((), False)
    options = tuple([p.Choice(one.name, one.value) for one in found.properties])
    return p.Promised(tuple(order), rel, partitioned=fields, singleton=singleton, options=options).at(found.where)


def _emitted(rel: p.Rel, read: Message) -> FieldScope:
    """The columns that the read emits, which the fields of promises count, and where they are in its row before that.
    An emit of a column that is not there is reported by whoever applies it."""
    types = columns(rel)
    if read.common.which("emit_kind") != "emit":
        return FieldScope(types)
    kept = tuple([i for i in read.common.emit.output_mapping if 0 <= i < len(types)])
    return FieldScope(tuple([types[i] for i in kept]), ordinals=kept)


def _distribution(lowerer: Lowerer, message: Message, row: FieldScope) -> tuple[tuple[p.Rex, ...], bool]:
    """The fields of a partitioned distribution, or none and that it is a single partition."""
    label = message.label("type").removeprefix("DISTRIBUTION_TYPE_")
    if label == "SINGLETON" and message.fields:
        raise RelationRule.DISTRIBUTION.broken("a single partition is not partitioned by fields", where=message.where)
    if label == "PARTITIONED" and not message.fields:
        raise RelationRule.DISTRIBUTION.broken("a partitioned distribution without fields", where=message.where)
    if label not in ("SINGLETON", "PARTITIONED"):
        raise PlanRule.NOT_SAID.broken("a distribution that does not say of which type", where=message.where)
    return tuple([input_field(lowerer, one, row) for one in message.fields]), label == "SINGLETON"
