"""The page of a plan: its operators with what is known of them, and the plan in every notation, joined with them.

A text is joined with the operators by reading it: every reader notes where a node was read from (`explain.page.layers`).
"""

from __future__ import annotations

import sys
import tempfile
import webbrowser
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firesteel import partiql
from firesteel import plan as p
from firesteel.errors import FiresteelError, redacted
from firesteel.explain.page import (
    Facts,
    Found,
    Layer,
    Origin,
    PlanPage,
    PlanView,
    Range,
    all_operators,
    linked,
    matched,
    own_ranges,
    spark_layer,
    unlinked,
    view_of,
)
from firesteel.ion import Element, Kind, read
from firesteel.lazy import LazyModule
from firesteel.node import Node, transform, walk
from firesteel.passes.losses import losses, without_how
from firesteel.plan.lookup import AnyTable
from firesteel.source import Place, Source, Span

if TYPE_CHECKING:
    from firesteel import lineage, partiql_plan, substrait
    from firesteel.lineage import Input
    from firesteel.partiql_plan import algebra
else:  # a query needs none of these
    partiql_plan, substrait = LazyModule("firesteel.partiql_plan"), LazyModule("firesteel.substrait")
    algebra, lineage = LazyModule("firesteel.partiql_plan.algebra"), LazyModule("firesteel.lineage")


@dataclass(frozen=True)
class Statement:
    """A plan of one statement, and what is known of it beside the plan itself."""

    node: p.Plan
    #: The Substrait plan that it was read from.
    message: substrait.Message | None = None
    facts: Facts = field(default_factory=Facts)
    engine: str = ""
    #: Spark's plan, or why there is none.
    spark: str = ""
    no_spark: str = "Spark was not asked for its plan (--engine spark)"
    notes: tuple[str, ...] = ()


def page_of(title: str, statements: Iterable[Statement]) -> PlanPage:
    """The page of a plan's statements."""
    return PlanPage(redacted(title), tuple(map(_view, statements)))


def _view(one: Statement) -> PlanView:
    found = all_operators(one.node.statement)
    facts = replace(one.facts, origins=_origins(one.node))
    title = " ".join(str(one.node.statement.tag).split("_"))
    view = view_of(one.node, title, found, facts, engine=one.engine, notes=one.notes)
    shown = replace(one, node=_without_secrets(one.node))
    layers = [_layer(shown, found, *row) for row in _LAYERS]
    if one.spark:
        layers.append(spark_layer(one.spark, view.operators))
    else:
        layers.append(unlinked("spark", "Spark's physical plan", "", one.no_spark))
    return replace(view, layers=tuple(layers))


def _without_secrets(plan: p.Plan) -> p.Plan:
    """The plan with stars for secrets in literals, which each notation escapes in another way."""

    def hidden(lit: p.Lit) -> p.Lit:
        text = redacted(lit.value) if isinstance(lit.value, str) else lit.value
        return lit if text == lit.value else lit.replace(value=text)

    return transform(plan, hidden, p.Lit)


def show(page: PlanPage, path: str | Path | None) -> PlanPage:
    """Write a page to a file; without one, open it in a browser, unless a notebook shows it."""
    if path is not None:
        Path(path).write_text(page.to_html(), encoding="utf-8")
    elif not _in_notebook():
        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
            file.write(page.to_html())
        webbrowser.open(Path(file.name).as_uri())
    return page


def _in_notebook() -> bool:
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


# ---------------------------------------------------------------------------------------------------------------------
# Layers

#: Writes a layer of a statement, whose operators are these; an error says why there is none.
Writer = Callable[[Statement, Sequence[Found], str, str], Layer]


def _layer(one: Statement, found: Sequence[Found], name: str, title: str, write: Writer) -> Layer:
    try:
        return write(one, found, name, title)
    except FiresteelError as error:
        return unlinked(name, title, "", error.message)


def _partiql(one: Statement, found: Sequence[Found], name: str, title: str) -> Layer:
    """The text that the plan was made of, or one that is written from it."""
    source = _query_text(one.node)
    if source is not None:
        return linked(name, title, source.text, own_ranges(found, source))
    lost = losses(one.node)
    text = partiql.write(without_how(one.node))
    again = partiql.lower(partiql.parse(text), AnyTable(), mode=getattr(one.node.statement, "mode", p.Mode.PERMISSIVE))
    note = "written from the plan" + (f", without: {', '.join(lost)}" if lost else "")
    return _read_again(found, again, name, title, text, note)


def _query_text(plan: p.Plan) -> Source | None:
    """The text that most nodes were read from, if that is PartiQL: nodes of a document have a `Place` instead."""
    spans = Counter(node.where.source for node in walk(plan.statement) if isinstance(node.where, Span))
    return spans.most_common(1)[0][0] if spans else None


def _algebra(one: Statement, found: Sequence[Found], name: str, title: str) -> Layer:
    text = algebra.write(one.node)
    return _read_again(found, algebra.read(read(text)), name, title, text)


def _ion(one: Statement, found: Sequence[Found], name: str, title: str) -> Layer:
    text = partiql_plan.write(one.node)
    again = partiql_plan.read(text)
    assert isinstance(again, p.Plan)
    return _read_again(found, again, name, title, text)


def _read_again(found: Sequence[Found], again: p.Plan, name: str, title: str, text: str, note: str = "") -> Layer:
    """A text that was written from the plan, and the plan that it is read as."""
    other = all_operators(again.statement)
    numbers = matched(_kinds(found), _kinds(other))
    return linked(name, title, text, own_ranges(other, Source(text), numbers), note)


def _kinds(found: Sequence[Found]) -> list[str]:
    return [type(one.node).__name__ for one in found]


def _substrait(one: Statement, found: Sequence[Found], name: str, title: str) -> Layer:
    """The message that the plan was read from, or one that is written from it."""
    if one.message is not None:
        text = redacted(substrait.to_json(one.message))
        return linked(name, title, text, _message_ranges(found, text))
    text = substrait.to_json(substrait.write(one.node))
    other = all_operators(substrait.lower(substrait.from_json(text)).plan.statement)
    ranges = _message_ranges(other, text, matched(_kinds(found), _kinds(other)))
    return linked(name, title, text, ranges, "written from the plan")


def _message_ranges(
    found: Sequence[Found], text: str, numbers: Mapping[int, int] | None = None
) -> Iterator[Range]:
    root = read(text)[0]
    for one in found:
        number = one.id if numbers is None else numbers.get(one.id)
        path = next((at for at in map(_message_path, (one.node, *(node for node, _ in one.own))) if at), ())
        span = _json_span(root, path) if path and number is not None and one.same_as is None else None
        if span is not None and number is not None:
            yield Range(span.start, span.end, number)


def _message_path(node: Node) -> tuple[str, ...]:
    """The way to the message that a node was read from."""
    return node.where.path if isinstance(node.where, Place) and node.where.span is None else ()


def _json_span(root: Element, path: Sequence[str]) -> Span | None:
    """The range of the JSON at the end of a way through messages, or as far along it as there is JSON: what an
    extension packs is not spread out."""
    element = root
    for step in path:
        name, _, index = step.rstrip("]").partition("[")
        first, *words = name.split("_")
        key = first + "".join(word.capitalize() for word in words)
        below = dict(element.value).get(key) if element.kind is Kind.STRUCT else None
        if below is not None and index and below.kind is Kind.LIST and int(index) < len(below.value):
            below = below.value[int(index)]
        if below is None:
            break
        element = below
    return element.span


_LAYERS: tuple[tuple[str, str, Writer], ...] = (
    ("partiql", "PartiQL", _partiql),
    ("algebra", "Relational algebra", _algebra),
    ("ion", "PartiQL Plan (Ion)", _ion),
    ("substrait", "Substrait", _substrait),
)


# ---------------------------------------------------------------------------------------------------------------------
# Lineage


def _origins(plan: p.Plan) -> dict[int, list[tuple[Origin, ...]]]:
    """Where the columns of relations come from, and those of the answer."""
    made = {place: [_told(inputs) for inputs in columns] for place, columns in lineage.column_inputs(plan).items()}
    traced = lineage.trace(plan)
    if len(traced) == 1:
        answer = [_told(traced[0].inputs(one.name)) for one in traced[0].columns]
        statement = plan.statement
        made[id(statement)] = answer
        if isinstance(statement, p.Query):
            made[id(statement.rex)] = answer
    return made


def _told(inputs: Sequence[Input]) -> tuple[Origin, ...]:
    return tuple(
        Origin(redacted(str(one.source)), tuple(use.word for use in uses), is_direct)
        for one in inputs
        for is_direct in (True, False)
        if (uses := [use for use in one.uses if use.is_direct is is_direct])
    )


__all__ = ["Statement", "page_of", "show"]
