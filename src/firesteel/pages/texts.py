"""The texts of a statement's plan, joined with its operators.

A text is joined with the operators by reading it: every reader notes where a node was read from
(`explain.page.layers`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from firesteel import partiql
from firesteel import plan as p
from firesteel.errors import FiresteelError, redacted
from firesteel.explain.page import Found, Layer, Range, all_operators, linked, matched, own_ranges, unlinked
from firesteel.ion import Element, Kind, read
from firesteel.lazy import LazyModule
from firesteel.node import Node, transform, walk
from firesteel.passes.losses import losses, without_how
from firesteel.plan.lookup import AnyTable
from firesteel.source import Place, Source, Span

if TYPE_CHECKING:
    from firesteel import partiql_plan, substrait
    from firesteel.partiql_plan import algebra
else:  # a query needs none of these
    partiql_plan, substrait = LazyModule("firesteel.partiql_plan"), LazyModule("firesteel.substrait")
    algebra = LazyModule("firesteel.partiql_plan.algebra")

#: Spaces that a line of JSON begins with, at most.
_INDENTED = 30


class _Given(NamedTuple):
    """A plan of one statement, its operators, and the Substrait plan that it was read from."""

    plan: p.Plan
    found: Sequence[Found]
    message: substrait.Message | None


class _Written(NamedTuple):
    """A text, and which ranges of it are which operator's."""

    text: str
    ranges: Iterable[Range]
    note: str = ""


def layers_of(plan: p.Plan, message: substrait.Message | None, found: Sequence[Found]) -> list[Layer]:
    """The texts of a plan of one statement. `message` is the Substrait plan that it was read from, if it was."""
    given = _Given(_without_secrets(plan), found, message)
    return [_layer(given, *row) for row in _LAYERS]


def _layer(given: _Given, name: str, title: str, write: Callable[[_Given], _Written]) -> Layer:
    """The text in one notation; why there is none, if it cannot be written."""
    try:
        return linked(name, title, *write(given))
    except FiresteelError as error:
        return unlinked(name, title, "", error.message)


def _without_secrets(plan: p.Plan) -> p.Plan:
    """The plan with stars for secrets in literals, which each notation escapes in another way."""

    def hidden(lit: p.Lit) -> p.Lit:
        text = redacted(lit.value) if isinstance(lit.value, str) else lit.value
        return lit if text == lit.value else lit.replace(value=text)

    return transform(plan, hidden, p.Lit)


def _partiql(given: _Given) -> _Written:
    """The text that the plan was made of, or one that is written from it."""
    source = _query_text(given.plan)
    if source is not None:
        return _Written(source.text, own_ranges(given.found, source))
    lost = losses(given.plan)
    text = partiql.write(without_how(given.plan))
    mode = getattr(given.plan.statement, "mode", p.Mode.PERMISSIVE)
    note = "written from the plan" + (f", without: {', '.join(lost)}" if lost else "")
    return _read_again(given, partiql.lower(partiql.parse(text), AnyTable(), mode=mode), text, note)


def _query_text(plan: p.Plan) -> Source | None:
    """The text that most nodes were read from, if that is PartiQL: nodes of a document have a `Place` instead."""
    spans = Counter(node.where.source for node in walk(plan.statement) if isinstance(node.where, Span))
    return spans.most_common(1)[0][0] if spans else None


def _algebra(given: _Given) -> _Written:
    text = algebra.write(given.plan)
    return _read_again(given, algebra.read(read(text)), text)


def _ion(given: _Given) -> _Written:
    text = partiql_plan.write(given.plan)
    again = partiql_plan.read(text)
    assert isinstance(again, p.Plan)
    return _read_again(given, again, text)


def _read_again(given: _Given, again: p.Plan, text: str, note: str = "") -> _Written:
    """A text that was written from the plan; `again` is what it is read as."""
    other = all_operators(again.statement)
    return _Written(text, own_ranges(other, Source(text), _numbers(given, other)), note)


def _numbers(given: _Given, other: Sequence[Found]) -> Mapping[int, int]:
    """Which of the plan's operators those of a plan that was read again are."""
    return matched(*([type(one.node).__name__ for one in found] for found in (given.found, other)))


def _substrait(given: _Given) -> _Written:
    """The message that the plan was read from, or one that is written from it."""
    if given.message is not None:
        text = redacted(_indented(substrait.to_json(given.message)))
        return _Written(text, _message_ranges(given.found, text))
    text = _indented(substrait.to_json(substrait.write(given.plan)))
    other = all_operators(substrait.lower(substrait.from_json(text)).plan.statement)
    return _Written(text, _message_ranges(other, text, _numbers(given, other)), "written from the plan")


def _indented(text: str) -> str:
    """JSON with a space for each level, up to a limit: deep in a plan its lines would begin with nothing else."""
    return re.sub("(?m)^ +", lambda found: " " * min(len(found[0]) // 2, _INDENTED), text)


def _message_ranges(found: Sequence[Found], text: str, numbers: Mapping[int, int] | None = None) -> Iterator[Range]:
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


_LAYERS: tuple[tuple[str, str, Callable[[_Given], _Written]], ...] = (
    ("partiql", "PartiQL", _partiql),
    ("algebra", "Relational algebra", _algebra),
    ("ion", "PartiQL Plan (Ion)", _ion),
    ("substrait", "Substrait", _substrait),
)

__all__ = ["layers_of"]
