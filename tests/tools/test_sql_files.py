"""What `make sql-files` says of plans that do not match."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tools import sql_files
from tools.conformance import known_failures


def _record(outcome: str, line: int) -> dict[str, Any]:
    return {"file": "array/a.slt", "at": f"a.slt:{line}", "outcome": outcome, "reason": "a reason", "tables": 1}


def test_surprises_are_new_mismatches_and_names_that_match() -> None:
    known = {"optimized array/a.slt:1": "the plan has lost IGNORE NULLS", "optimized array/a.slt:3": sql_files.FREE}
    records = [_record("match", 1), _record("differ", 2), _record("match", 3), _record("no-plan", 4)]
    assert sql_files.surprises("optimized", records, known) == [
        "MATCHES, though named: optimized array/a.slt:1",
        "NOT NAMED: optimized array/a.slt:2: differ: a reason",
    ]


def test_other_rows_are_counted_by_the_reason() -> None:
    known = {"analyzed array/a.slt:1": "the plan has lost IGNORE NULLS"}
    lines = sql_files.report("analyzed", [_record("differ", 1), _record("differ", 2), _record("match", 3)], known)
    assert lines[0] == "analyzed plans, all: 3; 1 the plan has lost, 1 wrong, 1 matched; 33.3 % match"


def test_every_name_has_a_reason() -> None:
    known = known_failures(sql_files.KNOWN)
    starts = (sql_files.LOST, sql_files.THEIRS, sql_files.FREE, sql_files.OURS, "refused: ")
    assert known
    assert all(reason.startswith(starts) for reason in known.values())


@pytest.mark.conformance
def test_the_names_are_of_queries_in_the_files(outside: Any) -> None:
    folder = outside("sqllogictest")
    for name in known_failures(sql_files.KNOWN):
        kind, _, place = name.partition(" ")
        assert kind in sql_files.KINDS
        path, _, line = place.rpartition(":")
        assert re.match("query|statement", (folder / path).read_text("utf-8").splitlines()[int(line) - 1]), name
