"""The options that commands share, as decorators. Each help text says what happens, and what the default is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from firesteel.cli.failure import ERROR_FORMATS
from firesteel.cli.render import FORMATS

Command = TypeVar("Command", bound=Callable[..., Any])


def shared(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, in the order given."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def pairs(_ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> list[tuple[str, str]]:
    """The values of an option NAME=VALUE."""
    found = []
    for item in given:
        name, equals, rest = item.partition("=")
        if not equals or not name or not rest:
            raise click.BadParameter(f"{item!r} is not {param.metavar}")
        found.append((name, rest))
    return found


_folder = click.Path(exists=True, file_okay=False, path_type=Path)
_place = click.Path(exists=True, path_type=Path)

#: The argument of commands that take a plan.
plan_file = click.argument("plan", type=click.Path(path_type=Path))

with_tables = shared(
    click.option(
        "--table",
        "-t",
        "tables",
        multiple=True,
        callback=pairs,
        metavar="NAME=FILE[,OPTION=VALUE]...",
        help="Register a table: t=t.csv,delimiter=;,types=text. The file - is standard input. A comma before a name "
        "and = in FILE is written \\,.",
    ),
    click.option(
        "--database",
        "-d",
        "folders",
        multiple=True,
        type=_folder,
        metavar="DIR",
        help="Register every file in a folder as a table of its name.",
    ),
    click.option(
        "--environment",
        "-e",
        "environments",
        multiple=True,
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="ENV",
        help="Register the values of a file: one struct in Ion or JSON, {name: value, ...}.",
    ),
    click.option(
        "--catalog",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Keep views in this file (Ion): they are there the next time, too.",
    ),
    click.option(
        "--malformed",
        type=click.Choice(["error", "skip"]),
        default="error",
        show_default=True,
        help="What to do with a line of a JSON file that is not JSON.",
    ),
    click.option(
        "--ordered-by",
        multiple=True,
        callback=pairs,
        metavar="NAME=COLUMN,...",
        help="Promise that the rows of a table are ordered: t=a,b.c desc.",
    ),
    click.option(
        "--partitioned-by",
        multiple=True,
        callback=pairs,
        metavar="NAME=COLUMN,...",
        help="Promise that rows with equal values in these columns are in one partition; t=singleton: all rows.",
    ),
)
with_properties = shared(
    click.option("--verify-properties", is_flag=True, help="Check what is promised of tables against their rows."),
    click.option("--add-sorts", is_flag=True, help="Sort inputs that are not ordered as the plan needs them."),
)
with_policy = shared(
    click.option(
        "--allow-read",
        multiple=True,
        type=_place,
        metavar="DIR",
        help="Let the plan read files in this folder. Default: none but the tables.",
    ),
    click.option(
        "--allow-write", multiple=True, type=_place, metavar="DIR", help="Let the plan write files in this folder."
    ),
)
#: The limits of `fs.Policy` as options; the text is what the limit is about.
LIMITS = {
    "max_plan": "Refuse queries and plans of more characters.",
    "max_depth": "Refuse plans that nest more levels.",
    "max_nodes": "Refuse plans of more relations and expressions.",
    "max_operands": "Refuse expressions of more operands.",
    "max_literal": "Refuse literals of more characters.",
    "max_virtual_rows": "Refuse tables of more values in a plan.",
    "max_cross_rows": "Refuse joins without a key of more pairs of rows.",
    "max_rows": "Refuse answers of more rows.",
    "max_seconds": "Refuse answers that take longer.",
    "max_unpacked": "Refuse compressed files of more bytes.",
    "max_ratio": "Refuse large files that are compressed more.",
}
with_limits = shared(
    *(
        click.option(f"--{name.replace('_', '-')}", type=click.IntRange(0), metavar="N", help=text)
        for name, text in LIMITS.items()
    )
)
with_engine = shared(
    click.option(
        "--engine",
        type=click.Choice(["auto", "spark", "reference"]),
        default="auto",
        show_default=True,
        help="What computes the answer. auto: this process for small inputs (`firesteel config show` has the bound), "
        "else Spark.",
    ),
    click.option("--master", metavar="URL", help="The Spark master, for example spark://host:7077. Default: local."),
    click.option("--remote", metavar="URL", help="A Spark Connect server, for example sc://host."),
    click.option(
        "--conf", multiple=True, callback=pairs, metavar="KEY=VALUE", help="A setting of Spark: spark.driver.memory=4g."
    ),
    click.option("--ui", is_flag=True, help="Start Spark with its web page, and print the address."),
    click.option(
        "--fallback",
        type=click.Choice(["allow", "refuse"]),
        default="allow",
        show_default=True,
        help="What Spark has no form for: run it in Python, or refuse it.",
    ),
)
with_output = shared(
    click.option(
        "--format",
        "format_",
        type=click.Choice(list(FORMATS)),
        help="How answers are printed or written. Default: table; for a file, what its suffix says.",
    ),
    click.option("--limit", type=click.IntRange(0), default=100, show_default=True, help="Rows that a table shows."),
    click.option(
        "--output",
        "-o",
        type=click.Path(path_type=Path),
        metavar="OUT",
        help="Write the answer to this file instead; - is standard output.",
    ),
)
with_time = click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Give up after that."
)
with_params = click.option("--param", "params", multiple=True, metavar="ION", help="A value for a ?, in order, as Ion.")
with_mode = click.option(
    "--mode",
    type=click.Choice(["permissive", "strict"]),
    default="permissive",
    show_default=True,
    help="What a value of a wrong type gives: MISSING, or an error.",
)
with_pipeline = click.option(
    "--pipeline",
    type=click.Choice(["quiet", "debug"], case_sensitive=False),
    default="quiet",
    show_default=True,
    help="debug: print every stage to stderr, of a query from its tokens to its plan.",
)
with_planning = shared(with_mode, with_params, with_pipeline)
quiet = click.option(
    "--quiet", "-q", is_flag=True, help="Print no notes, warnings and progress, only answers and errors."
)
errors = click.option(
    "--error-format",
    type=click.Choice(ERROR_FORMATS),
    default="text",
    show_default=True,
    expose_value=False,
    help="How errors are printed to stderr. json: an object in one line.",
)
#: The options of every command that computes answers.
running = shared(with_tables, with_engine, with_output, with_time, quiet, with_limits, with_properties, errors)
