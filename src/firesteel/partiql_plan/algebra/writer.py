"""A plan to the algebra's s-expressions: positions become names again. Nodes without a notation are refused."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from firesteel import functions, plan
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.ion import Element, form, from_value, null, sexp, sym
from firesteel.ion import write as write_ion
from firesteel.node import Node, drive, walk
from firesteel.partiql_plan.algebra.syntax import is_reserved
from firesteel.partiql_plan.builtin import ORDINALS
from firesteel.partiql_plan.write.types import inline
from firesteel.plan import (
    Aggregate,
    Cross,
    Equi,
    Join,
    NamingRel,
    Plan,
    Project,
    Quantifier,
    Rel,
    Rex,
    Scan,
    ScanIndexed,
    Select,
    Strategy,
    Theta,
    Unpivot,
    Var,
    build,
    is_list,
    schema,
)

Steps = Generator[Any, Any, Any]

#: The algebra has no labels, so a plan with shared parts is written out, up to here.
MAX_NODES = 1_000_000


def write(plan_: Plan) -> str:
    """The plan's statement as an expression of the algebra."""
    writing = _Writing(plan_)
    named = next((one for one in plan_.globals if one.files is not None), None)
    if named is not None:
        raise UnsupportedError(f"'{named.name}': files have no form in the algebra", where=named.where)
    match plan_.statement:
        case plan.Query(rex):
            element: Element = drive(lambda steps: steps, writing.value(rex, None))
        case plan.Root(names, rel):
            element, made = drive(lambda steps: steps, writing.bindings(rel, None))
            if made != names and len(made) == len(names):
                pairs = [sexp(sym(new), form("id", sym(old))) for new, old in zip(names, made, strict=True)]
                element = form("project", sexp(*pairs), element)
        case other:
            raise _unsupported(other)
    return write_ion([element])


def _unsupported(node: Node, why: str = "") -> UnsupportedError:
    what = node.tag or type(node).__name__.lower()
    return UnsupportedError(f"'{what}' has no form in the algebra{why}", where=node.where)


@dataclass(frozen=True, eq=False)
class _Row:
    """The names of a row, and the row around it. One that `hides` is no row: the reader looks for names in it first."""

    names: tuple[str, ...]
    outer: _Row | None
    hides: bool = False


class _Writing:
    def __init__(self, plan_: Plan) -> None:
        self._globals = plan_.globals
        named = (node.names for node in walk(plan_.statement, NamingRel))
        self._taken = {name for names in named for name in names}
        self._number = 0
        self._count = 0

    def _fresh(self, count: int) -> tuple[str, ...]:
        """Names for columns that have none."""
        made: list[str] = []
        while len(made) < count:
            self._number += 1
            if f"_{self._number}" not in self._taken:
                made.append(f"_{self._number}")
        return tuple(made)

    def _names(self, rel: NamingRel) -> tuple[str, ...]:
        width = len(schema(rel))
        usable = len(rel.names) == width == len(set(rel.names))
        return rel.names if usable else self._fresh(width)

    def _counted(self, node: Node) -> None:
        self._count += 1
        if self._count > MAX_NODES:
            raise UnsupportedError(f"written out, the plan has more than {MAX_NODES:,} nodes", where=node.where)

    # Bindings --------------------------------------------------------------------------------------------------------

    def bindings(self, rel: Rel, row: _Row | None) -> Steps:
        """The expression, and the names that it binds."""
        self._counted(rel)
        match rel:
            case Scan() | ScanIndexed():
                return (yield (self._scan(rel, row),))
            case Unpivot(rex):
                key, value = self._names(rel)
                return form("unpivot", (yield (self.value(rex, row),)), sym(value), sym(key)), (key, value)
            case Project(exprs=(Var(ordinal=1, depth=0),), input=Unpivot(rex, names=())):
                names = self._names(rel)
                return form("unpivot", (yield (self.value(rex, row),)), sym(names[0])), names
            case Join():
                return (yield (self._join(rel, row),))
            case plan.SetRel(left, right):
                below, names = yield (self.bindings(left, row),)
                beside, _ = yield (self.bindings(right, row),)
                distinct = [sym("distinct")] if rel.quantifier is Quantifier.DISTINCT else []
                return form(rel.tag, *distinct, below, beside), names
            case plan.Distinct(source):
                below, names = yield (self.bindings(source, row),)
                return form("distinct", below), names
            case Project() | plan.Filter() | plan.Sort() | plan.Limit() | plan.Offset() | Aggregate():
                below, names = yield (self.bindings(rel.input, row),)
                return (yield (self._over(rel, below, names, row),))
        raise _unsupported(rel)

    def _scan(self, rel: Scan | ScanIndexed, row: _Row | None) -> Steps:
        value = yield (self.value(rel.rex, row),)
        names = self._names(rel)
        aliases = [*map(sym, names)]
        if isinstance(rel, Scan) and rel.identified:
            aliases.insert(1, null())
        return form("scan", value, *aliases), names

    def _join(self, rel: Join, row: _Row | None) -> Steps:
        left, left_names = yield (self.bindings(rel.left, row),)
        right, right_names = yield (self.bindings(rel.right, _Row(left_names, row, hides=not rel.lateral)),)
        names = left_names + right_names
        if len(set(names)) < len(names):
            raise _unsupported(rel, ": both sides bind the same name")
        if rel.capture.tests:
            raise _unsupported(rel, f": it is {rel.capture.name.lower()}")
        match rel.type:
            case Cross():
                return form("cross_join", left, right), names
            case Theta(condition=condition):
                on = yield (self.value(condition, _Row(names, row)),)
            case Equi(keys=keys, residual=None) if keys and not any(key.same for key in keys):
                tests: list[Element] = []
                for key in keys:
                    a = yield (self.value(key.left, _Row(left_names, _Row(right_names, row, hides=True))),)
                    b = yield (self.value(key.right, _Row(right_names, _Row(left_names, row, hides=True))),)
                    tests.append(form("eq", a, b))
                on = form("and", *tests) if len(tests) > 1 else tests[0]
            case _:
                raise _unsupported(rel.type)
        return form("join", sym(rel.capture.name.lower()), on, left, right), names

    def _over(self, rel: Any, below: Element, names: tuple[str, ...], row: _Row | None) -> Steps:
        """A relation over one other."""
        inner = _Row(names, row)
        match rel:
            case plan.Filter(predicate):
                return form("filter", (yield (self.value(predicate, inner),)), below), names
            case plan.Limit(count) | plan.Offset(count):
                return form(rel.tag, (yield (self.value(count, _Row((), row)),)), below), names
            case plan.Sort(specs):
                keys: list[Element] = []
                for spec in specs:
                    key = yield (self.value(spec.key, inner),)
                    direction, nulls = spec.order.name.lower().split("_", 1)
                    keys.append(sexp(key, sym(direction), sym(nulls)))
                return form("order_by", sexp(*keys), below), names
            case Project(exprs):
                made = self._names(rel)
                values: list[Element] = []
                for expr in exprs:
                    values.append((yield (self.value(expr, inner),)))
                if _extends(rel, made, names):
                    return form("map_let", sexp(sexp(sym(made[-1]), values[-1])), below), made
                return form("project", _pairs(made, values), below), made
        return (yield (self._aggregate(rel, below, inner),))

    def _aggregate(self, rel: Aggregate, below: Element, inner: _Row) -> Steps:
        names = self._names(rel)
        keys: list[Element] = []
        for key in rel.keys:
            keys.append((yield (self.value(key, inner),)))
        aggs = list(rel.aggs)
        group_as: list[Element] = []
        columns = [(name, build.column(rel.input, i)) for i, name in enumerate(inner.names)]
        if aggs and aggs[-1] == build.agg("collect", build.struct(columns)):
            aggs.pop()
            group_as.append(form("group_as", sym(names[-1])))
        calls: list[Element] = []
        for agg in aggs:
            args = yield (self._arguments(agg.args, inner),)
            calls.append(form(agg.fn.name, *([sym("distinct")] if agg.distinct else []), *args))
        parts = [
            *([sym("partial")] if rel.strategy is Strategy.PARTIAL else []),
            *([form("keys", *_pairs(names[: len(keys)], keys).value)] if keys else []),
            *([form("aggregates", *_pairs(names[len(keys) : len(keys) + len(calls)], calls).value)] if calls else []),
        ]
        return form("group_by", *parts, *group_as, below), names

    # Values ----------------------------------------------------------------------------------------------------------

    def value(self, rex: Rex, row: _Row | None) -> Steps:
        self._counted(rex)
        match rex:
            case plan.Lit(value=value):
                return form("lit", from_value(value))
            case Var(ordinal=ordinal, depth=depth):
                return form("id", sym(_resolved(rex, ordinal, depth, row)))
            case plan.Global(ordinal=ordinal):
                return self._global(rex, ordinal, row)
            case plan.Path(root=root, steps=steps):
                start = yield (self.value(root, row),)
                made: list[Element] = []
                for step in steps:
                    if isinstance(step, plan.Key):
                        made.append((yield (self.value(step.key, row),)))
                    elif type(step) in _STEPS:
                        made.append(form(_STEPS[type(step)]))
                    else:
                        raise _unsupported(step)
                return form("path", start, *made)
            case plan.Call(fn, args):
                items = yield (self._arguments(args, row),)
                plain = functions.find(fn.name) is not None and not is_reserved(fn.name)
                return form(fn.name, *items) if plain else form("call", sym(fn.name), *items)
            case plan.Struct(pairs=pairs):
                items = yield (self._values([part for pair in pairs for part in (pair.key, pair.value)], row),)
                return form("struct", *map(_pair, items[::2], items[1::2]))
            case plan.Collection(type_, items) if type(type_) in _COLLECTIONS:
                return form(_COLLECTIONS[type(type_)], *(yield (self._values(items, row),)))
            case plan.Case():
                return (yield (self._case(rex, row),))
            case plan.CollToScalar(query):
                return form("coll_to_scalar", (yield (self.value(query, row),)))
            case plan.Pivot(key=key, value=value, input=rel):
                below, names = yield (self.bindings(rel, row),)
                items = yield (self._values([value, key], _Row(names, row)),)
                return form("pivot", *items, below)
            case Select():
                return (yield (self._select(rex, row),))
        raise _unsupported(rex)

    def _values(self, rexes: Iterable[Rex], row: _Row | None) -> Steps:
        items: list[Element] = []
        for rex in rexes:
            items.append((yield (self.value(rex, row),)))
        return items

    def _arguments(self, args: Iterable[Rex | t.Type], row: _Row | None) -> Steps:
        items: list[Element] = []
        for arg in args:
            if isinstance(arg, t.Type):
                items.append(form("type", sym(arg.tag) if arg in ORDINALS else inline(arg)))
            else:
                items.append((yield (self.value(arg, row),)))
        return items

    def _global(self, rex: Rex, ordinal: int, row: _Row | None) -> Element:
        if not 0 <= ordinal < len(self._globals):
            raise PlanError(f"no global {ordinal}: the plan has {len(self._globals)}", where=rex.where)
        path = self._globals[ordinal].path
        hidden = len(path) == 1 and _holder(path[0], row) is not None
        return form("global" if hidden else "id", *map(sym, path))

    def _case(self, rex: plan.Case, row: _Row | None) -> Steps:
        matched = yield (self._values([] if rex.match is None else [rex.match], row),)
        parts = yield (self._values([part for b in rex.branches for part in (b.when, b.then)], row),)
        default = yield (self._values([] if rex.default is None else [rex.default], row),)
        whens = [form("when", a, b) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        return form("case", *matched, *whens, *(form("else", one) for one in default))

    def _select(self, rex: Select, row: _Row | None) -> Steps:
        """`map_values` keeps what its input is; a bag of a list has to be made one."""
        ordered = is_list(rex.input)
        if isinstance(rex.type, t.Array) and ordered is not True:
            raise _unsupported(rex, ": an array of what may be a bag")
        below, names = yield (self.bindings(rex.input, row),)
        made = form("map_values", (yield (self.value(rex.constructor, _Row(names, row)),)), below)
        return form("to_bag", made) if isinstance(rex.type, t.Bag) and ordered is not False else made


_STEPS: dict[type[Node], str] = {plan.Wildcard: "wildcard", plan.UnpivotStep: "unpivot"}
_COLLECTIONS: dict[type[t.Type], str] = {t.Array: "list", t.Bag: "bag", t.Sexp: "sexp"}


def _pair(key: Element, value: Element) -> Element:
    return form("expr_pair", key, value)


def _pairs(names: Sequence[str], values: Sequence[Element]) -> Element:
    return sexp(*(sexp(sym(name), value) for name, value in zip(names, values, strict=True)))


def _extends(rel: Project, made: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """Does a projection keep everything under its name and add one column?"""
    if len(made) != len(names) + 1 or made[:-1] != names:
        return False
    return all(isinstance(e, Var) and (e.ordinal, e.depth) == (i, 0) for i, e in enumerate(rel.exprs[:-1]))


def _holder(name: str, row: _Row | None) -> _Row | None:
    """The row in which the reader will find a name."""
    while row is not None and name not in row.names:
        row = row.outer
    return row


def _resolved(rex: Rex, ordinal: int, depth: int, row: _Row | None) -> str:
    """The name of a variable, if the reader will find that variable by it."""
    target = row
    left = depth
    while target is not None and (target.hides or left > 0):
        left -= not target.hides
        target = target.outer
    if target is None or not 0 <= ordinal < len(target.names):
        raise PlanError(f"no variable {ordinal} at depth {depth}", where=rex.where)
    name = target.names[ordinal]
    if _holder(name, row) is not target:
        raise UnsupportedError(f"the variable '{name}' is hidden by another of that name", where=rex.where)
    return name
