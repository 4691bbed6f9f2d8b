"""The dot-commands. `COMMANDS` declares each once: its name, its arguments, its help, and what it does. Help, the check
of arguments and completion derive from that.

An argument in brackets may be left out, `...` says that it may come several times, and QUERY or TEXT is the rest of the
line. The other words say what is meant, and what completes there: TABLE, FILE, FUNCTION, COMMAND, SETTING, VALUE, NAME.
"""

from __future__ import annotations

import difflib
import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

import firesteel as fs
from firesteel import types as t
from firesteel.cli.render.progress import WRITING
from firesteel.cli.sessions import table_options
from firesteel.cli.shell import statements
from firesteel.cli.shell.settings import SETTINGS, BadUsage
from firesteel.functions import all_functions
from firesteel.session.databases import table_name

if TYPE_CHECKING:
    from firesteel.cli.shell.shell import Shell

#: Arguments that are the rest of the line as it stands.
_REST = ("QUERY", "TEXT")


@dataclass(frozen=True)
class Command:
    """A dot-command. `do` gets the shell and the arguments that were given."""

    name: str
    arguments: str
    help: str
    do: Callable[..., None]

    @property
    def usage(self) -> str:
        return f".{self.name} {self.arguments}".rstrip()

    @property
    def kinds(self) -> list[str]:
        """The words of its arguments, without brackets."""
        return [word.strip("[].") for word in self.arguments.split()]

    def read(self, line: str) -> list[str]:
        """The arguments in a line; BadUsage if they are not those that are declared."""
        words = self.arguments.split()
        least = sum(not word.startswith("[") for word in words)
        if words and self.kinds[-1] in _REST:
            given = line.split(maxsplit=len(words) - 1)
        else:
            try:
                given = shlex.split(line)
            except ValueError as error:
                raise BadUsage(f"{str(error).lower()}; usage: {self.usage}") from None
        most = len(given) if self.arguments.endswith("...") else len(words)
        if not least <= len(given) <= most:
            raise BadUsage(f"usage: {self.usage}")
        return given


def perform(shell: Shell, line: str) -> None:
    """Do what a line that begins with a dot says."""
    word, _, rest = line[1:].partition(" ")
    name = word.lower().rstrip(";")
    if name not in COMMANDS:
        close = difflib.get_close_matches(name, COMMANDS, 1)
        hint = f"did you mean .{close[0]}?" if close else ".help lists the commands"
        raise BadUsage(f"no command '.{name}'; {hint}")
    command = COMMANDS[name]
    keeps = command.kinds[-1:] == ["TEXT"] or rest.rstrip().endswith("=;")
    command.do(shell, *command.read(rest.strip() if keeps else rest.strip().rstrip(";")))


# ---------------------------------------------------------------------------------------------------------------------
# Tables


def _tables(shell: Shell, like: str = "") -> None:
    for name in shell.session.tables():
        if like.lower() in name.lower():
            shell.say(name)


def _schema(shell: Shell, *names: str) -> None:
    for name in names or shell.session.tables():
        with shell.line.shown():
            found = statements.paths_of(shell.session, name)
        shell.say(f"-- {name}")
        shell.show(found)


def _describe(shell: Shell, name: str) -> None:
    shell.say(repr(shell.session.describe(name)))
    if shell.session.describe(name).columns is None:
        with shell.line.shown():
            found = statements.describe(shell.session, name)
        shell.show(found)


def _summarize(shell: Shell, name: str) -> None:
    with shell.line.shown():
        found = statements.summarize(shell.session, name)
    shell.show(found)


def _load(shell: Shell, path: str, *words: str) -> None:
    """`.load FILE [NAME] [OPTION=VALUE]...`; a folder is a database."""
    names = [word for word in words if "=" not in word]
    if len(names) > 1:
        raise BadUsage(f"usage: {COMMANDS['load'].usage}")
    options = table_options(dict(word.split("=", 1) for word in words if "=" in word))
    place = Path(path).expanduser()
    if place.is_dir() and options == {"options": {}}:
        found = shell.session.register_folder(place, names[0] if names else None, replace=True)
    else:
        found = names or [table_name(place)]
        shell.session.register(found[0], place, replace=True, **options)
    shell.say(f"loaded {', '.join(found)}")


def _unload(shell: Shell, name: str) -> None:
    shell.session.unregister(name)


# ---------------------------------------------------------------------------------------------------------------------
# Queries


def _query(shell: Shell, text: str) -> str:
    """The query of a command, or the last one that was run."""
    found = text or shell.text
    if found is None:
        raise BadUsage("there is no statement yet: write one behind the command")
    return found


def _plan(shell: Shell, text: str = "") -> None:
    word, _, rest = text.partition(" ")
    notation = word if word in _NOTATIONS else "tree"
    query = _query(shell, rest.strip() if word in _NOTATIONS else text)
    made = shell.session.plan(query, mode="strict" if shell.settings.strict else "permissive")
    shell.page(_NOTATIONS[notation](made, shell.session).rstrip("\n") + "\n")


_NOTATIONS: dict[str, Callable[[fs.Plan, fs.Session], str]] = {
    "tree": lambda plan, _: plan.explain(),
    "ion": lambda plan, _: plan.to_ion(),
    "algebra": lambda plan, _: plan.to_algebra(),
    "substrait": lambda plan, _: plan.to_substrait_json(),
    "spark-sql": lambda plan, session: plan.to_spark_sql(session=session),
}


def _explain(shell: Shell, text: str = "") -> None:
    mode = "strict" if shell.settings.strict else "permissive"
    shell.page(shell.session.explain(_query(shell, text), mode=mode) + "\n")


def _save(shell: Shell, path: str) -> None:
    if shell.answer is None:
        raise BadUsage("there is no answer to save yet: run a query first")
    with shell.line.shown(WRITING):
        shell.answer.write(Path(path).expanduser())
    shell.say(f"saved {path}")


def _read(shell: Shell, path: str) -> None:
    shell.read_file(os.path.expanduser(path))


def _output(shell: Shell, path: str | None = None) -> None:
    shell.redirect(None if path in (None, "-") else path)


def _once(shell: Shell, path: str) -> None:
    shell.redirect(path, once=True)


# ---------------------------------------------------------------------------------------------------------------------
# The shell itself


def _set(shell: Shell, name: str | None = None, value: str | None = None) -> None:
    if name is not None and name not in SETTINGS:
        raise BadUsage(f"no setting '{name}'; there are {', '.join(SETTINGS)}")
    if name is not None and value is not None:
        SETTINGS[name].write(shell.settings, name, value)
        return
    for key in SETTINGS if name is None else (name,):
        shell.say(f"{key} {SETTINGS[key].read(shell.settings)}")


def _setting(name: str) -> Command:
    """The command of a setting: `.timer on`."""
    setting = SETTINGS[name]
    return Command(name, f"[{setting.values}]", setting.help, lambda shell, value=None: _set(shell, name, value))


def _help(shell: Shell, name: str | None = None) -> None:
    shown = COMMANDS if name is None else {name.removeprefix("."): COMMANDS.get(name.removeprefix(".").lower())}
    lines = []
    for found in shown.values():
        if found is None:
            raise BadUsage(f"no command '{name}'; .help lists the commands")
        usage = found.usage if len(found.usage) < _LEFT or name is not None else f".{found.name} [FORMAT]"
        lines.append(f"{usage:{_LEFT}} {found.help}")
    if name is None:
        lines += ["", "A statement ends with ; or an empty line. Also: SHOW TABLES, DESCRIBE t, SUMMARIZE t."]
    shell.page("\n".join(lines) + "\n")


_LEFT = 40


def _functions(shell: Shell, like: str = "") -> None:
    rows = [
        {"name": name, "signature": ", ".join(str(one) for one in function.signatures), "doc": function.doc}
        for function in all_functions()
        for name in function.partiql
        if like.lower() in name.lower()
    ]
    rows.sort(key=lambda row: row["name"])
    shell.show(statements.rows_of(rows, name=t.STRING, signature=t.STRING, doc=t.STRING))


def _quit(shell: Shell) -> None:
    shell.done = True


def _clear(shell: Shell) -> None:
    if shell.interactive:
        click.clear()


def _directory(shell: Shell, path: str | None = None) -> None:
    if path is not None:
        os.chdir(os.path.expanduser(path))
    shell.say(os.getcwd())


def _version(shell: Shell) -> None:
    shell.say(f"firesteel {fs.__version__}")


_ALL = (
    Command("tables", "[NAME]", "List the tables; those whose names have NAME in them", _tables),
    Command("schema", "[TABLE]...", "Show the paths that are found in the rows, with their types", _schema),
    Command("describe", "TABLE", "Say what is known of a table: its files, its columns", _describe),
    Command("summarize", "TABLE", "Say what is in the columns: types, counts, the least, the greatest", _summarize),
    Command("load", "FILE [NAME] [OPTION=VALUE]...", "Make a file a table, or a folder several", _load),
    Command("unload", "TABLE", "Remove a table from the session", _unload),
    Command("read", "FILE", "Run the statements and commands of a file", _read),
    Command("save", "FILE", "Write the last answer to a file; the suffix tells the format", _save),
    Command("output", "[FILE]", "Write answers to a file from now on; without FILE, to the screen", _output),
    Command("once", "FILE", "Write the next answer to a file", _once),
    Command("plan", "[QUERY]", "Show a plan: .plan ion SELECT ...; also tree, algebra, substrait", _plan),
    Command("explain", "[QUERY]", "Show the plan as it would run, with what would run in Python", _explain),
    Command("functions", "[NAME]", "List the functions; those whose names have NAME in them", _functions),
    *map(_setting, SETTINGS),
    Command("set", "[SETTING] [VALUE]", "Change a setting, or show the settings", _set),
    Command("print", "[TEXT]", "Print a text", lambda shell, text="": shell.say(text)),
    Command("cd", "[FILE]", "Change the working directory, or show it", _directory),
    Command("clear", "", "Clear the screen", _clear),
    Command("version", "", "Say which version this is", _version),
    Command("help", "[COMMAND]", "List the commands, or show one", _help),
    Command("quit", "", "Leave the shell; so does Ctrl-D", _quit),
    Command("exit", "", "The same", _quit),
)

COMMANDS: dict[str, Command] = {command.name: command for command in _ALL}
