"""The lineage of the 22 TPC-H queries: a golden file each, which `pytest --bless` rewrites."""

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
