"""PartiQL on Spark: for every golden case the reference's answer, or a refusal by name; never another answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import firesteel as fs
from firesteel import values
from tests.golden.test_partiql import CASES, Case

#: What the Spark compiler runs into and should not; each with what it says. A case that passes has to be taken off.
KNOWN: dict[tuple[str, str], str] = {}

#: Of so many cases one runs with generated code too, as users run it; `make test-all` runs all of them so.
GENERATED = 8

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def session(spark: Any) -> fs.Session:
    return fs.connect(spark=spark, in_process=False)


@pytest.mark.parametrize("file", sorted({case.file for case in CASES}))
def test_golden(file: str, session: fs.Session) -> None:
    agree([case for case in CASES if case.file == file], session)


@pytest.mark.usefixtures("codegen")
def test_with_generated_code(session: fs.Session) -> None:
    agree(CASES[::GENERATED], session)


def agree(cases: Sequence[Case], session: fs.Session) -> None:
    """No case has another answer than its own, and some have one."""
    ran = 0
    wrong: list[str] = []
    for case in cases:
        for name, ion in case.tables:
            session.register(name, fs.ion(ion), replace=True)
        outcome = attempt(session, case)
        ran += outcome == ""
        known = (case.file, case.name) in KNOWN
        if outcome is not None and bool(outcome) != known:
            wrong.append(f"{case.file}, {case.name}: {outcome or 'passes, and is listed as known'}")
    assert not wrong, "\n".join(wrong)
    assert ran, "none of the cases ran"


def attempt(session: fs.Session, case: Case) -> str | None:
    """What is wrong with the answer: nothing is empty, None is a refusal by name."""
    expects_error = case.expected.startswith("error: ")
    try:
        value = session.query(case.query, mode=case.mode).value()
    except fs.UnsupportedError:
        return None
    except fs.FiresteelError as error:
        return "" if expects_error else f"{type(error).__name__}: {error.message}"
    if expects_error:
        return f"no error, but {value!r}"
    return "" if values.equal(value, fs.ion(case.expected)) else f"{value!r}"
