"""The state of lowering (`Lowerer`), the rows that field references see (`FieldScope`), and the tables of handlers.

A handler takes a message and the scope that it is in, and returns a node of the algebra, or is a generator that first
asks for what is below it (`yield message, scope`): nothing here recurses on the Python stack.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError, first_of
from firesteel.node import drive
from firesteel.plan import build
from firesteel.plan.lookup import FileLookup
from firesteel.repair import RepairKind
from firesteel.rules import AnchorRule, ExpressionRule, PlanRule, ReferenceRule
from firesteel.source import Place
from firesteel.substrait.extensions import Extensions
from firesteel.substrait.lower.hints import apply_hints
from firesteel.substrait.message import Message

#: What a handler looks like to the type checker.
Lowering = Generator[Any, Any, Any]


@dataclass(frozen=True, eq=False)
class FieldScope:
    """A row that an expression sees, and those around it: rows of relations, and the parameters of lambdas.

    An expression of a leaf (a read) sees no row: its scope has no columns and does not count for a variable's depth.
    `anchors` are those of the relations that the row comes from, each with the ordinal of its first column.
    """

    columns: tuple[t.Type, ...] = ()
    outer: FieldScope | None = None
    anchors: Mapping[int, int] = field(default_factory=dict)
    is_lambda: bool = False
    is_leaf: bool = False
    #: The position in our row of each column as the plan counts them; None if the positions are the same.
    ordinals: tuple[int, ...] | None = None
    #: The window functions found so far, each a column after those of the row; None where they are not allowed.
    windows: list[p.WindowCall] | None = None

    def variable(self, ordinal: int, depth: int) -> p.Var:
        """The variable for a column of this row, as seen from `depth` rows further in."""
        return p.Var(self.columns[ordinal], ordinal if self.ordinals is None else self.ordinals[ordinal], depth=depth)

    def with_windows(self) -> FieldScope:
        """The same scope, with window functions allowed."""
        return replace(self, windows=[])

    def row(self, steps: int) -> tuple[FieldScope, int] | None:
        """The row that is so many relations out, and how deep it is for a variable."""
        return self._find(lambda scope: not scope.is_lambda, steps)

    def parameters(self, steps: int) -> tuple[FieldScope, int] | None:
        """The parameters of the lambda that is so many lambdas out."""
        return self._find(lambda scope: scope.is_lambda, steps)

    def anchored(self, anchor: int) -> tuple[FieldScope, int] | None:
        """The row of the relation with that anchor."""
        return self._find(lambda scope: anchor in scope.anchors, 0)

    def _find(self, wanted: Callable[[FieldScope], bool], steps: int) -> tuple[FieldScope, int] | None:
        scope: FieldScope | None = self
        depth = 0
        while scope is not None:
            if wanted(scope):
                if steps == 0:
                    return scope, depth
                steps -= 1
            depth += not scope.is_leaf
            scope = scope.outer
        return None


class Recovery(Protocol):
    """How `recover.py` goes on after an error: it notes what cannot be lowered and puts a placeholder there."""

    def attempt(self, handler: Handler, lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering: ...


class Lowerer:
    """One plan being lowered."""

    def __init__(self, extensions: Extensions, catalog: FileLookup | None, recovery: Recovery | None = None) -> None:
        self.extensions = extensions
        self.catalog = catalog
        self.globals: list[p.GlobalBinding] = []
        #: The relation trees of the plan so far: what a reference refers to.
        self.trees: list[p.Rel] = []
        #: Those of them, by ordinal, that see a row outside (`open_trees.py`).
        self.open_trees: dict[int, Any] = {}
        #: The tables of the tree at hand that ordinals refer to.
        self.detached_rels: list[Message] = []
        self.detached_expressions: list[Message] = []
        self.inlining: set[int] = set()
        #: What detached messages were lowered to, by the message and the scope, which is kept with it.
        self.detached: dict[tuple[int, int], tuple[Any, FieldScope]] = {}
        self.lambdas: dict[int, Message] = {}
        #: The tables and views that the plan has made so far, by their names in lower case; None: it has dropped them.
        self.created: dict[str, t.Type | None] = {}
        #: The values that the plan gives to its parameters.
        self.parameters: dict[int, p.Lit] = {}
        #: Goes on after an error; without it the first error is raised.
        self.recovery = recovery

    def lower(self, message: Message, scope: FieldScope) -> Any:
        """The node of a relation or an expression."""
        return drive(self.dispatch, message, scope)

    def dispatch(self, message: Message, scope: FieldScope) -> Any:
        handler = _KINDS[message.kind.short]
        if self.recovery is None:
            return handler(self, message, scope)
        return self.recovery.attempt(handler, self, message, scope)

    def repair(self, kind: RepairKind, where: Place | None, **fields: object) -> None:
        self.extensions.repair(kind, where, **fields)


Handler = Callable[[Lowerer, Message, FieldScope], Any]

#: How each kind of relation and expression is lowered, by the name of its field in `Rel` and in `Expression`.
RELATIONS: dict[str, Handler] = {}
EXPRESSIONS: dict[str, Handler] = {}

#: What is refused, and why.
UNSUPPORTED: dict[str, str] = {
    "update": "a table is changed in place by the format that holds it, and none that can is connected",
}


def relation(name: str) -> Callable[[Handler], Handler]:
    """Register the handler of a kind of relations."""

    def register(handler: Handler) -> Handler:
        RELATIONS[name] = handler
        return handler

    return register


def expression(name: str) -> Callable[[Handler], Handler]:
    """Register the handler of a kind of expressions."""

    def register(handler: Handler) -> Handler:
        EXPRESSIONS[name] = handler
        return handler

    return register


def _expression(lowerer: Lowerer, message: Message, scope: FieldScope) -> Any:
    kind = message.which("rex_type")
    if kind is None:
        raise PlanRule.SAYS_NOTHING.broken("an expression that says nothing", where=message.where)
    if kind == "detached_expression_ordinal":
        return _detached(lowerer, lowerer.detached_expressions, message.detached_expression_ordinal, message, scope)
    handler = EXPRESSIONS.get(kind)
    if handler is None:
        raise UnsupportedError(f"an expression of the kind '{kind}' has no meaning here", where=message.where)
    return handler(lowerer, message.given[kind], scope)


def _relation(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    """A relation with its columns as its `common` says."""
    kind = message.which("rel_type")
    if kind is None:
        raise PlanRule.SAYS_NOTHING.broken("a relation that says nothing", where=message.where)
    if kind == "detached_rel_ordinal":
        return (yield from _detached(lowerer, lowerer.detached_rels, message.detached_rel_ordinal, message, scope))
    handler = RELATIONS.get(kind)
    inner: Message = message.given[kind]
    if handler is None:
        why = UNSUPPORTED.get(kind, "it is not known here")
        raise UnsupportedError(f"the relation '{kind}': {why}", where=inner.where)
    made = handler(lowerer, inner, scope)
    if isinstance(made, Generator):
        made = yield from made
    made = _placed(made, inner)
    closed = scope.outer is None and not scope.columns
    return apply_hints(apply_emit(made, inner), inner, closed=closed)


_KINDS: dict[str, Handler] = {"Rel": _relation, "Expression": _expression}


def _placed(rel: p.Rel, message: Message) -> p.Rel:
    return rel if rel.where is not None else rel.at(message.where)


def _detached(lowerer: Lowerer, table: list[Message], ordinal: int, message: Message, scope: FieldScope) -> Lowering:
    """A detached message, which a plan stores beside its tree to nest less. It is lowered as if it stood here."""
    if not 0 <= ordinal < len(table):
        raise ReferenceRule.DETACHED.broken(
            f"no detached message {ordinal}: there are {len(table)}", where=message.where
        )
    target = table[ordinal]
    if id(target) in lowerer.inlining:
        raise AnchorRule.CYCLE.broken("a detached message that contains itself", where=message.where)
    known = lowerer.detached.get((id(target), id(scope)))
    if known is not None:
        return known[0]
    lowerer.inlining.add(id(target))
    made = yield target, scope
    lowerer.inlining.discard(id(target))
    if scope.windows is None:  # what is found there is a column of that projection
        lowerer.detached[id(target), id(scope)] = made, scope
    return made


def apply_emit(rel: p.Rel, message: Message) -> p.Rel:
    """The relation with the columns that its `common` says."""
    if "common" not in message.kind.by_name:
        return rel
    common: Message = message.common
    if common.which("emit_kind") != "emit":
        return rel
    width = len(p.schema(rel))
    wrong: list[PlanError] = []
    for i, ordinal in enumerate(common.emit.output_mapping):
        if not 0 <= ordinal < width:
            where = common.emit.where_in(f"output_mapping[{i}]")
            wrong.append(ReferenceRule.EMIT.broken(f"no column {ordinal}: the relation gives {width}", where=where))
    if wrong:
        raise first_of(wrong)
    made = _picked(rel, message, common.emit.output_mapping) or build.emit(rel, common.emit.output_mapping)
    return made if made is rel else made.at(message.where)


def _picked(rel: p.Rel, message: Message, ordinals: Sequence[int]) -> p.Rel | None:
    """A project relation with the expressions that it gives, instead of a projection of them; None for other relations,
    and where that would compute an expression twice."""
    if message.kind.short != "ProjectRel" or not isinstance(rel, p.Project) or rel.names:
        return None
    computed = [i for i in ordinals if not isinstance(rel.exprs[i], p.Var | p.Lit)]
    if len(set(computed)) != len(computed):
        return None
    return rel.replace(exprs=tuple([rel.exprs[i] for i in ordinals]))


# ---------------------------------------------------------------------------------------------------------------------
# What handlers share


def columns(*rels: p.Rel) -> tuple[t.Type, ...]:
    """The types of the columns of relations, side by side."""
    return tuple(field.type for rel in rels for field in p.schema(rel))


def scope_over(scope: FieldScope, *inputs: tuple[p.Rel, Message]) -> FieldScope:
    """The scope of an expression over the rows of these relations, which were lowered from these messages."""
    anchors: dict[int, int] = {}
    width = 0
    for rel, message in inputs:
        anchor = anchor_of(message)
        if anchor is not None:
            anchors[anchor] = width
        width += len(p.schema(rel))
    return FieldScope(columns(*(rel for rel, _ in inputs)), scope, anchors)


def anchor_of(message: Message) -> int | None:
    """The anchor of a relation."""
    kind = message.which("rel_type")
    inner = message.given[kind] if kind else None
    if isinstance(inner, Message) and "common" in inner.kind.by_name and inner.common.has("rel_anchor"):
        anchor: int = inner.common.rel_anchor
        return anchor
    return None


def require_field(message: Message, name: str) -> Message:
    """A field that has to be there."""
    if not message.has(name):
        raise PlanRule.REQUIRED.broken(f"{message.kind.short} without '{name}'", where=message.where)
    found: Message = message.given[name]
    return found


#: Types of ours that do not say what a value is: the run tells.
_UNTYPED = t.Any | t.Union | t.Missing


def require_boolean(rex: p.Rex, message: Message) -> p.Rex:
    """An expression that has to be a boolean."""
    if not isinstance(rex.type, t.Bool | t.Null | _UNTYPED):
        raise ExpressionRule.CONDITION.broken(f"a condition is a boolean, not a {rex.type}", where=message.where)
    return rex


#: Families of types whose values can be compared with each other. A type can always be compared with itself.
_FAMILIES: tuple[type[t.Type], ...] = (t.Number, t.Text, t.Octets)


def require_comparable(a: p.Rex, b: p.Rex, where: Place) -> None:
    """Raises a PlanError if values of these types can never be equal, such as a text and a date."""
    types = (a.type, b.type)
    if any(isinstance(one, t.Null | t.Any | t.Union | t.Unresolved) for one in types) or type(a.type) is type(b.type):
        return
    if not any(all(isinstance(one, family) for one in types) for family in _FAMILIES):
        raise ExpressionRule.COMPARED.broken(f"a {t.proper(b.type)} is compared with a {t.proper(a.type)}", where=where)
