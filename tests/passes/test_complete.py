"""Completeness of what passes know of nodes: each class is in a table, or left to the safe default, on purpose.

A class that is in no table is treated as the worst case (`test_new_relation.py`); this tells whoever adds one to the
package that the passes could do better.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from firesteel import plan as p
from firesteel.node import Node
from firesteel.passes.analysis import failing, paths


def below(cls: type[Node]) -> Iterator[type[Node]]:
    for sub in cls.__subclasses__():
        if sub.tag and sub.__module__.startswith("firesteel."):
            yield sub
        yield from below(sub)


def _table(module: str) -> dict[type[Node], Any]:
    """The handlers of a pass, of which the package exports the function of the same name."""
    found: dict[type[Node], Any] = sys.modules[f"firesteel.passes.optimizer.{module}"]._HANDLERS
    return found


RELATIONS = list(below(p.Rel))
NODES = [*RELATIONS, *below(p.Rex), *below(p.Step), *below(p.JoinType)]

LEAVES = (p.Scan, p.ScanIndexed, p.Unpivot)
SETS = (p.Union, p.Intersect, p.Except)

#: For each table the relations that are left to its default on purpose.
TABLES: dict[str, tuple[dict[type[Node], Any], tuple[type[Node], ...]]] = {
    "paths": (paths._HANDLERS, ()),
    # A leaf has no column to spare, a row that is compared has none either, and a shared relation has many readers.
    "prune_columns": (_table("prune_columns"), (*LEAVES, *SETS, p.Distinct, p.Shared)),
    # A condition would change what is cut off, numbered, or shared with other readers; a leaf has nothing below it.
    "push_filters": (_table("push_filters"), (*LEAVES, p.Limit, p.Offset, p.TopN, p.Window, p.Shared, p.Expand)),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_relation_is_in_the_table_or_left_out_on_purpose(name: str) -> None:
    table, left_out = TABLES[name]
    for cls in RELATIONS:
        known = any(base in table for base in cls.__mro__)
        assert known != (cls in left_out), cls


@pytest.mark.parametrize("cls", NODES, ids=lambda cls: cls.__name__)
def test_it_is_known_when_every_node_fails(cls: type[Node]) -> None:
    tables = (failing.NEVER, failing.STRICT, failing.FAILING)
    assert sum(cls in table for table in tables) == 1


def test_what_never_fails_is_not_even_looked_at() -> None:
    for cls in failing.NEVER:
        assert not cls.sorts & failing._MAY_FAIL_STRICT, cls
    for cls in failing.STRICT:
        assert cls.sorts & failing._MAY_FAIL_STRICT, cls
        assert not cls.sorts & failing._MAY_FAIL, cls
    for cls in failing.FAILING:
        assert cls.sorts & failing._MAY_FAIL, cls
