"""The options of `firesteel explain` that draw a plan: a page of HTML, a picture, a graph, JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from firesteel.cli.inputs import STDIN
from firesteel.cli.options import shared
from firesteel.explain.page import PlanPage

Command = TypeVar("Command", bound=Callable[..., Any])

#: The drawings that are printed, each with its option's help.
DRAWINGS: dict[str, tuple[Callable[[PlanPage], str], str]] = {
    "svg": (PlanPage.to_svg, "Print the plan as a picture."),
    "dot": (PlanPage.to_dot, "Print the plan as a graph for Graphviz."),
    "mermaid": (PlanPage.to_mermaid, "Print the plan as a flowchart for Mermaid."),
    "json": (PlanPage.to_json, "Print all that is known of the plan as JSON."),
    "pev2": (PlanPage.to_pev2, "Print the plan as JSON of PostgreSQL's EXPLAIN, for pev2."),
}

with_html = click.option(
    "--html",
    metavar="FILE",
    help="Write a page that shows the plan in every notation, with the same operator marked in all. - is standard "
    "output.",
)
#: The options for a command that explains a plan: `html`, and a flag for every drawing.
with_drawings = shared(
    with_html,
    *(click.option(f"--{name}", f"as_{name}", is_flag=True, help=help_) for name, (_, help_) in DRAWINGS.items()),
)


def taken_drawing(options: dict[str, Any]) -> str | None:
    """The drawing that is asked for (`html` is one), whose options are removed; None if there is none."""
    asked = [name for name in DRAWINGS if options.pop(f"as_{name}")]
    asked += ["html"] if options["html"] is not None else []
    if len(asked) > 1:
        raise click.UsageError(f"--{asked[0]} and --{asked[1]} exclude each other")
    return asked[0] if asked else None


def print_drawing(page: PlanPage, drawing: str, html: str | None) -> None:
    """Print a drawing, or write the page to its file."""
    if html is not None:
        write_html(page, html)
    else:
        click.echo(DRAWINGS[drawing][0](page))


def write_html(page: PlanPage, target: str) -> None:
    """Write a page to a file, or to standard output."""
    text = page.to_html()
    if target == STDIN:
        sys.stdout.buffer.write(text.encode())
        return
    try:
        Path(target).write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"--html '{target}': {error.strerror}") from None
    click.echo(f"wrote {target}", err=True)


__all__ = ["print_drawing", "taken_drawing", "with_drawings", "with_html", "write_html"]
