"""Opens the session that the options of a command ask for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click

import firesteel as fs
from firesteel.cli import config_values, inputs
from firesteel.cli.options import LIMITS
from firesteel.session.databases import table_name
from firesteel.tables.promises import SINGLETON
from firesteel.tables.text.csv_files import truth

#: Where the options of a table begin: a comma, a name, an equals sign.
_OPTION = re.compile(r"(?<!\\),(?=[a-z_]+=)")
#: What `Session.register` takes by itself; all else are options of the format.
_OWN = ("format", "malformed", "record_id", "schema", "check")
#: The options of a command that `fs.connect` takes as they are.
_CONNECT = ("engine", "master", "remote", "fallback", "verify_properties", "add_sorts", "catalog")
_TABLES = ("tables", "folders", "environments", "malformed", "ordered_by", "partitioned_by")
_OTHER = ("allow_read", "allow_write", "conf", "ui", *LIMITS)


def take(options: dict[str, Any], *names: str) -> dict[str, Any]:
    """Those of a command's options, which are removed from it."""
    return {name: options.pop(name) for name in names if name in options}


def asks_for_session(options: Mapping[str, Any]) -> bool:
    """Do the options of a command name tables, or anything else that a session has?"""
    return any(value for name, value in options.items() if name != "malformed")  # it has a default


@contextmanager
def open_session(options: dict[str, Any], files: Sequence[str] = (), stdin: str | None = None) -> Iterator[fs.Session]:
    """A session with the tables of a command's options, which are removed from them; and with its files, each a table
    of its name. With `stdin`, standard input is the table of that name."""
    tables, how, other = take(options, *_TABLES), take(options, *_CONNECT), take(options, *_OTHER)
    places = {**_registered(tables.get("tables", ())), **_by_stem(files)}
    if stdin is not None and stdin not in places:
        places[stdin] = inputs.STDIN
    with ExitStack() as until_closed:
        policy = fs.Policy(
            allow_read=other.get("allow_read", ()),
            allow_write=other.get("allow_write", ()),
            **{name: other[name] for name in LIMITS if other.get(name) is not None},
        )
        conf = dict(other.get("conf", ())) | ({"spark.ui.enabled": "true"} if other.get("ui") else {})
        small = config_values.small_input()
        session = until_closed.enter_context(fs.connect(policy=policy, conf=conf, small_input=small, **how))
        for folder in tables.get("folders", ()):
            session.register_folder(folder)
        for environment in tables.get("environments", ()):
            session.register_environment(environment)
        for name, options_ in _with_promises(places, tables).items():
            path, given = _source(places[name])
            if path == inputs.STDIN:
                path, told = until_closed.enter_context(inputs.spooled())
                given = {"format": told, **given}
            given.setdefault("malformed", tables.get("malformed", "error"))
            session.register(name, path, **given, **options_)
        if other.get("ui"):
            click.echo(f"Spark's web page: {session.spark_ui() or 'this Spark has none'}", err=True)
        yield session


def _registered(tables: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The tables of `--table` by their names."""
    found: dict[str, str] = {}
    for name, place in tables:
        if name in found:
            raise click.UsageError(f"two tables '{name}': {found[name]} and {place}")
        found[name] = place
    return found


def _by_stem(files: Sequence[str]) -> dict[str, str]:
    """The files of a command by their names without suffixes."""
    found: dict[str, str] = {}
    for path in files:
        name = "stdin" if path == inputs.STDIN else table_name(Path(path))
        if name in found:
            raise click.UsageError(
                f"'{found[name]}' and '{path}' would both be the table '{name}': name them, -t NAME=FILE"
            )
        found[name] = path
    return found


def _with_promises(places: Mapping[str, str], tables: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What is promised of each table."""
    order, parts = dict(tables.get("ordered_by", ())), dict(tables.get("partitioned_by", ()))
    for name in (*order, *parts):
        if name not in places:
            raise click.UsageError(f"a promise of '{name}', which is no --table")
    return {
        name: {
            "ordered_by": order[name].split(",") if name in order else None,
            "partitioned_by": None
            if name not in parts
            else parts[name]
            if parts[name] == SINGLETON
            else parts[name].split(","),
        }
        for name in places
    }


def _source(given: str) -> tuple[str | Path, dict[str, Any]]:
    """The path of a table, and what it is registered with: `t.csv,delimiter=;,header=false`. What is a file as it
    stands has no options. In other paths `\\,` is a comma that would start an option, because a name and `=` follow."""
    if os.path.exists(given):
        return given, {}
    path, *options = _OPTION.split(given)
    pairs = dict(option.split("=", 1) for option in options)
    return path.replace("\\,", ","), table_options(pairs)


def table_options(pairs: dict[str, str]) -> dict[str, Any]:
    """What a table is registered with, by the options that a user gives as text."""
    own: dict[str, Any] = {name: pairs.pop(name) for name in _OWN if name in pairs}
    if "check" in own:
        own["check"] = truth("check", own["check"])
    return {**own, "options": pairs}
