"""What a pass is, and the context that it is given: parameters, views, tables."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from firesteel.plan import GlobalBinding, Mode, Plan, Rex
from firesteel.values import Value

if TYPE_CHECKING:
    from firesteel.tables import Table


class Phase(enum.Enum):
    """The parts of the pipeline, in order."""

    BIND = "bind"
    TYPE = "type"
    OPTIMIZE = "optimize"
    LOWER = "lower"


class Unordered(enum.Enum):
    """What to do where a relation relies on an order that its input is not known to have."""

    #: Raise an error.
    REFUSE = "refuse"
    #: Sort the input.
    SORT = "sort"
    #: Nothing: the plan is only looked at.
    LEAVE = "leave"


@dataclass(frozen=True)
class View:
    """A named query: the query, the globals that its ordinals refer to, and the mode that it was planned in."""

    query: Rex
    globals: tuple[GlobalBinding, ...]
    mode: Mode = Mode.PERMISSIVE


def _no_view(_: GlobalBinding) -> View | None:
    return None


def _no_table(binding: GlobalBinding) -> Table:
    raise LookupError(f"the passes were given no tables, and the plan refers to '{binding.name}'")


@dataclass(frozen=True)
class Context:
    """What passes know in addition to the plan."""

    #: The values that are given for the plan's parameters, by their numbers.
    parameters: Mapping[int, Value] = field(default_factory=dict)
    #: The view that a global names, if it names one.
    view: Callable[[GlobalBinding], View | None] = _no_view
    #: The table, or the files, that a global names. Raises an error if there is none.
    table: Callable[[GlobalBinding], Table] = _no_table
    #: The names of the lowering passes that the engine asks for.
    lowerings: tuple[str, ...] = ()
    #: What to do where an input is not ordered as a relation needs it.
    unordered: Unordered = Unordered.REFUSE
    #: Are the orders and distributions that tables and plans promise checked against the rows?
    verify_properties: bool = False


#: The context of passes that need nothing but the plan.
NOTHING = Context()


@dataclass(frozen=True)
class Pass:
    """A rewrite of plans. It returns the same object when it changes nothing."""

    name: str
    phase: Phase
    #: The first line of the function's docstring; `docs/passes.md` shows it.
    doc: str
    rewrite: Callable[[Plan, Context], Plan]
    #: Does it see all statements of a plan at once? The other passes see one statement at a time, because a statement
    #: may refer to a table or view that an earlier one creates.
    whole_plan: bool = False

    @property
    def skippable(self) -> bool:
        """May `skip_passes` name it? Only optimizing passes can be left out. Every plan has to be bound and typed, and
        its engine needs the lowering passes that it asks for."""
        return self.phase is Phase.OPTIMIZE

    def __call__(self, plan: Plan, context: Context = NOTHING) -> Plan:
        return self.rewrite(plan, context)


def plan_pass(phase: Phase, *, whole_plan: bool = False) -> Callable[[Callable[[Plan, Context], Plan]], Pass]:
    """Turn a function into a pass. The pass takes its name and the first line of its docstring from the function."""

    def as_pass(rewrite: Callable[[Plan, Context], Plan]) -> Pass:
        doc = (rewrite.__doc__ or "").strip().partition("\n")[0]
        return Pass(rewrite.__name__, phase, doc, rewrite, whole_plan)

    return as_pass


__all__ = ["NOTHING", "Context", "Pass", "Phase", "Unordered", "View", "plan_pass"]
