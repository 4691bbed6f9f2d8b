"""Completeness: every node has a handler or a reason, every function an implementation, every family its kinds."""

from __future__ import annotations

import typing
from collections.abc import Iterator

import pytest

import firesteel.evaluate as evaluator
from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import UnsupportedError
from firesteel.evaluate import HANDLERS, UNSUPPORTED, base, evaluate
from firesteel.evaluate.kinds import EVERYTHING, FAMILIES
from firesteel.evaluate.relations.aggregates import AGGREGATES, OF_ROWS
from firesteel.evaluate.scalar.functions import CLOCK, LAZY, SCALARS, TYPED
from firesteel.functions import Kind, all_functions
from firesteel.functions.catalog import FAMILIES as DECLARED
from firesteel.node import Node
from tests.evaluate.helpers import lit


def concrete(cls: type[Node]) -> Iterator[type[Node]]:
    """The classes below one that are themselves written in plans: those with a tag."""
    for sub in cls.__subclasses__():
        if sub.__module__.startswith("firesteel."):
            if sub.tag:
                yield sub
            yield from concrete(sub)


@pytest.mark.parametrize(
    "cls", [c for root in (p.Rel, p.Rex, p.Step, p.JoinType, p.Agg) for c in (root, *concrete(root)) if c.tag]
)
def test_every_node_has_a_handler_or_a_reason(cls: type[Node]) -> None:
    assert (cls in HANDLERS) != (cls in UNSUPPORTED)


def test_every_function_is_implemented_just_once() -> None:
    scalars = [*SCALARS, *LAZY, *TYPED, *CLOCK]
    assert sorted(scalars) == sorted(row.name for row in all_functions() if row.kind is Kind.SCALAR)
    assert sorted({**AGGREGATES, **OF_ROWS}) == sorted(
        row.name for row in all_functions() if row.kind is Kind.AGGREGATE
    )


def test_every_lazy_function_says_itself_what_absence_gives() -> None:
    assert not any(row.propagates for row in all_functions() if row.name in LAZY)


def test_every_family_has_its_kinds() -> None:
    assert set(FAMILIES) == set(DECLARED)
    for name, (kinds, _) in FAMILIES.items():
        declared = DECLARED[name]
        for kind in kinds:
            example = t.type_of(EXAMPLES[kind]) if kind in EXAMPLES else None
            assert example is None or isinstance(example, declared), (name, kind)


EXAMPLES: dict[type, typing.Any] = {
    type(value): value
    for value in (
        *(True, 1, 1.5, "a", values.Symbol("a"), b"a", values.Clob(b"a"), [1], values.Sexp([1]), values.Bag([1])),
        *(values.Struct({"a": 1}), values.Interval("day_time"), values.Timestamp(2020)),
    )
}


def test_every_kind_of_value_is_known() -> None:
    assert set(EXAMPLES) <= EVERYTHING


def test_a_node_without_a_handler_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(HANDLERS, p.Lit)
    monkeypatch.setitem(base.UNSUPPORTED, p.Lit, "nobody wrote it")
    with pytest.raises(UnsupportedError, match="cannot evaluate 'lit': nobody wrote it"):
        evaluate(p.Plan(p.Query(lit(1))))


def test_public_names() -> None:
    assert evaluator.__all__ == ["HANDLERS", "MAX_DEPTH", "UNSUPPORTED", "Env", "each", "evaluate", "expression"]
