"""What the parts of the shell share: the session, where answers go, what has failed."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import click

import firesteel as fs
from firesteel.cli.answers import say_engine
from firesteel.cli.failure import colours, describe
from firesteel.cli.render import FORMATS, render
from firesteel.cli.render.progress import WRITING, ProgressLine
from firesteel.cli.shell.dot_commands import perform
from firesteel.cli.shell.settings import BadUsage, Settings
from firesteel.cli.shell.statements import answers, is_own
from firesteel.cli.stages import stages
from firesteel.cli.statements import is_complete, split

#: A dot-command. A number may begin with a dot, too.
_DOT = re.compile(r"\s*\.(?!\d)")
#: Words that people type to leave, or to be helped.
_WORDS = {"exit": ".quit", "quit": ".quit", "help": ".help"}
#: How many files may read each other.
_DEPTH = 20


class Shell:
    """A shell over a session. `feed` takes what a person typed, `read` the lines of a script."""

    def __init__(
        self,
        session: fs.Session,
        settings: Settings,
        *,
        interactive: bool,
        quiet: bool = False,
        line: ProgressLine | None = None,
    ) -> None:
        self.session = session
        #: Says how far a long query is.
        self.line = line or ProgressLine(session)
        self.settings = settings
        self.interactive = interactive
        self.quiet = quiet
        self.failures = 0
        self.done = False
        #: The last statement, and its answer.
        self.text: str | None = None
        self.answer: fs.Result | None = None
        self._file: IO[Any] | None = None
        self._once = False
        self._depth = 0

    # Input -----------------------------------------------------------------------------------------------------------

    def is_whole(self, text: str) -> bool:
        """Can this be run, or will more lines come? A statement ends with a semicolon or an empty line, a dot-command
        with its line."""
        is_word = text.strip().lower() in _WORDS
        return bool(_DOT.match(text)) or is_word or text.endswith("\n") or not text.strip() or is_complete(text)

    def feed(self, text: str) -> None:
        """Run a dot-command, or the statements of a text."""
        text = _WORDS.get(text.strip().lower().rstrip("; "), text)
        if _DOT.match(text):
            self.attempt(lambda: perform(self, text.strip()))
            return
        for statement in split(text):
            if not self.attempt(lambda one=statement: self._execute(one)):  # type: ignore[misc]
                return

    def read(self, lines: Iterable[str]) -> None:
        """Run the statements and dot-commands of a script. One that fails does not stop the others."""
        waiting: list[str] = []
        for line in lines:
            if self.done:
                return
            if waiting or not _DOT.match(line):
                waiting.append(line)
                if ";" not in line or not is_complete("".join(waiting)):
                    waiting = waiting if "".join(waiting).strip() else []
                    continue
                line = "".join(waiting)
                waiting = []
            self._feed_each(line)
        self._feed_each("".join(waiting))

    def _feed_each(self, text: str) -> None:
        """Each statement of a script's text on its own."""
        for one in [text] if _DOT.match(text) else split(text):
            self.feed(one)

    def read_file(self, path: str) -> None:
        """Run the script in a file."""
        if self._depth >= _DEPTH:
            raise BadUsage(f"'{path}' is read by a file that it reads")
        with open(path, encoding="utf-8") as lines:
            self._depth += 1
            try:
                self.read(lines)
            finally:
                self._depth -= 1

    # Running ---------------------------------------------------------------------------------------------------------

    def attempt(self, action: Callable[[], None]) -> bool:
        """Do something. An error is shown and counted; Ctrl-C at a terminal stops only this."""
        try:
            action()
            return True
        except BadUsage as error:
            self.complain(str(error))
        except BrokenPipeError:
            raise
        except KeyboardInterrupt:
            if not self.interactive:
                raise
            self.complain("interrupted")
        except Exception as error:
            self.complain(describe(error))
        self.failures += 1
        return False

    def complain(self, text: str) -> None:
        """Show an error: at a terminal where the answers are, because Spark takes stderr away while it starts."""
        first, *rest = text.split("\n")
        stream = sys.stdout if self.interactive else sys.stderr
        click.echo("\n".join([click.style(first, fg="red") if colours(stream) else first, *rest]), file=stream)

    def _execute(self, text: str) -> None:
        """Run a statement and show its answer."""
        began = time.perf_counter()
        mode = "strict" if self.settings.strict else "permissive"
        self.text, self.answer = text, None
        if self.settings.pipeline == "debug" and not is_own(text):
            stages(text, self.session, mode, [])
        for result in self.line.each(lambda: answers(self.session, text, mode)):
            for warning in result.warnings:
                self.complain(str(warning))
            try:
                self.show(result)
            except KeyboardInterrupt:
                result.cancel()
                raise
            say_engine(result, self.session, quiet=self.quiet)
            self.answer = result
        if self.settings.timer:
            self.say(f"({time.perf_counter() - began:.3f} s)")

    # Output ----------------------------------------------------------------------------------------------------------

    def say(self, text: str) -> None:
        """Print a line where answers go."""
        self._out.write(text + "\n")
        self._out.flush()

    def show(self, result: fs.Result) -> None:
        """Show an answer: on the terminal, in a pager if it is long, or in the file of `.output`."""
        format_ = self.settings.format
        at_terminal = self.interactive and self._file is None
        if at_terminal and FORMATS[format_].binary:
            raise BadUsage(f"{format_} is nothing to look at: .output FILE writes it to a file")
        width = self.settings.width or (shutil.get_terminal_size().columns if at_terminal else None)
        how = {"max_rows": self.settings.max_rows or None, "width": width}
        if at_terminal:
            text = io.StringIO()
            with self.line.shown(WRITING):
                render(result, format_, text, **how, colour=colours(sys.stdout))
            self.page(text.getvalue())
        else:
            with self.line.shown(WRITING):
                render(result, format_, self.line.before(self._out), **how)  # type: ignore[arg-type]
            self._out.flush()
        if self._once:
            self.redirect(None)

    def page(self, text: str) -> None:
        """Print a text; in a pager, if it is longer than the terminal."""
        lines = shutil.get_terminal_size().lines
        pager = shlex.split(os.environ.get("PAGER") or "less -RSX")
        long = self.interactive and self._file is None and self.settings.pager and text.count("\n") >= lines
        if not long or shutil.which(pager[0]) is None:
            self._out.write(text)
            self._out.flush()
            return
        with suppress(KeyboardInterrupt, BrokenPipeError):
            subprocess.run(pager, input=text.encode("utf-8", "replace"), check=False)

    @property
    def _out(self) -> IO[str]:
        return sys.stdout if self._file is None else self._file

    def redirect(self, path: str | None, *, once: bool = False) -> None:
        """Write answers to a file from now on, or with `once` the next one; None: to standard output again."""
        if self._file is not None:
            self._file.close()
        self._file, self._once = None, once
        if path is not None:
            self._file = Path(path).open("w", encoding="utf-8", newline="")  # noqa: SIM115

    def __enter__(self) -> Shell:
        return self

    def __exit__(self, *exc: object) -> None:
        self.redirect(None)
