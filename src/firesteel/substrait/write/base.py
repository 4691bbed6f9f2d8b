"""The state of writing (`Writer`), the rows that variables see (`Row`), and the tables of handlers.

A handler takes a node and the row that it sees, and returns a message, or is a generator that first asks for the
messages of what is below it (`yield node, row`): nothing here recurses on the Python stack. A handler returns None for
a node that its message would not be read as; such a node goes out as a message of ours (`own_nodes.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass
from types import GeneratorType
from typing import Any, TypeVar

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.node import Node, drive, uses
from firesteel.plan.scope import free_rows
from firesteel.substrait.message import Message, message
from firesteel.substrait.types import write_type
from firesteel.substrait.write.anchors import Anchors
from firesteel.substrait.write.literals import write_literal
from firesteel.substrait.write.targets import Target

#: What a handler looks like to the type checker.
Writing = Generator[Any, Any, Any]


@dataclass(frozen=True, eq=False)
class Row:
    """A row that an expression sees, and those around it. A leaf's expression sees no row of its own: its row has no
    columns and does not count for the depth of a variable, and it is a step for an outer reference."""

    columns: tuple[t.Type, ...] = ()
    outer: Row | None = None
    is_leaf: bool = False

    def find(self, depth: int) -> tuple[Row, int] | None:
        """The row of a variable of that depth, and how many steps out it is."""
        row: Row | None = self
        steps = 0
        while row is not None:
            if not row.is_leaf:
                if depth == 0:
                    return row, steps
                depth -= 1
            steps += 1
            row = row.outer
        return None


def row_over(outer: Row, *rels: p.Rel) -> Row:
    """The row of an expression over these relations, side by side."""
    return Row(tuple([field.type for rel in rels for field in p.schema(rel)]), outer)


#: Around everything.
TOP = Row()


class Writer:
    """One plan being written."""

    def __init__(self, plan: p.Plan, target: Target, *, exact_names: bool) -> None:
        self.plan = plan
        self.target = target
        self.anchors = Anchors(target)
        #: Do names in paths match as they are, instead of in any case?
        self.exact_names = exact_names
        #: The values that parameters have by default.
        self.parameters: dict[int, p.Lit] = {}
        #: The trees that shared relations refer to, by their ordinals.
        self.trees: dict[int, p.Rel] = {}
        #: The globals in the order in which a reader meets them.
        self.read_globals: list[p.GlobalBinding] = []
        #: Does something refer to a global by its number?
        self.counts_globals = False
        self._done: dict[tuple[int, int], tuple[Message, Row, Node]] = {}
        self._uses: Counter[int] | None = None

    def write(self, node: Node, row: Row = TOP) -> Message:
        """The message of a relation or an expression."""
        made: Message = drive(self.dispatch, node, row)
        return made

    def dispatch(self, node: Node, row: Row) -> Any:
        """A node that is shared is written once for each row that it sees."""
        closed = isinstance(node, p.Rel) and not free_rows(node)
        key = (id(node), 0 if closed else id(row))
        known = self._done.get(key)
        return self._made(node, row, key) if known is None else known[0]

    def _made(self, node: Node, row: Row, key: tuple[int, int]) -> Writing:
        made: Any = _relation(self, node, row) if isinstance(node, p.Rel) else _expression(self, node, row)
        if isinstance(made, GeneratorType):
            made = yield from made
        self._done[key] = made, row, node
        return made

    def uses(self, rel: p.Rel) -> int:
        """In how many places a relation is used."""
        if self._uses is None:
            self._uses = uses(self.plan, p.Rel)
        return self._uses[id(rel)]

    def forget(self) -> None:
        """Write shared nodes anew: a message is in one tree only."""
        self._done.clear()

    def type(self, type_: t.Type) -> Message:
        """The message of a type."""
        if self.target.portable:
            return write_type(type_)
        return write_type(type_, self.anchors.type)

    def literal(self, type_: t.Type, value: Any) -> Message:
        """The message of a literal."""
        if self.target.portable:
            return write_literal(type_, value)
        return write_literal(type_, value, self.anchors.type)

    def refuse(self, node: Node) -> UnsupportedError:
        """The error for a node that the target has no message for."""
        what = node.tag or type(node).__name__
        return UnsupportedError(
            f"'{what}' in a plan for '{self.target.name}': Substrait has no message for it", where=node.where
        )


Handler = Callable[[Writer, Any, Row], Any]
H = TypeVar("H", bound=Handler)

#: How each class of relations and expressions is written. That of a relation gives the name of its field in `Rel` and
#: the message in it.
RELATIONS: dict[type[p.Rel], Handler] = {}
EXPRESSIONS: dict[type[p.Rex], Handler] = {}


def relation(*classes: type[p.Rel]) -> Callable[[H], H]:
    """Register the handler of some classes of relations."""

    def register(handler: H) -> H:
        RELATIONS.update(dict.fromkeys(classes, handler))
        return handler

    return register


def expression(*classes: type[p.Rex]) -> Callable[[H], H]:
    """Register the handler of some classes of expressions."""

    def register(handler: H) -> H:
        EXPRESSIONS.update(dict.fromkeys(classes, handler))
        return handler

    return register


def _expression(writer: Writer, node: Node, row: Row) -> Any:
    assert isinstance(node, p.Rex)
    return EXPRESSIONS[type(node)](writer, node, row)


def _relation(writer: Writer, node: p.Rel, row: Row) -> Writing:
    made = None
    if node.declared is None:
        made = RELATIONS[type(node)](writer, node, row)
        if isinstance(made, GeneratorType):
            made = yield from made
    hint = None if made is None else _hint(node, made[1])
    if made is None or hint is _UNSAID or (hint is not None and "common" not in made[1].kind.by_name):
        from firesteel.substrait.write.own_nodes import own_relation

        if writer.target.portable:
            raise writer.refuse(node)
        kind, inner = yield from own_relation(writer, node, row)
    else:
        kind, inner = made
        if isinstance(hint, Message):
            shared = inner.given.setdefault("common", common())
            names = shared.hint.output_names  # a read has those that are not in its schema
            shared.given["hint"] = hint
            hint.given.update({"output_names": names} if names else {})
    return message("Rel", **{kind: inner})


def common(emit: list[int] | None = None) -> Message:
    """What all relations have: which of its columns it gives, in which order."""
    if emit is None:
        return message("RelCommon", direct=message("RelCommon.Direct"))
    return message("RelCommon", emit=message("RelCommon.Emit", output_mapping=emit))


#: Names and hints of a relation that no hint of Substrait's says.
_UNSAID = object()


def _hint(node: p.Rel, made: Message) -> Message | object | None:
    """The hint of a relation: its estimates, and the names of its columns, which a read has in its schema."""
    if node.hints == p.Hints():  # which a message does not tell from none
        return _UNSAID
    hints = node.hints or p.Hints()
    names = hints.names
    if isinstance(node, p.NamingRel) and node.names and made.kind.short != "ReadRel":
        own = column_names(node)
        if names or own is None:
            return _UNSAID
        names = own
    elif names and takes_names(node, len(names)):
        return _UNSAID
    if names == () and hints == p.Hints():
        return None
    if 0.0 in (hints.row_count, hints.record_size) or hints.alias == "":  # nor these
        return _UNSAID
    stats = None
    if hints.row_count or hints.record_size:
        stats = message("RelCommon.Hint.Stats", row_count=hints.row_count or 0.0, record_size=hints.record_size or 0.0)
    return message("RelCommon.Hint", stats=stats, alias=hints.alias or "", output_names=list(names))


def takes_names(node: p.Rel, count: int) -> bool:
    """Does a relation take so many names of a hint as those of its columns?"""
    return isinstance(node, p.Project | p.Aggregate | p.Expand | p.Window) and count == len(p.schema(node))


def column_names(node: p.NamingRel) -> tuple[str, ...] | None:
    """The names of all columns, as a hint has them; None where reading the hint would not give the node's names."""
    names = node.names
    if isinstance(node, p.Window):
        if len(names) != len(node.calls):
            return None
        names = tuple([field.name or "" for field in p.schema(node.input)]) + names
    return names if takes_names(node, len(names)) else None
