"""A plan as a DataFrame: the handlers of all nodes, and what stands at the top."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.node import drive
from firesteel.spark import depth, group, joins, nested, paths, rel, rex, scans, sets  # noqa: F401  (they register)
from firesteel.spark import functions as calls
from firesteel.spark.depth import Limits
from firesteel.spark.dynamic import from_entries
from firesteel.spark.encoding import common
from firesteel.spark.expr import Expr, fit, missing_expr, null_expr
from firesteel.spark.failures import Failures
from firesteel.spark.handlers import HANDLERS, NESTED, UNSUPPORTED, UNSUPPORTED_NESTED, dispatch, handles
from firesteel.spark.nested import only_attribute, pivot_pair
from firesteel.spark.rows import Rows, one_row, projected, staged
from firesteel.spark.scope import Run, Scope, Where

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from firesteel.tables import Table

UNSUPPORTED.update(
    {
        p.Window: "window functions have no native form yet",
        p.WindowCall: "window functions have no native form yet",
        p.Exclude: "EXCLUDE has no native form yet",
    }
)
UNSUPPORTED_NESTED.update(
    {
        p.Window: "window functions have no native form yet",
        p.Exclude: "EXCLUDE has no native form yet",
        p.Distinct: "DISTINCT over a row's own collections is not native yet",
        p.Sort: "ORDER BY over a row's own collections, inside an expression, is not native yet",
        p.Union: "set operators over a row's own collections are not native yet",
        p.Intersect: "set operators over a row's own collections are not native yet",
        p.Except: "set operators over a row's own collections are not native yet",
    }
)


@handles(p.Call)
def _call(node: p.Call, scope: Scope) -> Generator[Any, Any, Expr]:
    args: list[Expr | t.Type] = []
    here = scope
    lazy = node.fn.name in ("and", "or", "coalesce")
    for arg in depth.operands(node):
        if isinstance(arg, t.Type):
            args.append(arg)
            continue
        made = here.lowered((yield arg, here))
        args.append(made)
        if lazy and here.stages is not None:
            here = _after(node.fn.name, here, made)
    return calls.apply(scope, node.fn.name, args, node.where)


def _after(name: str, scope: Scope, before: Expr) -> Scope:
    """The scope of an argument that is looked at only if the one before it has not decided the matter."""
    if name == "coalesce":
        absent = before.is_absent()
        return scope.guarded(F.lit(False) if absent is None else absent, before)
    if not isinstance(before.type, t.Bool):
        return scope
    return scope.guarded(F.coalesce(before.plain != F.lit(name == "or"), F.lit(True)), before)


@dataclass(frozen=True)
class Compiled:
    """A frame, and how its columns make the answer."""

    frame: DataFrame
    #: The encoding of each column.
    types: tuple[t.Type, ...]
    #: `rows` of a relation, by name; `values`, one per row; `value`, the only one.
    shape: str
    names: tuple[str, ...]
    ordered: bool
    #: The class of collection that values are gathered in.
    kind: type[t.Type]
    failures: Failures


def compile_plan(
    plan: p.Plan, tables: Sequence[Table], spark: SparkSession, limits: Limits, failures: Failures
) -> Compiled:
    """The frame of a plan's statement."""
    statement = plan.statement
    if isinstance(statement, p.CreateView):
        raise UnsupportedError(f"creating the view '{statement.name}' is for a session to do", where=statement.where)
    if not isinstance(statement, p.Query | p.Root):
        raise UnsupportedError(f"cannot run a '{statement.tag}' statement on Spark", where=statement.where)
    depth.ensure(statement, limits)
    shared = depth.shared(statement)
    run = Run(spark, tables, statement.mode is p.Mode.STRICT, limits, failures, shared)
    top = Scope(run)
    if isinstance(statement, p.Root):
        return _root(statement, top)
    return _query(statement.rex, top)


def _root(statement: p.Root, top: Scope) -> Compiled:
    rows: Rows = drive(dispatch, statement.input, top)
    if len(rows.columns) != len(statement.names):
        raise PlanError(f"{len(statement.names)} names for {len(rows.columns)} columns", where=statement.where)
    frame = _encoded(rows)
    types = tuple(expr.type for expr in rows.columns)
    failures = top.run.failures
    return Compiled(frame, types, "rows", statement.names, _certain(rows, statement.where), t.Bag, failures)


def _certain(rows: Rows, where: Where) -> bool:
    """Is it a list? A join of a list with collections of unknown type is one if all of those are."""
    if rows.ordered is None:
        raise UnsupportedError(
            "only the run could tell whether the result is a list or a bag: that is not native on Spark yet",
            where=where,
            help="ask for a bag or an array",
        )
    return rows.ordered


def _encoded(rows: Rows) -> DataFrame:
    columns = [expr.column.alias(f"o{i}") for i, expr in enumerate(rows.columns)]
    return rows.in_order().select(*columns)


def _query(node: p.Rex, top: Scope) -> Compiled:
    failures = top.run.failures
    if isinstance(node, p.Select):
        rows = _selected(node, top)
        (expr,) = rows.columns
        kind: type[t.Type] = type(node.type)
        if not isinstance(node.type, t.Collection):
            kind = t.Array if _certain(rows, node.where) else t.Bag
        ordered = kind is not t.Bag
        frame = _encoded(rows if ordered else replace(rows, order=()))
        return Compiled(frame, (expr.type,), "values", ("value",), ordered, kind, failures)
    if isinstance(node, p.CollToScalar) and isinstance(node.query, p.Select):
        rows = _scalar(node, node.query, top)
    elif isinstance(node, p.Pivot):
        rows = _pivoted(node, top)
    else:
        rows = one_row(top.run)
        scope = rows.scope(top)
        rows = projected(rows, scope, [drive(dispatch, node, scope)], node.where)
    (expr,) = rows.columns
    return Compiled(_encoded(rows), (expr.type,), "value", ("value",), False, t.Bag, failures)


def _selected(node: p.Select, top: Scope) -> Rows:
    rows: Rows = drive(dispatch, node.input, top)
    scope = rows.scope(top)
    return projected(rows, scope, [drive(dispatch, node.constructor, scope)], node.where)


def _scalar(node: p.CollToScalar, query: p.Select, top: Scope) -> Rows:
    """The only attribute of the only row."""
    rows = _selected(query, top)
    (expr,) = rows.columns
    name, count = top.run.name(), top.run.name()
    frame = rows.frame.groupBy().agg(F.first(expr.column).alias(name), F.count(F.lit(1)).alias(count))
    one = Rows(frame, (Expr(expr.type, F.col(name), atomic=True, names=(name, count)),), operators=rows.operators + 1)
    scope = one.scope(top)
    found = scope.bind(only_attribute(scope, one.columns[0], node))
    type_ = common((found.type, t.NULL, t.MISSING))
    wrong = scope.wrong("a scalar subquery gives one row", node.where)
    many = fit(missing_expr(), type_) if wrong is None else wrong
    size = F.col(count)
    column = F.when(size == 0, fit(null_expr(), type_)).when(size == 1, fit(found, type_)).otherwise(many)
    return projected(one, scope, [Expr(type_, column, stage=found.stage, throws=True)], node.where)


def _pivoted(node: p.Pivot, top: Scope) -> Rows:
    rows: Rows = drive(dispatch, node.input, top)
    scope = rows.scope(top)
    key = scope.bind(drive(dispatch, node.key, scope))
    value = scope.bind(drive(dispatch, node.value, scope))
    pair = pivot_pair(scope, key, value, node.where)
    rows = staged(rows, scope, node.where)
    name = top.run.name()
    frame = rows.frame.groupBy().agg(F.collect_list(pair).alias(name))
    one = Rows(frame, (), operators=rows.operators + 1)
    made = Expr(t.STRUCT, from_entries(F.col(name)), height=8)
    return projected(one, one.scope(top), [made], node.where)


__all__ = ["HANDLERS", "NESTED", "UNSUPPORTED", "UNSUPPORTED_NESTED", "Compiled", "compile_plan"]
