"""`firesteel run`: run a plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import firesteel as fs
from firesteel.cli.answers import is_file, note, one_answer, say_engine, show
from firesteel.cli.options import plan_file, running, with_pipeline, with_policy
from firesteel.cli.plans import numbered_params, read, with_plan_mode, with_reading
from firesteel.cli.render.progress import has_spark_bar, progress_line
from firesteel.cli.sessions import open_session, take
from firesteel.cli.timeout import time_limit
from firesteel.plan.findings import repair_lines


@click.command("run")
@plan_file
@running
@with_policy
@click.option("--param", "params", multiple=True, metavar="[N=]ION", help="A value for parameter N, or for the next.")
@with_reading
@with_plan_mode
@with_pipeline
def command(
    plan: Path, timeout: float | None, params: tuple[str, ...], pipeline: str, quiet: bool, **options: Any
) -> None:
    """Run PLAN, and print its rows or write them to a file. With several roots, the rows of each are printed.

    A plan is a PartiQL Plan document, an expression of the algebra, or a Substrait plan as protobuf or JSON. Repairs of
    a Substrait plan are printed to stderr first.

    \b
    firesteel run plan.ion --table hr.employees=employees.jsonl
    firesteel run plan.ion --table t=t.parquet --engine reference --format ion
    firesteel run algebra.ion --table t=t.csv,record_id=id --mode strict
    firesteel run plan.ion --table t=t.parquet --output rows.parquet
    firesteel run tpch-q1.proto --table lineitem=lineitem.parquet
    firesteel run plan-with-files.proto --allow-read data
    """
    shown = take(options, "format_", "limit", "output")
    how = take(options, "dialect", "headers", "mode")
    document = read(plan, **how, max_size=options["max_plan"] or fs.Policy.max_plan)
    hushed = quiet or has_spark_bar(options["conf"])
    with open_session(options) as session, time_limit(timeout), progress_line(session, quiet=hushed) as line:
        lowered = document.lowered(session)
        for said in repair_lines(lowered.repairs):
            note(said, quiet=quiet)
        if pipeline == "debug":
            from firesteel.cli.stages import plan_stages

            plan_stages(document, session, numbered_params(params))
        with line.shown():
            answers: list[fs.Result] = session.run_all(lowered.plan, params=numbered_params(params))
        for answer in one_answer(answers) if is_file(shown["output"]) else answers:
            say_engine(answer, session, quiet=quiet)
            show(answer, **shown, line=line, quiet=quiet)
