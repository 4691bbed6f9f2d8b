"""Plans as PartiQL text, and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import firesteel as fs
from firesteel import values
from tests.conftest import record_suite
from tests.differential.data import environment
from tests.differential.queries import statement
from tests.golden import test_partiql as golden
from tests.partiql.write.round_trip import judged
from tests.suites.test_tpch import session as tpch_session
from tools.partiql_suite import in_part, load

#: So many data sets are shared by the generated queries.
DATA = 8


def _session(tables: Iterable[tuple[str, Any]]) -> fs.Session:
    session = fs.connect(engine="reference")
    for name, value in tables:
        session.register(name, values.Text(value) if type(value) is str else value)
    return session


def test_golden_queries() -> None:
    counts: Counter[str] = Counter()
    wrong = [
        judged(_session((name, fs.ion(ion)) for name, ion in case.tables), case.query, case.mode, counts)
        for case in golden.CASES
    ]
    assert not "\n\n".join(filter(None, wrong))
    assert counts["equal"] > 10 * counts["other plan"]


def _generated(seeds: Iterable[int]) -> None:
    counts: Counter[str] = Counter()
    sessions = [_session(environment(data).items()) for data in range(DATA)]
    wrong = [
        judged(sessions[seed % DATA], statement(seed).text(), "strict" if seed % 2 else "permissive", counts)
        for seed in seeds
    ]
    assert not "\n\n".join(filter(None, wrong))
    assert counts["equal"] > 10 * counts["other plan"]


def test_generated_queries() -> None:
    _generated(range(200))


@pytest.mark.slow
def test_more_generated_queries() -> None:
    _generated(range(200, 2_000))


def _suite(folder: Path, parts: int) -> None:
    counts: Counter[str] = Counter()
    runs = [run for run in load(folder) if run.expected.startswith("Evaluation") and in_part(run, parts)]
    wrong = []
    for run in runs:
        session = _session(dict(run.env.pairs).items())
        wrong += [judged(session, text, run.mode or "permissive", counts) for text in run.statements]
    record_suite("partiql-tests", len(runs))
    assert not "\n\n".join(filter(None, wrong))
    assert counts["equal"] > 10 * counts["other plan"]


@pytest.mark.conformance
def test_queries_of_the_suite(outside: Callable[[str], Path]) -> None:
    _suite(outside("partiql-tests"), 10)


@pytest.mark.slow
@pytest.mark.conformance
def test_all_queries_of_the_suite(outside: Callable[[str], Path]) -> None:
    _suite(outside("partiql-tests"), 1)


@pytest.mark.conformance
def test_tpch(outside: Callable[[str], Path]) -> None:
    session = tpch_session()
    counts: Counter[str] = Counter()
    paths = sorted((outside("tpch") / "queries").glob("*.sql"))
    wrong = [judged(session, path.read_text(encoding="utf-8"), "permissive", counts) for path in paths]
    assert not "\n\n".join(filter(None, wrong))
    assert sum(counts.values()) == len(paths) == 22
