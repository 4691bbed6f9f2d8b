"""The last resort: collect the whole table into one value, and cross join it to every row."""

from __future__ import annotations

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.node import Node, walk
from firesteel.passes.decorrelate.parts import Packed, beside, column, grouped
from firesteel.passes.decorrelate.scopes import N, width
from firesteel.passes.decorrelate.sites import is_collection
from firesteel.plan import (
    Global,
    Mode,
    Rel,
    Rex,
    Scan,
    ScanIndexed,
    Select,
    Sort,
    SortOrder,
    SortSpec,
    build,
)
from firesteel.plan.scope import replaced, shifted

#: The name of the column that a table is collected in.
WHOLE = "$whole"


def whole_tables(outer: Rel, rex: N, mode: Mode) -> tuple[Rel, N]:
    """The rows with a column for each table in the expression, and the expression over these columns."""
    tables = {part: None for part in walk(rex, Global) if is_collection(part)}
    for part in walk(rex):
        if isinstance(part, Scan | ScanIndexed) and part.identified and part.rex in tables:
            raise UnsupportedError("BY of a table, in a query that looks at a row within another", where=part.where)
    collected: dict[Node, Rex] = {}
    for table in tables:
        outer, collected[table] = with_table(outer, table, mode)

    def change(node: Node, level: int) -> Node | None:
        value = collected.get(node) if isinstance(node, Global) else None
        return None if value is None else shifted(value, level)

    return outer, replaced(rex, change)


def with_table(outer: Rel, table: Global, mode: Mode) -> tuple[Rel, Rex]:
    """The rows with a column that holds the table, and the expression for the table's value."""
    is_bag = isinstance(table.type, t.Bag)
    scan: Rel = Scan(table) if is_bag else ScanIndexed(table)
    # `collect` gives a bag. So the elements of an array are collected with their indexes, and sorted again below.
    packed = Packed([column(scan, i) for i in range(width(scan))], mode)
    made = beside(outer, grouped(scan, [build.agg("collect", packed.value)], names=(WHOLE,)))
    bag = column(made, width(outer))
    if is_bag:
        return made, bag
    items = packed.rel(bag)
    ordered = Sort((SortSpec(column(items, 1), SortOrder.ASC_NULLS_LAST),), items)
    return made, Select(table.type, column(items, 0), ordered)
