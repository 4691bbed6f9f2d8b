"""Runs a command. An error is printed to stderr with its place and a hint, and its class decides the exit code:

0 ok, 1 error in a query or a plan, 2 usage, 3 refused by policy, 124 timeout, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from itertools import pairwise

import click

from firesteel.cli.failure import ERROR_FORMATS, OK, exit_code, report


def main(argv: Sequence[str] | None = None) -> None:
    """Run a command and exit with its code."""
    sys.exit(_run(list(sys.argv[1:] if argv is None else argv)))


def _run(argv: list[str]) -> int:
    error_format = _error_format(argv)
    try:
        wrong = next((word for word in argv if not _is_text(word)), None)
        if wrong is not None:
            raise click.UsageError(f"an argument is no text that a system could hand over: {wrong!r}")
        from firesteel.cli.registry import commands

        with warnings.catch_warnings():
            _say_warnings(quiet="-q" in argv or "--quiet" in argv)
            code = commands.main(argv, prog_name="firesteel", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else OK
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except BrokenPipeError:
        # The reader of our output has gone (`| head`). Stop, and let the flush at exit write to nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except (Exception, KeyboardInterrupt) as error:
        if os.environ.get("FIRESTEEL_TRACEBACK"):  # for whoever looks for a mistake of ours
            raise
        report(error, error_format)
        return exit_code(error)


def _say_warnings(*, quiet: bool) -> None:
    """Print what Python would show as a warning, such as lines that were skipped, in one line without its place."""
    from firesteel.tables import SkippedLines

    warnings.simplefilter("ignore" if quiet else "always", SkippedLines)
    warnings.showwarning = lambda message, *_: click.echo(f"warning: {message}", err=True)


def _error_format(argv: Sequence[str]) -> str:
    """What `--error-format` asks for. The arguments are searched for it, because they may be wrong themselves."""
    for word, after in pairwise([*argv, ""]):
        name, equals, value = word.partition("=")
        if name == "--error-format" and (value if equals else after) in ERROR_FORMATS:
            return value if equals else after
    return "text"


def _is_text(word: str) -> bool:
    """Is it valid text: no NUL, and no lone surrogates except those that Python uses for undecodable bytes?"""
    try:
        return b"\x00" not in os.fsencode(word)
    except UnicodeEncodeError:
        return False
