"""What `firesteel check` prints: text for people, JSON and SARIF for programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import firesteel as fs
from firesteel.cli.entry import _run
from tests.substrait.made import field, filtered, read, root
from tests.substrait.rule_cases import I32, RULE_CASES, fetched, one_column, over, planned


def written(path: Path, document: dict[str, Any]) -> str:
    path.write_text(json.dumps(document))
    return str(path)


def test_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Remarks that say the same of several places are one line; the exit code is that of the problems."""
    bare = {"i64": {}}
    rel = {"cross": {"left": one_column(bare), "right": one_column(bare)}}
    path = written(tmp_path / "plan.json", over(rel, 2))
    assert _run(["check", path]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "warning FS332: the type i64 does not say whether it is nullable (in root (a, b) > cross > left > read t > "
        "schema > column 'a', and in 1 other place)",
        f"{path}: fine, 2 warnings",
    ]
    wrong = written(tmp_path / "wrong.json", over(filtered(read(), field(5))))
    assert _run(["check", wrong]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        "FS321: no field 5: the row has 3",
        "at relations[0]/root/input/filter/condition/selection/direct_reference/struct_field",
        "in root (a, b, c) > filter > condition > field 5",
        "  count the input's columns from 0; `firesteel explain` shows them",
        f"{wrong}: 1 problem",
    ]


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "plan.json", planned(root(filtered(one_column({"i32": {}}), field(0)), "a")))
    assert _run(["check", path, "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    (problem,), (remark,) = report["problems"], report["remarks"]
    assert problem == {
        "number": 1,
        "kind": "invalid",
        "code": "FS391",
        "message": "a condition is a boolean, not a int32?",
        "path": "relations[0]/root/input/filter/condition",
        "trail": "root (a) > filter > condition",
        "help": "compare the value with something",
        "rule": "a condition is a boolean",
        "basis": "Logical relations: Filter and Join, a boolean expression; IfThen",
    }
    assert (remark["kind"], remark["code"], remark["path"]) == (
        "warning",
        "FS332",
        "relations[0]/root/input/filter/input/read/base_schema/struct/types[0]",
    )


def sarif(path: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    _run(["check", path, "--format", "sarif"])
    log: dict[str, Any] = json.loads(capsys.readouterr().out)
    return log


@pytest.mark.parametrize("case", [case for case in RULE_CASES if case.rule.code.endswith("1")], ids=str)
def test_sarif_has_the_shape_that_its_schema_asks_for(
    case: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = sarif(written(tmp_path / "a plan.json", case.broken), capsys)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "firesteel"
    assert run["results"]
    assert len({rule["id"] for rule in driver["rules"]}) == len(driver["rules"])
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule.get("defaultConfiguration", {"level": "error"})["level"] in ("error", "warning", "note")
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        (location,) = result["locations"]
        uri = location["physicalLocation"]["artifactLocation"]["uri"]
        assert uri == run["artifacts"][0]["location"]["uri"]
        assert uri.endswith("a%20plan.json")
    assert case.rule.code in {result["ruleId"] for result in run["results"]}


def test_sarif_of_repairs_and_of_what_is_no_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = fetched(count="3") | {"extensions": [{"extensionFunction": {"functionAnchor": 1, "name": "gt:any_any"}}]}
    (run,) = sarif(written(tmp_path / "old.json", old), capsys)["runs"]
    assert {(one["ruleId"], one["level"]) for one in run["results"]} == {
        ("FS309", "note"),
        ("FS315", "note"),
        ("FS803", "note"),
    }
    (run,) = sarif(written(tmp_path / "none.json", {"relation": []}), capsys)["runs"]
    assert [one["ruleId"] for one in run["results"]] == [fs.PlanError.code]
    (run,) = sarif(written(tmp_path / "fine.json", over(one_column(I32), 1)), capsys)["runs"]
    assert run["results"] == []
