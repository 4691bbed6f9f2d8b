"""What the tests of the evaluator share: running a plan in a mode, and comparing what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import EvaluationError
from firesteel.evaluate import evaluate
from firesteel.evaluate.kinds import kind
from firesteel.plan import build
from firesteel.tables import Table
from firesteel.values import Bag

PERMISSIVE, STRICT = p.Mode.PERMISSIVE, p.Mode.STRICT
BOTH = (PERMISSIVE, STRICT)


class _Error:
    def __repr__(self) -> str:
        return "ERROR"


#: What a table of cases says of a mode in which there is an error.
ERROR = _Error()


def run(rex: p.Rex, mode: p.Mode = PERMISSIVE, tables: Sequence[Table] = ()) -> Any:
    """The value of an expression."""
    return evaluate(p.Plan(p.Query(rex, mode=mode)), tables)


def rows(rel: p.Rel, mode: p.Mode = PERMISSIVE, tables: Sequence[Table] = ()) -> tuple[list[tuple[Any, ...]], bool]:
    """The rows of a relation, and whether they are a list."""
    names = tuple(f"c{i}" for i in range(len(p.schema(rel))))
    value = evaluate(p.Plan(p.Root(names, rel, mode=mode)), tables)
    return [tuple(item for _, item in struct.pairs) for struct in value], isinstance(value, list)


def same(actual: Any, expected: Any) -> None:
    """The same kind of value, and deeply equal; NULL is not MISSING."""
    alike = kind(actual) == kind(expected) and values.equal(actual, expected)
    assert alike, f"{actual!r} is not {expected!r}"


def check(rex: p.Rex, permissive: Any, strict: Any) -> None:
    """What an expression gives in both modes; `ERROR` where it is an error."""
    for mode, expected in ((PERMISSIVE, permissive), (STRICT, strict)):
        if expected is ERROR:
            with pytest.raises(EvaluationError):
                run(rex, mode)
        else:
            same(run(rex, mode), expected)


def lit(value: Any) -> p.Lit:
    """A literal of unknown static type, as data would be."""
    return p.Lit(t.ANY, values.from_python(value))


def var(ordinal: int = 0, depth: int = 0) -> p.Var:
    return p.Var(t.ANY, ordinal, depth=depth)


def call(name: str, *args: Any) -> p.Call:
    """A call of a function with plain values, types and expressions."""
    return build.call(name, *(a if isinstance(a, p.Rex | t.Type) else lit(a) for a in args))


def scan(*items: Any) -> p.Scan:
    """A scan of a list."""
    return p.Scan(lit(list(items)))


def bag_of(*items: Any) -> p.Scan:
    """A scan of a bag."""
    return p.Scan(lit(Bag([values.from_python(item) for item in items])))


def table(width: int, *data: tuple[Any, ...]) -> p.Rel:
    """A relation of these rows, as a list."""
    source = p.Scan(lit([list(row) for row in data]))
    return p.Project(tuple(build.path(var(), i) for i in range(width)), source)
