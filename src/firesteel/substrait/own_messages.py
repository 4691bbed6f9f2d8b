"""Messages of our own in the places that Substrait keeps for extensions (docs/substrait-extensions.md).

`schema.py` declares their fields. They are read where they stand, so that an error in one has its path in the plan.
"""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.substrait.message import Message
from firesteel.substrait.schema import OWN_MESSAGES
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

#: The kind of message whose `advanced_extension` a message of ours belongs to. Anywhere else it means nothing.
PLACES: dict[str, str] = {
    **dict.fromkeys((RECORD_LIMIT, RECORD_SIZE_LIMIT, CPU_LIMIT, MEMORY_LIMIT), "RuntimeConstraint"),
    AGGREGATE_STRATEGY: "AggregateRel",
    WINDOW_STRATEGY: "ConsistentPartitionWindowRel",
    EXCHANGE_OPTIONS: "ExchangeRel",
    READ_PROPERTIES: "ReadRel",
}


def type_name(any_: Message) -> str:
    """The name of the type of an `Any`: what comes after the last slash of its URL."""
    name: str = any_.type_url.rpartition("/")[2]
    return name


def is_placed(any_: Message, holder: Message) -> bool:
    """Does an `Any` in an `AdvancedExtension` have a message of ours that belongs there?"""
    return holder.parent is not None and PLACES.get(type_name(any_)) == holder.parent.kind.short


def in_extension(message: Message) -> Iterator[tuple[str, Message]]:
    """The messages of ours in the `advanced_extension` of a message, each with its name: optimizations, then the
    enhancement."""
    if not message.has("advanced_extension"):
        return
    holder: Message = message.advanced_extension
    for one in [*holder.optimization, *([holder.enhancement] if holder.has("enhancement") else [])]:
        if is_placed(one, holder):
            yield type_name(one), opened(one)


def find(message: Message, name: str) -> Message | None:
    """The message of ours of that name in the `advanced_extension` of a message; the last one, if there are several."""
    found = [one for given, one in in_extension(message) if given == name]
    return found[-1] if found else None


def opened(any_: Message) -> Message:
    """The message of ours that an `Any` has."""
    assert type_name(any_) in OWN_MESSAGES
    return decode(bytes(any_.value), type_name(any_), any_)
