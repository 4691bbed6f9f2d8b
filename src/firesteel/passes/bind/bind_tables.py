"""A global is a name. This pass gives each global the type of its table, or of its files."""

from __future__ import annotations

from firesteel import types as t
from firesteel.errors import AnalysisError
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.plan import GlobalBinding, Plan


@plan_pass(Phase.BIND)
def bind_tables(plan: Plan, context: Context) -> Plan:
    """Give each global the type of its table; a name that means no table is an error."""
    return plan.replace(globals=tuple(bound_global(binding, context) for binding in plan.globals))


def bound_global(binding: GlobalBinding, context: Context) -> GlobalBinding:
    """The global with its table's type. The type of a named table must overlap with the type that the plan declares.
    Files are read with the declared columns, so there is nothing to compare."""
    table = context.table(binding)
    if binding.files is None and not t.overlap(table.type, binding.type):
        raise AnalysisError(f"'{binding.name}' is a {table.type}, and the plan wants a {binding.type}")
    return binding.replace(type=table.type)


__all__ = ["bind_tables", "bound_global"]
