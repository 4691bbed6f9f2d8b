"""UNION, INTERSECT and EXCEPT."""

from __future__ import annotations

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import AnalysisError
from firesteel.partiql import ast
from firesteel.partiql.lower import warnings
from firesteel.partiql.lower.context import Lowering, QueryContext, Want, lowers
from firesteel.partiql.lower.scope import NameScope
from firesteel.plan import build

_SETS: dict[str, type[p.SetRel]] = {"union": p.Union, "intersect": p.Intersect, "except": p.Except}


@lowers(ast.SetOp)
def _set_op(node: ast.SetOp, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    wanted: Want = "collection" if want == "collection" else "source"
    left = yield node.left, scope, wanted
    right = yield node.right, scope, wanted
    if node.outer:
        left, right = build.call("as_bag", left), build.call("as_bag", right)
    sides: list[p.Rel] = [p.Scan(left), p.Scan(right)]
    if node.corresponding is not None:
        names = [(name.text, name.quoted) for name in node.corresponding] or _common(sides, node)
        sides = [_columns(side, names) for side in sides]
    if not node.outer:
        _compatible(sides, node, context)
    quantifier = p.Quantifier.ALL if node.quantifier == "all" else p.Quantifier.DISTINCT
    rel = _SETS[node.name](*sides, quantifier=quantifier)
    return build.select(build.column(rel, 0), rel, t.Bag)


def _row_types(sides: list[p.Rel]) -> list[t.Type]:
    return [p.schema(side)[0].type for side in sides]


def _common(sides: list[p.Rel], node: ast.SetOp) -> list[tuple[str, bool]]:
    """CORRESPONDING without BY: the columns that both have, which takes types that list them."""
    left, right = _row_types(sides)
    if not isinstance(left, t.Struct) or not isinstance(right, t.Struct) or left.open or right.open:
        raise AnalysisError("CORRESPONDING needs rows whose columns are known", where=node.where, help="say BY (...)")
    return [(f.name or "", True) for f in left.fields if right.field(f.name or "") is not None]


def _columns(side: p.Rel, names: list[tuple[str, bool]]) -> p.Rel:
    """The rows reduced to some of their columns."""
    row = build.column(side, 0)
    pairs = [(name, build.path(row, name if quoted else values.Symbol(name))) for name, quoted in names]
    return p.Project((build.struct(pairs),), side)


def _compatible(sides: list[p.Rel], node: ast.SetOp, context: QueryContext) -> None:
    """SQL's set operators, the ones without OUTER, take rows with as many columns on the left as on the right."""
    left, right = _row_types(sides)
    structs = [isinstance(side, t.Struct) and not side.open for side in (left, right)]
    if all(structs):
        widths = [len(side.fields) for side in (left, right) if isinstance(side, t.Struct)]
        if widths[0] != widths[1]:
            said = f"{widths[0]} and {widths[1]} columns"
            raise AnalysisError(f"{node.name.upper()} takes rows of one width, not of {said}", where=node.where)
        if node.corresponding is None and isinstance(left, t.Struct) and isinstance(right, t.Struct):
            warnings.unlike_columns(left, right, node, context)
    elif any(structs) and not t.overlap(left, right):
        raise AnalysisError(f"{node.name.upper()} takes rows of one kind, not {left} and {right}", where=node.where)
