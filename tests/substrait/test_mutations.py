"""Damaged plans: an error with its place, or an answer; never another exception, never long, never large."""

from __future__ import annotations

import random
import resource
import time
from pathlib import Path

import pytest

import firesteel as fs
from firesteel.substrait import decode, encode
from firesteel.substrait.message import walk
from tests.substrait import made
from tests.substrait.made import message
from tests.substrait.mutate import mutated

SAVED = Path(__file__).parents[2].parent / "shared" / "conformance" / "substrait-plans" / "tpch"

#: What one plan may take: its own time, not that of others on the machine.
SECONDS, MEGABYTES = 2.0, 512


@pytest.fixture(scope="module")
def bases() -> list[bytes]:
    """Plans to damage: those made by hand, and some of real producers where they are."""
    saved = sorted(SAVED.rglob("*.proto"))[::20] if SAVED.exists() else []
    return [encode(message(make())) for make in made.PLANS.values()] * 3 + [path.read_bytes() for path in saved]


@pytest.fixture(scope="module")
def session() -> fs.Session:
    opened = fs.connect(engine="reference")
    for name, rows in made.TABLES.items():
        opened.register(name, rows)
    return opened


def judged(data: bytes, session: fs.Session) -> str:
    """What becomes of a plan: where it ends."""
    try:
        plan = fs.Plan(message=decode(data))
    except fs.FiresteelError:
        return "not read"
    problems = plan.check()
    assert plan.explain()
    if problems:
        assert all(problem.where is not None for problem in problems), problems
        return "wrong"
    try:
        for answer in session.run_all(plan):
            answer.value()
    except fs.FiresteelError:
        return "failed"
    return "ran"


def run(bases: list[bytes], session: fs.Session, count: int, seed: int) -> dict[str, int]:
    chance = random.Random(seed)
    ends: dict[str, int] = {}
    for i in range(count):
        data = mutated(chance.choice(bases), chance)
        started = time.process_time()
        try:
            end = judged(data, session)
        except Exception as error:
            error.add_note(f"mutation {i} of seed {seed}: {data.hex()}")
            raise
        assert time.process_time() - started < SECONDS, f"mutation {i} of seed {seed}: {data.hex()}"
        ends[end] = ends.get(end, 0) + 1
    return ends


def grown(before: int) -> float:
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def test_mutated_plans(bases: list[bytes], session: fs.Session) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ends = run(bases, session, 500, 1)
    assert set(ends) == {"not read", "wrong", "failed", "ran"}
    assert min(ends["not read"], ends["wrong"], ends["ran"]) > 50
    assert grown(before) < MEGABYTES


@pytest.mark.slow
def test_many_mutated_plans(bases: list[bytes], session: fs.Session) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run(bases, session, 5_000, 2)
    assert grown(before) < MEGABYTES


@pytest.mark.parametrize("name", sorted(made.PLANS))
def test_every_ordinal_is_judged(name: str) -> None:
    """An ordinal of a field that is not there is an error at that field."""
    plan = message(made.PLANS[name]())
    for one in _fields(plan):
        old = one.given.get("field", 0)
        one.given["field"] = 1000
        problems = fs.Plan(message=plan).check()
        assert any(problem.where is not None and str(problem.where)[3:] in "/".join(one.path) for problem in problems)
        one.given["field"] = old
    assert fs.Plan(message=plan).check() == []


def _fields(plan: fs.substrait.Message) -> list[fs.substrait.Message]:
    return [one for one in walk(plan) if one.kind.short == "StructField"]


def test_a_deep_plan_takes_no_long_time(session: fs.Session) -> None:
    """A place is told by the way to it: thousands of levels must not cost their square."""
    sum_ = made.call("add", made.field(0), made.lit(i64="1"), out=made.I64)
    plan = message(made.plan(made.root(made.project(made.read(), sum_), "a", "b", "c", "d")))
    project = plan.relations[0].root.input.project
    innermost = encode(project.expressions[0])
    top = project.expressions[0]
    for _ in range(1_000):
        below, top = top, decode(innermost, "Expression")
        top.scalar_function.arguments[0].given["value"] = below
    project.given["expressions"] = [top]
    data = encode(plan)
    started = time.process_time()
    assert judged(data, session) == "ran"
    assert time.process_time() - started < 3 * SECONDS
