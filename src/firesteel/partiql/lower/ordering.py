"""ORDER BY, LIMIT and OFFSET.

ORDER BY sees the row of its block, and what the select list calls its items. After DISTINCT and after a set operator it
sees what the select list gives and nothing else: an item by its name, or an expression that is written as one. Any
other name is an error: as MISSING it would silently not sort.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import AnalysisError
from firesteel.node import Node
from firesteel.partiql import ast
from firesteel.partiql.lower import warnings
from firesteel.partiql.lower.context import Lowering, QueryContext, Want
from firesteel.partiql.lower.grouping import sort_order
from firesteel.partiql.lower.scope import Item, NameFrame, NameScope, default_name, fold_case, unseen_error
from firesteel.plan import build
from firesteel.plan.scope import free_rows, shifted
from firesteel.plan.scope import replaced as replaced_nodes


@dataclass(frozen=True)
class Tail:
    """What follows a query's body."""

    order: tuple[ast.SortKey, ...] = ()
    limit: ast.Expr | None = None
    offset: ast.Expr | None = None

    @property
    def kind(self) -> type[t.Collection]:
        """ORDER BY turns a bag into a list."""
        return t.Array if self.order else t.Bag


NO_TAIL = Tail()


def items_of(projection: ast.Projection) -> tuple[Item, ...]:
    """What the select list gives under a name; `SELECT VALUE {'a': x}` calls x `a`."""
    match projection:
        case ast.Items(items=items):
            own = [item for item in items if isinstance(item, ast.Item)]
            pairs = [(item.alias.text if item.alias else default_name(item.value), item.value) for item in own]
        case ast.Value(value=ast.Struct(pairs=attributes)):
            pairs = [(_text(attribute.name), attribute.value) for attribute in attributes]
        case _:
            pairs = []
    return tuple([(name, value) for name, value in pairs if name is not None])


def _text(name: ast.Expr) -> str | None:
    return name.value if isinstance(name, ast.Lit) and isinstance(name.value, str) else None


def sort_specs(tail: Tail, scope: NameScope, projection: ast.Projection | None, context: QueryContext) -> Lowering:
    """The keys of ORDER BY. A name means an item of the select list first, and else what it means in the block."""
    scope = replace(scope, items=() if projection is None else items_of(projection), ordering=True)
    specs = []
    for key in tail.order:
        expr, seen = key.key, scope
        item = scope.item(expr) if isinstance(expr, ast.Var) else None
        if item is not None:
            expr, seen = item, scope.without_items
        rex = yield expr, seen, "value"
        warnings.constant_key("ORDER BY", key.key, rex, projection, context)
        specs.append(p.SortSpec(rex.at(key.key.where), sort_order(key)))
    return specs


def cut(rel: p.Rel, tail: Tail, scope: NameScope) -> Lowering:
    """OFFSET, then LIMIT; their counts see no row of this block, but they are one row further in than the block."""
    nothing = scope.inner(NameFrame())
    if tail.offset is not None:
        rel = p.Offset((yield from _count("OFFSET", tail.offset, nothing)), rel)
    if tail.limit is not None:
        rel = p.Limit((yield from _count("LIMIT", tail.limit, nothing)), rel)
    return rel


def _count(clause: str, node: ast.Expr, scope: NameScope) -> Lowering:
    """A number of rows: unlike other integers it may be larger than any that is computed with. One that is written with
    a minus is an error in both modes; one that is computed is forgiven or not when it runs."""
    match node:
        case ast.Lit(value=int() as value) if type(value) is int:
            return build.lit(value).at(node.where)
        case ast.Operator(name="neg", args=(ast.Lit(value=int() as value),)) if type(value) is int and value > 0:
            raise AnalysisError(f"{clause} takes a number of rows, not -{value}", where=node.where)
    return (yield node, scope, "value")


# ---------------------------------------------------------------------------------------------------------------------
# After DISTINCT


def distinct(constructor: p.Rex, rel: p.Rel, specs: list[p.SortSpec], given: Sequence[p.Rex]) -> p.Rel:
    """The values, each once, in column 0, sorted by what is `given` with them.

    The parts of the select list that ORDER BY needs are columns beside the value. They follow from it, so the rows that
    are the same with them are those that are the same without.
    """
    columns: list[p.Rex] = []
    parts = [part for one in (constructor, *given) for part in parts_of(one)]
    sorted_by = [p.SortSpec(_behind(spec.key, parts, columns), spec.order) for spec in specs]
    rel = p.Distinct(p.Project((constructor, *columns), rel))
    return p.Sort(tuple(sorted_by), rel) if sorted_by else rel


def parts_of(rex: p.Rex) -> Iterator[p.Rex]:
    """What a value determines: itself, and for a struct constructor the values of its attributes."""
    stack = [rex]
    while stack:
        one = stack.pop()
        yield one
        if isinstance(one, p.Struct):
            stack.extend(pair.value for pair in one.pairs)


def _behind(key: p.Rex, parts: list[p.Rex], columns: list[p.Rex]) -> p.Rex:
    """The key over the row that DISTINCT gives: the value, then these columns, of which there are more if needed."""

    def one(node: Node, level: int) -> Node | None:
        if isinstance(node, p.Rex) and any(leads_into(node, shifted(part, level)) for part in parts):
            column = shifted(node, -level)
            if column not in columns:
                columns.append(column)
            return p.Var(node.type, 1 + columns.index(column), depth=level)
        if isinstance(node, p.Var) and node.depth == level:
            raise unseen_error("DISTINCT", key.where)
        return None

    return replaced_nodes(key, one)


def leads_into(rex: p.Rex, part: p.Rex) -> bool:
    """Is it the part, or a path into it?"""
    if rex == part:
        return True
    if not isinstance(rex, p.Path):
        return False
    root, steps = (part.root, part.steps) if isinstance(part, p.Path) else (part, ())
    further = rex.steps[len(steps) :]
    return rex.root == root and rex.steps[: len(steps)] == steps and not any(free_rows(step) for step in further)


# ---------------------------------------------------------------------------------------------------------------------
# After a set operator, and over any other collection


def over_values(body: ast.Expr, tail: Tail, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    """ORDER BY and its like over what is not a block: the elements are rows without a name."""
    rex = yield body, scope, "collection" if want == "collection" else "source"
    rel: p.Rel = p.Scan(rex)
    frame = NameFrame()
    frame.add(context.fresh(), p.schema(rel)[0].type)
    block = _first_block(body)
    if block is not None:
        written = _written(block.projection, items_of(block.projection), build.column(rel, 0), want)
        frame.written = _qualified(written, list(_ranged_over(block)))
        frame.hidden = tuple(_ranged_over(body))
    specs = yield from sort_specs(tail, scope.inner(frame), None if block is None else block.projection, context)
    if specs:
        rel = p.Sort(tuple(specs), rel)
    rel = yield from cut(rel, tail, scope)
    return build.select(build.column(rel, 0), rel, tail.kind)


Written = list[tuple[ast.Ast, p.Rex]]


def _written(projection: ast.Projection, items: tuple[Item, ...], row: p.Var, want: Want) -> Written:
    """The expressions of the select list, each with what it is in a row of the result."""
    names = [name for name, _ in items]
    once: Written = [(fold_case(value), build.path(row, name)) for name, value in items if names.count(name) == 1]
    match projection:
        case ast.Value(value=value):
            return [(fold_case(value), row), *once]
        case ast.Items(items=(ast.Item(value=value),)) if want == "collection":
            return [(fold_case(value), row)]
        case _:
            return once


def _qualified(written: Written, ranges: list[str]) -> Written:
    """With one variable in FROM, what is an attribute of it also as a path from it: `x` as `t.x`."""
    if len(ranges) != 1:
        return written
    root = ast.Var(ranges[0])
    own = [(var, rex) for var, rex in written if isinstance(var, ast.Var) and var.name.lower() != ranges[0].lower()]
    return written + [(fold_case(ast.Path(root, (ast.Field(v.name, quoted=v.quoted),))), rex) for v, rex in own]


def _leaves(body: ast.Expr) -> Iterator[ast.Select]:
    """The blocks that the rows come from, the first one first."""
    stack: list[ast.Expr] = [body]
    while stack:
        match stack.pop():
            case ast.SetOp(left=left, right=right):
                stack += [right, left]
            case ast.Query(body=inner) | ast.Subquery(query=inner):
                stack.append(inner)
            case ast.Select() as block:
                yield block


def _first_block(body: ast.Expr) -> ast.Select | None:
    """The block whose select list names the columns."""
    return next(_leaves(body), None)


def _ranged_over(body: ast.Expr) -> Iterator[str]:
    """The names that the blocks range over, which end with them."""
    for block in _leaves(body):
        stack: list[ast.FromItem | None] = [block.source]
        while stack:
            match stack.pop():
                case ast.Join(left=left, right=right):
                    stack += [left, right]
                case (ast.Range() | ast.Unpivot()) as item:
                    name = item.alias.text if item.alias else default_name(item.source)
                    if name is not None:
                        yield name
