"""What the relation trees of a plan of ours do not say: the mode of a statement, the value that a query gives, globals.

It is a message of ours, `firesteel.PlanDetails`, which is an optimization of the plan.
"""

from __future__ import annotations

from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.node import drive, fields
from firesteel.plan import build
from firesteel.rules import PlanRule
from firesteel.substrait.lower import own_nodes
from firesteel.substrait.lower.base import FieldScope, Lowerer
from firesteel.substrait.message import Message
from firesteel.substrait.types import read_type

_MODES = {"MODE_PERMISSIVE": p.Mode.PERMISSIVE}
#: The parts of a document that stand beside its statements.
_DOCUMENT = ("version", "imports", "types", "fns", "constants", "definitions")


class PlanDetails:
    """The details of a plan; of a plan without them, none."""

    def __init__(self, lowerer: Lowerer, given: Message | None) -> None:
        self.exact_names = given is not None and bool(given.exact_names)
        self.is_script = False
        self.document: dict[str, Any] = {}
        self._statements: dict[int, Message] = {}
        if given is None:
            return
        self._statements = {one.relation: one for one in given.statements}
        for one in given.globals:
            binding = drive(lambda node, scope: own_nodes.read_node(lowerer, node, scope, []), one, FieldScope())
            if not isinstance(binding, p.GlobalBinding):
                raise PlanRule.OWN_MESSAGE.broken("a global that is something else", where=one.where)
            lowerer.globals.append(binding)
        self._read_document(lowerer, given)

    def _read_document(self, lowerer: Lowerer, given: Message) -> None:
        known = {spec.name: spec for spec in fields(p.Plan) if spec.name in _DOCUMENT}
        for one in given.document:
            if one.name == "script":
                self.is_script = bool(one.flag)
                continue
            value = drive(lambda field, scope: own_nodes.read_value(lowerer, field, scope, []), one, FieldScope())
            if one.name not in known or not own_nodes.conforms(value, known[one.name].annotation):
                raise PlanRule.OWN_MESSAGE.broken(f"a plan has no such '{one.name}'", where=one.where)
            self.document[one.name] = value

    def statement(self, relation: int) -> Message | None:
        """What is said of the statement of a relation tree."""
        return self._statements.get(relation)


def mode(said: Message | None) -> p.Mode:
    """The mode of a statement: Substrait's plans are strict."""
    return p.Mode.STRICT if said is None else _MODES.get(said.label("mode"), p.Mode.STRICT)


def answer_of(said: Message | None) -> str:
    """How the rows of a tree make the value of a statement; nothing where they are the answer."""
    label = "ANSWER_ROWS" if said is None else said.label("answer")
    return "" if label == "ANSWER_ROWS" else label.removeprefix("ANSWER_")


def value(lowerer: Lowerer, rel: Message, scope: FieldScope) -> p.Rex:
    """The one value of a virtual table of one row."""
    rows = rel.read.virtual_table.expressions
    if len(rows) != 1 or len(rows[0].fields) != 1:
        raise PlanRule.OWN_MESSAGE.broken(
            "the value of a query is that of a virtual table of one value", where=rel.where
        )
    made: p.Rex = lowerer.lower(rows[0].fields[0], FieldScope(outer=scope, is_leaf=True))
    return made


def selected(lowerer: Lowerer, rel: p.Rel, names: list[str], said: Message) -> p.Rex:
    """The query for a value from every row: a struct of the columns, or the value of the one column."""
    if not isinstance(rel, p.Project):
        raise PlanRule.OWN_MESSAGE.broken("the rows of a query are a projection", where=said.where)
    type_ = read_type(said.type, lowerer.extensions)
    if answer_of(said) == "SELECT":
        if len(names) != len(rel.exprs):
            names = _columns(names, rel)
        constructor: p.Rex = build.struct(zip(names, rel.exprs, strict=True))
    elif len(rel.exprs) == 1:
        constructor = rel.exprs[0]
    else:
        raise PlanRule.OWN_MESSAGE.broken(f"{len(rel.exprs)} columns, where a query has one value", where=said.where)
    return p.Select(type_, constructor, rel.input)


def _columns(names: list[str], rel: p.Project) -> list[str]:
    """The names of columns among those of fields inside them, which follow each."""
    found: list[str] = []
    supply = iter(names)
    for expr in rel.exprs:
        found.append(next(supply, ""))
        for _ in range(_count(expr.type)):
            next(supply, None)
    return found


def _count(type_: t.Type) -> int:
    count, stack = 0, [type_]
    while stack:
        match stack.pop():
            case t.Struct() as struct:
                count += len(struct.fields)
                stack += [field.type for field in struct.fields]
            case t.Array() as array:
                stack.append(array.element)
            case t.Map() as map_:
                stack += [map_.key, map_.value]
    return count
