"""What a producer is known to write otherwise than the specification has it: told by its name, or by the shape.

Each of them that is made use of is a repair.
"""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.substrait.message import Message, walk

#: Producers whose project relations without `common` replace their input.
_REPLACING = ("duckdb", "datafusion")


@dataclass(frozen=True)
class Quirks:
    """How to read a plan."""

    #: A project relation without `common` gives its expressions only, instead of appending them to its input.
    project_replaces: bool = False
    #: An aggregate of several grouping sets has no column for their index.
    no_set_index: bool = False


def quirks_of(message: Message) -> Quirks:
    """How a plan has to be read, as far as it can be told before."""
    producer = message.version.producer.lower()
    replaces = any(name in producer for name in _REPLACING)
    counting = (one for one in walk(message) if one.kind.short in ("RelRoot", "ProjectRel"))
    return Quirks(project_replaces=replaces, no_set_index=any(map(_counts_without_index, counting)))


def _counts_without_index(message: Message) -> bool:
    """Does a root, or a projection that keeps just its expressions, take an aggregate of several sets below it for one
    without the index? An old Isthmus does, and says nowhere who it is."""
    width = _width_without_index(message.input)
    if width is None:
        return False
    if message.kind.short == "RelRoot":
        return len(message.names) == width
    kept = message.common.emit.output_mapping
    return bool(kept) and list(kept) == list(range(width, width + len(message.expressions)))


def _width_without_index(rel: Message) -> int | None:
    """The columns of an aggregate of several grouping sets in the old form, less one; None if it is none."""
    kind = rel.which("rel_type")
    while kind in ("sort", "fetch", "filter"):
        rel = getattr(rel, kind).input
        kind = rel.which("rel_type")
    if kind != "aggregate" or len(rel.aggregate.groupings) < 2 or rel.aggregate.grouping_expressions:
        return None
    keys: list[Message] = []
    for grouping in rel.aggregate.groupings:
        keys.extend(one for one in grouping.grouping_expressions if all(one != known for known in keys))
    return len(keys) + len(rel.aggregate.measures)
