"""Expressions, except calls and paths."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NoReturn

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.evaluate.base import CompileContext, Env, Fail, RelClosure, RexClosure, handles
from firesteel.evaluate.kinds import kind, show
from firesteel.evaluate.scalar.compare import eq
from firesteel.values import MISSING, Bag, Sexp, Struct, Value, struct_of

#: What a handler that asks for its children looks like to the type checker.
Compiling = Generator[Any, Any, Callable[[Env], Any]]


@handles(p.Lit)
def _lit(node: p.Lit, _: CompileContext) -> RexClosure:
    value = node.value
    return lambda env: value


@handles(p.Var)
def _var(node: p.Var, _: CompileContext) -> RexClosure:
    ordinal, depth = node.ordinal, node.depth
    if ordinal < 0 or depth < 0:
        raise PlanError(f"no variable {ordinal} at depth {depth}", where=node.where)

    def unknown() -> NoReturn:
        raise PlanError(f"no variable {ordinal} at depth {depth} in scope", where=node.where)

    def here(env: Env) -> Value:
        try:
            return env.row[ordinal]
        except IndexError:
            unknown()

    def around(env: Env) -> Value:
        scope: Env | None = env
        for _ in range(depth):
            if scope is not None:
                scope = scope.outer
        if scope is None or ordinal >= len(scope.row):
            unknown()
        return scope.row[ordinal]

    return around if depth else here


@handles(p.UnresolvedVar)
def _unresolved(node: p.UnresolvedVar, _: CompileContext) -> NoReturn:
    raise PlanError(f"the plan leaves '{node.name}' unresolved", where=node.where)


@handles(p.Parameter)
def _parameter(node: p.Parameter, _: CompileContext) -> NoReturn:
    raise PlanError(f"no value is given for parameter {node.ordinal}", where=node.where)


@handles(p.Global)
def _global(node: p.Global, context: CompileContext) -> RexClosure:
    ordinal = node.ordinal
    if not 0 <= ordinal < len(context.tables):
        raise PlanError(f"no global {ordinal}: {len(context.tables)} tables are given", where=node.where)
    return lambda env: context.table(ordinal)


@handles(p.Case)
def _case(node: p.Case, context: CompileContext) -> Compiling:
    match: RexClosure | None = None
    default: RexClosure | None = None
    if node.match is not None:
        match = yield node.match, context
    branches: list[tuple[RexClosure, RexClosure]] = []
    for branch in node.branches:
        when = yield branch.when, context
        then = yield branch.then, context
        branches.append((when, then))
    if node.default is not None:
        default = yield node.default, context
    fail = context.failing(node.where)

    def searched(env: Env) -> Value:
        for when, then in branches:
            held = when(env)
            if held is True:
                return then(env)
            if not (held is False or held is None or held is MISSING):
                fail("WHEN {}: WHEN takes booleans, not {}", show(held), kind(held))
        return default(env) if default is not None else None

    def simple(env: Env) -> Value:
        assert match is not None
        value = match(env)
        for when, then in branches:
            if eq(value, when(env)) is True:
                return then(env)
        return default(env) if default is not None else None

    return searched if match is None else simple


# ---------------------------------------------------------------------------------------------------------------------
# Constructors


_COLLECTIONS: dict[type[t.Type], Callable[[list[Value]], Value]] = {t.Bag: Bag, t.Array: list, t.Sexp: Sexp}


@handles(p.Collection)
def _collection(node: p.Collection, context: CompileContext) -> Compiling:
    build = _COLLECTIONS.get(type(node.type))
    if build is None:
        raise PlanError(f"a collection cannot be of type {node.type}", where=node.where)
    items: list[RexClosure] = []
    for item in node.items:
        items.append((yield item, context))
    if build is list:
        return lambda env: [item(env) for item in items]
    return lambda env: build([item(env) for item in items])


@handles(p.Struct)
def _struct(node: p.Struct, context: CompileContext) -> Compiling:
    pairs: list[tuple[RexClosure, RexClosure]] = []
    for pair in node.pairs:
        key = yield pair.key, context
        value = yield pair.value, context
        pairs.append((key, value))
    fail = context.failing(node.where)
    names = [pair.key.value for pair in node.pairs if isinstance(pair.key, p.Lit) and isinstance(pair.key.value, str)]
    named = list(zip(map(str, names), [value for _, value in pairs], strict=False))

    def of_names(env: Env) -> Value:
        made: list[tuple[str, Value]] = []
        for name, value in named:
            item = value(env)
            if item is not MISSING:
                made.append((name, item))
        return struct_of(made)

    def run(env: Env) -> Value:
        made: list[tuple[str, Value]] = []
        for key, value in pairs:
            _attribute(made, key(env), value(env), fail)
        return struct_of(made)

    return of_names if len(names) == len(pairs) else run


def _attribute(made: list[tuple[str, Value]], name: Value, item: Value, fail: Fail) -> None:
    """One more attribute, unless it is MISSING; a name that is no text fails, or leaves its value out.

    Both are computed already: a call around their computation would take stack at every level of a deep plan."""
    if not isinstance(name, str):
        fail("an attribute's name must be text, not {}", kind(name))
    elif item is not MISSING:
        made.append((str(name), item))


@handles(p.Pivot)
def _pivot(node: p.Pivot, context: CompileContext) -> Compiling:
    source: RelClosure = yield node.input, context
    key: RexClosure = yield node.key, context
    value: RexClosure = yield node.value, context
    fail = context.failing(node.where)

    def run(env: Env) -> Value:
        made: list[tuple[str, Value]] = []
        for row in source(env).rows:
            inner = Env(row, env)
            _attribute(made, key(inner), value(inner), fail)
        return Struct(made)

    return run


# ---------------------------------------------------------------------------------------------------------------------
# From relations to values


@handles(p.Select)
def _select(node: p.Select, context: CompileContext) -> Compiling:
    source: RelClosure = yield node.input, context
    constructor: RexClosure = yield node.constructor, context
    build = _COLLECTIONS.get(type(node.type))

    def run(env: Env) -> Value:
        rows, ordered = source(env)
        values = [constructor(Env(row, env)) for row in rows]
        if build is not None:
            return values if build is list else build(values)
        return values if ordered else Bag(values)

    return run


@handles(p.CollToScalar)
def _coll_to_scalar(node: p.CollToScalar, context: CompileContext) -> Compiling:
    query: RexClosure = yield node.query, context
    fail = context.failing(node.where)

    def run(env: Env) -> Value:
        value = query(env)
        if value is None or value is MISSING:
            return value
        rows = value.items if isinstance(value, Bag) else value
        if not isinstance(rows, list):
            return fail("a subquery gives a collection, not {}", kind(rows))
        if not rows:
            return None
        if len(rows) > 1:
            return fail("a scalar subquery gives one row, not {}", len(rows))
        if not isinstance(rows[0], Struct) or len(rows[0]) > 1:
            return fail("a scalar subquery gives one attribute, not {}", show(rows[0]))
        # A row without an attribute is one whose attribute was MISSING.
        return rows[0].pairs[0][1] if rows[0].pairs else MISSING

    return run
