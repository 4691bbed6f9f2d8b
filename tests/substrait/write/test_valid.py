"""Written plans are plans by Substrait's own classes and declarations (`validator.py`)."""

from __future__ import annotations

import pytest
from substrait import plan_pb2

import firesteel as fs
from firesteel import substrait
from firesteel.errors import FiresteelError
from tests.physical_cases import cases
from tests.substrait.test_plans import GROUPS
from tests.substrait.write.round_trip import planned
from tests.substrait.write.validator import problems


def test_physical_plans() -> None:
    wrong = {name: found for name, node in cases().items() if (found := problems(_bytes(node)))}
    assert not wrong


def _bytes(node: object) -> bytes:
    return substrait.encode(substrait.write(node))  # type: ignore[arg-type]


def test_plans_by_hand() -> None:
    wrong: dict[str, list[str]] = {}
    count = 0
    for case in [case for group in GROUPS for case in group.found]:
        try:
            node = fs.read_plan(case.data).node
        except FiresteelError:
            continue
        count += 1
        found = problems(_bytes(node))
        if found:
            wrong[case.name] = found
    assert count > 500
    assert not wrong


def test_partiql_without_a_schema() -> None:
    wrong: dict[str, list[str]] = {}
    for case, _, plan in planned():
        found = problems(plan.to_substrait())
        if found:
            wrong[f"{case.file}: {case.name}"] = found
    assert not wrong


@pytest.mark.parametrize("change", ["anchor", "name", "column", "names"])
def test_the_validator_finds_what_is_wrong(change: str) -> None:
    """A plan that is right, with one thing changed."""
    node = cases()["join LEFT any, condition"]
    plan = plan_pb2.Plan.FromString(_bytes(node))
    assert not problems(plan.SerializeToString())
    if change == "anchor":
        plan.extensions[0].extension_function.function_anchor = 99
    elif change == "name":
        plan.extensions[0].extension_function.name = "no_such:i64"
    elif change == "column":
        plan.relations[0].root.input.project.expressions[0].selection.direct_reference.struct_field.field = 77
    else:
        del plan.relations[0].root.names[:]
    assert problems(plan.SerializeToString())
