"""Promises of tables, and plans that rely on orders: register, check, run, add sorts, verify; the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel.cli.entry import _run
from firesteel.node import walk
from tests.passes import physical_plans as build

ROWS = [{"a": 1, "b": {"c": "x"}}, {"a": 2, "b": {"c": "y"}}, {"a": 2, "b": {"c": "x"}}]
OTHERS = [{"d": 2, "e": 5}, {"d": 1, "e": 6}]
MERGE = build.plan_of(build.join(build.scan("t", "a"), build.scan("u", "d", "e"), "a=d", "merge"))
ANSWER = [{"a": 1, "d": 1, "e": 6}, {"a": 2, "d": 2, "e": 5}, {"a": 2, "d": 2, "e": 5}]


def session(*, t: Any = "a", u: Any = None, others: list[dict[str, int]] = OTHERS, **options: Any) -> fs.Session:
    made = fs.connect(engine="reference", **options)
    made.register("t", ROWS, ordered_by=t)
    made.register("u", others, ordered_by=u)
    return made


def promised(**options: Any) -> p.Promised:
    """What binding makes of a promise."""
    made = fs.connect(engine="reference")
    made.register("t", ROWS, **options)
    (found,) = walk(made._planner.prepare(made.plan("SELECT VALUE t.a FROM t").node).plan, p.Promised)
    assert isinstance(found, p.Promised)
    return found


# Promises ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["a"], [("a", p.SortOrder.ASC_NULLS_LAST)]),
        ("a", [("a", p.SortOrder.ASC_NULLS_LAST)]),
        (["A desc", "B.c"], [("a", p.SortOrder.DESC_NULLS_FIRST), ("b.c", p.SortOrder.ASC_NULLS_LAST)]),
        (["a ASC NULLS FIRST"], [("a", p.SortOrder.ASC_NULLS_FIRST)]),
        (["b.c  desc  nulls  last"], [("b.c", p.SortOrder.DESC_NULLS_LAST)]),
        ([("a", "desc", "nulls first")], [("a", p.SortOrder.DESC_NULLS_FIRST)]),
        ([("a", "clustered"), "b.c clustered"], [("a", p.SortOrder.CLUSTERED), ("b.c", p.SortOrder.CLUSTERED)]),
    ],
)
def test_orders(given: Any, expected: list[tuple[str, p.SortOrder]]) -> None:
    found = promised(ordered_by=given)
    assert [(_text(spec.key), spec.order) for spec in found.order] == expected
    assert (found.partitioned, found.singleton, found.verified) == ((), False, False)


def _text(rex: p.Rex) -> str:
    assert isinstance(rex, p.Path)
    return ".".join(str(step.key.value) for step in rex.steps)  # type: ignore[attr-defined]


def test_distributions() -> None:
    assert [_text(rex) for rex in promised(partitioned_by=["b.c", "a"]).partitioned] == ["b.c", "a"]
    assert [_text(rex) for rex in promised(partitioned_by="a").partitioned] == ["a"]
    assert promised(partitioned_by="singleton").singleton


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ordered_by": ["x"]}, "'q': ordered_by names 'x', and there is no 'x'"),
        ({"ordered_by": ["b.x desc"]}, "'q': ordered_by names 'b.x', and there is no 'x'"),
        ({"ordered_by": ["a.x"]}, "'q': ordered_by names 'a.x', and 'a' is a int64, which has no fields"),
        ({"ordered_by": ["a up"]}, "'q': ordered_by names 'a up', and there is no 'a up'"),
        ({"ordered_by": [("a", "up")]}, "'q': no order 'up' of 'a'"),
        ({"ordered_by": [("a", 1)]}, "'q': ordered_by takes the name of a column, not ('a', 1)"),
        ({"ordered_by": [""]}, "'q': ordered_by takes the name of a column, not ''"),
        ({"ordered_by": 3}, "'q': ordered_by is a list of columns, not a int"),
        ({"ordered_by": ["a", "A desc"]}, "'q': ordered_by names 'a' twice"),
        ({"ordered_by": ["a clustered nulls last"]}, "'q': 'a' is clustered: its NULLs may be anywhere"),
        ({"partitioned_by": ["singleton"]}, "'q': partitioned_by names 'singleton', and there is no 'singleton'"),
        ({"partitioned_by": ["a", 2]}, "'q': partitioned_by takes the name of a column, not 2"),
    ],
)
def test_promises_that_are_none(options: dict[str, Any], message: str) -> None:
    made = fs.connect(engine="reference")
    with pytest.raises(fs.AnalysisError) as caught:
        made.register("q", ROWS, **options)
    assert caught.value.message == message
    with pytest.raises(fs.AnalysisError, match="no table 'q'"):
        made.unregister("q")


def test_columns_with_dots_and_data_without_a_schema(tmp_path: Path) -> None:
    made = fs.connect(engine="reference")
    made.register("t", pa.table({"a.b": [1, 2], "c": [1, 1]}), ordered_by=["a.b desc"])
    lines = tmp_path / "u.jsonl"
    lines.write_text('{"x": {"y": 1}}\n', encoding="utf-8")
    made.register("u", lines, ordered_by=["x.y"])
    assert "t.a.b desc nulls first (declared)" in made.explain("SELECT VALUE t.c FROM t")
    assert "u.x.y asc nulls last (declared)" in made.explain("SELECT VALUE u.x FROM u")


def test_rows_that_are_added_were_not_promised() -> None:
    made = fs.connect(engine="reference")
    made.register("t", pa.table({"a": [1, 2]}), ordered_by=["a"])
    made.register("u", [{"a": 0}])
    source = p.Scan(p.Global(made.find([("u", False)])[1], 0), names=("u",))  # type: ignore[index]
    rows = p.Project((fs.plan.build.path(fs.plan.build.column(source, 0), "a"),), source, names=("a",))
    insert = p.Plan(
        p.Insert(("t",), (fs.types.Field("a", fs.types.INT64),), rows),
        globals=(p.GlobalBinding(("u",), fs.types.ANY),),
    )
    assert "declared" in made.explain("SELECT VALUE t.a FROM t")
    made.run(insert)
    assert "declared" not in made.explain("SELECT VALUE t.a FROM t")
    assert made.query("SELECT VALUE t.a FROM t").to_python() == [1, 2, 0]


# Plans that rely on orders -------------------------------------------------------------------------------------------


def test_an_order_that_is_not_known_is_refused_before_anything_runs() -> None:
    made = session()
    with pytest.raises(fs.PlanError, match="the right input of a merge join is not ordered by its key d") as caught:
        made.run(MERGE)
    assert "register(..., ordered_by=[...])" in str(caught.value)
    assert str(caught.value.where) == "at plan/root/join"


@pytest.mark.parametrize("options", [{"u": "d desc", "others": OTHERS, "t": None}, {"t": None}])
def test_sorts_are_added(options: dict[str, Any]) -> None:
    made = session(add_sorts=True, verify_passes=True, **options)
    assert sorted(made.run(MERGE).to_python(), key=lambda row: row["a"]) == ANSWER
    assert made.check(fs.Plan(MERGE)) == []


def test_a_sort_is_added_where_it_is_missing_only() -> None:
    made = session(add_sorts=True)
    prepared = made._planner.prepare(MERGE).plan
    (sort,) = walk(prepared, p.Sort)
    assert [spec.order for spec in sort.specs] == [p.SortOrder.ASC_NULLS_LAST]  # as the other side is promised to be
    assert "scan u" in made.explain(MERGE).split("sort")[1]


def test_no_sort_helps_keys_that_are_computed() -> None:
    rel = build.group(build.scan("t", "a"), "a", method="streaming")
    assert isinstance(rel, p.Aggregate)
    computed = rel.replace(keys=(fs.plan.build.call("plus", rel.keys[0], fs.plan.build.lit(1)),))
    for made in (session(), session(add_sorts=True)):
        with pytest.raises(fs.PlanError, match="a streaming aggregate needs keys that are fields") as caught:
            made.run(build.plan_of(computed))
        assert caught.value.help is None


def test_check_judges_by_the_plan_or_by_the_tables() -> None:
    left, right = (f"the {side} input of a merge join is not ordered by its key {key}" for side, key in SIDES)
    plan = fs.Plan(MERGE)
    assert [error.message for error in plan.check()] == [left, right]
    assert [error.message for error in session(t=None).check(plan)] == [left, right]
    assert [error.message for error in session().check(plan)] == [right]
    assert session(u="d").check(plan) == []


SIDES = (("left", "a"), ("right", "d"))


def test_promises_that_are_not_true() -> None:
    trusting, careful = session(u="d"), session(u="d", verify_properties=True)
    assert len(trusting.run(MERGE).to_python()) == 3
    with pytest.raises(fs.EvaluationError, match="row 2 is not in the order that is promised") as caught:
        careful.run(MERGE).to_python()
    assert "correct the promise, or sort the data" in str(caught.value)
    assert session(u="d desc", t="a", verify_properties=True).query("SELECT VALUE u.e FROM u").to_python() == [5, 6]


def test_promises_of_a_plan_are_verified_too() -> None:
    plan = build.plan_of(build.promised(build.scan("u", "d"), "d"))
    assert session().run(plan).to_python() == [{"d": 2}, {"d": 1}]
    with pytest.raises(fs.EvaluationError, match="row 2"):
        session(verify_properties=True).run(plan).to_python()


def test_a_view_is_judged_where_it_is_used() -> None:
    made = session()
    made.query("CREATE VIEW v AS SELECT t.a, u.e FROM t, u WHERE t.a = u.d")
    assert made.check(made.plan("SELECT VALUE v.e FROM v")) == []


def test_promises_do_not_keep_subqueries_from_being_decorrelated() -> None:
    from firesteel.evaluate import evaluate
    from firesteel.passes import Context, Phase, run_passes

    made = session(u=None)
    for text in (
        "SELECT VALUE u.e FROM u WHERE EXISTS (SELECT 1 FROM t WHERE t.a = u.d AND t.b.c = 'y')",
        "SELECT VALUE (SELECT COUNT(*) AS n FROM t WHERE t.a < u.d) FROM u",
        "SELECT VALUE u.d FROM u WHERE u.d IN (SELECT VALUE t.a FROM t ORDER BY t.a LIMIT 1)",
    ):
        prepared = made._planner.prepare(made.plan(text).node)
        lowered = run_passes(prepared.plan, Context(lowerings=("decorrelate",)), (Phase.LOWER,), verify=True)
        assert fs.values.equal(evaluate(lowered, prepared.tables), made.query(text).value())


# The command line ----------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    pq.write_table(pa.Table.from_pylist([{"a": row["a"]} for row in ROWS]), tmp_path / "t.parquet")
    pq.write_table(pa.Table.from_pylist(OTHERS), tmp_path / "u.parquet")
    (tmp_path / "plan.ion").write_text(fs.Plan(MERGE).to_ion(), encoding="utf-8")
    tables = [f"--table={name}={tmp_path / name}.parquet" for name in "tu"]
    return [str(tmp_path / "plan.ion"), *tables]


def test_the_command_line(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["check", *files]) == 1
    assert "the left input of a merge join is not ordered by its key a" in capsys.readouterr().err
    assert _run(["check", *files, "--ordered-by", "t=a", "--ordered-by", "u=d"]) == 0
    assert _run(["check", *files, "--add-sorts"]) == 0
    assert _run(["run", *files, "--engine=reference", "--add-sorts", "--format=ion"]) == 0
    assert capsys.readouterr().out.endswith("$bag::[{a: 1, d: 1, e: 6}, {a: 2, d: 2, e: 5}, {a: 2, d: 2, e: 5}]\n")
    promises = ["--ordered-by", "t=a", "--ordered-by", "u=d", "--partitioned-by", "t=singleton"]
    assert _run(["run", *files, "--engine=reference", *promises, "--verify-properties"]) == 1
    assert "row 2 is not in the order that is promised" in capsys.readouterr().err
    assert _run(["explain", *files, "--engine=reference", *promises]) == 0
    assert "one partition (declared)" in capsys.readouterr().out
    assert _run(["run", *files, "--ordered-by", "x=a"]) == 2
    assert "a promise of 'x', which is no --table" in capsys.readouterr().err
    assert _run(["run", *files, "--ordered-by", "t"]) == 2
    assert "'t' is not NAME=COLUMN,..." in capsys.readouterr().err
