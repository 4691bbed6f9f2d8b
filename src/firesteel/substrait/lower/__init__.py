"""From Substrait's messages to the algebra: every relation and expression to the nodes that PartiQL uses.

`base.py` says what a handler is; the handlers are in `reads.py`, `relations.py`, `joins.py`, `aggregates.py`,
`windows.py`, and in `expressions.py`, `references.py`, `subqueries.py`. `statements.py` is the top of a plan,
`column_names.py` puts the names on columns and fields; how data is fitted to a declared schema is in `plan/fit.py`.
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
from firesteel.substrait.extensions import Extensions, read_extensions
from firesteel.substrait.literals import read_literal
from firesteel.substrait.lower import (  # noqa: F401 - they register their handlers
    aggregates,
    expressions,
    extension_relations,
    joins,
    reads,
    references,
    relations,
    subqueries,
    windows,
)
from firesteel.substrait.lower.base import Lowerer
from firesteel.substrait.lower.column_names import in_any_case
from firesteel.substrait.lower.hints import unknown_enhancements
from firesteel.substrait.lower.quirks import Quirks, quirks_of
from firesteel.substrait.lower.recover import Recovering, unknown_relation
from firesteel.substrait.lower.statements import statement
from firesteel.substrait.message import Message, of_kinds


@dataclass(frozen=True)
class Judged:
    """What is wrong with a plan; the plan, with gaps where something is; what had to be put right, wrong or not."""

    problems: tuple[FiresteelError, ...]
    plan: p.Plan | None
    repairs: tuple[Repair, ...]
    #: What became of its messages, by their identity.
    recovering: Recovering


@dataclass(frozen=True)
class _Given:
    """A plan to lower, and what has to be known of all of it before."""

    message: Message
    catalog: FileLookup | None
    quirks: Quirks
    extensions: list[Message]

    def replacing(self) -> _Given:
        """The same, as of a producer whose project relations replace their input."""
        return replace(self, quirks=replace(self.quirks, project_replaces=True))


def _given(message: Message, catalog: FileLookup | None) -> _Given:
    return _Given(message, catalog, quirks_of(message), of_kinds(message, "AdvancedExtension")["AdvancedExtension"])


def lower(message: Message, catalog: FileLookup | None = None) -> RepairedPlan:
    """The plan that a message says, over the tables of a catalog if there is one.

    A producer that gives its name, or is known by the shape of the plan, is read as it is known to write. Another one
    is read by the letter, and, if that makes no sense, once more as one whose project relations without `common`
    replace their input.
    """
    given = _given(message, catalog)
    try:
        return _lower(given)
    except PlanError:
        if given.quirks.project_replaces:
            raise
        try:
            made = _lower(given.replacing())
        except PlanError:
            made = None
        if made is None or not _replaced(made.repairs):
            raise
        return made


def judge(message: Message, catalog: FileLookup | None = None) -> Judged:
    """All that is wrong with a plan, and what `lower` puts right in it."""
    given = _given(message, catalog)
    found = _judge(given)
    if not given.quirks.project_replaces and any(isinstance(problem, PlanError) for problem in found.problems):
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
    except FiresteelError as error:  # in what all of the plan refers to
        recovering.note(error)
        return Judged(tuple(recovering.problems), None, (), recovering)
    return Judged(tuple(recovering.problems), made.plan, made.repairs, recovering)


def _lower(given: _Given, recovering: Recovering | None = None) -> RepairedPlan:
    message = given.message
    extensions: Extensions = read_extensions(message)
    lowerer = Lowerer(extensions, given.catalog, given.quirks, recovering)
    noting = (lambda: recovering.noting(lowerer)) if recovering is not None else nullcontext
    for problem in unknown_enhancements(given.extensions):
        with noting():
            raise problem
    for one in message.named_lambdas:
        lowerer.lambdas[one.lambda_anchor] = getattr(one, "lambda")
    for one in message.parameter_bindings:
        with noting():
            lowerer.parameters[one.parameter_anchor] = p.Lit(*read_literal(one.value, extensions))
    if not message.relations:
        raise PlanError("a plan without relations", where=message.where)
    statements: list[p.Statement] = []
    for i, tree in enumerate(message.relations):
        with noting():
            made = statement(lowerer, tree)
            statements += [made] if made is not None else []
        if len(lowerer.trees) == i:  # it could not be judged to its end
            lowerer.trees.append(unknown_relation())
    whole = statements[0] if len(statements) == 1 else p.Script(tuple(statements))
    node = p.Plan(whole, globals=tuple(lowerer.globals))
    if given.catalog is None:  # then no table is known, and the plan may yet be written as Ion and run over some
        node = transform(node, in_any_case, p.Path)
    return RepairedPlan(node, tuple(extensions.repairs))


__all__ = ["Judged", "judge", "lower"]
