"""The settings of a session that is not ours."""

from __future__ import annotations

from typing import Any

import pytest

from firesteel.spark.runtime.settings import settings

pytestmark = pytest.mark.spark

ZONE = "spark.sql.session.timeZone"
ITERATIONS = "spark.sql.analyzer.maxIterations"


@pytest.fixture
def theirs(spark: Any) -> Any:
    session = spark.newSession()
    session.conf.set(ZONE, "America/New_York")
    session.conf.unset(ITERATIONS)
    return session


def test_they_are_put_back_by_the_last_of_those_that_overlap(theirs: Any) -> None:
    default = theirs.conf.get(ITERATIONS)
    first, second = settings(theirs), settings(theirs)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert theirs.conf.get(ZONE) == "UTC"
    second.__exit__(None, None, None)
    assert theirs.conf.get(ZONE) == "America/New_York"
    assert theirs.conf.get(ITERATIONS) == default


def test_they_are_put_back_after_an_error(theirs: Any) -> None:
    with pytest.raises(ZeroDivisionError), settings(theirs):
        1 / (theirs.conf.get(ZONE) != "UTC")
    assert theirs.conf.get(ZONE) == "America/New_York"
