"""What all tests share: golden files, outside suites, one Spark session."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tools.py4j_lookups import remember_lookups
from tools.spark_batch import FAST, configured

# On CI generated cases are the same every time: what fails there fails at home too.
settings.register_profile("firesteel", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("firesteel")

ROOT = Path(__file__).parent.parent
CONFORMANCE = Path(os.environ.get("FIRESTEEL_CONFORMANCE", ROOT.parent / "shared" / "conformance"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", help="rewrite the golden files with what the tests see")
    parser.addoption("--codegen", action="store_true", help="let Spark generate code, as it does for users")


@pytest.fixture
def bless(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--bless"))


def record_suite(suite: str, cases: int, why: str = "") -> None:
    """Say that so many cases of an outside suite ran, or why none did; `make test` sums up."""
    report = os.environ.get("FIRESTEEL_SUITE_REPORT")
    if report:
        Path(report).parent.mkdir(parents=True, exist_ok=True)
        with open(report, "a", encoding="utf-8") as out:
            out.write(json.dumps({"suite": suite, "cases": cases, "ran": not why, "why": why}) + "\n")


@pytest.fixture(scope="session")
def outside() -> Callable[[str], Path]:
    """The folder of an outside suite; a test that asks for one that is absent is skipped, and says so."""

    def folder(suite: str) -> Path:
        path = CONFORMANCE / suite
        if not path.is_dir():
            record_suite(suite, 0, f"no {suite} in {CONFORMANCE.name}")
            pytest.skip(f"outside suite {suite} is not here: set FIRESTEEL_CONFORMANCE")
        return path

    return folder


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The one Spark session of a test run, with room for the plans of many statements at once.

    Most queries of the tests are seen once, over a few rows, so Spark interprets them and makes no code, unless
    the run has `--codegen` or a test asks for `codegen`.
    """
    from firesteel.spark.runtime.start import start

    remember_lookups()
    os.environ.setdefault("SPARK_DRIVER_MEMORY", "3g")
    session = start(master="local[2]")
    if not request.config.getoption("--codegen"):
        for name, value in FAST.items():
            session.conf.set(name, value)
    yield session
    session.stop()


@pytest.fixture
def codegen(spark: Any) -> Iterator[None]:
    """The test runs with Spark's own settings, as users have them."""
    with configured(spark, dict.fromkeys(FAST) | {"spark.sql.shuffle.partitions": "2"}):
        yield
