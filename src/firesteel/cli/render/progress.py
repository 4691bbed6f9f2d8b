"""A line on a terminal that says how far a long query is. It goes away before the answer is printed."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Any, TypeVar

import firesteel as fs
from firesteel.evaluate.meter import Progress

T = TypeVar("T")

#: Seconds until the line appears, between two drawings, and for the thread to end.
DELAY, EVERY, PATIENCE = 1.0, 0.25, 1.0
#: What goes on while no engine computes: a query is planned and its engine starts, or its answer is printed.
PREPARING, WRITING = "preparing", "writing"
#: Go to the beginning of the line and erase it.
_ERASE = "\r\x1b[K"


def progress_text(progress: Progress, width: int, doing: str = PREPARING) -> str:
    """How far a query is, in fewer than `width` places: `Spark: 3 stages, 120 of 400 tasks, 12 s`. While no engine
    computes, `doing` says what goes on."""
    time = time_text(progress.seconds)
    if progress.engine is None:
        text = f"{doing}, {time}"
    elif progress.engine != "spark":
        text = f"in process, {time}"
    elif not progress.stages:
        text = f"Spark, {time}"
    else:
        stages = f"{progress.stages} stage{'' if progress.stages == 1 else 's'}"
        text = f"Spark: {stages}, {progress.done:,} of {progress.tasks:,} tasks, {time}"
    return text[: max(width - 1, 0)]


def time_text(seconds: float) -> str:
    """A time as people say it: its two largest units."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes_left} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


class ProgressLine:
    """The line, drawn on a terminal by a thread of its own while a query runs. Without a terminal nothing is drawn and
    no thread is started."""

    def __init__(self, session: fs.Session, terminal: Any = None) -> None:
        self._session = session
        self._terminal = terminal
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._drawn = False

    @contextmanager
    def shown(self, doing: str = PREPARING) -> Iterator[None]:
        """While this is open, there is a line if it takes long. `doing` is what goes on while no engine computes."""
        if self._terminal is None:
            yield
            return
        stop = self._stop = threading.Event()
        thread = threading.Thread(target=self._draw, args=(stop, doing), name="firesteel-progress", daemon=True)
        try:
            thread.start()
            yield
        finally:
            self.clear()
            thread.join(PATIENCE)

    def each(self, answers: Callable[[], Iterable[T]]) -> Iterator[T]:
        """The answers, with a line while each is waited for."""
        with self.shown():
            waiting = iter(answers())
        while True:
            with self.shown():
                found = next(waiting, None)
            if found is None:
                return
            yield found

    def before(self, stream: Any) -> Any:
        """A stream like this one. If it is a terminal, the line goes away before something is written to it."""
        return _After(self, stream) if self._terminal is not None and stream.isatty() else stream

    def clear(self) -> None:
        """Erase the line, and draw no other until `shown` is called again."""
        with self._lock:
            self._stop.set()
            if self._drawn:
                self._write(_ERASE)
            self._drawn = False

    def _draw(self, stop: threading.Event, doing: str) -> None:
        with closing(self._session.watch()) as watch:  # its time begins now; Spark is asked after the delay
            wait = DELAY
            while not stop.wait(wait):
                text = progress_text(watch.now(), _width(self._terminal), doing)
                with self._lock:
                    if stop.is_set():
                        return
                    self._write(_ERASE + text)
                    self._drawn = True
                wait = EVERY

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # the terminal may be gone
            self._terminal.write(text)
            self._terminal.flush()


class _After:
    """A stream that is written to after the line is gone."""

    def __init__(self, line: ProgressLine, stream: Any) -> None:
        self._line = line
        self._stream = stream

    def write(self, text: str) -> int:
        self._line.clear()
        return int(self._stream.write(text))

    def flush(self) -> None:
        self._line.clear()
        self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _width(terminal: Any) -> int:
    try:
        return os.get_terminal_size(terminal.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


@contextmanager
def progress_line(session: fs.Session, *, quiet: bool) -> Iterator[ProgressLine]:
    """The line on stderr; none if that is no terminal, or one that erases nothing."""
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield ProgressLine(session)
        return
    # A descriptor of our own: while Spark starts, stderr is captured, and the JVM's messages with it.
    with open(os.dup(sys.stderr.fileno()), "w", encoding="utf-8") as terminal:
        yield ProgressLine(session, terminal)


def has_spark_bar(conf: Sequence[tuple[str, str]]) -> bool:
    """Do these settings turn on the progress bar that Spark itself draws on stderr?"""
    return dict(conf).get("spark.ui.showConsoleProgress", "").lower() == "true"


__all__ = ["WRITING", "ProgressLine", "has_spark_bar", "progress_line", "progress_text"]
