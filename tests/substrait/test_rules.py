"""Every rule of the table: a plan that breaks it is found out, with its code and its place, and a mended one is not."""

from __future__ import annotations

import os
import re

import pytest

import firesteel as fs
from firesteel import doctor
from firesteel.plan.findings import Findings
from firesteel.rules import RULES, RelationRule, Severity
from firesteel.source import Place
from firesteel.substrait import encode
from tests.substrait.made import (
    BOOL,
    I64,
    STRING,
    Json,
    call,
    emit,
    field,
    filtered,
    lit,
    message,
    project,
    read,
    root,
    type_,
)
from tests.substrait.rule_cases import (
    BOTH,
    RULE_CASES,
    TRUE,
    RuleCase,
    kept,
    one_column,
    over,
    planned,
    virtual,
    with_column,
)

URN = "extension:test:rules"


@pytest.fixture(autouse=True, scope="module")
def _comparators() -> None:
    """Comparison functions for the rule about them."""
    fs.register_function(URN, "text", lambda a, b: "x", returns="string", replace=True)
    fs.register_function(URN, "number", lambda a, b: 0, returns="i32", replace=True)


def found(document: Json) -> Findings:
    return fs.Plan(message=message(document)).check()


def codes(findings: Findings) -> list[str]:
    return [one.code for one in (*findings, *findings.remarks)]


def test_every_rule_has_a_case() -> None:
    assert [case.rule for case in RULE_CASES] == list(RULES)


def test_every_rule_has_a_code_of_its_own_and_says_everything() -> None:
    assert len({rule.code for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert re.fullmatch(r"FS3[0-9]\d", rule.code)
        assert rule.title
        assert rule.basis
        assert rule.fix


@pytest.mark.parametrize("case", RULE_CASES, ids=str)
def test_a_broken_rule_is_found(case: RuleCase) -> None:
    findings = found(case.broken)
    assert [code for code in codes(findings) if code not in case.beside] == [case.rule.code]
    one = next(one for one in (*findings, *findings.remarks) if one.code == case.rule.code)
    assert isinstance(one.where, Place)
    assert "/".join(one.where.path).endswith(case.path)
    assert bool(findings) == (case.rule.severity is Severity.ERROR)
    assert one.help


@pytest.mark.parametrize("case", RULE_CASES, ids=str)
def test_a_rule_that_is_kept_is_not_reported(case: RuleCase) -> None:
    assert codes(found(case.mended)) == []


#: The errors that lowering raises. Whether inputs are ordered is known when their tables are bound.
RAISED = [
    case for case in RULE_CASES if case.rule.severity is Severity.ERROR and case.rule is not RelationRule.INPUT_ORDER
]


@pytest.mark.parametrize("case", RAISED, ids=str)
def test_the_first_error_is_what_lowering_raises(case: RuleCase) -> None:
    read = fs.read_plan(encode(message(case.broken)))
    with pytest.raises(fs.PlanError) as raised:
        read.lowered()
    assert str(raised.value) == str(read.check()[0])
    assert str(raised.value).startswith(f"{case.rule.code}: ")


def test_ten_faults_of_one_plan_are_all_reported() -> None:
    """Each branch of a cross join has another fault, and one virtual table has three."""
    typed = type_("decimal", precision=50, scale=2)
    rows = [[lit(i64="1")], [lit(i64="1"), lit(i64="2")], [lit(string="x")], [lit(i8=300)]]
    branches = [
        virtual(*rows, a=I64),
        filtered(read(), field(0)),
        project(read(), field(9), call("add", field(0), field(1), out=I64), common=emit(0, 17)),
        {"sort": {"input": read(), "sorts": [{"expr": field(0)}]}},
        {"fetch": {"input": read(), "countExpr": lit(i64="-1")}},
        one_column(typed),
        {"join": {"left": read(), "right": read("u"), "expression": field(44)}},
        {"set": {"inputs": [read()], "op": "SET_OP_UNION_ALL"}},
    ]
    rel = branches[0]
    for one in branches[1:]:
        rel = {"cross": {"left": rel, "right": one}}
    findings = found(planned(root(rel, "a")))
    assert sorted(one.code for one in findings) == [
        "FS321",  # field 9
        "FS321",  # field 44, in a join without a type
        "FS326",
        "FS331",
        "FS343",
        "FS361",
        "FS371",
        "FS371",
        "FS372",
        "FS373",
        "FS375",
        "FS377",
        "FS391",
    ]
    assert len({str(one.where) for one in findings}) == len(findings)


def test_declarations_that_are_wrong_do_not_hide_the_rest() -> None:
    document = kept(field(0))
    document["extensions"] = [
        {},
        {"extensionFunction": {"functionAnchor": 1, "name": "gt:any_any"}},
        {"extensionFunction": {"functionAnchor": 1, "name": "lt:any_any"}},
        {"extensionFunction": {"functionAnchor": 2}},
    ]
    assert [one.code for one in found(document)] == ["FS302", "FS311", "FS301", "FS391"]


def test_the_way_to_a_finding_is_told_in_words() -> None:
    """The kinds of relations, their tables and types, the names of functions and columns."""
    condition = call("gt", field(9), lit(i64="1"), out=BOOL)
    joined = {**BOTH["join"], "type": "JOIN_TYPE_LEFT", "right": filtered(read("u"), condition)}
    (problem,) = found(over({"join": joined}, 6))
    assert problem.where.trail == (
        "root (a, b, c, d, …) > join left > right > filter > condition > gt > argument 1 > field 9"
    )
    assert "\nin root (a, b, c, d, …) > join left" in str(problem)
    (schema_,) = found(over(one_column(type_("decimal", precision=50, scale=2)), 1))
    assert schema_.where.trail == "root (a) > read t > schema > column 'a' > decimal"
    (row,) = found(over(virtual([lit(i64="1")], [], a=I64), 1))
    assert row.where.trail == "root (a) > read virtual table > row 2"
    deep = read()
    for _ in range(40):
        deep = filtered(deep, TRUE, common={"hint": {"alias": "kept"}})
    (far,) = found(over(filtered(deep, TRUE, common=emit(8)), 1))
    assert far.where.trail == "root (a) > filter > emit > column 1"
    (inner,) = found(over(filtered(filtered(deep, TRUE), field(0))))
    assert inner.where.trail == "root (a, b, c) > filter > condition"
    far_down = read()
    for i in range(40):
        far_down = filtered(far_down, field(0) if i == 0 else TRUE)
    (cut,) = found(over(far_down))
    assert cut.where.trail.startswith("root (a, b, c) > filter > filter > … > filter > ")
    assert cut.where.trail.count(" > ") == 15


def test_nearest_signatures_are_those_of_the_family() -> None:
    (problem,) = found(with_column(call("add", field(0), field(1), out=I64)))
    assert problem.help.startswith("it is (i64, i64) -> i64 or ")
    assert problem.help.endswith("; there are 3 more")
    assert "decimal" not in problem.help
    (one_too_many,) = found(with_column(call("lower", field(1), field(1), out=STRING)))
    assert (
        one_too_many.help
        == "it is (string) -> string or (varchar<L1>) -> varchar<L1> or (fixedchar<L1>) -> fixedchar<L1>"
    )


def error_of(read: fs.Plan) -> list[str]:
    """The error that lowering raises, if it does."""
    try:
        read.lowered()
    except fs.FiresteelError as error:
        return [str(error)]
    return []


def test_plans_of_producers_give_no_false_alarms() -> None:
    """A plan that can be lowered has no errors, and what is said of it has a place."""
    suites = doctor.find_conformance(os.environ)
    if suites is None:
        pytest.skip("the saved plans are not here: set FIRESTEEL_CONFORMANCE")
    fine = refused = 0
    for path in sorted((suites / "substrait-plans").rglob("*"))[::4]:
        if path.suffix not in (".proto", ".json"):
            continue
        try:
            read = fs.read_plan(path)
        except fs.FiresteelError:
            continue
        findings = read.check()
        raised = error_of(read)
        assert [str(one) for one in findings][:1] == raised, path
        fine, refused = fine + (not raised), refused + bool(raised)
        assert all(remark.where is not None for remark in findings.remarks), path
    assert fine > refused > 0
