"""`firesteel explain`: show a plan, or the plan of a query."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

import firesteel as fs
from firesteel.cli.inputs import TEXTS, read_text
from firesteel.cli.lineage import lineage_options, show_lineage
from firesteel.cli.options import errors, with_planning, with_policy, with_properties, with_tables
from firesteel.cli.plans import numbered_params, print_plan, read, with_notation, with_reading
from firesteel.cli.render.plan_drawings import print_drawing, taken_drawing, with_drawings
from firesteel.cli.sessions import open_session
from firesteel.explain import Profile, profile_json


@click.command("explain")
@click.argument("plan", metavar="PLAN_OR_QUERY")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@with_notation("tree")
@click.option("--engine", type=click.Choice(["spark", "reference"]), help="As this engine would run it. Wants tables.")
@click.option("--analyze", is_flag=True, help="Run it, and show rows and time of each operator.")
@click.option(
    "--format", "format_", type=click.Choice(["text", "json"]), default="text", help="How --analyze is shown."
)
@with_tables
@with_properties
@with_policy
@with_planning
@with_reading
@lineage_options
@with_drawings
@errors
def command(
    plan: str,
    files: tuple[str, ...],
    dialect: str,
    headers: tuple[Path, ...],
    lineage: bool,
    lineage_as: str | None,
    notation: str,
    target: str | None,
    engine: Any,
    analyze: bool,
    format_: str,
    mode: str,
    params: tuple[str, ...],
    pipeline: Any,
    **options: Any,
) -> None:
    """Show a plan, or the plan of a PartiQL query, as a tree or in another notation. A FILE is a table of its name.

    With `--pipeline debug`: the plan after every pass that changes it, as it would run on Spark, or on `--engine`.
    With `--html FILE`: a page of all notations, and with `--engine spark` of Spark's plan, joined operator by operator;
    with `--analyze` it shows the rows and the time of each operator.

    \b
    firesteel explain plan.ion
    firesteel explain plan.ion --engine spark --table t=t.parquet
    firesteel explain "SELECT t.a FROM t WHERE t.b > 1" t.parquet --pipeline debug
    firesteel explain plan.ion --engine spark --table t=t.parquet --html plan.html
    firesteel explain --analyze "SELECT COUNT(*) FROM t" t.jsonl
    """
    drawing, html = taken_drawing(options), options.pop("html")
    tree_only = {"--engine": engine is not None, "--analyze": analyze, "--pipeline": pipeline == "debug"}
    _ensure_together(notation, tree_only, drawing, lineage or lineage_as is not None)
    if format_ != "text" and not analyze:
        raise click.UsageError("--format goes with --analyze")
    text = _text(plan)
    document = None if text is not None else _read(Path(plan), mode, dialect=dialect, headers=headers)
    how = engine or ("auto" if analyze else "spark" if pipeline == "debug" else "reference")
    with open_session({"engine": how, **options}, files) as session:
        given: Any = numbered_params(params) if text is None else [fs.ion(param) for param in params]
        if lineage or lineage_as:
            show_lineage(session, document or text, mode, given, lineage_as)
            return
        measured = _measured(session, document or text, mode, given) if analyze else []
        if drawing:
            title = " ".join(plan.split())
            if engine is not None or analyze:
                ran = measured[0] if len(measured) == 1 else None
                page = session.page(document or text, mode=mode, params=given, title=title, profile=ran)
            else:
                page = (document or session.plan(text or "", mode=mode, params=given)).page(title)
            print_drawing(page, drawing, html)
            return
        if analyze:
            click.echo("\n".join(profile_json(one) if format_ == "json" else str(one) for one in measured))
            return
        if engine is not None or pipeline == "debug":
            click.echo(session.explain(document or text, mode=mode, params=given, pipeline=pipeline))
            return
        print_plan(document or session.plan(text or "", mode=mode, params=given), notation, target, session)


def _read(path: Path, mode: str, **how: Any) -> fs.Plan:
    """The plan of a file. Strict mode may be asked for if it is an expression of the algebra."""
    return read(path, mode=None if mode == "permissive" else mode, **how)


def _measured(session: fs.Session, source: Any, mode: str, given: Any) -> list[Profile]:
    """What a run of each statement measured."""
    planned = session.plan(source, mode=mode, params=given) if isinstance(source, str) else source
    answers = session.run_all(planned, params=None if isinstance(source, str) else given)
    return [answer.profile() for answer in answers]


def _ensure_together(notation: str, tree_only: dict[str, bool], drawing: str | None, lineage: bool) -> None:
    """Complain of options that exclude each other."""
    if drawing and (notation != "tree" or tree_only["--pipeline"] or lineage):
        raise click.UsageError(f"--{drawing} goes without --as, --pipeline and --lineage")
    if notation != "tree" and any(tree_only.values()):
        *most, last = tree_only
        raise click.UsageError(f"{', '.join(most)} and {last} go with --as tree")


def _text(given: str) -> str | None:
    """The query, if it is one, or a file of PartiQL. What has several words is a query, unless there is such a file;
    so is one word that could not be the path of a plan."""
    path = Path(given)
    if os.path.exists(given):
        return read_text(path) if path.suffix.lower() in TEXTS else None
    return given if len(given.split()) > 1 or (not path.suffix and "/" not in given) or "(" in given else None
