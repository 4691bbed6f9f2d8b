"""Globals are names. Here each one gets the type of the table, or of the files, that it stands for."""

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
    """The global with its table's type. A named table has to be something that the plan can mean; the columns of files
    are read as the plan declares them, so there is nothing to compare."""
    table = context.table(binding)
    if binding.files is None and not t.overlap(table.type, binding.type):
        raise AnalysisError(f"'{binding.name}' is a {table.type}, and the plan wants a {binding.type}")
    return binding.replace(type=table.type)


__all__ = ["bind_tables", "bound_global"]
