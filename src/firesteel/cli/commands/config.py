"""`firesteel config show`: the settings, and where they come from."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

import click

import firesteel as fs
from firesteel.cli.answers import size_text
from firesteel.cli.config_values import BOUND, small_input
from firesteel.cli.options import errors


class Setting(NamedTuple):
    """A setting, its value, and who says so."""

    name: str
    value: str
    source: str


#: Variables of the environment that change what Firesteel does.
VARIABLES = {
    BOUND: "the bound of --engine auto, in bytes",
    "NO_COLOR": "no colours on a terminal",
    "FIRESTEEL_TRACEBACK": "errors with Python's traceback",
    "JAVA_HOME": "the Java that Spark uses",
    "SPARK_DRIVER_MEMORY": "the memory of local Spark",
    "SPARK_LOCAL_IP": "the address that a Spark driver listens on",
}
_PACKAGES = ("pyspark", "pyarrow", "pandas", "prompt_toolkit", "amazon.ion", "protobuf")


@click.group("config")
def command() -> None:
    """Show the settings and where they come from."""


@command.command("show")
@errors
def show() -> None:
    """Print the settings, one a line: name, value, where the value comes from."""
    found = list(settings())
    names, values = (max(len(one[column]) for one in found) for column in (0, 1))
    for one in found:
        click.echo(f"{one.name:<{names}}  {one.value:<{values}}  {one.source}".rstrip())


def settings() -> Iterator[Setting]:
    """The settings of this machine and user."""
    yield Setting("firesteel", fs.__version__, "")
    yield Setting("python", platform.python_version(), "")
    for package in _PACKAGES:
        yield Setting(package, _version(package), "")
    bound = small_input()
    yield Setting("engine", "auto", "default; --engine")
    yield Setting("small input", f"{bound} ({size_text(bound)})", BOUND if BOUND in os.environ else "default")
    yield Setting("format", "table", "default; --format")
    yield Setting("limit", "100", "default; --limit")
    yield Setting("mode", "permissive", "default; --mode")
    for name, meaning in VARIABLES.items():
        yield Setting(name, os.environ.get(name, "-"), meaning)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
