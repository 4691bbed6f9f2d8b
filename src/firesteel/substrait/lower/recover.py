"""Going on after the first problem, so that `check` reports them all.

`check` lowers a plan like `run`, but does not stop at an error. An expression that cannot be lowered becomes an
unresolved variable of the type that its message declares; a relation becomes one with the declared columns, or with
unknown ones. A problem that only follows from such a placeholder is not reported.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import FiresteelError
from firesteel.rules import AnchorRule, PlanRule, ReferenceRule, RelationRule, TypeRule
from firesteel.substrait.lower.base import FieldScope, Handler, Lowerer, Lowering, apply_emit, scope_over
from firesteel.substrait.lower.column_names import named_schema
from firesteel.substrait.lower.relations.reads import apply_projection
from firesteel.substrait.message import Message
from firesteel.substrait.types import read_type

#: The one column of a relation of which nothing is known: any number of columns, of any types.
_ANY_COLUMNS = t.Unresolved("columns")
#: Where a message declares the type of its result.
_DECLARED = {"scalar_function": "output_type", "window_function": "output_type", "cast": "type"}
#: What means something as an argument of a function only.
_NOT_ALONE = ("lambda", "named_lambda_reference", "enum")
#: Relations with the columns of their input.
_SAME_COLUMNS = ("filter", "sort", "fetch", "top_n", "exchange")

#: The inputs of relations whose expressions see the rows of all of them side by side.
_INPUTS = ("input", "left", "right")
#: Fields of relations whose expressions see other rows, or none.
_OTHER_ROWS = ("post_join_filter", "offset_expr", "count_expr", "offset", "count", "lower_bound", "upper_bound")

#: Rules that a message breaks whatever is below it; and those that only the number of columns below it decides.
_BY_MESSAGE = frozenset(
    rule.code
    for rule in (
        PlanRule.REQUIRED,
        PlanRule.SAYS_NOTHING,
        PlanRule.NOT_SAID,
        PlanRule.EMPTY,
        PlanRule.TWO_FORMS,
        *AnchorRule,
        ReferenceRule.GROUPING_FIELD,
        ReferenceRule.DETACHED,
        TypeRule.TYPE_PARAMETER,
        RelationRule.ROW,
        RelationRule.SORT,
        RelationRule.JOIN_TYPE,
        RelationRule.JOIN_KEYS,
        RelationRule.SET_INPUTS,
    )
)
_BY_WIDTH = frozenset([ReferenceRule.EMIT.code])

#: Problems after this many are not reported.
MAX_PROBLEMS = 1_000


class Recovering:
    """One plan being judged: what is wrong with it, and what became of its messages."""

    def __init__(self) -> None:
        self.problems: list[FiresteelError] = []
        self._noted: set[Any] = set()
        #: By the identity of the message: `explain` tells the types of relations from it.
        self.made: dict[int, Any] = {}

    def attempt(self, handler: Handler, lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
        """Lower a message; if that cannot be done, give something in its place."""
        if message.has("selection") and _is_blind(scope):
            return _unknown(t.ANY, message)
        asked: set[int] = set()
        blind = widthless = False
        try:
            made = handler(lowerer, message, scope)
            if isinstance(made, Generator):
                running, request = made, made.send(None)
                while True:
                    asked.add(id(request[0]))
                    found = yield request
                    blind = blind or _is_unknown(found)
                    widthless = widthless or _has_any_columns(found)
                    request = running.send(found)
        except StopIteration as stop:
            made = stop.value
        except FiresteelError as error:
            if not blind or error.code in _BY_MESSAGE or (error.code in _BY_WIDTH and not widthless):
                self.note(error.located(message.where))
            yield from self._others(message, scope, asked)
            made = self._instead(lowerer, message)
        self.made[id(message)] = made
        return made

    def note(self, error: FiresteelError) -> None:
        """Keep a problem and those beside it, unless they are already there or there are too many."""
        for one in (error, *error.others):
            if len(self.problems) < MAX_PROBLEMS and (one.message, one.where) not in self._noted:
                self._noted.add((one.message, one.where))
                self.problems.append(one)

    @contextmanager
    def noting(self, lowerer: Lowerer) -> Iterator[None]:
        """Go on after what is not part of a relation tree, or is the end of one."""
        count = len(lowerer.trees)
        try:
            yield
        except FiresteelError as error:
            if not any(map(_is_unknown, lowerer.trees[count:])):
                self.note(error)

    def _others(self, message: Message, scope: FieldScope, asked: set[int]) -> Lowering:
        """Judge what is below a message that failed before it came there: its inputs, and the expressions that see
        their rows, if those are known."""
        for one in _below(message):
            if id(one) not in asked and one.which("rex_type") not in _NOT_ALONE:
                yield one, scope
        kind = message.which("rel_type")
        if kind is None or not isinstance(message.given[kind], Message):
            return
        inner = message.given[kind]
        inputs = [inner.given[name] for name in _INPUTS if inner.has(name)]
        known = [(rel, one) for one in inputs if isinstance(rel := self.made.get(id(one)), p.Rel)]
        if inputs and len(known) == len(inputs) and not any(_is_unknown(rel) for rel, _ in known):
            row = scope_over(scope, *known).with_windows()
            for one in _over_inputs(inner):
                if id(one) not in asked and one.which("rex_type") not in _NOT_ALONE:
                    yield one, row

    def _instead(self, lowerer: Lowerer, message: Message) -> p.Rel | p.Rex:
        try:
            if message.kind.short == "Expression":
                return _unknown(_declared_type(lowerer, message), message)
            return self._relation(lowerer, message)
        except FiresteelError:
            return _unknown(t.ANY, message) if message.kind.short == "Expression" else unknown_relation()

    def _relation(self, lowerer: Lowerer, message: Message) -> p.Rel:
        kind = message.which("rel_type")
        if kind == "read":
            rel = _declared_relation(lowerer, message.read)
            return apply_emit(
                apply_projection(rel, message.read) if message.read.has("projection") else rel, message.read
            )
        if kind in _SAME_COLUMNS:
            inner = getattr(message, kind)
            below = self.made.get(id(inner.given.get("input")))
            if isinstance(below, p.Rel):
                return apply_emit(below, inner)
        return unknown_relation()


def unknown_relation() -> p.Rel:
    """A relation of which nothing is known."""
    return p.Scan(p.UnresolvedVar(t.Bag(_ANY_COLUMNS), "relation"))


def _unknown(type_: t.Type, message: Message) -> p.Rex:
    return p.UnresolvedVar(type_, "expression").at(message.where)


def _is_unknown(made: object) -> bool:
    if isinstance(made, p.Rel):
        return any(isinstance(field.type, t.Any | t.Unresolved) for field in p.schema(made))
    return isinstance(made, p.Rex) and isinstance(made.type, t.Any | t.Unresolved)


def _has_any_columns(made: object) -> bool:
    return isinstance(made, p.Rel) and any(field.type == _ANY_COLUMNS for field in p.schema(made))


def _is_blind(scope: FieldScope | None) -> bool:
    """Is there an outer row with unknown columns? Then no ordinal can be checked."""
    while scope is not None:
        if _ANY_COLUMNS in scope.columns:
            return True
        scope = scope.outer
    return False


def _below(message: Message) -> Iterator[Message]:
    """The messages of the same sort (relations, or expressions) that are next below one."""
    sort = message.kind
    stack = [value for _, value in message]
    while stack:
        one = stack.pop(0)
        if isinstance(one, list):
            stack = [*one, *stack]
        elif isinstance(one, Message):
            if one.kind is sort:
                yield one
            elif one.kind.short not in ("Rel", "Expression", "Lambda"):
                stack = [*(value for _, value in one), *stack]


def _over_inputs(inner: Message) -> Iterator[Message]:
    """The expressions of a relation that see the rows of its inputs."""
    stack = [value for field, value in inner if field.name not in _OTHER_ROWS]
    while stack:
        one = stack.pop(0)
        if isinstance(one, list):
            stack = [*one, *stack]
        elif isinstance(one, Message) and one.kind.short == "Expression":
            yield one
        elif isinstance(one, Message) and one.kind.short != "Rel":
            stack = [*(value for _, value in one), *stack]


def _declared_type(lowerer: Lowerer, message: Message) -> t.Type:
    kind = message.which("rex_type") or ""
    if kind not in _DECLARED or not getattr(message, kind).has(_DECLARED[kind]):
        return t.ANY
    return read_type(getattr(getattr(message, kind), _DECLARED[kind]), lowerer.extensions)


def _declared_relation(lowerer: Lowerer, read: Message) -> p.Rel:
    base = read.base_schema
    if base.struct.types:
        schema = named_schema(base, lowerer.extensions)
    else:  # the types are those of a table that is not there
        schema = tuple(t.Field(name, t.ANY) for name in base.names)
    exprs = tuple(_unknown(field.type, base) for field in schema)
    return p.Project(exprs, unknown_relation(), names=tuple(field.name or "" for field in schema)).at(read.where)
