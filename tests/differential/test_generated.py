"""Generated statements over generated data: Spark's answer is the reference's, with and without every pass."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from typing import Any

import pytest

from tests.differential.queries import statement
from tests.differential.run import PASSES, Case, Difference, Engines, tally
from tools.spark_batch import FAST, configured

pytestmark = pytest.mark.spark

#: So many data sets are shared by the statements.
DATA = 8
#: The statements that every run of the tests has, but for one whose plan takes Spark longer than the others'.
SOME = range(24)
LONG = (3,)
#: So many statements are one of the slow tests, and have their frames in Spark's memory at a time.
CHUNK = 100
#: What is shown of what differs: printing all of it, and making it smaller, takes a while.
SHOWN, SMALLER = 10, 3


def case(seed: int) -> Case:
    """The case of a seed: every other one is strict, and of three one does without a pass."""
    skip = [PASSES[seed // 3 % len(PASSES)]] if seed % 3 == 0 else []
    return Case(statement(seed), seed % DATA, "strict" if seed % 2 else "permissive", tuple(skip))


def _agree(seeds: Iterable[int], spark: Any) -> None:
    cases = [case(seed) for seed in seeds]
    with configured(spark, FAST):
        engines = Engines(spark)
        found: list[Difference] = engines.differences(cases)
        smaller = [engines.shrunk(one) for one in found[:SMALLER]]
    gc.collect()  # Spark frees a frame only when its last Python object is collected
    shown = "\n\n".join(map(str, smaller + found[SMALLER:SHOWN]))
    assert not found, f"{len(found)} of {len(cases)} differ ({tally(found)}):\n{shown}"


def test_some_agree(spark: Any) -> None:
    _agree([seed for seed in SOME if seed not in LONG], spark)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 2000, CHUNK))
def test_all_agree(first: int, spark: Any) -> None:
    _agree([seed for seed in range(first, first + CHUNK) if seed not in SOME or seed in LONG], spark)
