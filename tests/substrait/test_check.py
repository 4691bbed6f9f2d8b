"""`check`: all that is wrong with a Substrait plan, and where; what was repaired; what is unsupported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import firesteel as fs
from firesteel.cli.entry import _run
from firesteel.plan.check import check as judged
from firesteel.substrait import encode
from tests.substrait import made
from tests.substrait.made import call, emit, field, filtered, lit, measure, message, plan, project, read, root
from tests.substrait.test_plans import CASES


def found(document: made.Json) -> list[tuple[str, str]]:
    """The problems of a plan: the message, and the end of the path."""
    return [(one.message, str(one.where).rpartition("/")[2]) for one in fs.Plan(message=message(document)).check()]


def session() -> fs.Session:
    made_ = fs.connect(engine="reference")
    for name, rows in made.TABLES.items():
        made_.register(name, rows)
    return made_


@pytest.mark.parametrize("name", sorted(made.PLANS))
def test_a_plan_that_is_fine(name: str) -> None:
    read_ = fs.Plan(message=message(made.PLANS[name]()))
    assert read_.check() == []
    assert session().check(read_) == []
    assert [answer.to_python() for answer in session().run_all(read_)]


def test_it_goes_on_after_the_first_problem() -> None:
    condition = call("and", call("gt", field(7), lit(i64="1"), out=made.BOOL), field(0), out=made.BOOL)
    wrong = {"measure": measure("sum", out=made.I64)}
    sums = {"aggregate": {"input": filtered(read(), condition), "measures": [wrong]}}
    cast = project(read("u"), {"cast": {"input": field(0)}})
    both = {"cross": {"left": sums, "right": {"cross": {"left": cast, "right": project(read(), common=emit(0, 9))}}}}
    problems = found(plan(root(both, "a", "b")))
    ends = ["struct_field", "scalar_function", "measure", "cast", "output_mapping[1]"]
    assert [where for _, where in problems] == ends
    assert [text for text, _ in problems][::3] == ["no field 7: the row has 3", "Cast without 'type'"]


def test_what_is_wrong_because_of_something_else_is_no_problem_of_its_own() -> None:
    unknown = {"singularOrList": {}}  # of a type that nobody knows
    wrong = project(read(), call("add", call("add", unknown, field(0), out={}), field(0), out={}))
    over = filtered(wrong, call("gt", field(3), lit(i64="1"), out=made.BOOL))
    assert found(plan(root(over, "a", "b", "c", "d"))) == [("SingularOrList without 'value'", "singular_or_list")]
    nothing = filtered({"set": {}}, call("gt", field(12), lit(i64="1"), out=made.BOOL))
    assert found(plan(root(nothing, "a"), root({"reference": {"subtreeOrdinal": 0}}, "a", "b", "c"))) == [
        ("a set relation that does not say which", "set")
    ]


def test_the_first_problem_is_the_one_that_running_raises() -> None:
    wrong = root(filtered(read(), call("gt", field(7), lit(i64="1"), out=made.BOOL)), "a")
    read_ = fs.Plan(message=message(plan(wrong)))
    first, second = read_.check()
    assert second.message == "there are fewer names than columns and fields"
    with pytest.raises(fs.PlanError) as raised:
        session().run(read_)
    assert str(raised.value) == str(first)


def test_unsupported_is_told_apart() -> None:
    update = {"update": {"namedTable": {"names": ["t"]}}}
    report = fs.Plan(message=message(plan(root(update)))).check().to_python()
    assert report["runs"] is False
    (problem,) = report["problems"]
    assert problem["kind"] == "unsupported"
    assert problem["path"] == "relations[0]/root/input/update"
    assert "changed in place" in problem["message"]


def test_over_tables() -> None:
    here = session()
    read_ = fs.Plan(message=message(plan(root(read("nowhere"), "a", "b", "c"))))
    assert read_.check() == []
    assert [one.message for one in here.check(read_)] == ["no table 'nowhere'"]
    here.register("w", [{"a": "text", "b": "x", "c": 1}])
    wide = fs.Plan(message=message(plan(root(read("w"), "a", "b", "c"))))
    assert "column 'a' is a string" in here.check(wide)[0].message
    here.register("less", [{"a": 1}])
    assert "'less' has no column 'b'" in here.check(fs.Plan(message=message(plan(root(read("less"), "a")))))[0].message


def written(path: Path, document: made.Json) -> str:
    path.write_bytes(encode(message(document)))
    return str(path)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fine = written(tmp_path / "old.proto", made.old())
    assert _run(["check", fine]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[-1] == f"{fine}: fine, 2 repairs, 2 warnings, 7 notes"
    assert said.out.startswith("repair 1: the old URI '/functions_comparison.yaml' stands for ")
    assert "\nrepair 2: functions without a URN or a URI go by their names (at extensions[1]" in said.out
    assert not said.err
    wrong = written(tmp_path / "wrong.proto", plan(root(filtered(read(), field(5)), "a", "b", "c")))
    assert _run(["check", wrong]) == 1
    assert f"{wrong}: 1 problem, 11 notes\n" in capsys.readouterr().err
    assert _run(["check", wrong, "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["plan"] == wrong
    assert [one["message"] for one in report["problems"]] == ["no field 5: the row has 3"]
    (tmp_path / "none.json").write_text('{"relation": []}')
    assert _run(["check", str(tmp_path / "none.json"), "--format", "json"]) == 1
    assert "relation" in json.loads(capsys.readouterr().out)["problems"][0]["message"]


def test_the_command_says_what_is_lost_and_what_is_in_doubt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keys = {"groupingExpressions": [field(0), field(0)], "groupings": [{"expressionReferences": [i]} for i in (0, 1)]}
    counted = {"measure": made.measure("count", out=made.type_("decimal", precision=38, scale=2))}
    grouped = {"aggregate": {"input": read(), **keys, "measures": [counted]}}
    both = root({"cross": {"left": grouped, "right": read("u")}}, *"abcdefg")
    path = written(tmp_path / "plan.proto", plan(both, version={"minorNumber": 50, "producer": "ibis-substrait"}))
    assert _run(["check", path]) == 0
    loss, doubt, *remarks, dialect, end = capsys.readouterr().out.splitlines()
    assert all(line.startswith("note FS315: the ") for line in remarks)
    assert dialect == "read as a plan of the dialect 'ibis'"
    assert loss.startswith("repair 1, something is lost: 'aggregate_generic:count' gives int64, and not decimal(38,2)")
    assert doubt.startswith("repair 2, in doubt: an aggregate of several grouping sets lists keys twice")
    assert end == f"{path}: fine, 2 repairs, 1 with a loss, 1 in doubt, {len(remarks)} notes"
    assert _run(["check", path, "--format", "json"]) == 0
    repairs = json.loads(capsys.readouterr().out)["repairs"]
    assert [one["kind"] for one in repairs] == ["loss", "doubt"]
    assert [(one["code"], one["name"]) for one in repairs] == [("FS827", "output_loss"), ("FS845", "grouping_doubt")]


def test_the_command_over_tables_and_the_repairs_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in made.TABLES["t"]))
    table = ["--table", f"t={tmp_path / 't.jsonl'}"]
    old = written(tmp_path / "old.proto", made.old())
    assert _run(["check", old, *table]) == 0
    assert _run(["check", old, "--table", f"u={tmp_path / 't.jsonl'}"]) == 1
    assert "no table 't'" in capsys.readouterr().err
    assert _run(["run", old, *table, "--engine", "reference"]) == 0
    said = capsys.readouterr()
    assert [line[:9] for line in said.err.splitlines()] == ["repair 1:", "repair 2:"]
    assert "set" in said.out
    trees = written(tmp_path / "trees.proto", made.trees())
    assert _run(["run", trees, *table, "--engine", "reference", "--format", "ion"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert _run(["run", trees, *table, "--engine", "reference", "-o", str(tmp_path / "x.jsonl")]) == 2
    assert _run(["run", trees, *table, "--engine", "reference", "--format", "ion", "--param", "3=2"]) == 0
    assert capsys.readouterr().out.startswith("$bag::[]\n")
    assert _run(["explain", trees]) == 0
    assert "tree 0: rel" in capsys.readouterr().out


# Hints ---------------------------------------------------------------------------------------------------------------


def limit(records: int, *, kind: str = "enhancement") -> made.Json:
    """A `common` that says how many records a relation may give."""
    extension = {"@type": "type.googleapis.com/firesteel.RecordLimit", "maxRecords": str(records)}
    held = {"enhancement": extension} if kind == "enhancement" else {"optimization": [extension]}
    return {"hint": {"constraint": {"advancedExtension": held}}}


def sorted_within(records: int, kind: str = "enhancement") -> fs.Plan:
    order = [{"expr": field(0), "direction": "SORT_DIRECTION_DESC_NULLS_LAST"}]
    rel = {"sort": {"input": read(), "sorts": order, "common": limit(records, kind=kind)}}
    return fs.Plan(message=message(plan(root(rel, "a", "b", "c"))))


@pytest.mark.parametrize("kind", ["enhancement", "optimization"])
def test_a_limit_of_records_is_held_to(kind: str) -> None:
    assert [row["a"] for row in session().run(sorted_within(3, kind)).to_python()] == [3, 2, 1]
    with pytest.raises(fs.EvaluationError, match="more than 2 records") as raised:
        session().run(sorted_within(2, kind)).value()
    assert str(raised.value.where) == "at relations[0]/root/input/sort"
    assert "· constraint: at most 2 records" in sorted_within(2, kind).explain()
    assert [one.message for one in sorted_within(-1, kind).check()] == ["a limit of less than no records"]


def test_a_limit_of_records_of_a_subquery() -> None:
    there = filtered(read("u"), call("gt", made.outer(0), field(0), out=made.BOOL), common=limit(1))
    exists = {"subquery": {"setPredicate": {"predicateOp": "PREDICATE_OP_EXISTS", "tuples": there}}}
    read_ = fs.Plan(message=message(plan(root(filtered(read(), exists), "a", "b", "c"))))
    with pytest.raises(fs.EvaluationError, match="more than 1 records"):
        session().run(read_).value()


@pytest.mark.spark
def test_a_limit_of_records_on_spark(spark: Any) -> None:
    opened = fs.connect(spark=spark, in_process=False)
    opened.register("t", made.TABLES["t"])
    assert [row["a"] for row in opened.run(sorted_within(3)).to_python()] == [3, 2, 1]
    with pytest.raises(fs.EvaluationError, match="more than 2 records"):
        opened.run(sorted_within(2)).value()


def test_an_enhancement_that_is_not_known_is_refused_wherever_it_is() -> None:
    url = {"@type": "type.googleapis.com/substrait.Version"}
    for part in ({"advancedExtension": {"enhancement": url}}, {"common": {"advancedExtension": {"enhancement": url}}}):
        (problem,) = fs.Plan(message=message(plan(root(read(**part), "a", "b", "c")))).check()
        assert isinstance(problem, fs.UnsupportedError)
        assert "'type.googleapis.com/substrait.Version'" in problem.message
    (problem,) = fs.Plan(
        message=message(plan(root(read(), "a", "b", "c"), advancedExtensions={"enhancement": url}))
    ).check()
    assert str(problem.where) == "at advanced_extensions"
    harmless = read(advancedExtension={"optimization": [url]})
    assert fs.Plan(message=message(plan(root(harmless, "a", "b", "c")))).check() == []


def test_the_plans_made_by_hand_are_judged_as_they_are_lowered() -> None:
    """What `check` finds first is what lowering raises, and it finds nothing where lowering raises nothing."""
    for case in CASES[::5]:
        read_ = fs.read_plan(case.data)
        found_ = read_.check()
        first, repairs, others = lowered(read_)
        assert [str(one) for one in found_][: len(first) or None] == (first or others), case.name
        assert first or found_.repairs == repairs, case.name
        assert "⟨" not in read_.explain() or found_, case.name


def lowered(plan_: fs.Plan) -> tuple[list[str], object, list[str]]:
    """What lowering raises, else what it repairs, and what is wrong with the result."""
    try:
        made_ = plan_.lowered()
    except fs.FiresteelError as error:
        return [str(error)], (), []
    return [], made_.repairs, [str(one) for one in judged(made_.plan)]
