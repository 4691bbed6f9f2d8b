"""Errors of Spark's as ours. What they say is Spark's own wording."""

from __future__ import annotations

import firesteel as fs
from firesteel.source import Place
from firesteel.spark.encoding.failures import Failures, mark_message

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
    text = mark_message(failures.number(PLACE), fs.UnsupportedError("not\nthat"))
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


CALL = "An error occurred while calling o4510.getResult."
FRAMES = "\n\tat org.apache.spark.util.ThreadUtils$.awaitResult(ThreadUtils.scala:53)\n\t... 16 more"


def test_the_cause_is_told_and_not_the_call_that_failed() -> None:
    chain = f"{CALL}\n: org.apache.spark.SparkException: Exception thrown in awaitResult: {FRAMES}"
    for text, said in (
        (f"{chain}\nCaused by: java.io.IOException: No space left on device{FRAMES}", "No space left on device"),
        (f"{chain}\nCaused by: java.lang.IllegalStateException: a\nCaused by: java.util.NoSuchElementException", "a ("),
        (f"{CALL}\n: java.lang.IllegalArgumentException: not so{FRAMES}", "not so (IllegalArgumentException)"),
        (f"{CALL}\n: java.lang.NullPointerException{FRAMES}", "NullPointerException"),
        (
            "Job aborted due to stage failure: Task 0 in stage 1.0 failed 4 times, most recent failure: Lost task 0.3 "
            f"in stage 1.0 (TID 7) (127.0.0.1 executor 0): java.util.zip.ZipException: bad block{FRAMES}",
            "bad block (ZipException)",
        ),
        (
            f"[TASK_WRITE_FAILED] Task failed while writing rows to file:/x. SQLSTATE: 58030{FRAMES}\n"
            f"Caused by: java.io.IOException: No space left on device{FRAMES}",
            "No space left on device (IOException)",
        ),
        (
            f"{chain}\nCaused by: org.apache.spark.api.python.PythonException: Traceback (most recent call last):\n"
            f"  File \"x.py\", line 3, in f\nModuleNotFoundError: No module named 'firesteel'\n{FRAMES}",
            "ModuleNotFoundError: No module named 'firesteel'",
        ),
        (
            "\n  An exception was thrown from the Python worker:\nTraceback (most recent call last):\n"
            '  File "x.py", line 3, in f\n    raise KeyError(1)\nKeyError: 1\n',
            "KeyError: 1",
        ),
    ):
        message = Failures().translate(RuntimeError(text)).message
        assert said in message, message
        assert "calling o" not in message
        assert "org.apache" not in message
