"""Errors: ours go into Spark as marked messages, and every error that comes out of Spark becomes one of ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from firesteel.errors import EvaluationError, FiresteelError, UnsupportedError
from firesteel.source import Place, Span

_MARK = re.compile(r"\[firesteel:(\d+)\] (.*?)(?: SQLSTATE: P0001|\n|$)", re.DOTALL)
_CLASS = re.compile(r"\[([A-Z][A-Z0-9_]*(?:\.[A-Z0-9_]+)*)\] ?(.*?)(?: SQLSTATE: |\n|$)", re.DOTALL)

#: What Spark's own errors are called among ours.
_SPARK: tuple[tuple[str, type[FiresteelError], str], ...] = (
    ("ARITHMETIC_OVERFLOW", EvaluationError, "overflow: the result is out of range"),
    ("NUMERIC_VALUE_OUT_OF_RANGE", EvaluationError, "overflow: the result is out of range"),
    ("DIVIDE_BY_ZERO", EvaluationError, "division by zero"),
)
_TOO_DEEP = ("StackOverflowError", "Max iterations", "RecursionError", "Error parsing message with type")


class Failures:
    """The places that errors of one run point to."""

    def __init__(self) -> None:
        self._known: list[tuple[type[FiresteelError], Span | Place | None]] = []

    def register(self, cls: type[FiresteelError], where: Span | Place | None) -> str:
        """A mark for a message, by which its error is found again."""
        self._known.append((cls, where))
        return f"[firesteel:{len(self._known) - 1}] "

    def translate(self, error: BaseException) -> FiresteelError:
        """An error of Spark's as one of ours."""
        text = str(error)
        ours = _MARK.search(text)
        if ours is not None and int(ours[1]) < len(self._known):
            cls, where = self._known[int(ours[1])]
            return cls(ours[2].strip(), where=where)
        if isinstance(error, RecursionError) or any(sign in text for sign in _TOO_DEEP):
            return UnsupportedError("the plan nests too deep for Spark", help="split it, or materialize a part of it")
        if "cancelled" in text or "OPERATION_CANCELED" in text or "INTERRUPT" in text:
            return EvaluationError("cancelled")
        if "OutOfMemoryError" in text:
            return EvaluationError("Spark ran out of memory", help="give the driver more, by spark.driver.memory")
        found = _CLASS.search(text)
        if found is not None:
            for name, known, message in _SPARK:
                if found[1].startswith(name):
                    return known(message)
            return EvaluationError(f"Spark: {found[2].strip()} ({found[1]})")
        return EvaluationError(f"Spark: {text.strip().partition(chr(10))[0]}")


#: The packages that Spark's errors come from. By name: which of them are there depends on how Spark is reached.
_FOREIGN = frozenset({"pyspark", "py4j", "grpc", "google", "pyarrow"})


@contextmanager
def translated(failures: Failures) -> Iterator[None]:
    """Whatever goes wrong in Spark while in here is an error of ours."""
    try:
        yield
    except FiresteelError:
        raise
    except Exception as error:
        if isinstance(error, RecursionError | OSError) or type(error).__module__.partition(".")[0] in _FOREIGN:
            raise failures.translate(error) from error
        raise
