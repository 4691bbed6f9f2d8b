"""A plan that can be built can be written, and reads back equal: in text, laid out and on one line, and in binary."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from firesteel import partiql_plan
from firesteel.plan import Plan
from tests.plan.strategies import plans


def _round_trips(count: int) -> int:
    """How many of so many plans come back."""
    returned = 0

    @settings(max_examples=count, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(plans())
    def come_back(plan: Plan) -> None:
        nonlocal returned
        assert partiql_plan.read(partiql_plan.write(plan)) == plan
        assert partiql_plan.read(partiql_plan.write(plan, binary=True)) == plan
        returned += 1

    come_back()
    return returned


def test_generated_plans_come_back() -> None:
    assert _round_trips(200) >= 200


@pytest.mark.slow
def test_two_thousand_generated_plans_come_back() -> None:
    assert _round_trips(2_000) >= 2_000
