"""GROUP BY, aggregates and window functions: each becomes a column that the relation below computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from firesteel import functions
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import AnalysisError, PlanError, UnsupportedError
from firesteel.node import Node, children, transform
from firesteel.partiql import ast
from firesteel.partiql.lower.calls.resolve import ensure_arguments, row_of, user_of
from firesteel.partiql.lower.context import Lowering, QueryContext
from firesteel.partiql.lower.scope import NameScope, fold_case
from firesteel.plan import build
from firesteel.plan.scope import shifted


def is_aggregate(node: Node) -> bool:
    """Is it a call of one of SQL's aggregates, not over a window?"""
    if not isinstance(node, ast.Call) or node.over is not None:
        return False
    row, user = row_of(node), user_of(node)
    return (row is not None and row.kind is functions.Kind.AGGREGATE) or (user is not None and user.kind == "aggregate")


def has_aggregates(*nodes: ast.Ast | None) -> bool:
    """Is there an aggregate that belongs to this block, and not to a query inside it?"""
    stack: list[Node] = [node for node in nodes if node is not None]
    while stack:
        node = stack.pop()
        if is_aggregate(node):
            return True
        if not isinstance(node, ast.Select):
            stack.extend(children(node))
    return False


@dataclass
class Grouping:
    """The row after GROUP BY: keys first, then the aggregates that expressions ask for, in the order they do."""

    before: NameScope
    keys: list[p.Rex]
    written: list[ast.Ast]
    types: list[t.Type] = field(default_factory=list)
    aggs: list[p.Agg] = field(default_factory=list)
    places: dict[p.Agg, int] = field(default_factory=dict)

    def column(self, agg: p.Agg) -> int:
        """The column of an aggregate; one that is asked for twice is computed once."""
        if agg not in self.places:
            self.places[agg] = len(self.keys) + len(self.aggs)
            self.aggs.append(agg)
            self.types.append(agg.type)
        return self.places[agg]


def output_of(node: ast.Ast, scope: NameScope) -> p.Rex | None:
    """The column of an expression that is written like a group key, or like an item of a query's select list."""
    around: NameScope | None = scope
    depth = -1
    while around is not None:
        frame, depth, around = around.frame, depth + 1, around.outer
        grouping = frame.grouping
        if frame.written:
            like = fold_case(node)
            found = next((rex for written, rex in frame.written if written == like), None)
            if found is not None:
                return shifted(found, depth)
        if grouping is None or not grouping.keys:
            continue
        like = fold_case(node)
        for i, written in enumerate(grouping.written):
            if written == like:
                return p.Var(grouping.types[i], i, depth=depth)
    return None


def lower_aggregate(node: ast.Call, scope: NameScope, context: QueryContext) -> Lowering:
    """An aggregate becomes a column of the innermost grouped row."""
    for depth, frame in scope.frames():
        grouping = frame.grouping
        if grouping is None:
            continue
        if node.filter is not None:
            raise AnalysisError("FILTER of an aggregate is not supported", where=node.where)
        before = replace(grouping.before, ordering=scope.ordering)
        given, keys = _in_order(node)
        args: list[p.Rex] = []
        for arg in given:
            args.append((yield arg, before, "value"))
        order: list[p.SortSpec] = []
        for key in keys:
            order.append(p.SortSpec((yield key.key, before, "value"), sort_order(key)))
        agg = _agg(node, args).replace(order=tuple(order))
        made = p.Var(agg.type, grouping.column(agg), depth=depth)
        return build.call(node.row, made) if node.row else made
    raise AnalysisError(f"'{node.name}' aggregates the rows of a query, and there is none", where=node.where)


def _in_order(node: ast.Call) -> tuple[Sequence[ast.Expr], Sequence[ast.SortKey]]:
    """The arguments of an aggregate, and the order of its rows: `WITHIN GROUP (ORDER BY k)`, or ORDER BY behind the
    last argument, which the parser reads as a query of that argument."""
    row = functions.find("array_agg") if node.row else row_of(node)
    ordered = row is not None and not row.ignores_order
    match node.args:
        case (*first, ast.Query(withs=(), preserve=False, limit=None, offset=None) as last) if ordered:
            return [*first, last.body], [*last.order, *node.order]
    if node.order and not ordered:
        raise AnalysisError(f"the order of rows makes no difference to '{node.name}'", where=node.where)
    return node.args, node.order


def _agg(node: ast.Call, args: list[p.Rex]) -> p.Agg:
    row, user = row_of(node), user_of(node)
    assert row is not None
    if user is not None:  # a user's aggregate is a function of all values: of a list, or of a list of lists
        ensure_arguments(user, len(args), node)
        one = args[0] if len(args) == 1 else build.collection(t.Array, args)
        return build.agg("array_agg", one, distinct=node.quantifier == "distinct")
    if node.star:
        if row.name != "count":
            raise AnalysisError(f"'{node.name}' takes no *", where=node.where, help="count(*) does")
        return build.agg("count_star")
    try:
        return build.agg(row.name, *args, distinct=node.quantifier == "distinct")
    except PlanError as error:
        raise AnalysisError(error.message, where=node.where, help=error.help) from None


@dataclass
class Windows:
    """The window calls of a block: columns behind those of its row, whose number is known when the block is done."""

    named: dict[str, ast.Window]
    calls: list[p.WindowCall] = field(default_factory=list)

    def column(self, call: p.WindowCall) -> int:
        if call not in self.calls:
            self.calls.append(call)
        return _LATER + self.calls.index(call)


#: Ordinals of window columns until the width of the row is known.
_LATER = 1_000_000


def settled(rex: p.Rex, width: int) -> p.Rex:
    """The expression with the final ordinals of its window columns, which follow a row of this width."""
    return transform(
        rex,
        lambda n: n.replace(ordinal=n.ordinal - _LATER + width) if isinstance(n, p.Var) and n.ordinal >= _LATER else n,
    )


def lower_window(node: ast.Call, scope: NameScope, context: QueryContext) -> Lowering:
    """A window call becomes a column of the row that it is computed for."""
    windows = scope.frame.windows
    if windows is None:
        raise AnalysisError(f"'{node.name}' OVER a window stands only in SELECT and ORDER BY", where=node.where)
    row = row_of(node)
    if row is None or row.kind is functions.Kind.SCALAR:
        raise AnalysisError(f"no window function '{node.name}'", where=node.where)
    if node.filter is not None or node.nulls is not None or node.order:
        raise UnsupportedError(
            "FILTER, IGNORE NULLS and WITHIN GROUP of a window function are not supported", where=node.where
        )
    args: list[p.Rex] = []
    for arg in node.args:
        args.append((yield arg, scope, "value"))
    name = "count_star" if row.name == "count" and node.star else row.name
    over = _window_of(node, windows)
    partition: list[p.Rex] = []
    for key in over.partition:
        partition.append((yield key, scope, "value"))
    order: list[p.SortSpec] = []
    for sort_key in over.order:
        order.append(p.SortSpec((yield sort_key.key, replace(scope, ordering=True), "value"), sort_order(sort_key)))
    frame = (yield from _frame(over.frame, scope)) if over.frame else None
    try:
        fn = build.signature(name, args)
    except PlanError as error:
        raise AnalysisError(error.message, where=node.where, help=error.help) from None
    distinct = node.quantifier == "distinct"
    call = p.WindowCall(fn, tuple(args), tuple(partition), tuple(order), frame=frame, distinct=distinct)
    return p.Var(call.type, windows.column(call))


def _window_of(node: ast.Call, windows: Windows) -> ast.Window:
    """What follows OVER; a name stands for the window that WINDOW gave it, which it may add to."""
    over = node.over
    assert over is not None
    if over.name is None:
        return over
    known = windows.named.get(over.name.text.lower())
    if known is None:
        raise AnalysisError(f"no window '{over.name.text}'", where=over.name.where)
    return known.replace(
        partition=known.partition or over.partition,
        order=known.order or over.order,
        frame=over.frame or known.frame,
    )


def _frame(frame: ast.Frame, scope: NameScope) -> Lowering:
    if frame.exclude not in (None, "no others"):
        raise UnsupportedError(f"EXCLUDE {frame.exclude.upper()} of a frame is not supported", where=frame.where)
    bounds = []
    for bound in (frame.start, frame.end or ast.Bound("current")):
        offset = (yield bound.offset, scope, "value") if bound.offset else None
        bounds.append(p.Bound(p.BoundSide(bound.side), offset))
    return p.Frame(p.FrameUnit(frame.unit), *bounds)


def sort_order(key: ast.SortKey) -> p.SortOrder:
    """The sort order. Absent values come last with ASC and first with DESC, unless NULLS FIRST or LAST is written."""
    descending = key.direction == "desc"
    first = key.nulls == "first" if key.nulls else descending
    return p.SortOrder[f"{'DESC' if descending else 'ASC'}_NULLS_{'FIRST' if first else 'LAST'}"]
