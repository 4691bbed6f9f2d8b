"""The commands. An error is printed to stderr with its place and a hint, and its class decides the exit code:

0 ok, 1 error in a query or a plan, 2 usage, 3 refused by policy, 124 timeout, 130 interrupted.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

import firesteel as fs
from firesteel import doctor as doctor_
from firesteel.cli.convert import convert
from firesteel.cli.diff import diff
from firesteel.cli.findings_output import FORMATS
from firesteel.cli.lineage import lineage_options, show_lineage
from firesteel.cli.stages import stages
from firesteel.plan.findings import Findings, repair_lines
from firesteel.substrait import DIALECTS
from firesteel.tables.promises import SINGLETON

USAGE, TIMEOUT, INTERRUPTED = 2, 124, 130


class _TimeOut(Exception):
    """The time limit of `--timeout` is over."""


def main(argv: Sequence[str] | None = None) -> None:
    """Run a command and exit with its code."""
    sys.exit(_run(list(sys.argv[1:] if argv is None else argv)))


def _run(argv: list[str]) -> int:
    wrong = next((word for word in argv if not _is_text(word)), None)
    if wrong is not None:
        click.echo(f"an argument is no text that a system could hand over: {wrong!r}", err=True)
        return USAGE
    try:
        code = commands.main(argv, prog_name="firesteel", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except fs.FiresteelError as error:
        click.echo(str(error), err=True)
        return error.exit_code
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except _TimeOut as error:
        click.echo(str(error), err=True)
        return TIMEOUT
    except BrokenPipeError:
        # The reader of our output has gone (`| head`). Stop, and let the flush at exit write to nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (OSError, MemoryError) as error:
        # Errors of table and plan files are FiresteelErrors. This is a full disk behind stdout, or no memory left.
        click.echo(f"firesteel: {str(error) or 'out of memory'}", err=True)
        return 1


def _is_text(word: str) -> bool:
    """Is it valid text: no NUL, and no lone surrogates except those that Python uses for undecodable bytes?"""
    try:
        return b"\x00" not in os.fsencode(word)
    except UnicodeEncodeError:
        return False


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(fs.__version__, prog_name="firesteel")
def commands() -> None:
    """Take a query plan, whoever wrote it, and run it on Spark."""


commands.add_command(diff)
commands.add_command(convert)

_plan = click.argument("plan", type=click.Path(path_type=Path))


def _tables(_ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> list[tuple[str, str]]:
    pairs = []
    for item in given:
        name, equals, rest = item.partition("=")
        if not equals or not name or not rest:
            raise click.BadParameter(f"{item!r} is not {param.metavar}")
        pairs.append((name, rest))
    return pairs


#: Where the options of a table begin: a comma, a name, an equals sign.
_OPTION = re.compile(r"(?<!\\),(?=[a-z_]+=)")
#: What `Session.register` takes by itself; all else are options of the format.
_OWN = ("format", "malformed", "record_id")


def _source(given: str) -> tuple[str, dict[str, Any]]:
    """The path of a table, and what it is registered with: `t.csv,delimiter=;,header=false`. What is a file as it
    stands has no options. In other paths `\\,` is a comma that would start an option, because a name and `=` follow."""
    if os.path.exists(given):
        return given, {}
    path, *options = _OPTION.split(given)
    pairs = dict(option.split("=", 1) for option in options)
    own = {name: pairs.pop(name) for name in _OWN if name in pairs}
    return path.replace("\\,", ","), {**own, "options": pairs}


Command = TypeVar("Command", bound=Callable[..., Any])


def _shared(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, in the order given."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_with_tables = _shared(
    click.option(
        "--table",
        "tables",
        multiple=True,
        callback=_tables,
        metavar="NAME=FILE[,OPTION=VALUE]...",
        help="Register a table: t=t.csv,delimiter=;,types=text. A comma before a name and = in FILE is written \\,.",
    ),
    click.option(
        "--catalog",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Keep views in this file (Ion): they are there the next time, too.",
    ),
    click.option(
        "--ordered-by",
        multiple=True,
        callback=_tables,
        metavar="NAME=COLUMN,...",
        help="Promise that the rows of a table are ordered: t=a,b.c desc.",
    ),
    click.option(
        "--partitioned-by",
        multiple=True,
        callback=_tables,
        metavar="NAME=COLUMN,...",
        help="Promise that rows with equal values in these columns are in one partition; t=singleton: all rows.",
    ),
)
_with_properties = _shared(
    click.option("--verify-properties", is_flag=True, help="Check what is promised of tables against their rows."),
    click.option("--add-sorts", is_flag=True, help="Sort inputs that are not ordered as the plan needs them."),
)
_folder = click.Path(exists=True, path_type=Path)
_with_policy = _shared(
    click.option(
        "--allow-read",
        multiple=True,
        type=_folder,
        metavar="DIR",
        help="Let the plan read files in this folder. Default: none but the tables.",
    ),
    click.option(
        "--allow-write", multiple=True, type=_folder, metavar="DIR", help="Let the plan write files in this folder."
    ),
)
#: The limits of `fs.Policy` as options; the text is what the limit is about.
_LIMITS = {
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
_with_limits = _shared(
    *(
        click.option(f"--{name.replace('_', '-')}", type=click.IntRange(0), metavar="N", help=text)
        for name, text in _LIMITS.items()
    )
)
_running = _shared(
    _with_limits,
    _with_tables,
    _with_properties,
    click.option("--engine", type=click.Choice(["spark", "reference"]), default="spark", show_default=True),
    click.option("--master", help="The Spark master, for example spark://host:7077. Default: local."),
    click.option("--remote", help="A Spark Connect server, for example sc://host."),
    click.option(
        "--fallback",
        type=click.Choice(["allow", "refuse"]),
        default="allow",
        show_default=True,
        help="What Spark has no form for: run it in Python, or refuse it.",
    ),
    click.option("--format", "format_", type=click.Choice(["table", "ion"]), default="table", show_default=True),
    click.option("--limit", type=click.IntRange(0), default=100, show_default=True, help="Rows that a table shows."),
    click.option("--output", "-o", type=click.Path(path_type=Path), help="Write the rows to this file instead."),
    click.option("--timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Give up after that."),
)
_planning = _shared(
    click.option("--mode", type=click.Choice(["permissive", "strict"]), default="permissive", show_default=True),
    click.option("--param", "params", multiple=True, metavar="ION", help="A value for a ?, in order, as Ion."),
    click.option(
        "--pipeline",
        type=click.Choice(["quiet", "debug"], case_sensitive=False),
        default="quiet",
        help="Show every stage.",
    ),
)


@contextmanager
def _session(
    tables: list[tuple[str, str]],
    allow_read: Sequence[Path] = (),
    allow_write: Sequence[Path] = (),
    ordered_by: Sequence[tuple[str, str]] = (),
    partitioned_by: Sequence[tuple[str, str]] = (),
    **options: Any,
) -> Iterator[fs.Session]:
    for name, _ in (*ordered_by, *partitioned_by):
        if name not in dict(tables):
            raise click.UsageError(f"a promise of '{name}', which is no --table")
    limits = {name: options.pop(name) for name in _LIMITS if options.get(name) is not None}
    options = {name: value for name, value in options.items() if name not in _LIMITS}
    policy = fs.Policy(allow_read=allow_read, allow_write=allow_write, **limits)
    with fs.connect(policy=policy, **options) as session:
        for name, path in tables:
            order, parts = dict(ordered_by).get(name), dict(partitioned_by).get(name)
            place, how = _source(path)
            session.register(
                name,
                place,
                **how,
                ordered_by=order and order.split(","),
                partitioned_by=parts and (parts if parts == SINGLETON else parts.split(",")),
            )
        yield session


def _show(result: fs.Result, format_: str, limit: int, output: Path | None) -> None:
    """Print an answer or write it to a file; cancel it if that is interrupted."""
    try:
        if output is not None:
            result.write(output)
            click.echo(f"wrote {output}", err=True)
        elif format_ == "ion":
            click.echo(result.to_ion())
        else:
            click.echo(result.table(limit))
    except KeyboardInterrupt:
        result.cancel()
        raise


def _warn(warnings: Sequence[fs.QueryWarning]) -> None:
    for warning in warnings:
        click.echo(str(warning), err=True)


_reading = _shared(
    click.option(
        "--dialect",
        type=click.Choice(DIALECTS),
        default="auto",
        show_default=True,
        help="Whose plan a Substrait plan is read as.",
    ),
    click.option(
        "--header",
        "headers",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="A header that the plan imports.",
    ),
)


@commands.command()
@_plan
@_running
@_with_policy
@click.option("--param", "params", multiple=True, metavar="[N=]ION", help="A value for parameter N, or for the next.")
@_reading
@click.option("--mode", type=click.Choice(["permissive", "strict"]), help="The mode of an expression of the algebra.")
def run(
    plan: Path,
    tables: list[tuple[str, str]],
    timeout: float | None,
    params: tuple[str, ...],
    dialect: str,
    headers: tuple[Path, ...],
    mode: str | None,
    **options: Any,
) -> None:
    """Run PLAN, and print its rows or write them to a file. With several roots, the rows of each are printed.

    A plan is a PartiQL Plan document, an expression of the algebra, or a Substrait plan as protobuf or JSON. Repairs of
    a Substrait plan are printed to stderr first.

    \b
    firesteel run plan.ion --table hr.employees=employees.jsonl
    firesteel run plan.ion --table t=t.parquet --engine reference --format ion
    firesteel run plan.ion --table t=t.parquet --output rows.parquet
    firesteel run tpch-q1.proto --table lineitem=lineitem.parquet
    firesteel run plan-with-files.proto --allow-read data
    """
    shown = {name: options.pop(name) for name in ("format_", "limit", "output")}
    most = options["max_plan"] or fs.Policy.max_plan
    read = fs.read_plan(plan, dialect=dialect, headers=headers, mode=mode, max_size=most)
    with _session(tables, **options) as session, _time(timeout):
        lowered = read.lowered(session)
        for line in repair_lines(lowered.repairs):
            click.echo(line, err=True)
        answers = session.run_all(lowered.plan, params=_numbered_params(params))
        if shown["output"] is not None and len(answers) != 1:
            raise click.UsageError(f"--output is for one answer, and the plan has {len(answers)}")
        for answer in answers:
            _show(answer, **shown)


def _numbered_params(given: tuple[str, ...]) -> dict[int, Any]:
    """The values of a plan's parameters by their numbers. A value without a number gets the number after the last."""
    found: dict[int, Any] = {}
    number = -1
    for text in given:
        head, equals, tail = text.partition("=")
        named = bool(equals) and head.isdecimal()
        number = int(head) if named else number + 1
        found[number] = fs.ion(tail if named else text)
    return found


@commands.command()
@click.argument("text")
@_running
@_planning
def query(
    text: str,
    tables: list[tuple[str, str]],
    timeout: float | None,
    mode: str,
    params: tuple[str, ...],
    pipeline: str,
    **options: Any,
) -> None:
    """Run a PartiQL query.

    \b
    firesteel query "SELECT o.id FROM orders AS o" --table orders=orders.jsonl
    firesteel query "SELECT VALUE x FROM t AS x WHERE x.id = ?" --table t=t.parquet --param 3
    """
    shown = {name: options.pop(name) for name in ("format_", "limit", "output")}
    with _session(tables, **options) as session, _time(timeout):
        given = [fs.ion(param) for param in params]
        if pipeline == "debug":
            stages(text, session, mode, given)
        answer = session.query(text, mode=mode, params=given)
        _warn(answer.warnings)
        _show(answer, **shown)


#: The notations of a plan. Substrait's is protobuf's bytes.
_NOTATIONS = ("tree", "ion", "algebra", "substrait", "substrait-json")


def _notation(default: str) -> Callable[[Command], Command]:
    """The options that say how a plan is printed."""
    notation = click.option("--as", "notation", type=click.Choice(_NOTATIONS), default=default, show_default=True)
    target = click.option("--target", metavar="NAME", help="Who reads the Substrait plan: datafusion, spec:0.57.")
    return _shared(notation, target)


def _print_plan(plan: fs.Plan, notation: str, target: str | None) -> None:
    if target is not None and not notation.startswith("substrait"):
        raise click.UsageError("--target goes with --as substrait")
    match notation:
        case "substrait":
            sys.stdout.buffer.write(plan.to_substrait(target))
        case "substrait-json":
            click.echo(plan.to_substrait_json(target))
        case "ion":
            click.echo(plan.to_ion())
        case "algebra":
            click.echo(plan.to_algebra())
        case _:
            click.echo(plan.explain())


@commands.command("plan")
@click.argument("text")
@_with_tables
@_planning
@_notation("ion")
@click.option("--typing", type=click.Choice(["dynamic", "static"]), default="dynamic", show_default=True)
def plan_(
    text: str,
    tables: list[tuple[str, str]],
    mode: str,
    params: tuple[str, ...],
    pipeline: str,
    notation: str,
    target: str | None,
    typing: Any,
    **promised: Any,
) -> None:
    """Plan a PartiQL query, and print the plan.

    \b
    firesteel plan "SELECT t.a FROM t" --table t=t.parquet --as substrait --target datafusion > plan.pb
    """
    with _session(tables, engine="reference", **promised) as session:
        given = [fs.ion(param) for param in params]
        if pipeline == "debug":
            stages(text, session, mode, given)
        made = session.plan(text, mode=mode, typing=typing, params=given)
        _warn(made.warnings)
        _print_plan(made, notation, target)


#: Seconds until the exception is raised again: one that a signal raises inside a callback of C code is lost.
_AGAIN = 3.0


@contextmanager
def _time(seconds: float | None) -> Iterator[None]:
    """Raise `_TimeOut` in the main thread when the time is over, which interrupts it like Ctrl-C."""
    if seconds is None:
        yield
        return
    over: list[int] = []

    def interrupt(number: int, frame: Any) -> None:
        over.append(number)
        handler = signal.getsignal(signal.SIGINT)
        (handler if callable(handler) else signal.default_int_handler)(signal.SIGINT, frame)

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    except KeyboardInterrupt:
        if over:
            raise _TimeOut(f"no answer within {seconds:g} seconds") from None
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@commands.command()
@click.argument("plan", metavar="PLAN_OR_TEXT")
@_notation("tree")
@click.option("--engine", type=click.Choice(["spark", "reference"]), help="As this engine would run it. Wants tables.")
@_with_tables
@_with_properties
@_with_policy
@_planning
@_reading
@lineage_options
def explain(
    plan: str,
    dialect: str,
    headers: tuple[Path, ...],
    lineage: bool,
    lineage_as: str | None,
    notation: str,
    target: str | None,
    engine: Any,
    tables: list[tuple[str, str]],
    mode: str,
    params: tuple[str, ...],
    pipeline: Any,
    **options: Any,
) -> None:
    """Show a plan, or the plan of a PartiQL text, as a tree or in another notation. An argument of several words is
    taken for a text, unless there is a file of that name.

    With `--pipeline debug`: the plan after every pass that changes it, as it would run on Spark, or on `--engine`.

    \b
    firesteel explain plan.ion
    firesteel explain plan.ion --engine spark --table t=t.parquet
    firesteel explain "SELECT t.a FROM t WHERE t.b > 1" --table t=t.parquet --pipeline debug
    """
    if notation != "tree" and (engine is not None or pipeline == "debug"):
        raise click.UsageError("--engine and --pipeline go with --as tree")
    is_text = len(plan.split()) > 1 and not os.path.exists(plan)
    read = None if is_text else fs.read_plan(Path(plan), dialect=dialect, headers=headers)
    with _session(tables, engine=engine or ("spark" if pipeline == "debug" else "reference"), **options) as session:
        given: Any = [fs.ion(param) for param in params] if is_text else _numbered_params(params)
        if lineage or lineage_as:
            show_lineage(session, read or plan, mode, given, lineage_as)
            return
        if engine is not None or pipeline == "debug":
            click.echo(session.explain(read or plan, mode=mode, params=given, pipeline=pipeline))
            return
        _print_plan(read or session.plan(plan, mode=mode, params=given), notation, target)


@commands.command()
@_plan
@_with_tables
@_with_properties
@_with_policy
@click.option("--engine", type=click.Choice(["spark", "reference"]), help="As this engine would run it. Wants tables.")
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="text", show_default=True)
@_reading
def check(
    plan: Path,
    tables: list[tuple[str, str]],
    engine: Any,
    format_: str,
    dialect: str,
    headers: tuple[Path, ...],
    **options: Any,
) -> int:
    """Check PLAN and list all findings with their places: what is invalid, what is unsupported, which rules of the
    specification a plan breaks that runs nevertheless, what was repaired. docs/findings.md has the codes.

    With --table the plan is checked over these tables, else by the schemas that it declares. Inputs that have to be
    ordered, and are not known to be, are a problem. The exit code is 0 if the plan would run.

    \b
    firesteel check plan.proto
    firesteel check plan.json --table lineitem=lineitem.parquet --format json
    firesteel check plan.json --table lineitem=lineitem.parquet --engine spark
    firesteel check plan.json --format sarif > findings.sarif
    """
    try:
        read = fs.read_plan(plan, dialect=dialect, headers=headers)
        if tables or engine or any(options.values()):
            with _session(tables, engine=engine or "reference", **options) as session:
                found = session.check(read)
        else:
            found = read.check()
    except fs.FiresteelError as error:
        if format_ == "text":
            raise
        found = Findings([error])
    FORMATS[format_](plan, found)
    return found.exit_code


@commands.command()
def doctor() -> int:
    """Say whether this machine has what Firesteel needs."""
    return doctor_.main([])
