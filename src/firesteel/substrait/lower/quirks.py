"""What a producer is known to write otherwise than the specification has it: told by its name, or by the shape.

Each of them that is made use of is a repair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firesteel.substrait.message import Message

#: Producers whose project relations without `common` replace their input.
_REPLACING = ("duckdb", "datafusion")


@dataclass(frozen=True)
class Quirks:
    """How to read a plan."""

    #: A project relation without `common` gives its expressions only, instead of appending them to its input.
    project_replaces: bool = False
    #: An aggregate of several grouping sets has no column for their index.
    no_set_index: bool = False


def quirks_of(plan: Message, aggregates: Sequence[Message]) -> Quirks:
    """How a plan that has these aggregates has to be read, as far as it can be told before."""
    producer = plan.version.producer.lower()
    replaces = any(name in producer for name in _REPLACING)
    return Quirks(project_replaces=replaces, no_set_index=any(map(_is_counted_without_index, aggregates)))


def _is_counted_without_index(aggregate: Message) -> bool:
    """Does the root above it, or a projection that keeps just its expressions, take an aggregate of several sets, in
    the old form, for one without the index? An old Isthmus does, and says nowhere who it is."""
    if len(aggregate.groupings) < 2 or aggregate.grouping_expressions:
        return False
    above = _above(aggregate)
    while above is not None and above.kind.short in ("SortRel", "FetchRel", "FilterRel"):
        above = _above(above)
    if above is None:
        return False
    width = _width_without_index(aggregate)
    if above.kind.short == "RelRoot":
        return len(above.names) == width
    if above.kind.short != "ProjectRel":
        return False
    kept = above.common.emit.output_mapping
    return bool(kept) and list(kept) == list(range(width, width + len(above.expressions)))


def _above(relation: Message) -> Message | None:
    """The message that a relation is the input of: between them is the `Rel` that says of which kind it is."""
    rel = relation.parent
    return rel.parent if rel is not None and rel.step == "input" else None


def _width_without_index(aggregate: Message) -> int:
    keys: list[Message] = []
    for grouping in aggregate.groupings:
        keys.extend(one for one in grouping.grouping_expressions if all(one != known for known in keys))
    return len(keys) + len(aggregate.measures)
