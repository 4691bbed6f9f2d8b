"""Physical relations. The rows of all partitions are one list here: an exchange matters where it copies rows, fails, or
adds the number of a partition."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any
from zlib import crc32

from firesteel import plan as p
from firesteel.errors import EvaluationError
from firesteel.evaluate.base import CompileContext, Env, RelClosure, RexClosure, Row, Rows, handles
from firesteel.evaluate.kinds import show
from firesteel.evaluate.relations.rel import sort_keys, sorted_order
from firesteel.node import children
from firesteel.values import MISSING, Key, Value, key

Compiling = Generator[Any, Any, RelClosure]

# ---------------------------------------------------------------------------------------------------------------------
# Exchange

#: The partitions that a row goes to, given its scope and its number.
Sending = Callable[[Env, int], Sequence[int]]


@handles(p.Exchange)
def _exchange(node: p.Exchange, context: CompileContext) -> Compiling:
    """A row that is sent to several partitions is given as often; the copies are side by side, so a list stays one."""
    source: RelClosure = yield node.input, context
    exprs: list[RexClosure] = []
    for rex in children(node.kind):
        exprs.append((yield rex, context))
    send = _sending(node, exprs)

    def run(env: Env) -> Rows:
        rows, ordered = source(env)
        made: list[Row] = []
        for i, row in enumerate(rows):
            numbers = send(Env(row, env), i)
            made.extend([(*row, number) for number in numbers] if node.numbered else [row] * len(numbers))
        return Rows(made, ordered)

    return run


def _sending(node: p.Exchange, exprs: list[RexClosure]) -> Sending:
    count = node.partitions or 1
    match node.kind:
        case p.SingleBucket() | p.MultiBucket():
            return _buckets(node, node.kind, exprs[0])
        case p.Broadcast():
            return lambda env, i: range(count)
        case p.RoundRobin():
            return lambda env, i: (i % count,)
        case _:
            return lambda env, i: (crc32(repr([_hashed(expr(env)) for expr in exprs]).encode()) % count,)


def _hashed(value: Value) -> Key:
    return key(None if value is MISSING else value)


def _buckets(node: p.Exchange, kind: p.SingleBucket | p.MultiBucket, expression: RexClosure) -> Sending:
    """The different buckets that the expression gives. A number that is no partition's is an error, if the exchange is
    constrained; else it is taken modulo the number of partitions."""
    count = node.partitions

    def bucket(value: Value) -> int:
        if type(value) is not int:
            raise EvaluationError(f"a bucket is a number, not {show(value)}", where=node.where)
        if not kind.constrained:
            return value if count is None else value % count
        if value < 0 or (count is not None and value >= count):
            raise EvaluationError(f"no partition {value}: there are {count}", where=node.where)
        return value

    def send(env: Env, _: int) -> Sequence[int]:
        value = expression(env)
        if isinstance(kind, p.SingleBucket):
            return (bucket(value),)
        if not isinstance(value, list):
            raise EvaluationError(f"buckets are a list of numbers, not {show(value)}", where=node.where)
        return sorted({bucket(one) for one in value})

    return send


# ---------------------------------------------------------------------------------------------------------------------
# Captures


@handles(p.MergingCapture)
def _merging(node: p.MergingCapture, context: CompileContext) -> Compiling:
    source: RelClosure = yield node.input, context
    return source


@handles(p.SimpleCapture)
def _simple(node: p.SimpleCapture, context: CompileContext) -> Compiling:
    source: RelClosure = yield node.input, context
    return lambda env: Rows(source(env).rows, False)


# ---------------------------------------------------------------------------------------------------------------------
# Top-N and expand


@handles(p.TopN)
def _top_n(node: p.TopN, context: CompileContext) -> Compiling:
    source: RelClosure = yield node.input, context
    keys: list[RexClosure] = []
    for spec in node.specs:
        keys.append((yield spec.key, context))
    count: RexClosure = yield node.count, context
    offset: RexClosure | None = None
    if node.skip is not None:
        offset = yield node.skip, context

    def run(env: Env) -> Rows:
        rows = source(env).rows
        scopes = [Env(row, env) for row in rows]
        columns = [[expr(scope) for scope in scopes] for expr in keys]
        order = sorted_order(len(rows), columns, node.specs)
        first = 0 if offset is None else _size(offset(Env((), env)), node, 0)
        last = first + _size(count(Env((), env)), node, len(rows))
        if node.ties:
            last = _after_ties(order, [sort_keys(*one) for one in zip(columns, node.specs, strict=True)], last)
        return Rows([rows[i] for i in order[first:last]], True)

    return run


def _size(value: Value, node: p.TopN, default: int) -> int:
    """A number of rows. NULL stands for the default: no offset, all rows."""
    if value is None or value is MISSING:
        return default
    if type(value) is not int or value < 0:
        raise EvaluationError(f"a top-N takes a number of rows, not {show(value)}", where=node.where)
    return value


def _after_ties(order: list[int], keys: list[list[Any]], last: int) -> int:
    """The end of the rows that are equal in all keys to the one before `last`."""
    if not 0 < last < len(order):
        return last
    tied = order[last - 1]
    while last < len(order) and all(column[order[last]] == column[tied] for column in keys):
        last += 1
    return last


@handles(p.Expand)
def _expand(node: p.Expand, context: CompileContext) -> Compiling:
    source: RelClosure = yield node.input, context
    fields: list[tuple[list[RexClosure], bool]] = []
    for field in node.fields:
        switches = isinstance(field, p.Switching)
        made: list[RexClosure] = []
        for rex in field.duplicates if isinstance(field, p.Switching) else (field.value,):  # type: ignore[attr-defined]
            made.append((yield rex, context))
        fields.append((made, switches))
    count = node.count

    def run(env: Env) -> Rows:
        rows, ordered = source(env)
        made: list[Row] = []
        for row in rows:
            inner = Env(row, env)
            for i in range(count):
                made.append((*[_duplicate(exprs, switches, i, inner) for exprs, switches in fields], i))
        return Rows(made, ordered)

    return run


def _duplicate(exprs: list[RexClosure], switches: bool, i: int, env: Env) -> Value:
    if not switches:
        return exprs[0](env)
    return exprs[i](env) if i < len(exprs) else None


# ---------------------------------------------------------------------------------------------------------------------
# Promises


@handles(p.Promised)
def _promised(node: p.Promised, context: CompileContext) -> Compiling:
    """With one partition, a distribution always holds. An order is checked if that is asked for."""
    source: RelClosure = yield node.input, context
    keys: list[RexClosure] = []
    for spec in node.order:
        keys.append((yield spec.key, context))
    if not node.verified or not keys:
        return source

    def run(env: Env) -> Rows:
        rows, ordered = source(env)
        scopes = [Env(row, env) for row in rows]
        columns = [[expr(scope) for scope in scopes] for expr in keys]
        place = _first_out_of_order(columns, node.order)
        if place is not None:
            raise EvaluationError(
                f"row {place + 1} is not in the order that is promised: {show(list(rows[place]))}",
                where=node.where,
                help="correct the promise, or sort the data",
            )
        return Rows(rows, ordered)

    return run


def _first_out_of_order(columns: list[list[Value]], specs: tuple[p.SortSpec, ...]) -> int | None:
    """The place of the first row that a stable sort moves before the one in front of it. A field that is clustered
    is compared by its first appearance, because its values may come in any order."""
    ranked: list[list[Value]] = []
    for i, (column, spec) in enumerate(zip(columns, specs, strict=True)):
        clustered = spec.order is p.SortOrder.CLUSTERED
        ranked.append(_appearances(columns, i) if clustered else column)
    rank = {place: i for i, place in enumerate(sorted_order(len(columns[0]), ranked, specs))}
    return next((place for place in range(1, len(rank)) if rank[place] < rank[place - 1]), None)


def _appearances(columns: list[list[Value]], last: int) -> list[Value]:
    """For each row the number of its run: rows with equal values in the columns up to `last` have the number of the
    first one that is like them."""
    first: dict[tuple[Any, ...], int] = {}
    found: list[Value] = []
    for place in range(len(columns[0])):
        values = tuple([key(None if c[place] is MISSING else c[place]) for c in columns[: last + 1]])
        found.append(first.setdefault(values, place))
    return found
