"""Compiles a plan to a DataFrame: registers the handlers of all nodes, and compiles the statement at the top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from firesteel import functions
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.functions import Lazy
from firesteel.passes.analysis.paths import touched_paths
from firesteel.spark.core import limits as plan_depth
from firesteel.spark.core.conversions import as_single_kind, fit, split_variant
from firesteel.spark.core.expr import Depth, Expr, StructParts, Variant, column_expr, missing_expr, null_expr
from firesteel.spark.core.fallback_log import FallbackLog
from firesteel.spark.core.handlers import (
    HANDLERS,
    NESTED,
    UNSUPPORTED,
    UNSUPPORTED_NESTED,
    Compiling,
    compile_expr,
    compile_rows,
    expr_of,
    handles,
)
from firesteel.spark.core.limits import Limits
from firesteel.spark.core.rows import Rows, apply_stages, one_row, project
from firesteel.spark.core.scope import Run, Scope
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import Form, common_type, form
from firesteel.spark.encoding.failures import Failures
from firesteel.spark.encoding.variants import from_entries
from firesteel.spark.relations import (  # noqa: F401  (they register)
    exclude,
    expressions,
    groups,
    scans,
    sets,
    unary,
    windows,
)
from firesteel.spark.relations.joins import frames, items  # noqa: F401
from firesteel.spark.relations.nested import groups as nested_groups  # noqa: F401
from firesteel.spark.relations.nested.relations import only_attribute, pivot_pair
from firesteel.spark.relations.physical import exchanges, expand, promises, top_n  # noqa: F401
from firesteel.spark.relations.physical.restoring import with_properties
from firesteel.spark.relations.shared import SharedRelations
from firesteel.spark.scalar import constant_lists, paths
from firesteel.spark.scalar import functions as calls
from firesteel.spark.sources.shapes.known_shapes import KnownShapes, Learned
from firesteel.spark.sql_text.recording import is_on

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from firesteel.tables import Table

UNSUPPORTED_NESTED[p.Window] = "window functions over a row's own collections have no native form"
UNSUPPORTED_NESTED.update(
    dict.fromkeys(
        (p.Exchange, p.MergingCapture, p.SimpleCapture, p.TopN, p.Expand, p.Promised),
        "a physical relation over a row's own collections has no native form",
    )
)


@handles(p.Call)
def _call(node: p.Call, scope: Scope) -> Compiling[Expr]:
    args: list[Expr | t.Type] = []
    here = scope
    listed = constant_lists.constants(node.args[1]) if node.fn.name == "in_collection" else []
    row = functions.find(node.fn.name)
    lazy = None if row is None else row.lazy
    for arg in plan_depth.operands(node):
        if isinstance(arg, t.Type):
            args.append(arg)
            continue
        value = here.lowered((yield from expr_of(arg, here)))
        if lazy and value.place.throws and isinstance(value, Variant):
            # It would be bound anyway: bind it in this scope, whose guard says when it is evaluated.
            value = here.bind(value)
        args.append(value)
        if listed:
            known = split_variant(as_single_kind(value))
            if constant_lists.applies(known, len(listed)):  # the list is not compiled to columns
                return constant_lists.in_constants(scope, known, listed, node.where)
        if lazy and here.stages is not None:
            here = _scope_after(lazy, here, value)
    return calls.apply(scope, node.fn, args, node.where)


def _scope_after(lazy: Lazy, scope: Scope, before: Expr) -> Scope:
    """The scope of an argument that is evaluated only if the one before it has not decided the result."""
    if lazy is Lazy.UNTIL_PRESENT:
        return scope.guarded(lambda: _or_false(before.is_absent()), before)
    if not isinstance(before.type, t.Bool):
        return scope
    return scope.guarded(lambda: F.coalesce(before.plain != F.lit(lazy is Lazy.UNTIL_TRUE), F.lit(True)), before)


def _or_false(test: Column | None) -> Column:
    return F.lit(False) if test is None else test


@dataclass(frozen=True)
class Compiled:
    """Rows, and how their columns make the answer."""

    rows: Rows
    #: The encoding of each column.
    types: tuple[t.Type, ...]
    #: `rows` of a relation, by name; `values`, one per row; `value`, the only one.
    shape: str
    names: tuple[str, ...]
    #: Is it a list? None if that depends on the data (see `decided`).
    ordered: bool | None
    #: The class of collection that values are gathered in.
    kind: type[t.Type]
    failures: Failures
    #: The rows in partitions of which the plan's properties are true, where `rows` are not; or why they cannot be made.
    in_partitions: Rows | UnsupportedError | None = None
    #: The shapes of files that were taken as known. The plan is wrong for a file that has changed.
    relies_on: tuple[Learned, ...] = ()

    def for_partitions(self) -> Compiled:
        """The same, for who sees the partitions: in a DataFrame, or as files."""
        if isinstance(self.in_partitions, UnsupportedError):
            raise self.in_partitions
        return self if self.in_partitions is None else replace(self, rows=self.in_partitions, in_partitions=None)

    def decided(self) -> Compiled:
        """The same, with `ordered` known: if it depends on the data, this runs a Spark job."""
        if self.ordered is not None:
            return self
        ordered = all(row[0] is not False for test in self.rows.listed for row in test().collect())
        return replace(self, ordered=ordered, kind=t.Array if ordered and self.shape == "values" else t.Bag)

    def __post_init__(self) -> None:
        """Build the frame now, so that Spark's analysis errors come now; unless `named_parts` may do without it, or
        there is only a text."""
        if self.shape != "rows" and self._struct() is None and not is_on():
            assert self.frame is not None

    @cached_property
    def frame(self) -> DataFrame:
        """A column for every column of the rows, encoded by its type."""
        return self.rows.picked([(f"o{i}", expr) for i, expr in enumerate(self.rows.columns)])

    def _struct(self) -> StructParts | None:
        """The value of a row, if it is a struct whose attributes are separate columns."""
        match self.rows.columns:
            case (StructParts() as struct,) if self.shape != "rows":
                return None if struct.type.absent or form(struct.type) is Form.VARIANT else struct
        return None

    def named_parts(self) -> list[tuple[str, Expr]] | None:
        """The attributes by name: of rows, or of structs whose attributes are separate columns."""
        if self.shape == "rows":
            return list(zip(self.names, self.rows.columns, strict=True))
        struct = self._struct()
        return None if struct is None else list(struct.named)


def compile_plan(
    plan: p.Plan,
    tables: Sequence[Table],
    spark: SparkSession,
    limits: Limits,
    failures: Failures,
    fallbacks: FallbackLog | None = None,
    refuse: bool = False,
    kept: SharedRelations | None = None,
    shapes: KnownShapes | None = None,
) -> Compiled:
    """Compile a plan's statement. Expressions that run in Python are added to `fallbacks`, or refused."""
    statement = plan.statement
    if isinstance(statement, p.CreateView):
        raise UnsupportedError(f"creating the view '{statement.name}' is for a session to do", where=statement.where)
    if not isinstance(statement, p.Query | p.Root):
        raise UnsupportedError(f"cannot run a '{statement.tag}' statement on Spark", where=statement.where)
    plan_depth.ensure(statement, limits)
    shared = plan_depth.shared(statement)
    log = FallbackLog() if fallbacks is None else fallbacks
    run = Run(spark, tables, statement.mode is p.Mode.STRICT, limits, failures, shared, refuse, log)
    run.touched = touched_paths(plan)
    run.kept = kept if kept is not None else SharedRelations(failures=failures)
    run.shapes = shapes
    top = Scope(run)
    compiled = _root(statement, top) if isinstance(statement, p.Root) else _query(statement.rex, top)
    return replace(compiled, relies_on=tuple(run.relied_on)) if run.relied_on else compiled


def _root(statement: p.Root, top: Scope) -> Compiled:
    rows = compile_rows(statement.input, top)
    if len(rows.columns) != len(statement.names):
        raise PlanError(f"{len(statement.names)} names for {len(rows.columns)} columns", where=statement.where)
    types = tuple(expr.type for expr in rows.columns)
    failures = top.run.failures
    placed = _in_partitions(rows, statement.input, top)
    return Compiled(rows, types, "rows", statement.names, rows.ordered, t.Bag, failures, placed)


def _in_partitions(rows: Rows, rel: p.Rel, top: Scope) -> Rows | UnsupportedError | None:
    """The rows of the statement's relation with its properties (`restoring`). That they cannot be made is an error only
    for who asks for partitions."""
    try:
        return with_properties(rows, rel, top)
    except UnsupportedError as error:
        return error


def _query(node: p.Rex, top: Scope) -> Compiled:
    failures = top.run.failures
    if isinstance(node, p.Path) and paths.ranges(node):
        node = paths.as_query(node)
    if isinstance(node, p.Select):
        source = compile_rows(node.input, top)
        rows = _constructed(node, source, top)
        (expr,) = rows.columns
        kind: type[t.Type] = type(node.type)
        if not isinstance(node.type, t.Collection):
            kind = t.Array if rows.ordered else t.Bag
        ordered = None if rows.ordered is None and not isinstance(node.type, t.Collection) else kind is not t.Bag
        rows = replace(rows, order=()) if ordered is False else rows
        placed = _in_partitions(source, node.input, top)
        if isinstance(placed, Rows):
            again = top.run.fallbacks.begin()
            placed = _constructed(node, placed, top)
            again.abandon()  # what runs in Python is noted once
        return Compiled(rows, (expr.type,), "values", ("value",), ordered, kind, failures, placed)
    if isinstance(node, p.CollToScalar) and isinstance(node.query, p.Select):
        rows = _scalar(node, node.query, top)
    elif isinstance(node, p.Pivot):
        rows = _pivoted(node, top)
    else:
        rows = one_row(top.run)
        scope = rows.scope(top)
        rows = project(rows, scope, [compile_expr(node, scope)], node.where)
    (expr,) = rows.columns
    return Compiled(rows, (expr.type,), "value", ("value",), False, t.Bag, failures)


def _constructed(node: p.Select, rows: Rows, top: Scope) -> Rows:
    scope = rows.scope(top)
    return project(rows, scope, [compile_expr(node.constructor, scope)], node.where)


def _scalar(node: p.CollToScalar, query: p.Select, top: Scope) -> Rows:
    """The only attribute of the only row."""
    rows = _constructed(query, compile_rows(query.input, top), top)
    (expr,) = rows.columns
    name, count = top.run.name(), top.run.name()
    frame = rows.materialize().groupBy().agg(F.first(expr.column).alias(name), F.count(F.lit(1)).alias(count))
    group = Rows(
        frame, (column_expr(expr.type, F.col(name), atomic=True, names=(name, count)),), operators=rows.operators + 1
    )
    scope = group.scope(top)
    attr = scope.bind(only_attribute(scope, group.columns[0], node))
    type_ = common_type((attr.type, t.NULL, t.MISSING))
    wrong = scope.wrong("a scalar subquery gives one row", node.where)
    many = fit(missing_expr(), type_) if wrong is None else wrong
    size = F.col(count)
    column = F.when(size == 0, fit(null_expr(), type_)).when(size == 1, fit(attr, type_)).otherwise(many)
    return project(group, scope, [column_expr(type_, column, stage=attr.place.stage, throws=True)], node.where)


def _pivoted(node: p.Pivot, top: Scope) -> Rows:
    rows = compile_rows(node.input, top)
    scope = rows.scope(top)
    key = scope.bind(compile_expr(node.key, scope))
    value = scope.bind(compile_expr(node.value, scope))
    pair = pivot_pair(scope, key, value, node.where)
    rows = apply_stages(rows, scope, node.where)
    name = top.run.name()
    frame = rows.materialize().groupBy().agg(F.collect_list(pair).alias(name))
    group = Rows(frame, (), operators=rows.operators + 1)
    struct = column_expr(t.STRUCT, from_entries(F.col(name)), height=Depth.LARGE)
    return project(group, group.scope(top), [struct], node.where)


__all__ = ["HANDLERS", "NESTED", "UNSUPPORTED", "UNSUPPORTED_NESTED", "Compiled", "compile_plan"]
