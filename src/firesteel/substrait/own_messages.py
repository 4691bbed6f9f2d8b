"""Messages of our own in the places that Substrait keeps for extensions (docs/substrait-extensions.md).

`schema.py` declares their fields. They are read where they stand, so that an error in one has its path in the plan.
"""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.substrait.message import Message
from firesteel.substrait.schema import OWN_MESSAGES, schema
from firesteel.substrait.wire import decode

RECORD_LIMIT = "firesteel.RecordLimit"
RECORD_SIZE_LIMIT = "firesteel.RecordSizeLimit"
CPU_LIMIT = "firesteel.CpuLimit"
MEMORY_LIMIT = "firesteel.MemoryLimit"
AGGREGATE_STRATEGY = "firesteel.AggregateStrategy"
WINDOW_STRATEGY = "firesteel.WindowStrategy"
EXCHANGE_OPTIONS = "firesteel.ExchangeOptions"
READ_PROPERTIES = "firesteel.ReadProperties"
MERGING_CAPTURE = "firesteel.MergingCapture"
SIMPLE_CAPTURE = "firesteel.SimpleCapture"
NODE = "firesteel.Node"
WRITE = "firesteel.Write"
PLAN_DETAILS = "firesteel.PlanDetails"

#: The extension of functions and types that stand for nodes of our algebra, and that of PartiQL's functions.
ALGEBRA_URN = "extension:firesteel:algebra"
PARTIQL_URN = "extension:firesteel:partiql"

#: Nodes that are no relations or expressions nest a few levels only: a join has keys, a key has expressions.
MAX_LEVELS = 40

#: The joins, each of which may say by a node which join of ours it is.
JOINS = ("JoinRel", "CrossRel", "HashJoinRel", "MergeJoinRel", "NestedLoopJoinRel", "LateralJoinRel")

#: The kinds of messages whose extension a message of ours belongs to. Anywhere else it means nothing.
PLACES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((RECORD_LIMIT, RECORD_SIZE_LIMIT, CPU_LIMIT, MEMORY_LIMIT), ("RuntimeConstraint",)),
    AGGREGATE_STRATEGY: ("AggregateRel",),
    WINDOW_STRATEGY: ("ConsistentPartitionWindowRel",),
    EXCHANGE_OPTIONS: ("ExchangeRel",),
    READ_PROPERTIES: ("ReadRel",),
    NODE: (*JOINS, "ConsistentPartitionWindowRel"),
    PLAN_DETAILS: ("Plan",),
}

#: The field that an extension is in: all messages but a plan call it `advanced_extension`.
_HOLDERS = {"Plan": "advanced_extensions"}


def type_name(any_: Message) -> str:
    """The name of the type of an `Any`: what comes after the last slash of its URL."""
    name: str = any_.type_url.rpartition("/")[2]
    return name


def is_placed(any_: Message, holder: Message) -> bool:
    """Does an `Any` in an `AdvancedExtension` have a message of ours that belongs there?"""
    return holder.parent is not None and holder.parent.kind.short in PLACES.get(type_name(any_), ())


def in_extension(message: Message) -> Iterator[tuple[str, Message]]:
    """The messages of ours in the `advanced_extension` of a message, each with its name: optimizations, then the
    enhancement."""
    field = _HOLDERS.get(message.kind.short, "advanced_extension")
    if not message.has(field):
        return
    holder: Message = message.given[field]
    for one in [*holder.optimization, *([holder.enhancement] if holder.has("enhancement") else [])]:
        if is_placed(one, holder):
            yield type_name(one), opened(one)


def find(message: Message, name: str) -> Message | None:
    """The message of ours of that name in the `advanced_extension` of a message; the last one, if there are several."""
    found = [one for given, one in in_extension(message) if given == name]
    return found[-1] if found else None


def packed(name: str, message: Message) -> Message:
    """An `Any` with a message of ours, which is encoded when the plan is."""
    made = Message(schema().messages["google.protobuf.Any"])
    made.given.update(type_url=f"type.googleapis.com/{name}", value=message)
    return made


def opened(any_: Message) -> Message:
    """The message of ours that an `Any` has."""
    assert type_name(any_) in OWN_MESSAGES
    return decode(bytes(any_.value), type_name(any_), any_)
