"""One engine over the one Spark session of the run (`tests/conftest.py`)."""

from __future__ import annotations

from typing import Any

import pytest

from firesteel import plan as p
from firesteel.passes import Context, Phase, run_passes
from firesteel.spark import SparkEngine


class LoweringEngine(SparkEngine):
    """Spark for plans that come without a session: it runs the lowering passes that a session would run for it."""

    def run(self, plan: p.Plan, *given: Any) -> Any:
        return super().run(run_passes(plan, Context(lowerings=self.lowerings), (Phase.LOWER,)), *given)


@pytest.fixture(scope="session")
def engine(spark: Any) -> SparkEngine:
    return LoweringEngine(spark)
