"""Random calls of Substrait's functions on Spark: the answers of the reference evaluator, many calls in one job."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

import firesteel as fs
from firesteel import values
from firesteel.errors import FiresteelError, UnsupportedError
from tests.random_calls import COLUMNS, one_row, substrait_call
from tests.spark.standard import alike
from tests.substrait.plans.relations import only, plan, root
from tools.spark_batch import FAST, configured

pytestmark = pytest.mark.spark

#: So many calls share a job.
SIZE = 40


def _plan(calls: Sequence[Any]) -> bytes:
    names = [f"c{i}" for i in range(len(calls))]
    return bytes(plan(root(only(one_row(), len(COLUMNS), *calls), names)))


def _row(session: fs.Session, calls: Sequence[Any]) -> list[values.Value]:
    (row,) = session.run(_plan(calls)).value()
    return [value for _, value in row.pairs]


def _answering(seed: int, count: int) -> list[tuple[int, Any, values.Value]]:
    """Calls that have an answer, with it."""
    reference = fs.connect(engine="reference")
    found = []
    for i in range(count):
        call = substrait_call(Random(f"{seed}/{i}"))
        try:
            found.append((i, call, _row(reference, [call])[0]))
        except FiresteelError:
            continue
    return found


def _differences(session: fs.Session, asked: Sequence[tuple[int, Any, values.Value]]) -> list[str]:
    """What Spark answers otherwise, or fails at; what it does not have, by name, is no answer."""
    if not asked:
        return []
    try:
        row = _row(session, [call for _, call, _ in asked])
    except Exception as error:
        if len(asked) > 1:
            half = len(asked) // 2
            return _differences(session, asked[:half]) + _differences(session, asked[half:])
        if isinstance(error, UnsupportedError):
            return []
        return [f"{asked[0][0]}: {asked[0][1]}\n  {type(error).__name__}: {error}"]
    pairs = zip(row, asked, strict=True)
    return [
        f"{i}: {call}\n  {found!r}, not {wanted!r}" for found, (i, call, wanted) in pairs if not alike(found, wanted)
    ]


def _checked(spark: Any, seed: int, count: int) -> None:
    asked = _answering(seed, count)
    assert len(asked) > count // 4
    with configured(spark, FAST):
        session = fs.connect(spark=spark, in_process=False)
        wrong = [one for at in range(0, len(asked), SIZE) for one in _differences(session, asked[at : at + SIZE])]
    assert not wrong, "\n".join(wrong)


def test_spark_gives_what_the_reference_gives(spark: Any) -> None:
    _checked(spark, 1, 160)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_spark_gives_what_the_reference_gives_of_more_calls(spark: Any) -> None:
    _checked(spark, 2, 1_500)
