"""Relations, except joins: each gives all its rows, from the bottom up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cmp_to_key
from typing import Any

from firesteel import plan as p
from firesteel.errors import EvaluationError, PlanError
from firesteel.evaluate.base import CompileContext, Env, Fail, RelClosure, RexClosure, Row, Rows, handles
from firesteel.evaluate.kinds import kind, show
from firesteel.values import MISSING, Bag, Key, Struct, Value, absent, hash_keys, key

Compiling = Generator[Any, Any, RelClosure]

# ---------------------------------------------------------------------------------------------------------------------
# From values to relations


@handles(p.Scan)
def _scan(node: p.Scan, context: CompileContext) -> Compiling:
    rex: RexClosure = yield node.rex, context
    range_over = _ranging(node, context)

    def run(env: Env) -> Rows:
        value = rex(env)
        if type(value) is list and not node.identified:
            return Rows([(item,) for item in value], True)
        items, ids, ordered = range_over(value)
        if ids is None:
            return Rows([(item,) for item in items], ordered)
        return Rows(list(zip(items, ids, strict=True)), ordered)

    return run


@handles(p.ScanIndexed)
def _scan_indexed(node: p.ScanIndexed, context: CompileContext) -> Compiling:
    rex: RexClosure = yield node.rex, context
    range_over = _ranging(node, context)
    fail = context.failing(node.where)

    def run(env: Env) -> Rows:
        items, ids, ordered = range_over(rex(env))
        indexes: list[Value] = list(range(len(items)))
        if not ordered:
            fail("AT takes arrays: the elements of a bag have no index")
            indexes = [MISSING] * len(items)
        columns = (items, indexes) if ids is None else (items, indexes, ids)
        return Rows(list(zip(*columns, strict=True)), ordered)

    return run


def _ranging(
    node: p.Scan | p.ScanIndexed, context: CompileContext
) -> Callable[[Value], tuple[list[Value], list[Value] | None, bool]]:
    """What ranging over a value gives: its elements, their identifiers if they are asked for, is it a list?"""
    fail = context.failing(node.where)
    table = context.tables[node.rex.ordinal] if isinstance(node.rex, p.Global) else None

    def range_over(value: Value) -> tuple[list[Value], list[Value] | None, bool]:
        ordered = isinstance(value, list)
        if ordered or isinstance(value, Bag):
            items: list[Value] = value if ordered else value.items
        else:
            fail("FROM takes collections, not {}", kind(value))
            return [value], [MISSING] if node.identified else None, False
        if not node.identified:
            return items, None, ordered
        return items, [MISSING] * len(items) if table is None else list(table.identifiers(items)), ordered

    return range_over


@handles(p.Unpivot)
def _unpivot(node: p.Unpivot, context: CompileContext) -> Compiling:
    rex: RexClosure = yield node.rex, context
    fail = context.failing(node.where)

    def run(env: Env) -> Rows:
        value = rex(env)
        if isinstance(value, Struct):
            return Rows(list(value.pairs), False)
        fail("UNPIVOT takes structs, not {}", kind(value))
        return Rows([] if value is MISSING else [("_1", value)], False)

    return run


# ---------------------------------------------------------------------------------------------------------------------
# Row by row


@handles(p.Project)
def _project(node: p.Project, context: CompileContext) -> Compiling:
    source: RelClosure = yield node.input, context
    exprs: list[RexClosure] = []
    for expr in node.exprs:
        exprs.append((yield expr, context))

    def run(env: Env) -> Rows:
        rows, ordered = source(env)
        made: list[Row] = []
        for row in rows:
            inner = Env(row, env)
            made.append(tuple([expr(inner) for expr in exprs]))
        return Rows(made, ordered)

    return run


@handles(p.Filter)
def _filter(node: p.Filter, context: CompileContext) -> Compiling:
    source: RelClosure = yield node.input, context
    predicate: RexClosure = yield node.predicate, context
    fail = context.failing(node.predicate.where or node.where)

    def run(env: Env) -> Rows:
        rows, ordered = source(env)
        kept: list[Row] = []
        for row in rows:
            held = predicate(Env(row, env))
            if held is True or (held is not False and holds(held, fail)):
                kept.append(row)
        return Rows(kept, ordered)

    return run


def holds(value: Value, fail: Fail) -> bool:
    """Is a condition true? What is not a boolean is MISSING, which is not true."""
    if not (value is True or value is False or value is None or value is MISSING):
        fail("a condition is a boolean, not {}", kind(value))
    return value is True


@handles(p.Distinct)
def _each_once(node: p.Distinct, context: CompileContext) -> Compiling:
    source: RelClosure = yield node.input, context

    def run(env: Env) -> Rows:
        return Rows(_distinct(source(env).rows), False)

    return run


@handles(p.Shared)
def _shared(node: p.Shared, context: CompileContext) -> Compiling:
    source: RelClosure = yield node.input, context

    def run(_: Env) -> Rows:
        if node.name not in context.shared:
            context.shared[node.name] = source(Env())
        return context.shared[node.name]

    return run


@handles(p.Limit)
def _limit(node: p.Limit, context: CompileContext) -> Compiling:
    source: RelClosure = yield node.input, context
    count: RexClosure = yield node.count, context

    def run(env: Env) -> Rows:
        rows, ordered = source(env)
        size = count(Env((), env))
        if type(size) is not int or size < 0:
            raise EvaluationError(f"LIMIT takes a number of rows, not {show(size)}", where=node.where)
        return Rows(rows[:size], ordered)

    return run


@handles(p.Offset)
def _offset(node: p.Offset, context: CompileContext) -> Compiling:
    source: RelClosure = yield node.input, context
    count: RexClosure = yield node.count, context
    fail = context.failing(node.where)

    def run(env: Env) -> Rows:
        rows, ordered = source(env)
        size = count(Env((), env))
        if type(size) is not int or size < 0:
            # The conformance suite: forgiven, it skips nothing. A wrong LIMIT would give more than was asked for.
            fail("OFFSET takes a number of rows, not {}", show(size))
            return Rows(rows, ordered)
        return Rows(rows[size:], ordered)

    return run


@handles(p.Sort)
def _sort(node: p.Sort, context: CompileContext) -> Compiling:
    source: RelClosure = yield node.input, context
    keys: list[RexClosure] = []
    for spec in node.specs:
        keys.append((yield spec.key, context))

    def run(env: Env) -> Rows:
        rows = source(env).rows
        scopes = [Env(row, env) for row in rows]
        columns = [[expr(scope) for scope in scopes] for expr in keys]
        return Rows([rows[i] for i in sorted_order(len(rows), columns, node.specs)], True)

    return run


def sorted_order(count: int, columns: Sequence[Sequence[Value]], specs: Sequence[p.SortSpec]) -> list[int]:
    """The places of so many rows in the order of their keys, of which there is a column each."""
    order = list(range(count))
    # Stable, so sorting by the last key first and by the first key last sorts by all.
    for values, spec in zip(reversed(columns), reversed(specs), strict=True):
        order.sort(key=sort_keys(values, spec).__getitem__, reverse=spec.order.descending)
    return order


#: Numbers whose own order is the total one, unless there is a NaN.
_EXACT = frozenset({int, Decimal})


def sort_keys(values: Sequence[Value], spec: p.SortSpec) -> list[Any]:
    """What the values of a sort key are sorted by: equal where the order does not tell two of them apart."""
    absent_first = spec.order.nulls_first is not spec.order.descending  # before it is reversed
    if spec.comparator is None:
        kinds = set(map(type, values))
        if kinds == {str} or (kinds <= _EXACT and not any(value != value for value in values)):
            return list(values)  # ordered as their keys are
        return [_sort_key(value, absent_first) for value in values]
    from firesteel.evaluate.substrait.call import comparison_of  # late: few plans have functions of Substrait

    compare, takes_null = comparison_of(spec.comparator, spec.where)
    compared = cmp_to_key(compare)
    if takes_null:
        return [(1, compared(None if value is MISSING else value)) for value in values]
    return [_ABSENT[absent_first] if absent(value) else (1, compared(value)) for value in values]


#: The sort key of NULL and MISSING, which sort together: after everything else, or before it.
_ABSENT: tuple[tuple[int, Key], tuple[int, Key]] = (2, ()), (0, ())


def _sort_key(value: Value, absent_first: bool) -> tuple[int, Key]:
    return _ABSENT[absent_first] if absent(value) else (1, key(value))


# ---------------------------------------------------------------------------------------------------------------------
# Set operators: rows are the same by deep equality, NULL with NULL


def _distinct(rows: Iterable[Row]) -> list[Row]:
    first: dict[Hashable, Row] = {}
    for row in rows:
        first.setdefault(hash_keys(row), row)
    return list(first.values())


def _union(left: list[Row], right: list[Row]) -> Iterator[Row]:
    yield from left
    yield from right


def _intersect(left: list[Row], right: list[Row]) -> Iterator[Row]:
    counts = Counter(map(hash_keys, right))
    for row in left:
        key = hash_keys(row)
        if counts[key] > 0:
            counts[key] -= 1
            yield row


def _except(left: list[Row], right: list[Row]) -> Iterator[Row]:
    counts = Counter(map(hash_keys, right))
    for row in left:
        key = hash_keys(row)
        if counts[key] > 0:
            counts[key] -= 1
        else:
            yield row


def _set_operator(
    combine: Callable[[list[Row], list[Row]], Iterator[Row]],
) -> Callable[[Any, CompileContext], Compiling]:
    def handler(node: p.SetRel, context: CompileContext) -> Compiling:
        left: RelClosure = yield node.left, context
        right: RelClosure = yield node.right, context
        widths = len(p.schema(node.left)), len(p.schema(node.right))
        if widths[0] != widths[1]:
            raise PlanError(f"'{node.tag}' of {widths[0]} and of {widths[1]} columns", where=node.where)
        distinct = node.quantifier is p.Quantifier.DISTINCT

        def run(env: Env) -> Rows:
            a, b = left(env).rows, right(env).rows
            if distinct:
                a, b = _distinct(a), _distinct(b)
            made = combine(a, b)
            return Rows(_distinct(made) if distinct else list(made), False)

        return run

    return handler


handles(p.Union)(_set_operator(_union))
handles(p.Intersect)(_set_operator(_intersect))
handles(p.Except)(_set_operator(_except))
