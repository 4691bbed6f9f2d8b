"""A plan that can be built can be written, and reads back equal: in text, laid out and on one line, and in binary."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from firesteel import partiql_plan
from firesteel.plan import Plan
from tests.plan.strategies import plans

#: How many plans went in, and how many came back.
COUNTS = {"written": 0, "read": 0}


@settings(max_examples=1000, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(plans())
def _round_trip(plan: Plan) -> None:
    COUNTS["written"] += 1
    assert partiql_plan.read(partiql_plan.write(plan)) == plan
    assert partiql_plan.read(partiql_plan.write(plan, binary=True)) == plan
    COUNTS["read"] += 1


def test_a_thousand_plans_come_back() -> None:
    _round_trip()
    assert COUNTS["written"] == COUNTS["read"] >= 1000
