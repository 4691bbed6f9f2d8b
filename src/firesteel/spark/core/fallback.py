"""Expressions without a native form: evaluated by the reference evaluator in Spark's Python workers.

Only the expression itself runs there. Native expressions below it stay in Spark, and the worker is given their columns;
of a row, it is given the attributes that the expression uses. Expressions below it that are not native become part of
it. The expression becomes one Arrow function: a column of an intermediate select, like anything else that is bound
(`scope.Scope`). Spark computes all such columns of one select in one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import UnsupportedError
from firesteel.node import Node, children, transform, walk
from firesteel.plan.scope import levels, replaced
from firesteel.spark.core.expr import UNKNOWN, Depth, Expr, StructParts, Variant, column_expr
from firesteel.spark.core.fallback_log import Attempt, Fallback
from firesteel.spark.core.python_calls import call_task
from firesteel.spark.core.scope import Run, Scope
from firesteel.spark.core.variant_kinds import possible_kinds
from firesteel.spark.core.worker import Job, Task, numbered_place, result_type
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.tables import Memory, Table

#: A table in memory is sent to the workers, with the expression, if it has no more values than this.
MAX_SHIPPED = 100_000

#: Results of these types are plain columns; results of any other type are variants.
_PLAIN = (t.Bool, t.Int64, t.Float64, t.String, t.Date)


def run_in_python(
    node: p.Rex, scope: Scope, error: UnsupportedError, attempt: Attempt, result: t.Type | None = None
) -> Expr:
    """Compile the expression to run in Python; raise the error if that is refused, or Python cannot run it either.

    `attempt` is the native compilation that failed: expressions below that run in Python become part of this one. The
    result has the type `result`, or else the expression's own type if that is one of `_PLAIN`, or else it is a variant.
    """
    run = scope.run
    if run.refuse:
        help_ = error.help or 'fallback="allow" runs it in Python instead'
        raise UnsupportedError(error.message, where=error.where or node.where, help=help_) from error
    rex, inputs = _close_over_inputs(node, scope)
    tables = _tables_to_ship(rex, run, error)
    guard = scope.needed()
    bound = [scope.bind(expr) for expr in inputs]
    if result is None:
        result = node.type if isinstance(t.proper(node.type), _PLAIN) else t.ANY
    number = run.failures.number(node.where)
    mode = p.Mode.STRICT if run.strict else p.Mode.PERMISSIVE
    job = Job(rex, mode, tables, run.now, tuple(expr.type for expr in bound), result, guard is not None, number)
    try:
        job.outcomes()
    except UnsupportedError:
        raise error from None
    job = replace(job, rex=_number_places(rex, run))
    given = [expr.column for expr in (bound if guard is None else [guard, *bound])]
    stage = max((expr.place.stage for expr in (bound if guard is None else [guard, *bound])), default=0)
    # Spark does not call a function without arguments once for every row.
    both = call_task(scope, Task(job.pickled()), given or [F.lit(True)], result_type(result), stage)
    attempt.becomes(Fallback(node, error.message))
    failed = both.column["e"]
    value = F.when(failed.isNotNull(), F.raise_error(failed)).otherwise(both.column["v"])
    return column_expr(result, value, stage=both.place.stage, height=Depth.SMALL, throws=True)


def run_in_python_below_join(node: p.Rex, scope: Scope, error: UnsupportedError, attempt: Attempt) -> Expr:
    """`instead` in the condition of a join: computed on the side that the expression uses, if it uses only one."""
    about = {scope.sides[ordinal] for depth, ordinal in _used_attributes(node) if depth == 0}
    if len(about) != 1:
        raise error
    return run_in_python(node, about.pop(), error, attempt)


def _tables_to_ship(rex: p.Rex, run: Run, error: UnsupportedError) -> tuple[Table | None, ...]:
    """The tables that the expression refers to; the error if one is not small, since every worker gets them."""
    referred = {node.ordinal for node in walk(rex, p.Global)}
    for ordinal in referred:
        source = run.tables[ordinal].source if 0 <= ordinal < len(run.tables) else None
        if not isinstance(source, Memory) or not _small(source.value):
            raise error
    return tuple(run.tables[i] if i in referred else None for i in range(max(referred, default=-1) + 1))


def _small(value: values.Value) -> bool:
    count, stack = 0, [value]
    while stack and count <= MAX_SHIPPED:
        count += 1
        stack.extend(values.items(stack.pop()) or ())
    return count <= MAX_SHIPPED


def _number_places(rex: p.Rex, run: Run) -> p.Rex:
    """The expression with numbers as its places: errors carry them back, and workers get no text of the query."""
    known: dict[Any, Any] = {}

    def place(node: Node) -> Node:
        if node.where is None:
            return node
        if node.where not in known:
            known[node.where] = numbered_place(run.failures.number(node.where))
        return node.at(known[node.where])

    return transform(rex, place)


# ---------------------------------------------------------------------------------------------------------------------
# The inputs of an expression


def _close_over_inputs(node: p.Rex, scope: Scope) -> tuple[p.Rex, list[Expr]]:
    """The expression, rewritten over one row of inputs; and the inputs."""
    assert scope.stages is not None
    done, eager, touched = scope.stages.done, _same_row_parts(node), _used_attributes(node)
    inputs: dict[Hashable, tuple[int, Expr]] = {}

    def input_var(part: p.Rex, level: int, key: Hashable, expr: Callable[[], Expr]) -> p.Var:
        if key not in inputs:
            inputs[key] = (len(inputs), expr())
        return p.Var(part.type, inputs[key][0], depth=level)

    def replacement(part: Node, level: int) -> Node | None:
        if isinstance(part, p.Var):
            key = (part.depth - level, part.ordinal)
            if key[0] < 0:
                return None
            return input_var(part, level, key, lambda: _narrow(part, scope, key[0], touched.get(key)))
        if level > 0 or part is node or not isinstance(part, p.Rex) or isinstance(part, p.Lit | p.Global):
            return None
        native = done.get((id(part), id(scope.guard)))
        if native is None or native.constant is not UNKNOWN or (native.place.throws and id(part) not in eager):
            return None
        if isinstance(part, p.Call) and _may_lose_zeros(native):
            return None
        return input_var(part, level, id(part), lambda: native)

    rex = replaced(node, replacement)
    return rex, [expr for _, expr in inputs.values()]


def _may_lose_zeros(computed: Expr) -> bool:
    """May it be a decimal that Spark computed without a scale? The evaluator's `1.50 * 2` is `3.00`, Spark's is `3`."""
    kinds = possible_kinds(computed) if isinstance(computed, Variant) else frozenset()
    return kinds is None or Kind.DECIMAL in kinds


def _same_row_parts(node: p.Rex) -> set[int]:
    """The ids of the expressions below that are in no subquery, and so see the same row."""
    found: set[int] = set()
    stack: list[Node] = [node]
    while stack:
        part = stack.pop()
        if id(part) not in found and not isinstance(part, p.Select | p.Pivot):
            found.add(id(part))
            stack.extend(children(part))
    return found


def _used_attributes(root: p.Rex) -> dict[tuple[int, int], set[str] | None]:
    """The attributes, in lower case, used of each variable (depth, ordinal); None if it is used as a whole."""
    found: dict[tuple[int, int], set[str] | None] = {}
    seen: set[tuple[int, int]] = set()
    stack: list[tuple[Node, int]] = [(root, 0)]
    while stack:
        node, level = stack.pop()
        if (id(node), level) in seen:
            continue
        seen.add((id(node), level))
        below = levels(node, level)
        if isinstance(node, p.Path) and isinstance(node.root, p.Var) and node.root.depth >= level:
            key = (node.root.depth - level, node.root.ordinal)
            name = _name(node)
            if name is not None:
                names = found.setdefault(key, set())
                if names is not None:
                    names.add(name.lower())
                below = [(kid, deep) for kid, deep in below if kid is not node.root]
        elif isinstance(node, p.Var) and node.depth >= level:
            found[node.depth - level, node.ordinal] = None
        stack.extend(below)
    return found


def _name(path: p.Path) -> str | None:
    match path.steps:
        case (p.Key(key=p.Lit(value=str() as name)), *_):
            return name
    return None


def _narrow(var: p.Var, scope: Scope, depth: int, names: set[str] | None) -> Expr:
    """The variable; a row is reduced to the attributes of these names."""
    expr = scope.variable(var.ordinal, depth, var.where)
    if names is None or not isinstance(expr, StructParts) or not isinstance(expr.type, t.Struct):
        return expr
    pairs = list(zip(expr.type.fields, expr.fields, strict=True))
    kept = [pair for pair in pairs if (pair[0].name or "").lower() in names] or pairs[:1]
    fields = tuple(inner for _, inner in kept)
    own = tuple(name for inner in fields for name in inner.place.names)
    marker = tuple(name for name in expr.place.names if all(name not in inner.place.names for inner in expr.fields))
    type_ = expr.type.replace(fields=tuple(field for field, _ in kept))
    return replace(expr, type=type_, fields=fields).with_place(names=own + marker)
