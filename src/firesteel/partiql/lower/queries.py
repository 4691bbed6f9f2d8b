"""Queries: SELECT blocks and WITH.

A block is lowered in the order of evaluation: FROM, LET, WHERE, GROUP BY, HAVING, windows, SELECT; ORDER BY,
LIMIT and OFFSET come before the rows become values, so that they see the variables and not only what is selected.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import AnalysisError, UnsupportedError
from firesteel.partiql import ast
from firesteel.partiql.lower import warnings
from firesteel.partiql.lower.context import Lowering, QueryContext, Want, lowers
from firesteel.partiql.lower.grouping import Grouping, Windows, has_aggregates, settled
from firesteel.partiql.lower.lets import lower_lets
from firesteel.partiql.lower.ordering import NO_TAIL, Tail, cut, distinct, over_values, sort_specs
from firesteel.partiql.lower.scope import Binding, NameFrame, NameScope, default_name, fold_case
from firesteel.plan import build
from firesteel.plan.relations.rel import group_key


@lowers(ast.Subquery)
def _subquery(node: ast.Subquery, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    query = yield node.query, scope, want
    if want == "value" and _is_sql(node.query):
        return p.CollToScalar(query)
    return query


def _is_sql(query: ast.Ast) -> bool:
    """A query whose rows have SQL's columns: SELECT with a list, not SELECT *, SELECT VALUE or PIVOT."""
    while isinstance(query, ast.Query | ast.Subquery):
        query = query.body if isinstance(query, ast.Query) else query.query
    if isinstance(query, ast.SetOp):
        return _is_sql(query.left)
    return isinstance(query, ast.Select) and isinstance(query.projection, ast.Items)


@lowers(ast.Table)
def _table(node: ast.Table, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    return (yield node.source, scope, "source")


@lowers(ast.Query)
def _query(node: ast.Query, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    if node.recursive:
        raise UnsupportedError("WITH RECURSIVE is not supported", where=node.where)
    if node.preserve:
        raise UnsupportedError("ORDER BY PRESERVE is not supported", where=node.where)
    for with_ in node.withs:
        if with_.columns:
            raise UnsupportedError("WITH with column names is not supported", where=with_.where)
        rex = yield with_.query, scope, "source"
        scope = replace(scope, queries={**scope.queries, with_.name.text: (rex, scope.depth)})
    tail = Tail(node.order, node.limit, node.offset)
    body = node.body
    if not (tail.order or tail.limit or tail.offset):
        return (yield body, scope, want)
    if isinstance(body, ast.Select):
        return (yield from _block(body, tail, scope, want, context))
    return (yield from over_values(body, tail, scope, want, context))


@lowers(ast.Select)
def _select(node: ast.Select, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    return (yield from _block(node, NO_TAIL, scope, want, context))


# ---------------------------------------------------------------------------------------------------------------------
# A block


@dataclass
class Block:
    """A SELECT block on its way: the relation so far, and what its rows are called."""

    rel: p.Rel
    frame: NameFrame
    outer: NameScope
    #: What SELECT calls its items, for GROUP BY to refer to.
    aliases: dict[str, ast.Expr] = field(default_factory=dict)
    #: The values that what is selected is made of: what ORDER BY sees after DISTINCT.
    given: list[p.Rex] = field(default_factory=list)

    @property
    def scope(self) -> NameScope:
        return self.outer.inner(self.frame)


def _block(node: ast.Select, tail: Tail, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    block = yield from _source(node, scope, context)
    after = [part for part in (*tail.order, tail.limit, tail.offset) if part is not None]
    block.rel, block.frame = yield from lower_lets(node, after, block.rel, block.frame, scope)
    if node.filter is not None:
        predicate = yield node.filter, block.scope, "value"
        warnings.condition("WHERE", node.filter, predicate, context)
        block.rel = p.Filter(predicate, block.rel)
    if isinstance(node.projection, ast.Items):
        block.aliases = {i.alias.text: i.value for i in node.projection.items if isinstance(i, ast.Item) and i.alias}
    if node.exclude:
        _exclude(node, block)
    grouping = yield from _group(node, tail, block, context)
    having: p.Rex | None = None
    if node.having is not None:
        having = yield node.having, block.scope, "value"
        warnings.condition("HAVING", node.having, having, context)
    windows = Windows({w.name.text.lower(): w.window for w in node.windows})
    block.frame.windows = windows
    constructor: p.Rex
    key: p.Rex | None = None
    if isinstance(node.projection, ast.Pivot):
        key = yield node.projection.name, block.scope, "value"
        constructor = yield node.projection.value, block.scope, "value"
    else:
        constructor = yield from _constructor(node.projection, block, want)
    specs = yield from sort_specs(tail, block.scope, node.projection, context)
    # Only now is it known which aggregates the block needs.
    if grouping is not None:
        block.rel = _aggregate(node, grouping, block)
    if having is not None:
        block.rel = p.Filter(having, block.rel)
    if windows.calls:
        width = len(p.schema(block.rel))
        block.rel = p.Window(tuple(windows.calls), block.rel)
        constructor = settled(constructor, width)
        key = settled(key, width) if key is not None else None
        specs = [p.SortSpec(settled(spec.key, width), spec.order) for spec in specs]
        block.given = [settled(given, width) for given in block.given]
    if node.quantifier == "distinct" and key is None:
        block.rel = distinct(constructor, block.rel, specs, block.given)
        constructor = build.column(block.rel, 0)
    elif specs:
        block.rel = p.Sort(tuple(specs), block.rel)
    block.rel = yield from cut(block.rel, tail, scope)
    if key is not None:
        return p.Pivot(t.STRUCT, key, constructor, block.rel)
    return build.select(constructor, block.rel, tail.kind)


def _source(node: ast.Select, scope: NameScope, context: QueryContext) -> Lowering:
    if node.source is None:
        # SELECT without FROM: one row without columns.
        return Block(p.Project((), p.Scan(build.lit([None]))), NameFrame(), scope)
    rel, frame = yield node.source, scope, "source"
    return Block(rel, frame, scope)


def _exclude(node: ast.Select, block: Block) -> None:
    """EXCLUDE leaves parts out of what FROM binds, before anything is selected."""
    paths = []
    for path in node.exclude:
        found = block.frame.find(path.root.name, path.root.quoted)
        steps = [_exclude_step(step) for step in path.steps]
        if found is None:
            raise AnalysisError(f"EXCLUDE: no variable '{path.root.name}' in FROM", where=path.root.where)
        paths.append(p.ExcludePath(found.ordinal, tuple(steps)).at(path.where))
    block.rel = p.Exclude(tuple(paths), block.rel)
    types = [column.type for column in p.schema(block.rel)]
    block.frame.bindings = [Binding(b.name, b.ordinal, types[b.ordinal], b.role) for b in block.frame.bindings]


def _exclude_step(step: ast.Step) -> p.ExcludeStep:
    match step:
        case ast.Field(name=name, quoted=quoted):
            return p.ExcludeField(name, exact=quoted)
        case ast.Index(key=ast.Lit(value=str() as name)):
            return p.ExcludeField(name, exact=True)
        case ast.Index(key=ast.Lit(value=int() as index)):
            return p.ExcludeIndex(index)
        case ast.EachElement():
            return p.ExcludeElements()
        case ast.EachAttribute():
            return p.ExcludeAttributes()
        case _:
            raise AnalysisError("EXCLUDE takes names, indexes and wildcards", where=step.where)


def _group(node: ast.Select, tail: Tail, block: Block, context: QueryContext) -> Lowering:
    """Enter the grouped row: from here on expressions see keys and aggregates."""
    order = [key.key for key in tail.order]
    if node.group is None and not has_aggregates(node.projection, node.having, *order):
        return None
    keys: list[p.Rex] = []
    frame = NameFrame()
    group = node.group
    grouped = group.keys if group else ()
    written = [_alias_of(item.key, block) for item in grouped]
    for expr in written:
        keys.append((yield expr, block.scope, "value"))
        warnings.constant_key("GROUP BY", expr, keys[-1], node.projection, context)
    grouping = Grouping(block.scope, keys, [fold_case(expr) for expr in written])
    for i, item in enumerate(grouped):
        type_ = group_key(keys[i].type)
        grouping.types.append(type_)
        own = default_name(item.key)
        frame.add(item.alias.text if item.alias else f"_{i + 1}" if own is None else own, type_, "key")
    if group is not None and group.name is not None:
        pairs = [(b.name, p.Var(b.type, b.ordinal)) for b in block.frame.bindings]
        ordinal = grouping.column(build.agg("collect", build.struct(pairs)))
        frame.bindings.append(Binding(group.name.text, ordinal, t.Bag(t.STRUCT), "group"))
    frame.grouping = grouping
    block.frame = frame
    return grouping


def _alias_of(key: ast.Expr, block: Block) -> ast.Expr:
    """GROUP BY may name what SELECT calls an item, unless a variable has the name."""
    if isinstance(key, ast.Var) and block.scope.variable(key.name, key.quoted) is None:
        return block.aliases.get(key.name, key)
    return key


def _aggregate(node: ast.Select, grouping: Grouping, block: Block) -> p.Rel:
    strategy = p.Strategy.PARTIAL if node.group and node.group.partial else p.Strategy.FULL
    rel = p.Aggregate(strategy, tuple(grouping.aggs), tuple(grouping.keys), block.rel)
    names = [b.name for b in sorted(block.frame.bindings, key=lambda b: b.ordinal) if b.role == "key"]
    names += [f"{agg.fn.name}_{i}" for i, agg in enumerate(grouping.aggs, 1)]
    return rel.replace(names=tuple(names))


# ---------------------------------------------------------------------------------------------------------------------
# SELECT


def _constructor(projection: ast.Projection, block: Block, want: Want) -> Lowering:
    """What a row becomes."""
    match projection:
        case ast.Value(value=value):
            return (yield value, block.scope, "value")
        case ast.Star():
            block.given += [p.Var(b.type, b.ordinal) for b in block.frame.bindings]
            parts = _everything(block.frame)
            return parts[0] if len(parts) == 1 else build.call("struct_concat", *parts) if parts else build.struct([])
        case ast.Items(items=items):
            return (yield from _items(items, block, want))
        case _:
            raise AnalysisError(f"'{projection.tag}' is not a projection", where=projection.where)


def _everything(frame: NameFrame) -> list[p.Rex]:
    """`SELECT *`: what FROM ranges over, spread out, and what AT and BY name beside it."""
    parts: list[p.Rex] = []
    count = 0
    for binding in sorted(frame.bindings, key=lambda b: b.role not in ("as", "key", "group")):
        value = p.Var(binding.type, binding.ordinal)
        if binding.role == "as":
            count += 1
            parts.append(star(value, f"_{count}"))
        elif binding.role != "let":
            parts.append(build.struct([(binding.name, value)]))
    return parts


def _items(items: tuple[ast.Item | ast.ItemStar, ...], block: Block, want: Want) -> Lowering:
    if want == "collection" and len(items) == 1 and isinstance(items[0], ast.Item):
        # On the right of IN, and of a quantified comparison, a query of one column is a collection of its values.
        return (yield items[0].value, block.scope, "value")
    parts: list[p.Rex] = []
    pairs: list[tuple[str | p.Rex, p.Rex]] = []
    unnamed = 0
    for item in items:
        value = yield item.value, block.scope, "value"
        block.given.append(value)
        if isinstance(item, ast.ItemStar):
            if pairs:
                parts.append(build.struct(pairs))
            parts.append(star(value, f"_{len(parts) + 1}"))
            pairs = []
            continue
        name = item.alias.text if item.alias else default_name(item.value)
        if name is None:
            unnamed += 1
            name = f"_{unnamed}"
        pairs.append((name, value))
    if pairs or not parts:
        parts.append(build.struct(pairs))
    return parts[0] if len(parts) == 1 else build.call("struct_concat", *parts)


def star(value: p.Rex, name: str) -> p.Rex:
    """A struct as it is, one that an outer join left out as NULLs for its columns; any other value as an attribute."""
    if isinstance(value.type, t.Struct) and not value.type.absent:
        return value
    if isinstance(value.type, t.Struct) and not value.type.open and not value.type.missable:
        nulls = build.struct([(field.name or "", build.lit(None)) for field in value.type.fields])
        return p.Case(t.STRUCT, None, (p.Branch(build.call("is_null", value), nulls),), default=value)
    wrapped = build.struct([(name, value)])
    test = build.call("is_type", value, t.STRUCT)
    return p.Case(t.STRUCT, None, (p.Branch(test, value),), default=wrapped)
