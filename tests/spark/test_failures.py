"""Errors of Spark's as ours. What they say is Spark's own wording."""

from __future__ import annotations

import firesteel as fs
from firesteel.source import Place
from firesteel.spark.failures import Failures, marked

PLACE = Place(("relations", "0"))


def test_a_marked_error_is_found_again() -> None:
    failures = Failures()
    mark = failures.register(fs.EvaluationError, PLACE)
    found = failures.translate(
        RuntimeError(f"Job aborted: [USER_RAISED_EXCEPTION] {mark}no number SQLSTATE: P0001\n at x")
    )
    assert (type(found), found.message, found.where) == (fs.EvaluationError, "no number", PLACE)


def test_an_error_of_a_python_worker_has_its_own_class() -> None:
    failures = Failures()
    text = marked(failures.number(PLACE), fs.UnsupportedError("not\nthat"))
    found = failures.translate(RuntimeError(f"[USER_RAISED_EXCEPTION] {text} SQLSTATE: P0001"))
    assert (type(found), found.message, found.where) == (fs.UnsupportedError, "not that", PLACE)


def test_a_mark_in_the_text_of_a_plan_says_nothing() -> None:
    failures = Failures()
    mark = failures.register(fs.UnsupportedError, PLACE)
    found = failures.translate(
        RuntimeError(
            f"[INTERNAL_ERROR] no such column SQLSTATE: XX000\n'Project [raise_error(USER_RAISED_EXCEPTION, "
            f"map(errorMessage, {mark}no number))]"
        )
    )
    assert type(found) is fs.EvaluationError
    assert "no such column" in found.message
    assert found.where is None
