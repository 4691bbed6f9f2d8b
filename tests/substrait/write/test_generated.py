"""Plans of all sorts of nodes, generated from the declarations: each comes back, or is refused when it is written."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, given, settings

from firesteel import plan as p
from firesteel.errors import FiresteelError
from firesteel.substrait import encode, write
from tests.plan.strategies import plans
from tests.substrait.write.round_trip import difference

COUNTS: Counter[str] = Counter()


@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(plans())
def _round_trip(plan: p.Plan) -> None:
    plan = plan.replace(definitions=())  # which no plan of Substrait has
    try:
        encode(write(plan))
    except FiresteelError:  # a column that is not there, a root without names
        COUNTS["refused"] += 1
        return
    COUNTS["written"] += 1
    assert not difference(plan)


def test_generated_plans_come_back() -> None:
    _round_trip()
    assert COUNTS["written"] > 100
