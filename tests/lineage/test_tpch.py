"""The lineage of the 22 TPC-H queries: a golden file each, which `pytest --bless` rewrites.

q02 (a correlated subquery), q08 (CASE in an aggregate, a table twice), q13 (an outer join, a group of groups), q15
(WITH, used twice) and q21 (EXISTS, NOT EXISTS) were read by hand beside the SQL texts. `COUNT(*)` is made from `t.*`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.suites.test_tpch import session

FOLDER = Path(__file__).parent / "tpch"
NAMES = [f"q{number:02}" for number in range(1, 23)]


@pytest.mark.conformance
@pytest.mark.parametrize("name", NAMES)
def test_the_lineage_is_the_golden_one(name: str, outside: Callable[[str], Path], bless: bool) -> None:
    text = (outside("tpch/queries") / f"{name}.sql").read_text(encoding="utf-8")
    (found,) = session().lineage(text)
    path = FOLDER / f"{name}.golden"
    if bless:
        path.write_text(f"{found}\n", encoding="utf-8")
    assert path.read_text(encoding="utf-8") == f"{found}\n", "look at the difference, then run pytest --bless"
