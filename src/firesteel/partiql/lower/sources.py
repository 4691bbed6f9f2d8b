"""FROM: what a block ranges over, as a relation and the frame of its names."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import AnalysisError
from firesteel.partiql import ast
from firesteel.partiql.lower import warnings
from firesteel.partiql.lower.context import Lowering, QueryContext, Want, lowers
from firesteel.partiql.lower.scope import Binding, NameFrame, NameScope, default_name
from firesteel.plan import build
from firesteel.plan.scope import free_rows, shifted

Source = tuple[p.Rel, NameFrame]


@lowers(ast.Range)
def _range(node: ast.Range, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    file = _file(node.source, context)
    rex = file if file is not None else (yield node.source, scope, "source")
    frame = NameFrame()
    names = [_alias(node, context)]
    rel: p.Rel
    if node.position is not None:
        names.append(node.position.text)
    if node.by is not None:
        names.append(node.by.text)
    if node.columns:
        rex = _renamed(rex, node)
    make = p.Scan if node.position is None else p.ScanIndexed
    rel = make(rex, identified=node.by is not None, names=tuple(names))
    for i, (name, column) in enumerate(zip(names, p.schema(rel), strict=True)):
        frame.add(name, column.type, "as" if i == 0 else "at" if i == 1 and node.position else "by")
    return rel, frame


def _file(source: ast.Expr, context: QueryContext) -> p.Rex | None:
    """The files that a string in FROM names: `FROM 'data/t.parquet' AS t`."""
    if not isinstance(source, ast.Lit) or type(source.value) is not str:
        return None
    found = context.catalog.find_file(source.value)
    return None if found is None else context.global_(*found).at(source.where)


def _renamed(rex: p.Rex, node: ast.Range) -> p.Rex:
    """`AS alias (a, b)`: the columns under new names, which takes a type that lists them."""
    rel = p.Scan(rex)
    row = build.column(rel, 0)
    if not isinstance(row.type, t.Struct) or row.type.open or len(row.type.fields) != len(node.columns):
        raise AnalysisError(f"{len(node.columns)} column names for a {row.type}", where=node.columns[0].where)
    old = [field.name or "" for field in row.type.fields]
    pairs = [(new.text, build.path(row, name)) for new, name in zip(node.columns, old, strict=True)]
    return build.select(build.struct(pairs), rel)


@lowers(ast.Unpivot)
def _unpivot(node: ast.Unpivot, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    if node.by is not None:
        raise AnalysisError("UNPIVOT has no BY: attributes have no record identifiers", where=node.by.where)
    rex = yield node.source, scope, "source"
    value = _alias(node, context)
    name = node.position.text if node.position else context.fresh()
    rel = p.Unpivot(rex, names=(name, value))
    key_column, value_column = p.schema(rel)
    frame = NameFrame()
    if node.position:
        frame.add(name, key_column.type, "at")
    else:
        frame.skip()
    frame.add(value, value_column.type)
    return rel, frame


@lowers(ast.Join)
def _join(node: ast.Join, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    left, left_frame = yield node.left, scope, "source"
    capture = _CAPTURES[node.kind]
    right, right_frame, lateral = yield from _right(node, scope, left_frame, capture)
    frame = _side_by_side(left_frame, right_frame, capture)
    if node.natural:
        raise AnalysisError("NATURAL JOIN needs schemas that say all: name the columns with USING", where=node.where)
    condition = yield from _condition(node, scope, frame, left_frame, right_frame, context)
    kind: p.JoinType
    if condition is None and capture is p.Capture.INNER:
        kind = p.Cross()
    else:
        kind = p.Theta(capture, condition or build.lit(True))
    rel = p.Join(kind, left, right, lateral=lateral)
    if capture is not p.Capture.INNER:  # the types of the padded side have changed
        types = [column.type for column in p.schema(rel)]
        frame.bindings = [Binding(b.name, b.ordinal, types[b.ordinal], b.role) for b in frame.bindings]
    return rel, frame


_CAPTURES = {
    "cross": p.Capture.INNER,
    "inner": p.Capture.INNER,
    "left": p.Capture.LEFT,
    "right": p.Capture.RIGHT,
    "full": p.Capture.FULL,
}


def _right(
    node: ast.Join, scope: NameScope, left: NameFrame, capture: p.Capture
) -> Generator[Any, Any, tuple[p.Rel, NameFrame, bool]]:
    """The right side sees the left row; where it does not look at it, the join is not lateral."""
    if capture.pads_left:
        right, frame = yield node.right, scope, "source"
        return right, frame, False
    right, frame = yield node.right, scope.inner(left), "source"
    if 0 in free_rows(right):
        return right, frame, True
    return shifted(right, -1), frame, False


def _side_by_side(left: NameFrame, right: NameFrame, capture: p.Capture) -> NameFrame:
    frame = NameFrame(list(left.bindings), left.width)
    for binding in right.bindings:
        frame.bindings.append(Binding(binding.name, left.width + binding.ordinal, binding.type, binding.role))
    frame.width = left.width + right.width
    return frame


def _condition(
    node: ast.Join, scope: NameScope, frame: NameFrame, left: NameFrame, right: NameFrame, context: QueryContext
) -> Lowering:
    if node.on is not None:
        condition = yield node.on, scope.inner(frame), "value"
        warnings.condition("ON", node.on, condition, context)
        return condition
    if not node.using:
        return None
    parts = []
    for name in node.using:
        var = ast.Var(name.text, quoted=name.quoted)
        on_left = yield var, scope.inner(left), "value"
        on_right = yield var, scope.inner(right), "value"
        parts.append(build.call("eq", on_left, _moved(on_right, left.width)))
    return parts[0] if len(parts) == 1 else build.call("and", *parts)


def _moved(rex: p.Rex, by: int) -> p.Rex:
    """An expression over the right row, rewritten over the joined row."""
    from firesteel.node import transform

    return transform(rex, lambda n: n.replace(ordinal=n.ordinal + by) if n.depth == 0 else n, p.Var)


def _alias(node: ast.Range | ast.Unpivot, context: QueryContext) -> str:
    if node.alias is not None:
        return node.alias.text
    own = default_name(node.source)
    return context.fresh() if own is None else own
