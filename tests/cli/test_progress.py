"""The line that says how far a long query is: its text, and when it comes and goes."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest

import firesteel as fs
from firesteel.cli.render import progress
from firesteel.cli.render.progress import WRITING, ProgressLine, has_spark_bar, progress_line, progress_text
from firesteel.evaluate.meter import Progress

ERASE = "\r\x1b[K"


class Screen(io.StringIO):
    """A stream that says it is a terminal, and tells when something was drawn."""

    def __init__(self) -> None:
        super().__init__()
        self.drawn = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        written = super().write(text)
        if text.strip("\r\x1b[K"):
            self.drawn.set()
        return written


@pytest.fixture
def session() -> Iterator[fs.Session]:
    with fs.connect(engine="reference") as made:
        yield made


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.01)
    monkeypatch.setattr(progress, "EVERY", 0.01)


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "firesteel-progress"]


@pytest.mark.parametrize(
    ("known", "width", "text"),
    [
        (Progress(1.2), 80, "preparing, 1 s"),
        (Progress(3.9, "reference"), 80, "in process, 3 s"),
        (Progress(61, "spark"), 80, "Spark, 1 min 1 s"),
        (Progress(12, "spark", 1, 4, 0), 80, "Spark: 1 stage, 0 of 4 tasks, 12 s"),
        (Progress(7384, "spark", 3, 12400, 1200), 80, "Spark: 3 stages, 1,200 of 12,400 tasks, 2 h 3 min"),
        (Progress(12, "spark", 1, 4, 0), 15, "Spark: 1 stage"),
        (Progress(12, "spark", 1, 4, 0), 0, ""),
    ],
)
def test_the_text(known: Progress, width: int, text: str) -> None:
    assert progress_text(known, width) == text


def test_what_goes_on_while_no_engine_computes() -> None:
    assert progress_text(Progress(3), 80, WRITING) == "writing, 3 s"
    assert progress_text(Progress(3, "reference"), 80, WRITING) == "in process, 3 s"


def test_a_short_query_has_no_line(session: fs.Session) -> None:
    screen = Screen()
    line = ProgressLine(session, screen)
    with line.shown():
        assert threads()
    assert (screen.getvalue(), threads()) == ("", [])


def test_the_line_comes_after_a_second(session: fs.Session) -> None:
    screen = Screen()
    with ProgressLine(session, screen).shown():
        assert not screen.drawn.wait(0.5)
        assert screen.drawn.wait(60)
    assert not screen.getvalue().startswith(f"{ERASE}preparing, 0 s")


@pytest.mark.parametrize("error", [None, ValueError, KeyboardInterrupt])
@pytest.mark.usefixtures("soon")
def test_the_line_goes_when_the_query_ends(session: fs.Session, error: type[BaseException] | None) -> None:
    screen = Screen()
    line = ProgressLine(session, screen)
    with nullcontext() if error is None else pytest.raises(error), line.shown():
        assert screen.drawn.wait(60)
        if error is not None:
            raise error
    assert screen.getvalue().startswith(f"{ERASE}preparing, 0 s")
    assert screen.getvalue().endswith(ERASE)
    assert threads() == []


@pytest.mark.usefixtures("soon")
def test_the_line_goes_before_the_answer(session: fs.Session) -> None:
    screen = Screen()
    line = ProgressLine(session, screen)
    with line.shown():
        assert screen.drawn.wait(60)
        line.before(screen).write("a row\n")
        while threads():
            threading.Event().wait(0.01)
    assert screen.getvalue().endswith(f"{ERASE}a row\n")
    pipe = io.StringIO()
    assert line.before(pipe) is pipe


@pytest.mark.usefixtures("soon")
def test_each_answer_is_waited_for(session: fs.Session) -> None:
    screen = Screen()

    def slow(value: int) -> int:
        assert screen.drawn.wait(60)
        return value

    session.register_function("slow", slow, "(int) -> int")
    line = ProgressLine(session, screen)
    for answer in line.each(lambda: session.script("slow(1); 2")):
        assert threads() == []
        assert answer.to_python() in (1, 2)
    assert f"{ERASE}in process, 0 s" in screen.getvalue()


def test_no_terminal_no_line(session: fs.Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def has_line(quiet: bool = False) -> bool:
        with progress_line(session, quiet=quiet) as line, line.shown():
            return bool(threads())

    monkeypatch.setenv("TERM", "xterm")
    assert not has_line()  # a pipe
    with open("/dev/null", "w") as null:
        monkeypatch.setattr(sys, "stderr", Null(null))
        assert has_line()
        assert not has_line(quiet=True)
        monkeypatch.setenv("TERM", "dumb")
        assert not has_line()


class Null:
    """A terminal that shows nothing."""

    def __init__(self, stream: Any) -> None:
        self.fileno = stream.fileno

    def isatty(self) -> bool:
        return True


def test_the_bar_of_spark_is_instead() -> None:
    assert has_spark_bar([("spark.ui.showConsoleProgress", "true")])
    assert not has_spark_bar([("spark.ui.showConsoleProgress", "false")])
    assert not has_spark_bar([("spark.driver.memory", "1g")])
