"""Passes do not change answers: over the golden cases of PartiQL, in both modes, with each pass left out and alone."""

from __future__ import annotations

import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import PlanError
from firesteel.evaluate import evaluate
from firesteel.passes import Context, Phase, optimize, pipeline, plan_pass
from firesteel.plan import build as b
from tests.golden.test_partiql import CASES
from tests.passes.helpers import PASSES, bound, disagreements


@pytest.mark.parametrize("mode", ["permissive", "strict"])
def test_answers_agree(mode: str) -> None:
    ran = 0
    for case in CASES:
        session = fs.connect(engine="reference")
        for name, ion in case.tables:
            session.register(name, fs.ion(ion))
        try:
            plan, tables = bound(session, case.query, mode)
        except fs.FiresteelError:
            continue  # what the planner refuses, no pass sees
        ran += 1
        assert list(disagreements(plan, tables)) == [], (case.file, case.name)
    assert ran >= 140


#: Where a pass that is careless gives another answer.
TRAPS = [
    (
        "a condition that may fail stays behind the one that guards it",
        "SELECT VALUE x.a FROM <<{'a': 0}, {'a': 2}>> AS x, <<1>> AS y WHERE x.a <> 0 AND 10 / x.a > y",
        "$bag::[2]",
    ),
    (
        "1 and 1.0 are one, and the first of them is it",
        "SELECT VALUE v FROM (SELECT DISTINCT x AS a FROM <<1.0, 1>> AS x) AS v WHERE v.a IS INT",
        "$bag::[]",
    ),
    (
        "the key of a group is not MISSING",
        "SELECT VALUE v.k FROM (SELECT k FROM <<{'a': 1}, {}>> AS x GROUP BY x.a AS k) AS v WHERE v.k IS MISSING",
        "$bag::[]",
    ),
    (
        "NULL equals nothing",
        "SELECT VALUE [x, y] FROM <<1, NULL>> AS x, <<1, NULL>> AS y WHERE x = y",
        "$bag::[[1, 1]]",
    ),
    (
        "what is within an outer join is no filter of the side that is kept",
        "SELECT VALUE [x, y] FROM <<1, NULL>> AS x LEFT JOIN <<1, 2>> AS y ON x = y AND y < 2 AND x < 2",
        "$bag::[[1, 1], [null, null]]",
    ),
    (
        "nor is what is above one of the other",
        "SELECT VALUE y FROM <<1, 2>> AS x LEFT JOIN <<1>> AS y ON x = y WHERE y IS NULL",
        "$bag::[null]",
    ),
    (
        "what is no boolean ends one branch only",
        "SELECT VALUE x FROM <<1, 2>> AS x WHERE (1 AND x = 1) OR x = 2",
        "$bag::[2]",
    ),
    (
        "lists are joined in their order",
        "SELECT VALUE [x, y, z] FROM [1, 2] AS x, [5, 4] AS y, [1, 2] AS z WHERE x = z ORDER BY 1",
        "[[1, 5, 1], [1, 4, 1], [2, 5, 2], [2, 4, 2]]",
    ),
    (
        "an attribute that is MISSING is not there",
        "SELECT VALUE v.a FROM (SELECT VALUE {'a': MISSING, 'A': x} FROM <<1>> AS x) AS v",
        "$bag::[1]",
    ),
    (
        "a limit is no place to pass",
        "SELECT VALUE v FROM (SELECT VALUE x FROM [3, 1, 2] AS x LIMIT 2) AS v WHERE v < 3",
        "$bag::[1]",
    ),
]


@pytest.mark.parametrize(("query", "expected"), [trap[1:] for trap in TRAPS], ids=[trap[0] for trap in TRAPS])
def test_traps(query: str, expected: str) -> None:
    plan, tables = bound(fs.connect(engine="reference"), query, "permissive")
    assert list(disagreements(plan, tables)) == []
    assert values.equal(evaluate(plan, tables), fs.ion(expected))


def test_a_wrong_pass_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    @plan_pass(Phase.OPTIMIZE)
    def spoil(plan: p.Plan, _: Context) -> p.Plan:
        return plan.replace(statement=p.Query(p.Var(t.ANY, 3)))

    monkeypatch.setattr(pipeline, "PIPELINE", {Phase.OPTIMIZE: (spoil,)})
    with pytest.raises(PlanError, match="the pass 'spoil' has made a wrong plan: variable 3"):
        optimize(p.Plan(p.Query(b.lit(1))), verify=True)


def test_sessions_skip_passes() -> None:
    seen: list[p.Plan] = []

    class Spy:
        name = "spy"
        lowerings = ()

        def admit(self, plan: p.Plan) -> None: ...

        def together(self) -> None: ...

        def run(self, plan: p.Plan, tables: object, kept: object) -> object:
            seen.append(plan)
            return None

        def close(self) -> None: ...

    for skip in ((), ("fold_constants",), PASSES):
        session = fs.Session(Spy, in_process=False, skip_passes=skip)  # type: ignore[arg-type]
        session.run(session.plan("1 + 1"))
    folded, unfolded, untouched = (plan.statement.rex for plan in seen)  # type: ignore[attr-defined]
    assert [type(rex) for rex in (folded, unfolded, untouched)] == [p.Lit, p.Call, p.Call]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT VALUE x FROM <<1, 2>> AS x WHERE x > 1 AND x < 3",
        "SELECT VALUE x FROM <<1>> AS x, <<2>> AS y, <<3>> AS z",
        "SELECT x, COUNT(*) AS n FROM [1] AS x GROUP BY x ORDER BY n LIMIT 2",
        "SELECT VALUE x FROM <<1>> AS x LEFT JOIN <<2>> AS y ON x > y",
        "SELECT VALUE y FROM <<[1]>> AS x, x AS y WHERE EXISTS (SELECT 1 FROM <<3>> AS z WHERE z = y)",
        "PIVOT v AT k FROM UNPIVOT {'a': 1} AS v AT k",
    ],
)
def test_the_same_object_when_there_is_nothing_to_do(query: str) -> None:
    plan, _ = bound(fs.connect(engine="reference"), query, "permissive")
    once = optimize(plan)
    assert optimize(once) is once
