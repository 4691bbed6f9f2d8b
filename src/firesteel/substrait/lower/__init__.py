"""Lowers Substrait messages to the plan algebra: the same nodes that PartiQL queries become.

`base` says what a handler is; the handlers are in `relations/` and `expressions/`. `statements` lowers the top of a
plan, `column_names` names columns and fields; `plan/fit.py` fits data to a declared schema.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace

from firesteel import plan as p
from firesteel.errors import FiresteelError, PlanError
from firesteel.node import transform
from firesteel.plan.findings import RepairedPlan
from firesteel.plan.lookup import FileLookup
from firesteel.repair import Repair, RepairKind
from firesteel.rules import PlanRule
from firesteel.substrait import own_messages
from firesteel.substrait.dialects.base import Dialect, Shape
from firesteel.substrait.dialects.choose import AUTO, dialect_of
from firesteel.substrait.dialects.others import SPEC
from firesteel.substrait.extensions import Extensions, anchored_twice, read_extensions
from firesteel.substrait.literals import read_literal
from firesteel.substrait.lower import own_nodes
from firesteel.substrait.lower.base import Lowerer
from firesteel.substrait.lower.column_names import in_any_case
from firesteel.substrait.lower.expressions import calls, references, subqueries  # noqa: F401  (they register)
from firesteel.substrait.lower.hints import unknown_enhancements
from firesteel.substrait.lower.plan_details import PlanDetails
from firesteel.substrait.lower.recover import Recovering, unknown_relation
from firesteel.substrait.lower.relations import (  # noqa: F401  (they register)
    aggregates,
    extension_relations,
    joins,
    logical,
    physical,
    reads,
    windows,
)
from firesteel.substrait.lower.statements import statements
from firesteel.substrait.message import Message, of_kinds


@dataclass(frozen=True)
class Judged:
    """The problems of a plan; the plan, with placeholders where there are problems; its repairs."""

    problems: tuple[FiresteelError, ...]
    plan: p.Plan | None
    repairs: tuple[Repair, ...]
    #: The nodes that its messages were lowered to, by the identity of the message.
    recovering: Recovering


@dataclass(frozen=True)
class _Given:
    """A plan to lower, and what is collected from all of it first."""

    message: Message
    catalog: FileLookup | None
    dialect: Dialect
    extensions: list[Message]
    #: The `common` of every relation.
    commons: list[Message]

    def replacing(self) -> _Given:
        """The same plan, read as from a producer whose project relations replace their input."""
        why = "nothing else is possible"
        shapes = {**self.dialect.shapes, Shape.PROJECT_REPLACES: why}
        return replace(self, dialect=replace(self.dialect, shapes=shapes))

    @property
    def may_replace(self) -> bool:
        """Is nothing known of the producer, so that its project relations may replace their input?"""
        return not self.dialect.writes(Shape.PROJECT_REPLACES) and self.dialect is not SPEC


def _given(message: Message, catalog: FileLookup | None, dialect: str) -> _Given:
    found = of_kinds(message, "AdvancedExtension", "RelCommon")
    return _Given(message, catalog, dialect_of(message, dialect), found["AdvancedExtension"], found["RelCommon"])


def lower(message: Message, catalog: FileLookup | None = None, dialect: str = AUTO) -> RepairedPlan:
    """The plan of a message, over the tables of a catalog if there is one, read in a dialect (`dialects/choose.py`).

    Plans of known producers are read as those write them. Any other plan is read as the specification says; if that
    gives a PlanError, it is read once more with project relations without `common` replacing their input.
    """
    given = _given(message, catalog, dialect)
    try:
        return _lower(given)
    except PlanError:
        if not given.may_replace:
            raise
        try:
            made = _lower(given.replacing())
        except PlanError:
            made = None
        if made is None or not _replaced(made.repairs):
            raise
        return made


def judge(message: Message, catalog: FileLookup | None = None, dialect: str = AUTO) -> Judged:
    """All problems of a plan, and the repairs that `lower` makes in it."""
    given = _given(message, catalog, dialect)
    found = _judge(given)
    if given.may_replace and any(isinstance(problem, PlanError) for problem in found.problems):
        other = _judge(given.replacing())
        if not other.problems and _replaced(other.repairs):
            return other
    return found


def _replaced(repairs: tuple[Repair, ...]) -> bool:
    return any(repair.kind is RepairKind.REPLACING for repair in repairs)


def _judge(given: _Given) -> Judged:
    recovering = Recovering()
    try:
        made = _lower(given, recovering)
    except FiresteelError as error:  # in declarations that all of the plan refers to
        recovering.note(error)
        return Judged(tuple(recovering.problems), None, (), recovering)
    return Judged(tuple(recovering.problems), made.plan, made.repairs, recovering)


def _lower(given: _Given, recovering: Recovering | None = None) -> RepairedPlan:
    message = given.message
    extensions: Extensions = read_extensions(message, given.dialect)
    lowerer = Lowerer(extensions, given.catalog, recovering)
    noting = (lambda: recovering.noting(lowerer)) if recovering is not None else nullcontext
    for problem in (
        *extensions.problems,
        *anchored_twice(given.commons),
        *unknown_enhancements(given.extensions),
    ):
        with noting():
            raise problem
    for one in message.named_lambdas:
        lowerer.lambdas[one.lambda_anchor] = getattr(one, "lambda")
    for one in message.parameter_bindings:
        with noting():
            lowerer.parameters[one.parameter_anchor] = p.Lit(*read_literal(one.value, extensions))
    if not message.relations:
        raise PlanRule.EMPTY.broken("a plan without relations", where=message.where)
    whole_plan = own_nodes.whole_plan(lowerer, message.relations)
    if whole_plan is not None:
        return RepairedPlan(whole_plan, tuple(extensions.repairs))
    details = PlanDetails(lowerer, own_messages.find(message, own_messages.PLAN_DETAILS))
    made: list[p.Statement] = []
    for i, tree in enumerate(message.relations):
        with noting():
            made += statements(lowerer, tree, details.statement(i))
        if len(lowerer.trees) == i:  # lowering it failed: later references find this placeholder
            lowerer.trees.append(unknown_relation())
    whole = made[0] if len(made) == 1 and not details.is_script else p.Script(tuple(made))
    node = p.Plan(whole, globals=tuple(lowerer.globals), **details.document)
    if (
        given.catalog is None and not details.exact_names
    ):  # the tables are unknown: the plan may be written as Ion and run over them later
        node = transform(node, in_any_case, p.Path)
    return RepairedPlan(node, tuple(extensions.repairs))


__all__ = ["Judged", "judge", "lower"]
