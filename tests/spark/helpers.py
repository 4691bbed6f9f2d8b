"""What the tests of the Spark compiler share: tables, and building plans over them."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from firesteel import plan as p
from firesteel import tables, values
from firesteel import types as t
from firesteel.passes import retyped
from firesteel.plan import build as b
from firesteel.spark import SparkEngine
from firesteel.tables import Table
from firesteel.values import MISSING, Bag, Struct

PERMISSIVE, STRICT = p.Mode.PERMISSIVE, p.Mode.STRICT

#: The tables of the algebra's document.
FOO = tables.memory(
    Bag([Struct({"FooId": 100, "FooName": "Foo #1"}), Struct({"FooId": 200, "FooName": "Foo #2"})]),
    record_id=["c7559f84-3768", "d2bdb79e-4432"],
)
BAR = tables.memory(
    Bag([Struct({"BarId": 300, "BarName": "Bar #1"}), Struct({"BarId": 400, "BarName": "Bar #2"})]),
)
#: Rows of every kind.
MIX = tables.memory(
    Bag(
        [
            Struct({"a": 1, "b": "x"}),
            Struct({"a": 2.5}),
            Struct({"a": None, "b": "y"}),
            Struct({"b": 3}),
            Struct({"a": "s", "b": [1, 2]}),
            Struct({"a": True, "c": Bag([1, Bag([2])])}),
            Struct({"a": Decimal("2.50")}),
            5,
            None,
        ]
    )
)
#: A list of rows of one type, some of whose attributes may be NULL.
NUM = tables.memory(
    [
        Struct(
            {
                "k": i % 3,
                "x": i,
                "y": i * 1.5,
                "d": Decimal(i).scaleb(-1),
                "s": f"s{i % 4}",
                "items": list(range(i % 4)),
                "n": None if i % 2 else i,
            }
        )
        for i in range(12)
    ]
)
TABLES: tuple[Table, ...] = (FOO, BAR, MIX, NUM)
FOO_, BAR_, MIX_, NUM_ = range(4)


def scan(table: int, *, at: bool = False, by: bool = False) -> p.Rel:
    source = p.Global(TABLES[table].type, table)
    return (p.ScanIndexed if at else p.Scan)(source, identified=by)


def var(ordinal: int = 0, depth: int = 0) -> p.Var:
    return p.Var(t.ANY, ordinal, depth=depth)


def lit(value: Any) -> p.Lit:
    return p.Lit(t.ANY, values.from_python(value))


def call(name: str, *args: Any) -> p.Call:
    return b.call(name, *(arg if isinstance(arg, p.Rex | t.Type) else lit(arg) for arg in args))


def at(key: Any, ordinal: int = 0, depth: int = 0) -> p.Path:
    """An attribute, or an element, of a variable."""
    return b.path(var(ordinal, depth), key)


def select(constructor: p.Rex, rel: p.Rel, kind: type[t.Collection] | None = None) -> p.Select:
    return b.select(constructor, rel, kind)


def plan_of(what: p.Rex | p.Rel, mode: p.Mode, over: Sequence[Table] = TABLES) -> p.Plan:
    """The plan of an expression, or of a relation with its columns named c0, c1 ..."""
    statement: p.Statement
    if isinstance(what, p.Rel):
        statement = p.Root(tuple(f"c{i}" for i in range(len(p.schema(what)))), what, mode=mode)
    else:
        statement = p.Query(what, mode=mode)
    bindings = tuple(p.GlobalBinding((f"t{i}",), table.type) for i, table in enumerate(over))
    return retyped(p.Plan(statement, globals=bindings), [table.type for table in over])


def run(
    engine: SparkEngine, what: p.Rex | p.Rel, mode: p.Mode = PERMISSIVE, over: Sequence[Table] = TABLES
) -> values.Value:
    return engine.run(plan_of(what, mode, over), over).value()


def same(actual: values.Value, expected: values.Value) -> None:
    """The same kind of collection, and deeply equal; NULL is not MISSING."""
    assert type(actual) is type(expected)
    assert values.equal(actual, expected), f"{actual!r} is not {expected!r}"


def rows(*found: tuple[Any, ...]) -> list[Struct]:
    """Rows of a relation, as the engine gives them."""
    return [Struct([(f"c{i}", item) for i, item in enumerate(row)]) for row in found]


__all__ = ["MISSING", "Bag", "Struct", "b", "p", "t"]
