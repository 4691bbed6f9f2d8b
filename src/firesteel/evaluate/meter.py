"""What a run tells of itself: how far it is while it runs, and rows and time of each operator afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from firesteel.node import Node
from firesteel.plan import Pivot, Plan, Rel, Select
from firesteel.values import Bag


@dataclass(frozen=True)
class Progress:
    """How far a query is. `engine` computes it; None: it is being planned, or its engine starts. Spark tells its stages
    so far, their tasks, and how many of these are done."""

    seconds: float
    engine: str | None = None
    stages: int = 0
    tasks: int = 0
    done: int = 0


@dataclass(frozen=True)
class Figures:
    """What is known of an operator: how many rows it gave, in all its runs, and the time spent in itself, without the
    operators below it."""

    rows: int | None = None
    milliseconds: float | None = None
    runs: int | None = None


@dataclass(frozen=True)
class EngineOperator:
    """An operator of the engine's own plan, under its own name, in words that people know, and with its figures."""

    name: str
    words: str
    details: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Measured:
    """What a run of a plan measured. `operators` are by the identities of the plan's nodes."""

    plan: Plan
    milliseconds: float
    rows: int | None
    operators: Mapping[int, Figures]
    below: tuple[EngineOperator, ...] = ()


#: Nodes that have figures of their own.
OPERATORS = (Rel, Select, Pivot)


class Meter:
    """Measures the closures of operators."""

    def __init__(self) -> None:
        self._found: dict[int, list[Any]] = {}
        self._inner: list[float] = []  # for each operator that runs, the time in those below it

    def around(self, node: Node, closure: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """The closure, measured."""
        if not isinstance(node, OPERATORS):
            return closure
        counts = self._found.setdefault(id(node), [0, 0.0, 0])
        inner = self._inner

        def run(env: Any) -> Any:
            inner.append(0.0)
            start = perf_counter()
            try:
                made = closure(env)
            finally:
                taken = perf_counter() - start
                counts[1] += taken - inner.pop()
                if inner:
                    inner[-1] += taken
            counts[0] += _count(made, node)
            counts[2] += 1
            return made

        return run

    def figures(self) -> dict[int, Figures]:
        """What was measured. An operator that did not run has no time."""
        return {
            node: Figures(rows, seconds * 1000 if runs else None, runs)
            for node, (rows, seconds, runs) in self._found.items()
        }


def _count(made: Any, node: Node) -> int:
    if isinstance(node, Rel):
        return len(made.rows)
    return len(made) if isinstance(made, list | Bag) else 1
