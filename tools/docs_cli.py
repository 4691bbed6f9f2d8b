"""Write docs/command-line.md: every command with its arguments and options, the exit codes, and what the shell knows.

make docs
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import click

from firesteel import errors
from firesteel.cli import failure
from firesteel.cli.commands.config import VARIABLES
from firesteel.cli.registry import COMMANDS, load
from firesteel.cli.render import FORMATS
from firesteel.cli.shell.dot_commands import COMMANDS as DOT_COMMANDS
from firesteel.cli.shell.settings import SETTINGS

TARGET = Path(__file__).parent.parent / "docs" / "command-line.md"
HEAD = """# The command line

*Written by `make docs` from the commands themselves; `firesteel COMMAND --help` says the same.*

If the first argument is not a command, it is a query: `firesteel "SELECT ..."` is `firesteel query "SELECT ..."`.
Without arguments, or with options alone, `firesteel` opens the shell on a terminal, and reads a query elsewhere.
Answers go to standard output, all else to standard error.
"""
EXIT_CODES = {
    failure.OK: "ok",
    failure.FAILED: "an error in a query, a plan or a file; what is not supported, and what is not installed",
    failure.USAGE: "wrong usage of the command line",
    errors.PolicyError.exit_code: "refused by the policy: a file that is not allowed, a limit",
    failure.TIMEOUT: "`--timeout` is over",
    failure.INTERRUPTED: "interrupted by Ctrl-C",
}


def document() -> str:
    """The reference as Markdown."""
    parts = [HEAD, "\n## Commands\n", "| command | |", "|---|---|"]
    parts += [f"| [`{name}`](#firesteel-{name}) | {cell(entry.help)} |" for name, entry in COMMANDS.items()]
    for name in COMMANDS:
        command = load(name)
        assert command is not None
        parts += _command(command, f"firesteel {name}")
    parts += ["\n## Exit codes\n", "| code | means |", "|---|---|"]
    parts += [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()]
    parts += ["\n## Environment variables\n", "| variable | |", "|---|---|"]
    parts += [f"| `{name}` | {cell(meaning)} |" for name, meaning in VARIABLES.items()]
    parts += ["\n## Formats of answers\n", ", ".join(f"`{name}`" for name in FORMATS) + ".", "\n## The shell\n"]
    parts.append(
        "A statement ends with `;`, at a terminal also with an empty line. Besides PartiQL the shell has\n"
        "`SHOW TABLES`, `DESCRIBE t` and `SUMMARIZE t`. A dot-command is one line; arguments in brackets may be absent."
    )
    parts += ["\n| dot-command | |", "|---|---|"]
    parts += [f"| `{cell(one.usage)}` | {cell(one.help)} |" for one in DOT_COMMANDS.values()]
    parts += ["\n| setting (`.set NAME VALUE`) | values | |", "|---|---|---|"]
    parts += [
        f"| `{name}` | {', '.join(f'`{choice}`' for choice in one.choices) or 'a number'} | {cell(one.help)} |"
        for name, one in SETTINGS.items()
    ]
    return "\n".join(parts) + "\n"


def _command(command: click.Command, path: str) -> Iterator[str]:
    """A command: how it is called, what it does, its options; and those below it."""
    context = click.Context(command, info_name=path, parent=None)
    yield f"\n### {path}\n"
    yield f"```text\n{' '.join([path, *command.collect_usage_pieces(context)])}\n```\n"
    yield _prose(command.help or "")
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    if options:
        yield "\n| option | |"
        yield "|---|---|"
        yield from (_option(one, context) for one in options)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _command(below, f"{path} {name}")


def _prose(text: str) -> str:
    """The help of a command. Click's mark for a paragraph that keeps its lines becomes a block of text."""
    paragraphs = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        kept, _, rest = paragraph.partition("\b\n")
        paragraphs.append(paragraph if not rest else f"{kept}```text\n{rest.rstrip()}\n```")
    return "\n\n".join(paragraphs)


def _option(option: click.Option, context: click.Context) -> str:
    record = option.get_help_record(context)
    assert record is not None
    names, said = record
    return f"| `{cell(names)}` | {cell(said)} |"


def cell(text: str) -> str:
    """A text as a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


__all__ = ["TARGET", "document"]
