"""The whole table as a value: collected, and put beside every row."""

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
    """The expression, with the tables in it as values beside the row."""
    tables = {part: None for part in walk(rex, Global) if is_collection(part)}
    for part in walk(rex):
        if isinstance(part, Scan | ScanIndexed) and part.identified and part.rex in tables:
            raise UnsupportedError("BY of a table, in a query that looks at a row within another", where=part.where)
    found: dict[Node, Rex] = {}
    for table in tables:
        outer, found[table] = with_table(outer, table, mode)

    def change(node: Node, level: int) -> Node | None:
        value = found.get(node) if isinstance(node, Global) else None
        return None if value is None else shifted(value, level)

    return outer, replaced(rex, change)


def with_table(outer: Rel, table: Global, mode: Mode) -> tuple[Rel, Rex]:
    """The rows with a table beside each, and the table as a value."""
    is_bag = isinstance(table.type, t.Bag)
    scan: Rel = Scan(table) if is_bag else ScanIndexed(table)
    # A bag does not keep the order of an array: each element brings its index.
    packed = Packed([column(scan, i) for i in range(width(scan))], mode)
    made = beside(outer, grouped(scan, [build.agg("collect", packed.value)], names=(WHOLE,)))
    bag = column(made, width(outer))
    if is_bag:
        return made, bag
    items = packed.rel(bag)
    ordered = Sort((SortSpec(column(items, 1), SortOrder.ASC_NULLS_LAST),), items)
    return made, Select(table.type, column(items, 0), ordered)
