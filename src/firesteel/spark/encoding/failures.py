"""Errors: ours go into Spark as marked messages, and every error that comes out of Spark becomes one of ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote

from firesteel.errors import EvaluationError, FiresteelError, PlanError, UnsupportedError
from firesteel.source import Place, Span
from firesteel.tables.links import with_targets

#: Our mark in an error that Spark raised. A mark in the text of a plan does not count.
_MARK = re.compile(
    r"\[USER_RAISED_EXCEPTION\] \[firesteel:(\d*)(?::(\w+))?\] (.*?)(?: SQLSTATE: P0001|\n|$)", re.DOTALL
)
#: The mark of an error in a file, which has no place in a query.
NO_PLACE = "[firesteel:] "
_CLASS = re.compile(r"\[([A-Z][A-Z0-9_]*(?:\.[A-Z0-9_]+)*)\] ?(.*?)(?: SQLSTATE: |\n|$)", re.DOTALL)

#: Spark's error classes, our exception for each, and our message; with None, Spark's message is kept.
_SPARK: tuple[tuple[str, type[FiresteelError], str | None], ...] = (
    ("ARITHMETIC_OVERFLOW", EvaluationError, "overflow: the result is out of range"),
    ("NUMERIC_VALUE_OUT_OF_RANGE", EvaluationError, "overflow: the result is out of range"),
    ("DIVIDE_BY_ZERO", EvaluationError, "division by zero"),
    ("SPARK_JOB_CANCELLED", EvaluationError, "cancelled"),
    ("OPERATION_CANCELED", EvaluationError, "cancelled"),
    ("UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE", UnsupportedError, None),
    ("UNSUPPORTED_FEATURE", UnsupportedError, None),
    ("DATATYPE_MISMATCH.UNSUPPORTED", UnsupportedError, None),
    ("PATH_NOT_FOUND", PlanError, None),
    ("UNABLE_TO_INFER_SCHEMA", PlanError, None),
    ("FAILED_READ_FILE.FILE_NOT_EXIST", EvaluationError, "a file went away while it was read"),
)
_UNREACHABLE = re.compile("Connection refused|StatusCode.UNAVAILABLE|failed to connect to all addresses")
#: Errors without a class: a pattern in the text, our message, our help.
_SIGNS: tuple[tuple[re.Pattern[str], str, str | None], ...] = (
    (re.compile("OutOfMemoryError"), "Spark ran out of memory", "give the driver more, by spark.driver.memory"),
    (
        re.compile("ExecutorLostFailure|Python worker exited unexpectedly|SparkContext was shut down"),
        "a worker of Spark's was lost",
        "it may have run out of memory",
    ),
    (re.compile("AccessControlException|Permission denied"), "Spark may not read or write that", None),
    (_UNREACHABLE, "Spark cannot be reached", "is the server running, and is its address right?"),
    (
        re.compile("UnsupportedClassVersionError|jdk.incubator.vector"),
        "this Java is too old for Spark, or lacks a module that it needs",
        "run `firesteel doctor`",
    ),
)
#: A Java exception in a stack trace: after `Caused by:`, or as the end of a call or a task.
_JAVA = re.compile(r"^(?:Caused by: |: |.*\(TID \d+\) \(.*?\): )(?:[a-z]\w*\.)+([A-Z][\w$]*)(?:: (.*))?$", re.MULTILINE)
_PYTHON = re.compile(r"^\s*((?:\w+\.)*\w*(?:Error|Exception|Exit)\b.*)$", re.MULTILINE)
_TRACEBACK = "Traceback (most recent call last):"
#: Error classes that only wrap another error.
_WRAPPERS = ("TASK_WRITE_FAILED", "WRITING_JOB_ABORTED", "FAILED_EXECUTE_UDF", "INTERNAL_ERROR", "JOB_ABORTED")
_FILE = re.compile(r"(?:file|path|FILE|PATH)[^\n]*?(file:/[^\s,;'\"]+)")
#: The errors that a Python worker may name.
_CLASSES: dict[str | None, type[FiresteelError]] = {
    cls.__name__: cls for cls in (EvaluationError, PlanError, UnsupportedError)
}
_TOO_DEEP = ("StackOverflowError", "Max iterations", "RecursionError", "Error parsing message with type")


def mark_message(number: int, error: FiresteelError) -> str:
    """The message of an error in a Python worker, marked with its class and the number of its place."""
    return f"[firesteel:{number}:{type(error).__name__}] {' '.join(error.message.split(chr(10)))}"


class Failures:
    """The places that errors of one run point to."""

    def __init__(self) -> None:
        self._known: list[tuple[type[FiresteelError], Span | Place | None]] = []
        #: Was a file damaged, or did a line not fit the schema that it was read with?
        self.unreadable = False

    def register(self, cls: type[FiresteelError], where: Span | Place | None) -> str:
        """A mark to put before a message: `translate` gets the class and the place from it."""
        return f"[firesteel:{self.number(where, cls)}] "

    def number(self, where: Span | Place | None, cls: type[FiresteelError] = EvaluationError) -> int:
        """A number for a place."""
        self._known.append((cls, where))
        return len(self._known) - 1

    def translate(self, error: BaseException) -> FiresteelError:
        """An error of Spark's as one of ours."""
        text = str(error)
        self.unreadable |= _is_unreadable(text)
        ours = _MARK.search(text)
        if ours is not None and (not ours[1] or int(ours[1]) < len(self._known)):
            cls, where = self._known[int(ours[1])] if ours[1] else (EvaluationError, None)
            return _CLASSES.get(ours[2], cls)(_PLACE.sub(_plain_path, ours[3].strip()), where=where)
        if isinstance(error, RecursionError) or any(sign in text for sign in _TOO_DEEP):
            return UnsupportedError("the plan nests too deep for Spark", help="split it, or materialize a part of it")
        return _classify(text) or EvaluationError(f"Spark: {_cause(text) or text.strip().partition(chr(10))[0]}")


#: The file at the end of a message of ours: Spark gives it as a URI.
_PLACE = re.compile(r" in file:(?://)?(/\S*)$")


def _plain_path(uri: re.Match[str]) -> str:
    return f" in {unquote(uri[1])}"


def _is_unreadable(text: str) -> bool:
    return "FAILED_READ_FILE" in text or "MALFORMED_RECORD_IN_PARSING" in text


def _classify(text: str) -> FiresteelError | None:
    """Spark's error as one of ours, by its error class or by a pattern in its text; None if it has neither."""
    classes = _CLASS.findall(text)
    for class_, said in classes:
        for name, ours, message in _SPARK:
            if class_.startswith(name):
                return ours(message or said.strip())
    for sign, message, help_ in _SIGNS:
        if sign.search(text):
            return EvaluationError(message, help=help_)
    if _is_unreadable(text):
        return EvaluationError(_unreadable(text, classes))
    if classes:
        wrapped = _cause(text) if classes[0][0].startswith(_WRAPPERS) else None
        return EvaluationError(f"Spark: {wrapped or f'{classes[0][1].strip()} ({classes[0][0]})'}")
    return None


def _cause(text: str) -> str | None:
    """The innermost cause in a stack trace: the last line of a Python worker's traceback, else the last Java exception
    that has a message. `An error occurred while calling o45.getResult` is no cause."""
    _, is_python, after = text.rpartition(_TRACEBACK)
    said = _PYTHON.findall(after.partition("\n\tat ")[0]) if is_python else ()
    if said:
        return str(said[-1])
    causes = [(name, message.strip()) for name, message in _JAVA.findall(text)]
    name, message = next(((name, message) for name, message in reversed(causes) if message), (None, ""))
    if name is None and causes:
        name = causes[-1][0]
    return None if name is None else f"{message} ({name})" if message else name


def _unreadable(text: str, classes: list[tuple[str, str]]) -> str:
    """A message: which file could not be read, and why, if Spark says so."""
    place = _FILE.search(text)
    why = next((said for class_, said in classes if not class_.startswith("FAILED_READ_FILE")), "")
    name = f"'{unquote(place[1].removeprefix('file:').replace('//', ''))}'" if place else "a file"
    return f"{name} cannot be read{': ' if why else ''}{why.strip()}"


#: The packages that Spark's errors come from. Names, not classes: which are installed depends on how Spark is reached.
_FOREIGN = frozenset({"pyspark", "py4j", "grpc", "google", "pyarrow"})


@contextmanager
def translated(failures: Failures) -> Iterator[None]:
    """Errors from Spark inside the `with` block are raised as errors of ours."""
    try:
        yield
    except FiresteelError as error:
        error.message = with_targets(error.message)
        raise
    except Exception as error:
        if isinstance(error, UnicodeEncodeError):
            raise EvaluationError("a text has half of a surrogate pair, which is no character") from error
        if isinstance(error, RecursionError | OSError) or is_from_spark(error):
            ours = failures.translate(error)
            ours.message = with_targets(ours.message)
            raise ours from error
        raise


def is_from_spark(error: BaseException) -> bool:
    """Does the error come from Spark, or from a library that talks to it?"""
    return type(error).__module__.partition(".")[0] in _FOREIGN


def unreachable(error: BaseException | None) -> bool:
    """Was the connection to Spark refused or lost? Such an error is often the cause of another one."""
    while error is not None:
        if isinstance(error, ConnectionError) or _UNREACHABLE.search(str(error)):
            return True
        error = error.__cause__ or error.__context__
    return False
