"""What the command line says of an error: its text for people, or an object in JSON, and its exit code."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import click

from firesteel.errors import FiresteelError, redacted
from firesteel.lazy import missing
from firesteel.source import Place, Span

OK, FAILED, USAGE, TIMEOUT, INTERRUPTED = 0, 1, 2, 124, 130
ERROR_FORMATS = ("text", "json")


class TimeOut(Exception):
    """The time limit of `--timeout` is over."""


def exit_code(error: BaseException) -> int:
    """The exit code for an error, or for an exception that ends a command."""
    match error:
        case FiresteelError() | click.ClickException() | click.exceptions.Exit():
            return error.exit_code
        case KeyboardInterrupt() | click.Abort():
            return INTERRUPTED
        case TimeOut():
            return TIMEOUT
    return FAILED


def describe(error: BaseException) -> str:
    """The error as text: one line, and for a mistake in a text the place and a hint below it."""
    match error:
        case FiresteelError():
            return str(error)
        case click.ClickException():
            return _usage(error)
        case KeyboardInterrupt() | click.Abort():
            return "interrupted"
        case TimeOut():
            return str(error)
        case MemoryError():
            return "firesteel: out of memory; --engine spark needs less, or raise the limit of this process"
        case RecursionError():
            return "firesteel: nested too deeply for the stack of this process"
        case ModuleNotFoundError():
            return str(missing(error.name or ""))
        case OSError():
            what = error.strerror or str(error)
            return redacted(f"firesteel: {what}{f': {error.filename!r}' if error.filename else ''}")
    line = " ".join(str(error).split()) or "no message"
    return redacted(f"firesteel: a mistake of ours, please report it: {type(error).__name__}: {line}")


def _usage(error: click.ClickException) -> str:
    """A mistake in the arguments, in one line."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "firesteel"
    message = " ".join(error.format_message().split())
    tells = message.endswith("?") or "firesteel " in message
    return f"{path}: {message}{'' if tells else f' ({path} --help)'}"


def to_json(error: BaseException) -> str:
    """The error as a JSON object in one line."""
    if isinstance(error, ModuleNotFoundError):
        error = missing(error.name or "")
    if isinstance(error, FiresteelError):
        found: dict[str, Any] = {"code": error.code, "kind": type(error).__name__, "message": error.message}
        found.update(_place(error.where))
        if error.help:
            found["help"] = redacted(error.help)
    else:
        kinds = {USAGE: "UsageError", TIMEOUT: "TimeOut", INTERRUPTED: "Interrupted"}
        kind = kinds.get(exit_code(error), type(error).__name__)
        found = {"code": None, "kind": kind, "message": describe(error)}
    return json.dumps({**found, "exit_code": exit_code(error)}, ensure_ascii=False)


def _place(where: Span | Place | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if isinstance(where, Place):
        found["path"] = "/".join(where.path)
    span = where.span if isinstance(where, Place) else where
    if span is not None:
        line, column = span.source.line_column(span.start)
        found |= {"source": span.source.name, "line": line, "column": column, "text": redacted(span.text)}
    return found


def report(error: BaseException, error_format: str = "text") -> None:
    """Print an error to stderr."""
    if error_format == "json":
        click.echo(to_json(error), err=True)
        return
    first, *rest = describe(error).split("\n")
    click.echo("\n".join([click.style(first, fg="red") if colours(sys.stderr) else first, *rest]), err=True)


def colours(stream: Any) -> bool:
    """May a stream have colours? It has to be a terminal, and NO_COLOR must not be set."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


__all__ = ["ERROR_FORMATS", "FAILED", "INTERRUPTED", "OK", "TIMEOUT", "USAGE", "TimeOut", "colours"]
__all__ += ["describe", "exit_code", "report", "to_json"]
