"""Relations in Substrait's own: scans give columns, physical relations are logical ones."""

from __future__ import annotations

from firesteel import plan as p
from firesteel import types as t
from firesteel import values as v
from firesteel.errors import FiresteelError
from firesteel.functions import Kind
from firesteel.functions import substrait as standard
from firesteel.functions.substrait.coercion import common
from firesteel.plan import build
from firesteel.plan.fit import attribute
from firesteel.plan.scope import free_rows
from firesteel.substrait import calls
from firesteel.substrait.lower.relations.joins import marked_by
from firesteel.substrait.write.joins import joined_by
from firesteel.substrait.write.physical import usual_frame
from firesteel.substrait.write.portable.scope import (
    Cell,
    Columns,
    Portable,
    Scope,
    Translating,
    over,
    portable,
    refusal,
)
from firesteel.substrait.write.portable.values import AGGREGATES, called, plain_type

# ---------------------------------------------------------------------------------------------------------------------
# Leaves


@portable(p.Scan)
def _scan(work: Portable, node: p.Scan, scope: Scope) -> Translating:
    if node.identified:
        raise refusal(node, "with identifiers of records")
    match node.rex:
        case p.Global():
            return _table(node, node.rex)
        case p.Select(constructor=constructor, input=rel):
            return (yield p.Project((constructor,), rel).at(node.where), scope)
        case p.Lit(value=list() | v.Bag() as items):
            return (yield from _written(node, [p.Lit(t.type_of(one), one) for one in items], scope))
        case p.Collection(items=rexes):
            return (yield from _written(node, list(rexes), scope))
    raise refusal(node, "of a value that is no table")


def plain_table(type_: t.Type) -> t.Type | None:
    """The type of a table whose columns have types that Substrait has; None for one without a schema."""
    element = type_.element if isinstance(type_, t.Collection) else None
    if not isinstance(element, t.Struct) or element.open or not element.fields:
        return None
    fields = tuple([t.Field(field.name, plain_type(field.type)) for field in element.fields])
    return t.Bag(t.Struct(fields, open=False))


def _table(node: p.Scan, source: p.Global) -> Columns:
    """The columns of a table."""
    type_ = plain_table(source.type)
    if type_ is None:
        raise refusal(node, "a table without a schema; plan it in a session that has the table")
    scan = p.Scan(source.replace(type=type_)).at(node.where)
    row = build.column(scan, 0)
    assert isinstance(row.type, t.Struct)
    names = tuple([field.name or "" for field in row.type.fields])
    rel = p.Project(tuple(attribute(row, name) for name in names), scan, names=names).at(node.where)
    return Columns(rel, ({name: i for i, name in enumerate(names)},))


def _written(node: p.Scan, items: list[p.Rex], scope: Scope) -> Translating:
    """Rows that are written out in the plan: structs of the same names, or values of one column."""
    rows: list[list[tuple[str, p.Rex]]] = []
    for item in items:
        row: list[tuple[str, p.Rex]] = []
        for name, rex in _attributes(item):
            row.append((name, (yield rex, scope)))
        rows.append(row)
    names = [name for name, _ in rows[0]] if rows else []
    if not rows or any([name for name, _ in row] != names for row in rows) or len(set(names)) != len(names):
        raise refusal(node, "rows of several shapes")
    columns: list[list[p.Rex]] = []
    for i in range(len(names)):
        columns.append(_one_type([row[i][1] for row in rows], node))
    structs = [build.struct((f"_{i}", rex) for i, rex in enumerate(row, 1)) for row in zip(*columns, strict=True)]
    fields = [t.Field(f"_{i}", _column_type(column)) for i, column in enumerate(columns, 1)]
    type_ = t.Struct(tuple(fields), open=False)
    scan = p.Scan(p.Collection(t.Bag(type_), tuple(structs))).at(node.where)
    row_ = p.Var(type_, 0)
    rel = p.Project(tuple(attribute(row_, field.name or "") for field in fields), scan, names=tuple(names))
    whole = isinstance(items[0].type, t.Struct)
    return Columns(rel.at(node.where), ({name: i for i, name in enumerate(names)},) if whole else (0,))


def _attributes(item: p.Rex) -> list[tuple[str, p.Rex]]:
    """The names and values of a struct; of another value, the one column of it."""
    if isinstance(item, p.Lit) and isinstance(item.value, v.Struct):
        return [(name, p.Lit(t.type_of(value), value)) for name, value in item.value.pairs]
    if isinstance(item, p.Struct):
        return [(str(pair.key.value) if isinstance(pair.key, p.Lit) else "", pair.value) for pair in item.pairs]
    return [("_1", item)]


def _column_type(column: list[p.Rex]) -> t.Type:
    return t.absent(column[0].type, nullable=any(rex.type.nullable for rex in column))


def _one_type(column: list[p.Rex], node: p.Scan) -> list[p.Rex]:
    """The values of a column, all of the type that holds them."""
    found = common([rex.type for rex in column])
    if found is None or isinstance(found, t.Null):
        raise refusal(node, "a column of several types, or of none")
    type_ = t.absent(found, nullable=any(rex.type.nullable for rex in column))
    made: list[p.Rex] = []
    for rex in column:
        whole = isinstance(rex, p.Lit) and t.proper(rex.type) in (found, t.NULL)
        made.append(rex.replace(type=type_) if whole else build.substrait_cast(rex, found))
    return made


# ---------------------------------------------------------------------------------------------------------------------
# Relations of the same columns


@portable(p.Filter)
def _filter(work: Portable, node: p.Filter, scope: Scope) -> Translating:
    below = yield node.input, scope
    predicate = yield node.predicate, over(below, scope)
    return below.over(p.Filter(predicate, below.rel).at(node.where))


@portable(p.Sort)
def _sort(work: Portable, node: p.Sort, scope: Scope) -> Translating:
    below = yield node.input, scope
    specs = yield from _specs(node.specs, over(below, scope))
    return below.over(p.Sort(specs, below.rel).at(node.where))


def _specs(specs: tuple[p.SortSpec, ...], row: Scope) -> Translating:
    made: list[p.SortSpec] = []
    for spec in specs:
        if spec.comparator is not None:
            raise refusal(spec, "by a comparison function")
        made.append(p.SortSpec((yield spec.key, row), spec.order).at(spec.where))
    return tuple(made)


@portable(p.Limit, p.Offset)
def _fetch(work: Portable, node: p.Limit | p.Offset, scope: Scope) -> Translating:
    below = yield node.input, scope
    count = yield node.count, Scope(outer=scope)
    return below.over(type(node)(count, below.rel).at(node.where))


@portable(p.TopN)
def _top_n(work: Portable, node: p.TopN, scope: Scope) -> Translating:
    """A sort, and then a fetch."""
    if node.ties:
        raise refusal(node, "with ties")
    made: p.Rel = p.Sort(node.specs, node.input).at(node.where)
    made = made if node.skip is None else p.Offset(node.skip, made).at(node.where)
    return (yield p.Limit(node.count, made).at(node.where), scope)


@portable(p.Exchange, p.MergingCapture, p.SimpleCapture, p.Promised, p.Shared)
def _same_rows(work: Portable, node: p.Rel, scope: Scope) -> Translating:
    """Where rows are, and what is promised of them, is each engine's own."""
    if isinstance(node, p.Exchange) and (node.copies or node.numbered):
        raise refusal(node, "it gives a row several times")
    (below,) = p.inputs(node)
    return (yield below, scope)


@portable(p.Distinct)
def _distinct(work: Portable, node: p.Distinct, scope: Scope) -> Translating:
    """Groups by all columns."""
    below = yield node.input, scope
    if isinstance(below.rel, p.Union):
        return below.over(p.Distinct(below.rel).at(node.where))
    keys = tuple(build.column(below.rel, i) for i in range(len(p.schema(below.rel))))
    return below.over(p.Aggregate(p.Strategy.FULL, (), keys, below.rel).at(node.where))


# ---------------------------------------------------------------------------------------------------------------------
# Projections and aggregates


@portable(p.Project)
def _project(work: Portable, node: p.Project, scope: Scope) -> Translating:
    """A column for each expression; of a struct that is made there, one for each of its fields."""
    below = yield node.input, scope
    row = over(below, scope)
    exprs: list[p.Rex] = []
    cells: list[Cell] = []
    for expr in node.exprs:
        made = yield expr, row
        if isinstance(made, p.Struct) and not made.type.absent:
            names = [str(pair.key.value) for pair in made.pairs if isinstance(pair.key, p.Lit)]
            if len(set(names)) != len(made.pairs):
                raise refusal(expr, "a struct with a name twice")
            cells.append({name: len(exprs) + i for i, name in enumerate(names)})
            exprs += [pair.value for pair in made.pairs]
        else:
            cells.append(len(exprs))
            exprs.append(made)
    return Columns(p.Project(tuple(exprs), below.rel).at(node.where), tuple(cells))


@portable(p.Aggregate)
def _aggregate(work: Portable, node: p.Aggregate, scope: Scope) -> Translating:
    if node.strategy is not p.Strategy.FULL:
        raise refusal(node, "with groups that leave out rows")
    below = yield node.input, scope
    row = over(below, scope)
    keys: list[p.Rex] = []
    for key in node.keys:
        keys.append((yield key, row))
    aggs: list[p.Agg] = []
    for agg in node.aggs:
        aggs.append((yield from _agg(agg, row)))
    made = p.Aggregate(p.Strategy.FULL, tuple(aggs), tuple(keys), below.rel).at(node.where)
    return Columns(made, tuple(range(len(keys) + len(aggs))))


def _agg(agg: p.Agg, row: Scope) -> Translating:
    fn, args = yield from _over_rows(agg.fn, agg.args, row, Kind.AGGREGATE)
    filter_ = None if agg.filter is None else (yield agg.filter, row)
    order = yield from _specs(agg.order, row)
    return p.Agg(fn, args, distinct=agg.distinct, filter=filter_, order=order).at(agg.where)


def _over_rows(given: p.Fn, args: tuple[p.Rex | t.Type, ...], row: Scope, kind: Kind) -> Translating:
    """The function of Substrait's for an aggregate or window call, with its arguments."""
    made: list[p.Rex] = []
    for arg in args:
        if isinstance(arg, p.Rex):
            made.append((yield arg, row))
    bare = given.name.rpartition(":")[2]
    name = bare if ":" in given.name else AGGREGATES.get(given.name, bare)
    options = [(one.name, [one.value]) for one in given.choices]
    try:
        found = standard.resolve(None, name, None, kind, [calls.as_argument(one) for one in made], options)
    except FiresteelError as error:
        raise refusal(p.Call(given, args), error.message) from None
    return calls.over_rows(found, made)


@portable(p.Window)
def _window(work: Portable, node: p.Window, scope: Scope) -> Translating:
    """One relation for all calls of the same partitions and order: others go below it."""
    below = yield node.input, scope
    row = over(below, scope)
    made: list[p.WindowCall] = []
    for call in node.calls:
        partition: list[p.Rex] = []
        for rex in call.partition:
            partition.append((yield rex, row))
        order = yield from _specs(call.order, row)
        fn, args = yield from _over_rows(call.fn, call.args, row, Kind.WINDOW)
        frame = call.frame or usual_frame(call)
        made.append(p.WindowCall(fn, args, tuple(partition), order, frame=frame, distinct=call.distinct))
    rel, width = below.rel, len(p.schema(below.rel))
    places: dict[int, int] = {}
    groups: dict[object, list[int]] = {}
    for i, call in enumerate(made):
        groups.setdefault((call.partition, call.order), []).append(i)
    for group in groups.values():
        places.update({i: width + len(places) + j for j, i in enumerate(group)})
        rel = p.Window(tuple(made[i] for i in group), rel, method=p.WindowMethod.CONSISTENT).at(node.where)
    return Columns(rel, (*below.cells, *(places[i] for i in range(len(made)))))


# ---------------------------------------------------------------------------------------------------------------------
# Joins and sets


@portable(p.Join)
def _join(work: Portable, node: p.Join, scope: Scope) -> Translating:
    """A join by a condition, or a cross product."""
    left = yield node.left, scope
    if node.lateral and 0 in free_rows(node.right):
        raise refusal(node, "a right side for each left row")
    right = yield node.right, Scope(outer=scope) if node.lateral else scope
    width = len(p.schema(left.rel))
    moved = tuple([_moved(cell, width) for cell in right.cells])
    types = tuple([field.type for rel in (left.rel, right.rel) for field in p.schema(rel)])
    both = Scope(None, (*left.cells, *moved), scope, types)
    if node.capture is p.Capture.LEFT_MARK:
        return _marked(left, right.rel, (yield joined_by(node), both), node)
    kind: p.JoinType = p.Cross()
    if not isinstance(node.type, p.Cross):
        kind = p.Theta(node.capture, (yield joined_by(node), both)).at(node.where)
    cells = left.cells if node.capture.tests else both.cells
    return Columns(p.Join(kind, left.rel, right.rel).at(node.where), cells)


def _marked(left: Columns, right: p.Rel, condition: p.Rex, node: p.Join) -> Columns:
    """The left rows, each with a mark. Substrait's mark is NULL where a condition is, ours is false."""
    if condition.type.nullable:
        condition = called("is_true", [condition], condition)
    made = p.Join(p.Theta(p.Capture.LEFT_MARK, condition), left.rel, right).at(node.where)
    return Columns(marked_by(made, None).at(node.where), (*left.cells, len(p.schema(left.rel))))


def _moved(cell: Cell, by: int) -> Cell:
    return cell + by if isinstance(cell, int) else {name: place + by for name, place in cell.items()}


@portable(p.Union, p.Intersect, p.Except)
def _set(work: Portable, node: p.SetRel, scope: Scope) -> Translating:
    """Inputs of the same columns, cast to common types."""
    left: Columns = yield node.left, scope
    right: Columns = yield node.right, scope
    if left.cells != right.cells:
        raise refusal(node, "of rows of different shapes")
    pairs = zip(p.schema(left.rel), p.schema(right.rel), strict=True)
    types: list[t.Type] = []
    for a, b in pairs:
        found = common([a.type, b.type])
        if found is None:
            raise refusal(node, f"of a {a.type} beside a {b.type}")
        types.append(found)
    sides = [_as(one.rel, types) for one in (left, right)]
    if isinstance(node, p.Union) and node.quantifier is p.Quantifier.DISTINCT:
        return left.over(p.Distinct(p.Union(*sides)).at(node.where))
    return left.over(type(node)(*sides, quantifier=node.quantifier).at(node.where))


def _as(rel: p.Rel, types: list[t.Type]) -> p.Rel:
    """A relation with columns of these types."""
    exprs = [build.substrait_cast(build.column(rel, i), type_) for i, type_ in enumerate(types)]
    return rel if all(isinstance(one, p.Var) for one in exprs) else p.Project(tuple(exprs), rel)
