"""The scope of an expression while it is compiled: the row that it sees, and where it binds what it mentions twice.

Catalyst does not share subexpressions that are written twice, and nesting such expressions explodes. So an operand
that an operator mentions more than once is bound to a name first (`Scope.let`): over a frame, as a column of an
intermediate select, in as few stages as dependencies allow; where there is no select (inside a lambda, in the
condition of an outer join) as the variable of a lambda (`lambda_names`).
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column

from firesteel import types as t
from firesteel.errors import EvaluationError, FiresteelError, PlanError, UnsupportedError
from firesteel.node import Node
from firesteel.source import Place, Span
from firesteel.spark.core import lambda_names
from firesteel.spark.core.expr import (
    Columns,
    Depth,
    Expr,
    Placement,
    StructParts,
    Variant,
    as_variant,
    column_expr,
    derive,
)
from firesteel.spark.core.fallback_log import FallbackLog
from firesteel.spark.core.limits import Limits
from firesteel.spark.core.variant_kinds import is_json, known_kind, may_be_tagged
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.failures import Failures
from firesteel.spark.encoding.kinds import WRITTEN
from firesteel.spark.encoding.kinds import VariantKind as Kind

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from firesteel.passes.analysis.paths import PathTree
    from firesteel.tables import Table

Where = Span | Place | None
Step = Callable[["DataFrame"], "DataFrame"]


@dataclass
class Run:
    """What one compilation shares: the session, the tables, the mode, fresh names, the messages of errors."""

    spark: SparkSession
    tables: Sequence[Table]
    strict: bool
    limits: Limits
    failures: Failures
    #: The nodes that have more than one parent.
    shared: frozenset[int] = frozenset()
    #: Are expressions refused that would run in Python?
    refuse: bool = False
    #: The expressions that run in Python.
    fallbacks: FallbackLog = field(default_factory=FallbackLog)
    #: The time of the run, in UTC: the same for all of the run, in Spark and in Python.
    now: datetime.datetime = field(default_factory=lambda: datetime.datetime.now(datetime.UTC))
    #: The paths that the plan uses of each table, by ordinal.
    touched: Mapping[int, PathTree] = field(default_factory=dict)
    #: The relations that several places refer to, and that are kept (`shared.Kept`).
    kept: Any = None
    #: The shapes of files (`known_shapes.KnownShapes`), if they may be used; and those that were.
    shapes: Any = None
    relied_on: list[Any] = field(default_factory=list)
    _names: int = 0
    #: How often each of the frames was asked for.
    _frames: Counter[object] = field(default_factory=Counter)

    def nth(self, frame: object) -> int:
        """How many times the frame was asked for before."""
        self._frames[frame] += 1
        return self._frames[frame] - 1

    def name(self) -> str:
        self._names += 1
        return f"c{self._names}"

    def error(
        self, message: str, where: Where, *dynamic_parts: Column, cls: type[FiresteelError] = EvaluationError
    ) -> Column:
        """A column that raises an error of ours when it is computed."""
        mark = self.failures.register(cls, where)
        if not dynamic_parts:
            return F.error(mark + message)
        return F.raise_error(F.concat(F.lit(mark + message), *(F.coalesce(part, F.lit("")) for part in dynamic_parts)))


class Stages:
    """Selects to put over a frame: what is bound in one stage can be mentioned in the next."""

    def __init__(self, facts: Mapping[tuple[str, str], Expr] | None = None) -> None:
        #: For every stage, the columns that its select adds, and the steps, from frame to frame, that follow it.
        self.levels: list[tuple[list[Column], list[Step]]] = []
        #: Facts about variants, by the fact (`kind`, `json` ...) and the name of the variant's column.
        self.facts: dict[tuple[str, str], Expr] = dict(facts or {})
        #: What shared nodes were bound to, by the ids of node and guard. A guard is kept, so that its id is not reused.
        self.nodes: dict[tuple[int, int], tuple[Expr, Guard | None]] = {}
        #: What nodes that run in Spark alone were compiled to, by the same ids.
        self.done: dict[tuple[int, int], Expr] = {}
        self._guards: list[Guard | None] = []

    def add(self, column: Column, stage: int) -> None:
        self._level(stage)[0].append(column)

    def add_step(self, step: Step, stage: int) -> None:
        """Add a step that is no select, such as `mapInArrow`."""
        self._level(stage)[1].append(step)

    def _level(self, stage: int) -> tuple[list[Column], list[Step]]:
        while len(self.levels) <= stage:
            self.levels.append(([], []))
        return self.levels[stage]

    def remember(self, node: Node, guard: Guard | None, expr: Expr) -> None:
        """Note what a node was compiled to under a guard."""
        self.done[id(node), id(guard)] = expr
        if not self._guards or self._guards[-1] is not guard:
            self._guards.append(guard)

    def forget(self, size: int) -> None:
        """Forget all shared nodes but the first `size`: what the later ones were bound to is not used after all."""
        for key in list(self.nodes)[size:]:
            del self.nodes[key]

    def apply(self, frame: DataFrame) -> DataFrame:
        for columns, steps in self.levels:
            if columns:
                frame = frame.select(F.col("*"), *columns)
            for step in steps:
                frame = step(frame)
        return frame


@dataclass(eq=False)
class Guard:
    """The condition under which expressions are needed: a CASE branch is taken, an operand of AND is reached. It is
    bound to a name with the first expression under it that may raise an error."""

    condition: Callable[[], Expr]
    outer: Guard | None
    bound: Expr | None = None


@dataclass(frozen=True, eq=False)
class Scope:
    """The current row, the rows around it, and the stages to bind in. Without stages, `bind` binds nothing."""

    run: Run
    row: tuple[Expr, ...] = ()
    outer: Scope | None = None
    stages: Stages | None = None
    #: Where bound columns are needed; elsewhere they must not raise an error.
    guard: Guard | None = None
    #: The number of lambdas around.
    nested: int = 0
    #: Is a wrong value MISSING here, even in strict mode?
    lenient: bool = False
    #: In the condition of a join, which has no stages: for each variable of the row, the scope of its side.
    sides: Mapping[int, Scope] = field(default_factory=dict)

    @property
    def strict(self) -> bool:
        return self.run.strict and not self.lenient

    def at(self, depth: int, where: Where) -> Scope:
        scope: Scope | None = self
        for _ in range(depth):
            scope = scope.outer if scope else None
        if scope is None:
            raise PlanError(f"no row at depth {depth} in scope", where=where)
        return scope

    def variable(self, ordinal: int, depth: int, where: Where) -> Expr:
        row = self.at(depth, where).row
        if not 0 <= ordinal < len(row):
            raise PlanError(f"no variable {ordinal} at depth {depth} in scope", where=where)
        return row[ordinal]

    def guarded(self, condition: Callable[[], Column], expr: Expr) -> Scope:
        """This scope with a guard: what is computed in it is needed only if the condition holds, which is made of
        `expr`. The condition is built late: most guards have nothing under them that may raise an error."""
        if self.stages is None:
            return self
        return replace(self, guard=Guard(lambda: derive(t.BOOL, condition(), expr), self.guard))

    def needed(self) -> Expr | None:
        """The guard, bound to a name; None if there is none."""
        guard = self.guard
        if guard is None:
            return None
        if guard.bound is None:
            around = replace(self, guard=guard.outer)
            condition, outer = guard.condition(), around.needed()
            if outer is not None:
                column = F.when(outer.plain, condition.plain).otherwise(F.lit(False))
                condition = derive(t.BOOL, column, condition, outer)
            guard.bound = replace(around, guard=None).bind(condition)
        return guard.bound

    def inner(self, row: tuple[Expr, ...], where: Where) -> Scope:
        """The scope inside a lambda over this row."""
        if self.nested >= self.run.limits.lambdas:
            raise UnsupportedError(
                f"queries nest more than {self.run.limits.lambdas} levels deep inside one row: "
                f"{self.run.limits.engine} cannot do that natively",
                where=where,
            )
        return Scope(self.run, row, self, None, None, self.nested + 1)

    # Binding ---------------------------------------------------------------------------------------------------------

    def let(self, exprs: Sequence[Expr], body: Callable[..., Expr]) -> Expr:
        """The body, over names for the expressions."""
        if self.stages is None:
            return lambda_names.let(self, exprs, body)
        return body(*(self.bind(expr) for expr in exprs))

    def bind(self, expr: Expr, *, dear: bool = False) -> Expr:
        """The expression, bound to a column name unless it is a name already or there are no stages. A variant, or an
        expression that is `dear` (costly), is bound by `F.once`: Catalyst does not inline it."""
        if expr.place.atomic or self.stages is None:
            return expr
        if isinstance(expr, StructParts):
            return self._bind_fields(expr)
        stage = expr.place.stage
        guard = self.needed() if expr.place.throws else None
        if guard is not None:
            stage = max(stage, guard.place.stage)
        dear = dear or isinstance(expr, Variant)
        assert isinstance(expr, Columns)
        names = [self._name(F.once(column) if dear else column, stage, guard) for column in expr.columns]
        named = expr.over_names(names).with_place(stage=stage + 1)
        if isinstance(expr, Variant) and isinstance(named, Variant):
            return replace(named, number=expr.number)
        return named

    def kind(self, expr: Expr) -> Expr:
        """The kind of a variant: bound once for every column, if there are stages."""
        known = known_kind(expr)
        if known is not None:
            return known

        def column() -> Expr:
            schema = self.schema(expr)
            if may_be_tagged(expr):
                return derive(t.STRING, variants.tagged_kind(expr.column, schema.plain), expr, schema)
            return derive(t.STRING, variants.kind_of_schema(schema.plain), schema)

        return self._bind_fact(expr, "kind", column)

    def schema(self, expr: Expr) -> Expr:
        """The `schema_of_variant`, such as `DECIMAL(3,1)`: bound once for every column."""
        if not self.tells(expr):
            return self._bind_fact(expr, "schema", lambda: derive(t.STRING, F.schema_of_variant(expr.column), expr))
        json = self.json(expr)
        column = F.when(variants.is_quoted(json.plain), F.lit(Kind.STRING)).otherwise(F.schema_of_variant(expr.column))
        return self._bind_fact(expr, "schema", lambda: derive(t.STRING, column, expr, json))

    def json(self, expr: Expr) -> Expr:
        """The JSON text of a variant, bound once for every column: no other conversion of a variant is as fast."""
        return self._bind_fact(expr, "json", lambda: derive(t.STRING, F.to_json(expr.column), expr))

    def text(self, expr: Expr) -> Expr:
        """The text of a variant of a kind in `WRITTEN` (string, boolean, number), bound once for every column. Casting
        this text is faster than getting another type out of the variant."""

        def column() -> Expr:
            kind, parts = self.kind(expr), [expr]
            whole = variants.cast_variant(expr.column, "string")
            found = F.when(variants.one_of(kind.column, *WRITTEN), whole)
            if self.tells(expr):
                parts.append(self.json(expr))
                found = variants.text_of_json(parts[-1].plain, kind.column, whole)
            return derive(t.absent(t.STRING, nullable=True), found, *parts, kind)

        return self._bind_fact(expr, "text", column)

    def tells(self, expr: Expr) -> bool:
        """Does the JSON text of a variant tell its kind, and can that text be bound?"""
        return (self.stages is not None or (isinstance(expr, Variant) and bool(expr.facts))) and is_json(expr)

    def _bind_fact(self, expr: Expr, what: str, make: Callable[[], Expr]) -> Expr:
        """A fact about a variant, bound once for every column that has a name."""
        if isinstance(expr, Variant):
            if expr.used is not None:
                expr.used.add(what)
            if what in expr.facts:
                return expr.facts[what]
        if self.stages is None or not expr.place.own:
            return self.bind(make(), dear=True)
        key = what, expr.place.names[0]
        if key not in self.stages.facts:
            self.stages.facts[key] = self.bind(make(), dear=True)
        return self.stages.facts[key]

    def variant(self, expr: Expr) -> tuple[Expr, Expr]:
        """The expression as a variant, and its kind."""
        if isinstance(expr, Variant):
            return expr, self.kind(expr)
        value = self.bind(derive(t.ANY, as_variant(expr), expr, cost=Depth.SMALL))
        return value, known_kind(expr) or self.kind(value)

    def _bind_fields(self, expr: StructParts) -> Expr:
        fields = tuple(self.bind(inner) for inner in expr.fields)
        found: list[Expr] = list(fields)
        present = None
        if expr.present is not None:
            found.append(self.bind(column_expr(t.BOOL, expr.present, stage=expr.place.stage, height=expr.place.height)))
            present = found[-1].plain
        place = Placement(
            stage=max((inner.place.stage for inner in found), default=0),
            atomic=True,
            names=tuple(name for inner in found for name in inner.place.names),
        )
        return replace(expr, fields=fields, present=present, place=place)

    def _name(self, column: Column, stage: int, guard: Expr | None) -> str:
        assert self.stages is not None
        name = self.run.name()
        self.stages.add((column if guard is None else F.when(guard.plain, column)).alias(name), stage)
        return name

    def lowered(self, expr: Expr) -> Expr:
        """The expression, bound to a name if it nests deeper than the limit for one expression."""
        if expr.place.height <= self.run.limits.height:
            return expr
        if self.stages is None and expr.place.height > self.run.limits.inline:
            raise UnsupportedError(
                f"an expression nests too deep inside a lambda: {self.run.limits.engine} goes to "
                f"{self.run.limits.inline} levels there"
            )
        return self.bind(expr)

    # Sharing ---------------------------------------------------------------------------------------------------------

    def shares(self, node: Node) -> bool:
        """Is the node used in several places, so that it should be computed once?"""
        return self.stages is not None and id(node) in self.run.shared

    def share(self, node: Node, handler: Callable[[Any, Any], Any]) -> Any:
        """What a shared node is compiled to here: a name, the same one wherever it is used in this scope."""
        assert self.stages is not None
        key = (id(node), id(self.guard))
        if key in self.stages.nodes:
            return self.stages.nodes[key][0]
        return self._share(key, node, handler)

    def _share(self, key: tuple[int, int], node: Node, handler: Callable[[Any, Any], Any]) -> Any:
        expr = handler(node, self)
        if isinstance(expr, Generator):
            expr = yield from expr
        assert self.stages is not None
        bound = self.bind(expr)
        self.stages.nodes[key] = (bound, self.guard)
        return bound

    # Errors ----------------------------------------------------------------------------------------------------------

    def wrong(self, message: str, where: Where, *parts: Column) -> Column | None:
        """What a wrong value is: an error in strict mode; in permissive mode None, which stands for MISSING."""
        return self.run.error(message, where, *parts) if self.strict else None
