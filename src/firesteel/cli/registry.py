"""The table of commands. A new command is a module with a click command called `command`, and a line here."""

from __future__ import annotations

import difflib
import os
import re
import sys
from importlib import import_module
from typing import Any, NamedTuple

import click


class Entry(NamedTuple):
    """Where a command is, and what `firesteel --help` says of it."""

    module: str
    help: str


_HERE = "firesteel.cli.commands"
COMMANDS: dict[str, Entry] = {
    "query": Entry(f"{_HERE}.query", "Run PartiQL: from an argument, a file or standard input. The default."),
    "shell": Entry(f"{_HERE}.shell", "Open the shell. The default on a terminal without arguments."),
    "run": Entry(f"{_HERE}.run", "Run a plan: PartiQL Plan, algebra or Substrait."),
    "plan": Entry(f"{_HERE}.plan", "Plan a query, and print the plan in some notation."),
    "explain": Entry(f"{_HERE}.explain", "Show a plan, or the plan of a query, as a tree."),
    "check": Entry(f"{_HERE}.check", "Check a plan and list all problems."),
    "convert": Entry(f"{_HERE}.convert", "Write a plan in another form: PartiQL, algebra, PartiQL Plan, Substrait."),
    "diff": Entry(f"{_HERE}.diff", "Are two plans the same, and where are they not?"),
    "functions": Entry(f"{_HERE}.functions", "Search the functions: signatures, examples, where they run."),
    "config": Entry(f"{_HERE}.config", "Show the settings and where they come from."),
    "completion": Entry(f"{_HERE}.completion", "Print the completion script for bash, zsh or fish."),
    "doctor": Entry(f"{_HERE}.doctor", "Say whether this machine has what Firesteel needs."),
}

#: One word that could be the name of a command. As a query it would be a table's name.
_WORD = re.compile(r"[A-Za-z][A-Za-z-]*")
_OWN = ("-h", "--help", "--version")


def load(name: str) -> click.Command | None:
    """The command of that name, imported now."""
    if name not in COMMANDS:
        return None
    found: click.Command = import_module(COMMANDS[name].module).command
    return found


class Commands(click.Group):
    """The group of all commands. What starts with no command is a query, and nothing at all opens the shell."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return load(name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            args = ["shell" if _at_terminal() else "query"]
        elif args and args[0] not in (*COMMANDS, *_OWN):
            self._ensure_query(ctx, args)
            ctx.meta["firesteel.implied"] = True
            args = ["shell" if self._opens_shell(args) else "query", *args]
        return super().parse_args(ctx, args)

    def _ensure_query(self, ctx: click.Context, args: list[str]) -> None:
        """UsageError for one word that is no file: somebody means a command."""
        word, *rest = args
        if _WORD.fullmatch(word) is None or os.path.exists(word) or word.lower() in _LITERALS:
            return
        if rest and not rest[0].startswith("-"):  # with files behind it, it may be one of these tables
            return
        close = difflib.get_close_matches(word, COMMANDS, 1)
        hint = f"did you mean '{close[0]}'?" if close else f"a query of one word goes with -c: firesteel -c {word}"
        raise click.UsageError(f"No such command '{word}': {hint}", ctx)

    def _opens_shell(self, args: list[str]) -> bool:
        """Are there only options, as in `firesteel --pipeline DEBUG`, and nothing that is or has a query?"""
        query = load("query")
        if not _at_terminal() or query is None:
            return False
        given = query.make_context("query", list(args), resilient_parsing=True).params
        return not any(given.get(name) for name in ("words", "command_", "file"))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            query = load("query")
            assert query is not None
            return query.shell_complete(click.Context(query, parent=ctx), incomplete)
        return [
            CompletionItem(name, help=entry.help) for name, entry in COMMANDS.items() if name.startswith(incomplete)
        ]


def _at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


#: Queries of one word.
_LITERALS = ("null", "missing", "true", "false")


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    subcommand_metavar="COMMAND | QUERY [FILE]...",
)
@click.version_option(package_name="firesteel", prog_name="firesteel")  # looked up when it is asked for
def commands() -> None:
    """Take a query or a query plan, whoever wrote it, and run it: on Spark, or in this process if there is little to
    read.

    \b
    firesteel "SELECT o.sku FROM orders AS o" orders.jsonl
    cat orders.jsonl | firesteel "SELECT COUNT(*) FROM stdin AS o"
    firesteel -f report.partiql -d data --format csv > report.csv
    firesteel run plan.proto -t lineitem=lineitem.parquet
    firesteel                      opens the shell

    `firesteel query --help` lists the options of queries.
    """


__all__ = ["COMMANDS", "Commands", "Entry", "commands", "load"]
