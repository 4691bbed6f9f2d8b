"""Dynamic values compared with numbers and texts that are known: as the reference has it, to the last digit."""

from __future__ import annotations

from typing import Any

import pytest

import firesteel as fs
from firesteel import values
from firesteel.spark.scalar import compare

pytestmark = pytest.mark.spark

ROWS = """$bag::[
  100, 99, 101, 9007199254740993, -9223372036854775808, 9223372036854775807, 9223372036854775808, 0, 1,
  100.0, 100.00000000000000000001, 99.99999999999999999999999999999999999, 0.5,
  0.50000000000000000000000000000001, 1d-30,
  99999999999999999999999999999999999999.0, 100e0, 99.99999999999999e0, 0.1e0, nan, +inf, -inf, -0e0,
  "100", "x", "xy", "", "é", x, null, $missing::null, true, [1], {a: 1}, $bag::[2], 2024-01-01T, {{aGVsbG8=}}
]"""

LITERALS = ["100", "0", "0.5", "1e0", "99.5", "9007199254740991", "'x'", "''"]


def queries() -> list[str]:
    tests = [f"[r < {n}, r <= {n}, r > {n}, r >= {n}, {n} < r, r BETWEEN {n} AND {n}]" for n in LITERALS]
    return [f"SELECT VALUE {{'r': r, 'all': [{', '.join(tests)}]}} FROM t AS r"]


def test_as_the_reference(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "_compare_dynamic", None)  # no key is made of anything
    ours, theirs = fs.connect(spark=spark), fs.connect(engine="reference")
    for session in (ours, theirs):
        session.register("t", fs.ion(ROWS))
    for query in queries():
        assert values.equal(ours.query(query).value(), theirs.query(query).value())


def test_strict_errors(spark: Any) -> None:
    session = fs.connect(spark=spark)
    session.register("t", fs.ion('$bag::[1, 2.5, "x"]'))
    with pytest.raises(fs.EvaluationError, match="cannot compare"):
        session.query("SELECT VALUE r < 2 FROM t AS r", mode="strict").value()
    fits = "SELECT VALUE r < 2 FROM t AS r WHERE NOT (r IS STRING)"
    assert session.query(fits, mode="strict").to_python() in ([True, False], [False, True])
