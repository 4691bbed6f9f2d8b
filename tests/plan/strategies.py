"""Hypothesis strategies of plans, derived from the declarations of the nodes: a new node needs nothing here.

plans()             whole plans: anything that can be built, whether it means something or not
nodes(Rex, depth)   nodes of a sort; `depth` bounds how far they go down
types(), values()   types and values
"""

from __future__ import annotations

import datetime
import enum
import types as python_types
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Any, Union, get_args, get_origin

from hypothesis import strategies as st

from firesteel import plan as p
from firesteel import types as t
from firesteel.ion.notation import READERS
from firesteel.node import Node, fields
from firesteel.partiql_plan.literals import fit
from firesteel.partiql_plan.read.complete_nodes import agrees
from firesteel.values import MISSING, Bag, Clob, Graph, Interval, Sexp, Struct, Symbol, Time, Timestamp

#: Any text, and some that means something to a reader.
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=5) | st.sampled_from(["$x", "3", "null", "int"])

# ---------------------------------------------------------------------------------------------------------------------
# Values

seconds = st.decimals(0, 59, places=3, allow_nan=False) | st.integers(0, 59).map(Decimal)
offsets = st.none() | st.integers(-1439, 1439)
dates = st.dates(datetime.date(2, 1, 1), datetime.date(9998, 12, 31))


@st.composite
def timestamps(draw: st.DrawFn) -> Timestamp:
    day, hour, minute = draw(dates), draw(st.integers(0, 23)), draw(st.integers(0, 59))
    return Timestamp(day.year, day.month, day.day, hour, minute, draw(seconds), draw(offsets))


scalars = st.one_of(
    st.none(),
    st.just(MISSING),
    st.booleans(),
    st.integers(-10, 10) | st.integers(),
    st.floats(),
    st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**9), max_value=10**9),
    texts,
    texts.map(Symbol),
    st.binary(max_size=4),
    st.binary(max_size=4).map(Clob),
    dates,
    st.builds(Time, st.integers(0, 23), st.integers(0, 59), seconds, offsets),
    timestamps(),
    st.integers(-(10**6), 10**6).map(lambda months: Interval("year_month", months=months)),
    st.integers(-(10**18), 10**18).map(lambda nanos: Interval("day_time", nanos=nanos)),
    st.just(Graph(Struct([("nodes", []), ("edges", [])]))),
)


def _containers(items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(items, max_size=3)
    pairs = st.lists(st.tuples(texts, items), max_size=3)
    return st.one_of(lists, lists.map(Bag), lists.map(Sexp), pairs.map(Struct))


@cache
def values() -> st.SearchStrategy[Any]:
    """Values of every kind, nested a little."""
    return st.recursive(scalars, _containers, max_leaves=4)


# ---------------------------------------------------------------------------------------------------------------------
# What an annotation asks for


def _parts(annotation: Any) -> list[Any]:
    return list(get_args(annotation)) if get_origin(annotation) in (Union, python_types.UnionType) else [annotation]


def subclasses(cls: type[Node]) -> Iterator[type[Node]]:
    """The classes of plan nodes and types below a class, that class included; ASTs and tests declare others."""
    if cls.__module__.startswith(("firesteel.plan.", "firesteel.types", "firesteel.partiql_plan.")):
        yield cls
    for sub in cls.__subclasses__():
        yield from subclasses(sub)


def concrete(cls: type[Node]) -> list[type[Node]]:
    """Those of which there are nodes: the ones with a tag, or a class that is all there is of its sort."""
    tagged = [sub for sub in subclasses(cls) if sub.tag]
    return tagged or [cls]


def height(cls: type[Node]) -> int:
    """How far down the least node of a class goes."""
    return _heights()[cls]


@cache
def _heights() -> dict[type[Node], int]:
    """Declarations may lead back to their own sort, so the heights are iterated until they stand."""
    classes = dict.fromkeys(subclasses(Node))
    heights: dict[type[Node], int] = {}
    while True:
        before = dict(heights)
        for cls in classes:
            known = [_least(spec.annotation, heights) for spec in fields(cls) if not spec.named]
            if all(one is not None for one in known):
                heights[cls] = 1 + max((one for one in known if one is not None), default=-1)
        if heights == before:
            return heights


def _least(annotation: Any, heights: dict[type[Node], int]) -> int | None:
    """The least height of what may stand in a field; None as long as it is not known."""
    found: list[int] = []
    for part in _parts(annotation):
        if isinstance(part, type) and issubclass(part, Node) and not issubclass(part, t.Type):
            found.extend(heights[sub] for sub in concrete(part) if sub in heights)
        else:
            found.append(0)  # types, scalars, None, and tuples, which may be empty
    return min(found, default=None)


@cache
def of(annotation: Any, depth: int) -> st.SearchStrategy[Any]:
    """What an annotation allows, at most so deep."""
    return st.one_of([_one(part, depth) for part in _parts(annotation) if _fits(part, depth)])


def _fits(part: Any, depth: int) -> bool:
    if not isinstance(part, type) or not issubclass(part, Node) or issubclass(part, t.Type):
        return True
    return any(height(cls) <= depth for cls in concrete(part))


def _one(part: Any, depth: int) -> st.SearchStrategy[Any]:
    if part is Any:
        return values()
    if get_origin(part) is tuple:
        item, *rest = get_args(part)
        if rest != [...]:
            return st.tuples(*(of(one, depth) for one in get_args(part)))
        room = any(_fits(one, depth - 1) for one in _parts(item))
        return st.lists(of(item, depth - 1), max_size=2).map(tuple) if room else st.just(())
    if part in _SCALARS:
        return _SCALARS[part]
    if issubclass(part, enum.Enum):
        return st.sampled_from(part)
    return types() if issubclass(part, t.Type) else nodes(part, depth)


_SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    type(None): st.none(),
    bool: st.booleans(),
    int: st.integers(-3, 40),
    str: texts,
    float: st.floats(),
}


# ---------------------------------------------------------------------------------------------------------------------
# Nodes


@cache
def nodes(sort: type[Node], depth: int = 4) -> st.SearchStrategy[Any]:
    """Nodes of a sort."""
    return st.deferred(lambda: st.one_of([_node(cls, depth) for cls in concrete(sort) if height(cls) <= depth]))


@cache
def _node(cls: type[Node], depth: int) -> st.SearchStrategy[Any]:
    if cls in _SPECIAL:
        return _SPECIAL[cls](depth)
    built = st.builds(cls, **{spec.name: of(spec.annotation, depth - 1) for spec in fields(cls)})
    return built.map(_undeclared) if issubclass(cls, p.Rel) else built


def _undeclared(rel: Any) -> Any:
    """A relation does not declare a schema that is its own: nobody could tell."""
    agreed = rel.declared is not None and agrees(rel.declared, p.schema(rel))
    return rel.replace(declared=None) if agreed else rel


@st.composite
def _lits(draw: st.DrawFn, _depth: int) -> p.Lit:
    """A literal whose value is of the kind that its type says, where Ion leaves that to the type."""
    value = draw(values())
    type_ = draw(st.just(t.type_of(value)) | types())
    return p.Lit(type_, fit(value, type_))


#: Nodes whose fields depend on each other.
_SPECIAL: dict[type[Node], Any] = {p.Lit: _lits}


@cache
def types(depth: int = 2) -> st.SearchStrategy[t.Type]:
    """Types as `types.union` builds them: unions are flat, and `any`, `null` and `missing` have their own flags."""
    fixed = [t.ANY, t.NULL, t.MISSING, t.Null(missable=True)]
    simple: list[st.SearchStrategy[t.Type]] = [st.sampled_from(fixed)]
    for cls in concrete(t.Type):
        if cls in (t.Any, t.Null, t.Missing, t.Union):
            continue
        if depth == 0 and any(_holds_types(spec.annotation) for spec in fields(cls)):
            continue
        simple.append(st.builds(cls, **{spec.name: _type_part(spec.annotation, depth) for spec in fields(cls)}))
    # Most types of a plan are just a name.
    bare = [cls for cls in concrete(t.Type) if not any(spec.default is _NONE for spec in fields(cls))]
    plain = st.sampled_from([cls() for cls in bare])
    unions = [st.lists(types(depth - 1), min_size=1, max_size=3).map(t.union)] if depth else []
    return st.one_of(plain, st.one_of(simple), *unions).map(lambda type_: t.union((type_,)))


_NONE = fields(t.Unresolved)[0].default  # what a field without a default has


def _holds_types(annotation: Any) -> bool:
    inner = [one for part in _parts(annotation) for one in (get_args(part) or [part])]
    return any(isinstance(one, type) and issubclass(one, t.Type | t.Field) for part in inner for one in _parts(part))


def _type_part(annotation: Any, depth: int) -> st.SearchStrategy[Any]:
    alternatives: list[st.SearchStrategy[Any]] = []
    for part in _parts(annotation):
        if get_origin(part) is tuple:
            alternatives.append(st.lists(_type_part(get_args(part)[0], depth), max_size=2).map(tuple))
        elif part in _SCALARS:
            alternatives.append(_SCALARS[part])
        elif issubclass(part, t.Type):
            alternatives.append(types(depth - 1))
        else:
            alternatives.append(st.builds(part, **{s.name: _type_part(s.annotation, depth) for s in fields(part)}))
    return st.one_of(alternatives)


# ---------------------------------------------------------------------------------------------------------------------
# Plans


@st.composite
def plans(draw: st.DrawFn, depth: int = 4) -> p.Plan:
    """Whole plans. Some of what they define is used in them more than once, as the same object."""
    statement = draw(nodes(p.Statement, depth))
    defined = draw(st.lists(nodes(p.Rex, 2) | nodes(p.Rel, 3), max_size=2))
    shared = [node for node in defined if isinstance(node, p.Rel)]
    if shared and isinstance(statement, p.Root):
        join = p.Join(p.Cross(), statement.input, p.Join(p.Cross(), shared[0], shared[0]))
        statement = statement.replace(input=join)
    labels = draw(st.lists(texts, min_size=len(defined), max_size=len(defined), unique=True))
    constant_names = st.none() | texts.filter(lambda name: name not in READERS)
    return p.Plan(
        statement,
        globals=draw(st.lists(nodes(p.GlobalBinding, 1), max_size=2).map(tuple)),
        imports=draw(st.sampled_from([("partiql",), ()])),
        types=draw(st.lists(types(), max_size=2).map(tuple)),
        fns=draw(st.lists(nodes(p.Fn, 2), max_size=2).map(tuple)),
        constants=draw(st.lists(st.builds(p.Constant, constant_names, values()), max_size=2).map(tuple)),
        definitions=tuple(p.Definition(label, node) for label, node in zip(labels, defined, strict=True)),
    )
