"""Replace parameters by the values that were given with the run."""

from __future__ import annotations

from firesteel import types as t
from firesteel.errors import AnalysisError
from firesteel.node import Node, transform
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.plan import Lit, Parameter, Plan
from firesteel.values import Value


@plan_pass(Phase.BIND, whole_plan=True)
def bind_parameters(plan: Plan, context: Context) -> Plan:
    """Replace each parameter by the value that is given for it, or else by the default of the plan."""
    given = context.parameters

    def bind(node: Parameter) -> Node:
        if node.ordinal in given:
            return Lit(t.absent(node.type, nullable=given[node.ordinal] is None), _fitting(given[node.ordinal], node))
        if node.default is None:
            raise AnalysisError(
                f"no value is given for parameter {node.ordinal}",
                where=node.where,
                help="say params={...} when it is run",
            )
        return node.default.at(node.where)

    return plan.replace(statement=transform(plan.statement, bind, Parameter))


def _fitting(value: Value, node: Parameter) -> Value:
    if not t.overlap(t.type_of(value), t.absent(node.type, nullable=True)):
        raise AnalysisError(f"parameter {node.ordinal} is a {node.type}, not a {t.type_of(value)}", where=node.where)
    return value


__all__ = ["bind_parameters"]
