"""Drop columns that nobody reads: expressions of projections, aggregates, window calls.

The pass goes from the top down. A handler is told which columns of its relation are read, and returns the new relation
with the old ordinals of the columns that it still has; the reader is renumbered accordingly. A relation with several
readers keeps all columns, so that it stays one shared node.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

from firesteel import types as t
from firesteel.node import Node, children, drive, rebuild, uses
from firesteel.passes.analysis.columns import columns_of, renumbered
from firesteel.passes.analysis.node_memo import has_relation
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.plan import (
    Aggregate,
    Call,
    Capture,
    Cross,
    Equi,
    Exchange,
    Exclude,
    Expand,
    Filter,
    Fn,
    Join,
    Limit,
    Lit,
    MergingCapture,
    Offset,
    Pivot,
    Plan,
    Project,
    Promised,
    Rel,
    Select,
    SimpleCapture,
    Sort,
    Theta,
    TopN,
    Window,
    build,
    schema,
)

N = TypeVar("N", bound=Node)

#: Relations with the columns of their input, and expressions over them.
SameColumns = Filter | Sort | TopN | Exchange | Promised | MergingCapture | SimpleCapture

#: The columns of a relation that are read, or None for all.
Read = frozenset[int] | None

Asking = Generator[tuple[Node, Read], Any, Any]


@plan_pass(Phase.OPTIMIZE)
def prune_columns(plan: Plan, _: Context) -> Plan:
    """Leave out columns that nothing reads."""
    readers = uses(plan, Rel)
    done: dict[tuple[int, Read], tuple[Any, Node]] = {}  # keeps the nodes alive, so that ids are not used again

    def dispatch(node: Node, read: Read) -> Any:
        if not has_relation(node):
            return node
        if isinstance(node, Rel) and readers[id(node)] > 1:
            read = None
        if isinstance(node, Rel) and read is not None and len(read) == len(schema(node)):
            read = None
        known = done.get((id(node), read))
        return known[0] if known is not None else remember(node, read)

    def remember(node: Node, read: Read) -> Asking:
        handler = _HANDLERS.get(type(node), _relation if isinstance(node, Rel) else _other)
        made = yield from handler(node, read)
        done[id(node), read] = made, node
        return made

    made = drive(dispatch, plan.statement, None)
    return plan.replace(statement=made)


def _other(node: Node, _: Read) -> Asking:
    """A node that is no relation: it reads all columns of its inputs."""
    kids = []
    for kid in children(node):
        made = yield kid, None
        kids.append(made[0] if isinstance(kid, Rel) else made)
    return rebuild(node, kids)


def _relation(node: Rel, _: Read) -> Asking:
    """A relation without a handler: it keeps all its columns and reads all columns of its inputs."""
    made = yield from _other(node, None)
    return made, _all(made)


def _all(rel: Rel) -> list[int]:
    return list(range(len(schema(rel))))


def _wanted(read: Read, rel: Rel) -> set[int]:
    return set(_all(rel)) if read is None else set(read)


def _moved(node: N, kept: Sequence[int]) -> N:
    """An expression, renumbered for a row that has only the kept columns."""
    places = {old: new for new, old in enumerate(kept)}
    return node if list(kept) == list(range(len(kept))) else renumbered(node, places.__getitem__)


def _pick(parts: tuple[N, ...], read: Any) -> tuple[N, ...]:
    return tuple(part for i, part in enumerate(parts) if i in read)


def _rexes(parts: Sequence[N]) -> Generator[tuple[Node, Read], Any, list[N]]:
    made = []
    for part in parts:
        made.append((yield part, None) if has_relation(part) else part)
    return made


def _query(node: Select | Pivot, _: Read) -> Asking:
    own = [kid for kid in children(node) if kid is not node.input]
    made = yield from _rexes(own)
    source, kept = yield node.input, frozenset().union(*map(columns_of, made))
    return rebuild(node, [*(_moved(part, kept) for part in made), source])


def _call(node: Call, _: Read) -> Asking:
    """EXISTS reads no column of its query."""
    match node:
        case Call(fn=Fn(name="exists"), args=(Select(constructor=constructor, input=source),)):
            something, _ = yield source, frozenset()
            if isinstance(constructor, Lit) and something is source:
                return node
            return node.replace(args=(build.select(build.lit(True), something, t.Bag),))
        case _:
            return (yield from _other(node, None))


def _project(node: Project, read: Read) -> Asking:
    wanted = _wanted(read, node)
    exprs = yield from _rexes(_pick(node.exprs, wanted))
    source, kept = yield node.input, frozenset().union(*map(columns_of, exprs))
    names = _pick(node.names, wanted) if node.names else ()  # type: ignore[type-var]
    made = node.replace(exprs=tuple([_moved(e, kept) for e in exprs]), names=tuple(names))
    return made.replace(input=source), sorted(wanted)


def _aggregate(node: Aggregate, read: Read) -> Asking:
    """Keys are kept, because they make the groups. Without keys at least one aggregate is kept."""
    count = len(node.keys)
    wanted = {i - count for i in _wanted(read, node) if i >= count}
    if not wanted and not count:
        wanted = {0}
    keys = yield from _rexes(node.keys)
    aggs = yield from _rexes(_pick(node.aggs, wanted))
    source, kept = yield node.input, frozenset().union(*map(columns_of, [*keys, *aggs]))
    columns = [*range(count), *sorted(i + count for i in wanted)]
    return node.replace(
        aggs=tuple([_moved(agg, kept) for agg in aggs]),
        keys=tuple([_moved(key, kept) for key in keys]),
        input=source,
        names=tuple([node.names[i] for i in columns] if node.names else ()),
    ), columns


def _window(node: Window, read: Read) -> Asking:
    """Window calls that are not read are dropped, but one is kept: a window turns a list into a bag, and without it
    the rows would be a list again."""
    width = len(schema(node.input))
    wanted = {i - width for i in _wanted(read, node) if i >= width} or {0}
    calls = yield from _rexes(_pick(node.calls, wanted))
    through = {i for i in _wanted(read, node) if i < width}
    source, kept = yield node.input, frozenset(through.union(*map(columns_of, calls)))
    names = [name for i, name in enumerate(node.names) if i in wanted] if node.names else []
    made = node.replace(calls=tuple([_moved(call, kept) for call in calls]), input=source, names=tuple(names))
    return made, [*kept, *sorted(i + width for i in wanted)]


def _through(node: SameColumns, read: Read) -> Asking:
    """A relation with the columns of its input; its own expressions read some of them too."""
    if len(schema(node)) != len(schema(node.input)):  # an exchange that adds a column
        return (yield from _relation(node, read))
    own = yield from _rexes([kid for kid in children(node) if kid is not node.input])
    read_here = _wanted(read, node).union(*map(columns_of, own))
    source, kept = yield node.input, frozenset(read_here)
    return _over_pruned(node, own, source, kept), kept


def _over_pruned(node: Any, own: Sequence[Node], source: Rel, kept: Sequence[int]) -> Any:
    """The relation over a pruned input, with its own expressions renumbered."""
    supply = iter(own)
    kids = [source if kid is node.input else _moved(next(supply), kept) for kid in children(node)]
    return rebuild(node, kids)


def _expand(node: Expand, _: Read) -> Asking:
    """All fields are kept; the input is read where they need it."""
    own = yield from _rexes(node.fields)
    source, kept = yield node.input, frozenset().union(*map(columns_of, own))
    made = _over_pruned(node, own, source, kept)
    return made, _all(made)


def _cut(node: Limit | Offset, read: Read) -> Asking:
    """LIMIT and OFFSET: the count reads no column."""
    count = yield node.count, None
    source, kept = yield node.input, read
    return node.replace(count=count, input=source), kept


def _exclude(node: Exclude, read: Read) -> Asking:
    """EXCLUDE paths into a column that nobody reads are dropped with the column."""
    source, kept = yield node.input, read
    places = {old: new for new, old in enumerate(kept)}
    wanted = _wanted(read, node)
    paths = [
        path if places[path.ordinal] == path.ordinal else path.replace(ordinal=places[path.ordinal])
        for path in node.paths
        if path.ordinal in wanted
    ]
    if not paths:
        return source, kept
    return node.replace(paths=tuple(paths), input=source), kept


def _join(node: Join, read: Read) -> Asking:
    width = len(schema(node.left))
    kind = yield node.type, None
    wanted = {i for i in _wanted(read, node) if not node.capture.tests or i < width}
    left_read = {i for i in wanted if i < width}
    right_read = {i - width for i in wanted if i >= width}
    if isinstance(kind, Equi):
        left_read.update(*(columns_of(key.left) for key in kind.keys))
        right_read.update(*(columns_of(key.right) for key in kind.keys))
    if not isinstance(kind, Equi | Theta | Cross):  # an unknown join type may read all columns
        left_read, right_read = _wanted(None, node.left), _wanted(None, node.right)
    condition = kind.condition if isinstance(kind, Theta) else kind.residual if isinstance(kind, Equi) else None
    if condition is not None:
        left_read |= {i for i in columns_of(condition) if i < width}
        right_read |= {i - width for i in columns_of(condition) if i >= width}
    right, right_kept = yield node.right, frozenset(right_read)
    if node.lateral:
        left_read |= columns_of(right)
    left, left_kept = yield node.left, frozenset(left_read)
    if node.lateral:
        right = _moved(right, left_kept)
    both = [*left_kept, *(i + width for i in right_kept)]
    if isinstance(kind, Equi):
        keys = [key.replace(left=_moved(key.left, left_kept), right=_moved(key.right, right_kept)) for key in kind.keys]
        kind = kind.replace(keys=tuple(keys))
    if condition is not None:
        name = "condition" if isinstance(kind, Theta) else "residual"
        kind = kind.replace(**{name: _moved(condition, both)})
    made = node.replace(type=kind, left=left, right=right)
    if node.capture.tests:
        return made, [*left_kept, *([width] if node.capture is Capture.LEFT_MARK else [])]
    return made, both


_HANDLERS: dict[type[Node], Callable[..., Asking]] = {
    Call: _call,
    Select: _query,
    Pivot: _query,
    Project: _project,
    Aggregate: _aggregate,
    Window: _window,
    **dict.fromkeys((Filter, Sort, TopN, Exchange, Promised, MergingCapture, SimpleCapture), _through),
    Expand: _expand,
    Limit: _cut,
    Offset: _cut,
    Exclude: _exclude,
    Join: _join,
}
