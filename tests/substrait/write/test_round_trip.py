"""A plan that is written as Substrait is read as the same plan: all plans that the tests have."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel import substrait
from firesteel.errors import FiresteelError
from firesteel.substrait import own_messages
from tests.physical_cases import cases
from tests.substrait.plans.cases import tables
from tests.substrait.test_plans import GROUPS
from tests.substrait.write.round_trip import difference, planned
from tests.suites import test_tpch as tpch_tables
from tools import conformance_substrait, relation_cases, saved_plans, substrait_cases, tpch
from tools.tpch import CONFORMANCE

PHYSICAL = cases()
RELATIONS = CONFORMANCE / "substrait-relations"


def _wrong(plans: Iterator[tuple[str, p.Plan]]) -> tuple[int, list[str]]:
    """How many plans there are, and what a round trip changes in them."""
    count, wrong = 0, list[str]()
    for name, node in plans:
        count += 1
        found = difference(node)
        if found:
            wrong.append(f"{name}: {found}")
    return count, wrong


@pytest.mark.parametrize("family", sorted({name.split()[0] for name in PHYSICAL}))
def test_physical_plans(family: str) -> None:
    count, wrong = _wrong((name, node) for name, node in PHYSICAL.items() if name.split()[0] == family)
    assert count
    assert not wrong, "\n".join(wrong[:10])


@pytest.mark.parametrize("group", GROUPS, ids=str)
def test_plans_by_hand(group: object) -> None:
    def plans() -> Iterator[tuple[str, p.Plan]]:
        for case in group.found:  # type: ignore[attr-defined]
            try:
                node = fs.read_plan(case.data).node
            except FiresteelError:  # a plan that is wrong
                continue
            yield case.name, node

    _, wrong = _wrong(plans())
    assert not wrong, "\n".join(wrong[:10])


def test_plans_over_tables() -> None:
    """Lowered over tables, plans have the types of the tables."""
    session = fs.connect(engine="reference")
    for name, table in tables().items():
        session.register(name, table)

    def plans() -> Iterator[tuple[str, p.Plan]]:
        for group in GROUPS[::4]:
            for case in group.found[:40]:
                try:
                    yield case.name, fs.read_plan(case.data).lowered(session._catalog).plan
                except FiresteelError:
                    continue

    count, wrong = _wrong(plans())
    assert count > 50
    assert not wrong, "\n".join(wrong[:10])


@pytest.mark.parametrize("phase", ["planned", "prepared"])
def test_partiql(phase: str) -> None:
    """Queries over data without a schema: as they are planned, and as they run."""

    def plans() -> Iterator[tuple[str, p.Plan]]:
        for case, session, plan in planned():
            try:
                node = plan.node if phase != "prepared" else session._planner.prepare(plan.node).optimized
            except FiresteelError:
                continue
            yield f"{case.file}: {case.name}", node

    count, wrong = _wrong(plans())
    assert count > 150
    assert not wrong, "\n".join(wrong[:10])


def test_answers() -> None:
    """A query gives the same answer, or the same error, after a round trip."""

    def answer(session: fs.Session, plan: fs.Plan) -> str:
        try:
            return session.run(plan).to_ion()
        except FiresteelError as error:
            return type(error).__name__

    wrong: list[str] = []
    for case, session, plan in planned():
        again = fs.read_plan(plan.to_substrait())
        if answer(session, plan) != answer(session, again) or len(plan.check()) != len(again.check()):
            wrong.append(case.name)
        assert again.explain()
    assert not wrong


def _functions_of_ours(node: p.Plan) -> int:
    """How many functions of our own a plan is written with."""
    message = substrait.write(node)
    urns = {one.extension_urn_anchor: one.urn for one in message.extension_urns}
    called = [one.extension_function for one in message.extensions if one.has("extension_function")]
    ours = (own_messages.ALGEBRA_URN, own_messages.PARTIQL_URN)
    return sum(urns[one.extension_urn_reference] in ours for one in called)


def test_every_function() -> None:
    """The function cases of the specification: the same plan, and a standard function for nearly every call."""

    def plans() -> Iterator[tuple[str, p.Plan]]:
        for batch in conformance_substrait.batches(list(substrait_cases.load())):
            parts = [batch.cases]
            while parts:
                cases_ = parts.pop()
                try:
                    yield str(cases_[0]), fs.read_plan(batch.plan(cases_)).node
                except FiresteelError:  # one of them is wrong: the others go on without it
                    half = len(cases_) // 2
                    parts += [cases_[:half], cases_[half:]] if half else []

    found = list(plans())
    _, wrong = _wrong(iter(found))
    assert not wrong, "\n".join(wrong[:10])
    assert len(found) > 100
    assert sum(map(_functions_of_ours, [node for _, node in found])) < 5


@pytest.mark.skipif(not tpch.queries(), reason="the queries of TPC-H are not here")
def test_tpch() -> None:
    session = tpch_tables.session()
    count, wrong = _wrong((name, session.plan(text).node) for name, text in tpch.queries().items())
    assert count == 22
    assert not wrong, "\n".join(wrong)


@pytest.mark.skipif(not RELATIONS.is_dir(), reason="the relation cases are not here")
def test_relation_cases() -> None:
    def plans() -> Iterator[tuple[str, p.Plan]]:
        for case in relation_cases.load(RELATIONS):
            try:
                yield case.name, fs.read_plan(json.dumps(case.plan)).node
            except FiresteelError:
                continue

    count, wrong = _wrong(plans())
    assert count > 30
    assert not wrong, "\n".join(wrong[:10])


@pytest.mark.skipif(not saved_plans.saved(), reason="the saved plans are not here")
def test_plans_of_producers() -> None:
    def plans() -> Iterator[tuple[str, p.Plan]]:
        for saved in saved_plans.saved():
            try:
                yield str(saved.path), fs.read_plan(Path(saved.path)).node
            except FiresteelError:
                continue

    count, wrong = _wrong(plans())
    assert count > 100
    assert not wrong, "\n".join(wrong[:10])
