"""The algebra's s-expressions to a plan: names become positions, and what no name binds is a global."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from firesteel import plan
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.ion import Element, to_value
from firesteel.ion import read as read_ion
from firesteel.node import drive
from firesteel.partiql_plan.algebra.names import Names
from firesteel.partiql_plan.algebra.syntax import Parsed, is_bindings, is_type_argument
from firesteel.partiql_plan.read.complete_nodes import resolve
from firesteel.partiql_plan.read.nodes import Reader
from firesteel.plan import (
    Agg,
    Aggregate,
    Branch,
    Call,
    Capture,
    Case,
    CollToScalar,
    Cross,
    Filter,
    GlobalBinding,
    Join,
    Key,
    Limit,
    Mode,
    Offset,
    Pivot,
    Plan,
    Project,
    Quantifier,
    Query,
    Rel,
    Rex,
    Root,
    Scan,
    ScanIndexed,
    Sort,
    SortOrder,
    SortSpec,
    Step,
    Strategy,
    Theta,
    Unpivot,
    UnpivotStep,
    Var,
    Wildcard,
    build,
    schema,
)
from firesteel.plan.scope import RowScope

Steps = Generator[Any, Any, Any]


def read(
    source: str | bytes | Sequence[Element], *, name: str = "<algebra>", mode: Mode | str = Mode.PERMISSIVE
) -> Plan:
    """An expression of the algebra as a plan: bindings give a `Root` with their names, a value gives a `Query`."""
    elements = read_ion(source, name) if isinstance(source, str | bytes) else list(source)
    if len(elements) != 1:
        where = elements[1].span if elements else None
        raise PlanError(f"an algebra document is one expression, not {len(elements)}", where=where)
    root = elements[0]
    bindings = is_bindings(root)
    lowering = _Lowering(Names(root, bindings=bindings))
    mode = Mode(mode)
    statement: plan.Statement
    if bindings:
        rel: Rel = drive(lambda steps: steps, lowering.bindings(root, None))
        statement = Root(tuple(field.name or "" for field in schema(rel)), rel, mode=mode).at(rel.where)
    else:
        rex: Rex = drive(lambda steps: steps, lowering.value(root, None))
        statement = Query(rex, mode=mode).at(rex.where)
    return Plan(statement, globals=tuple(lowering.globals))


class _Lowering:
    """Builds the plan. As everywhere, what has things below it is a generator."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self.globals: list[GlobalBinding] = []
        self._types = Reader().types

    # Bindings --------------------------------------------------------------------------------------------------------

    def bindings(self, element: Element, scope: RowScope | None) -> Steps:
        parsed = self._names.parsed(element)
        sources: list[Rel] = []
        lateral = self._names.is_lateral(parsed)
        for index, source in enumerate(parsed.inputs):
            around = RowScope(schema(sources[0]), scope) if index and lateral else scope
            sources.append((yield (self.bindings(source, around),)))
        rel: Rel = yield (self._rel(parsed, sources, scope),)
        return rel.at(parsed.place)

    def _rel(self, parsed: Parsed, sources: list[Rel], scope: RowScope | None) -> Steps:
        inner = RowScope(tuple(field for rel in sources for field in schema(rel)), scope) if sources else scope
        if parsed.op == "map_let":
            return (yield (self._map_let(parsed, sources[0], scope),))
        if parsed.op in ("limit", "offset"):
            inner = RowScope((), scope)
        values: list[Rex] = []
        for value in parsed.values:
            values.append((yield (self.value(value, inner),)))
        names = tuple(name for name in parsed.names if name is not None)
        match parsed.op:
            case "scan":
                return _scan(values[0], parsed)
            case "unpivot":
                return _unpivot(values[0], names)
            case "cross_join":
                return Join(Cross(), *sources, lateral=self._names.is_lateral(parsed))
            case "join":
                on = Theta(Capture[parsed.words[0].upper()], values[0])
                return Join(on, *sources, lateral=self._names.is_lateral(parsed))
            case "filter":
                return Filter(values[0], sources[0])
            case "distinct":
                return plan.Distinct(sources[0])
            case "project":
                return Project(tuple(values), sources[0], names=names)
            case "limit":
                return Limit(values[0], sources[0])
            case "offset":
                return Offset(values[0], sources[0])
            case "group_by":
                return _group_by(parsed, values, sources[0], names)
            case "order_by":
                orders = [SortOrder[word.upper()] for word in parsed.words]
                return Sort(tuple(map(SortSpec, values, orders)), sources[0])
        quantifier = Quantifier(parsed.words[0])
        return _BAG_OPERATORS[parsed.op](*sources, quantifier=quantifier)

    def _map_let(self, parsed: Parsed, rel: Rel, scope: RowScope | None) -> Steps:
        """One projection after the other, so that each value sees the names before it."""
        for name, value in zip(parsed.names, parsed.values, strict=True):
            columns = schema(rel)
            made = yield (self.value(value, RowScope(columns, scope)),)
            kept = tuple(build.column(rel, i) for i in range(len(columns)))
            names = (*(field.name or "" for field in columns), str(name))
            rel = Project((*kept, made), rel, names=names).at(parsed.place)
        return rel

    # Values ----------------------------------------------------------------------------------------------------------

    def value(self, element: Element, scope: RowScope | None) -> Steps:
        parsed = self._names.parsed(element)
        rex: Rex = yield (self._rex(parsed, scope),)
        return rex.at(parsed.place)

    def _rex(self, parsed: Parsed, scope: RowScope | None) -> Steps:
        if parsed.op in ("map_values", "pivot"):
            rel = yield (self.bindings(parsed.inputs[0], scope),)
            scope = RowScope(schema(rel), scope)
        values: list[Any] = []
        for value in parsed.values:
            if is_type_argument(value):
                type_ = self._types.read(value.tail[0], (parsed.place, "type", None))
                values.append((yield (type_,)) if isinstance(type_, Generator) else type_)
            else:
                values.append((yield (self.value(value, scope),)))
        match parsed.op:
            case "id" | "global":
                return self._id(parsed, scope)
            case "lit":
                return build.lit(to_value(parsed.element.tail[0]))
            case "path":
                return build.path(values[0], *_steps(parsed.words, values[1:]))
            case "struct":
                return build.struct(list(zip(values[::2], values[1::2], strict=True)))
            case "list" | "bag" | "sexp":
                return build.collection(_COLLECTIONS[parsed.op], values)
            case "coll_to_scalar":
                return CollToScalar(values[0])
            case "map_values":
                return build.select(values[0], rel)
            case "pivot":
                return Pivot(t.STRUCT, values[1], values[0], rel)
            case "case":
                return _case(parsed, values)
        return Call(resolve(parsed.words[0], values), tuple(values))

    def _id(self, parsed: Parsed, scope: RowScope | None) -> Rex:
        names = tuple(map(str, parsed.names))
        depth = 0
        while scope is not None and parsed.op == "id" and len(names) == 1:
            for ordinal, field in enumerate(scope.columns):
                if field.name == names[0]:
                    return Var(field.type, ordinal, depth=depth)
            scope, depth = scope.outer, depth + 1
        known = [binding.path for binding in self.globals]
        if names not in known:
            self.globals.append(GlobalBinding(names, t.ANY).at(parsed.place))
            known.append(names)
        return plan.Global(t.ANY, known.index(names))


_BAG_OPERATORS: dict[str, Any] = {"union": plan.Union, "intersect": plan.Intersect, "except": plan.Except}
_COLLECTIONS: dict[str, type[t.Collection]] = {"list": t.Array, "bag": t.Bag, "sexp": t.Sexp}


def _scan(value: Rex, parsed: Parsed) -> Rel:
    _, at, by = parsed.names
    names = tuple(name for name in parsed.names if name is not None)
    if at is None:
        return Scan(value, identified=by is not None, names=names)
    return ScanIndexed(value, identified=by is not None, names=names)


def _unpivot(value: Rex, names: tuple[str, ...]) -> Rel:
    """Without AT the key is not bound, and a projection leaves it out."""
    if len(names) == 2:
        return Unpivot(value, names=names[::-1])
    rel = Unpivot(value)
    return Project((build.column(rel, 1),), rel, names=names)


def _group_by(parsed: Parsed, values: list[Rex], rel: Rel, names: tuple[str, ...]) -> Rel:
    strategy, group_as, *words = parsed.words
    aggs: list[Agg] = []
    for word, (start, end) in zip(words, parsed.groups, strict=True):
        args = tuple(values[start:end])
        distinct, name = word.startswith("distinct "), word.removeprefix("distinct ")
        aggs.append(Agg(resolve(name, args), args, distinct=distinct))
    if group_as:
        columns = [(field.name or "", build.column(rel, i)) for i, field in enumerate(schema(rel))]
        aggs.append(build.agg("collect", build.struct(columns)))
    return Aggregate(Strategy[strategy.upper()], tuple(aggs), tuple(values[: parsed.split]), rel, names=names)


def _steps(words: Sequence[str], keys: Sequence[Rex]) -> list[Step]:
    supply = iter(keys)
    marks: dict[str, type[Step]] = {"wildcard": Wildcard, "unpivot": UnpivotStep}
    return [marks[word]() if word else Key(next(supply)) for word in words]


def _case(parsed: Parsed, values: list[Rex]) -> Rex:
    branches = tuple(map(Branch, values[: parsed.split : 2], values[1 : parsed.split : 2]))
    rest = values[parsed.split :]
    matched = rest.pop(0) if "match" in parsed.words else None
    default = rest.pop(0) if "else" in parsed.words else None
    type_ = t.union([*(branch.then.type for branch in branches), t.NULL if default is None else default.type])
    return Case(type_, matched, branches, default=default)
