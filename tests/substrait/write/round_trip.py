"""Write a plan as Substrait and read it again: the same plan, and where the two differ if it is another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import firesteel as fs
from firesteel import plan as p
from firesteel import substrait
from firesteel.errors import FiresteelError
from firesteel.node import Node, canonical
from tests.golden import test_partiql as golden


def planned(cases: Sequence[golden.Case] = golden.CASES) -> Iterator[tuple[golden.Case, fs.Session, fs.Plan]]:
    """The golden queries that can be planned, each with a session that has its tables."""
    for case in cases:
        session = fs.connect(engine="reference")
        for name, ion in case.tables:
            session.register(name, fs.ion(ion))
        try:
            plan = session.plan(case.query, mode=case.mode)
        except FiresteelError:
            continue
        yield case, session, plan


def again(node: p.Plan) -> p.Plan:
    """A plan after a round trip through Substrait's bytes."""
    return fs.read_plan(substrait.encode(substrait.write(node))).node


def difference(node: p.Plan) -> str:
    """What a round trip changes in a plan, or nothing."""
    made = again(node)
    return "" if made == node else _first_difference(node, made)


def _first_difference(left: Any, right: Any) -> str:
    stack = [(left, right, "plan")]
    while stack:
        a, b, path = stack.pop()
        if isinstance(a, Node) and type(a) is type(b):
            stack += [(getattr(a, one), getattr(b, one), f"{path}/{one}") for one in reversed(a.part_names)]
        elif isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
            stack += [(x, y, f"{path}[{i}]") for i, (x, y) in reversed(list(enumerate(zip(a, b, strict=True))))]
        elif isinstance(a, Node) or isinstance(b, Node) or canonical(a) != canonical(b):
            return f"{path}: {str(a)[:200]} is read as {str(b)[:200]}"
    return "the plans differ"
