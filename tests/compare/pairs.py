"""Pairs of plans: a query, and the same plan rewritten so that it means the same, or changed in one place."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import firesteel as fs
from firesteel import plan as p
from firesteel import types as t
from firesteel.node import Node, transform, walk
from firesteel.plan import build

QUERIES = (
    "SELECT x.a, x.b FROM t AS x WHERE x.a > 1 AND x.b = 2 AND (x.c < 3 OR x.a = 7)",
    "SELECT x.a, y.d FROM t AS x JOIN u AS y ON x.a = y.a AND x.b = y.d WHERE x.c >= 4",
    "SELECT x.a FROM t AS x LEFT JOIN u AS y ON x.a = y.a WHERE x.b <> 3 ORDER BY x.a, x.b DESC",
    "SELECT x.a, SUM(x.b) AS s, COUNT(*) AS n FROM t AS x WHERE x.c = 5 GROUP BY x.a HAVING SUM(x.b) > 10",
    "SELECT z.a FROM (SELECT x.a AS a, x.b + 1 AS b FROM t AS x WHERE x.c = 1) AS z WHERE z.b = 2 LIMIT 3",
    "SELECT x.a, i.q FROM t AS x, x.items AS i WHERE i.q > 2 AND i.sku = 'a'",
    "SELECT x.a FROM t AS x WHERE EXISTS (SELECT 1 FROM u AS y WHERE y.a = x.a AND y.d > 6)",
    "SELECT x.a FROM t AS x WHERE x.b = 1 UNION ALL SELECT y.a FROM u AS y WHERE y.d = 8",
    "SELECT DISTINCT x.b FROM t AS x WHERE x.a IN (1, 2, 3) AND x.b > 0",
    "SELECT x.a, RANK() OVER (PARTITION BY x.b ORDER BY x.c) AS r FROM t AS x WHERE x.a * 2 > 9",
    "SELECT CASE WHEN x.a = 1 THEN x.b ELSE 4 END AS v FROM t AS x WHERE x.c > 2 ORDER BY x.a LIMIT 5",
)


def session() -> fs.Session:
    made = fs.connect(engine="reference")
    made.register("t", [{"a": 1, "b": 2, "c": 3, "items": [{"sku": "a", "q": 2}]}])
    made.register("u", [{"a": 1, "d": 2}])
    return made


Change = Callable[[Any, random.Random], Node]
_MIRRORED = {"lt": "gt", "gt": "lt", "lte": "gte", "gte": "lte"}


# ---------------------------------------------------------------------------------------------------------------------
# Rewrites that change no meaning: each says what it makes of a node


def _reordered(call: p.Call, chance: random.Random) -> Node:
    """Operands of AND and OR in another order, comparisons the other way round."""
    if call.fn.name in ("and", "or"):
        return build.call(call.fn.name, *chance.sample(call.values, len(call.values)))
    if call.fn.name in ("eq", "ne"):
        return build.call(call.fn.name, *reversed(call.values))
    return build.call(_MIRRORED[call.fn.name], *reversed(call.values)) if call.fn.name in _MIRRORED else call


def _renamed(rel: p.Rel, chance: random.Random) -> Node:
    names = tuple(f"n{chance.randrange(1000)}" for _ in getattr(rel, "names", ()))
    return rel.replace(names=names) if names else rel


def _hinted(rel: p.Rel, chance: random.Random) -> Node:
    return rel.replace(hints=p.Hints(row_count=float(chance.randrange(100)), alias="h"))


def _split(rel: p.Filter, _chance: random.Random) -> Node:
    """A filter per condition."""
    match rel.predicate:
        case p.Call(fn=p.Fn(name="and"), args=(first, *rest)):
            inner = p.Filter(first, rel.input) if isinstance(first, p.Rex) else rel.input
            return p.Filter(build.call("and", *rest) if len(rest) > 1 else rest[0], inner)  # type: ignore[arg-type]
        case _:
            return rel


def _emitted(rel: p.Filter, chance: random.Random) -> Node:
    """The columns of the input in another order, and back again."""
    columns = p.schema(rel.input)
    order = chance.sample(range(len(columns)), len(columns))
    there = p.Project(tuple(p.Var(columns[i].type, i) for i in order), rel.input)
    back = p.Project(tuple(p.Var(columns[i].type, order.index(i)) for i in range(len(columns))), there)
    return rel.replace(input=back)


def _unfolded(lit: p.Lit, chance: random.Random) -> Node:
    """`7` as `3 + 4`."""
    if type(lit.value) is not int or not isinstance(lit.type, t.Integer):
        return lit
    part = chance.randrange(1, 50)
    return build.call("plus", lit.replace(value=lit.value - part), lit.replace(value=part))


REWRITES: dict[str, tuple[type[Node], Change]] = {
    "reordered": (p.Call, _reordered),
    "renamed": (p.NamingRel, _renamed),
    "hinted": (p.Rel, _hinted),
    "split": (p.Filter, _split),
    "emitted": (p.Filter, _emitted),
    "unfolded": (p.Lit, _unfolded),
}


def rewritten(plan: p.Plan, chance: random.Random) -> p.Plan:
    """The plan with some of the rewrites, each wherever it applies."""
    for name in chance.sample(sorted(REWRITES), 3):
        sort, change = REWRITES[name]
        plan = transform(plan, lambda node, change=change: change(node, chance), sort)
    return plan


# ---------------------------------------------------------------------------------------------------------------------
# Mutations: each says what it makes of one node, or None if it does not apply there


def _literal(lit: p.Lit) -> Node | None:
    if type(lit.value) is int:
        return lit.replace(value=lit.value + 17)
    return lit.replace(value=f"{lit.value}z") if isinstance(lit.value, str) and isinstance(lit.type, t.String) else None


def _column(key: p.Key) -> Node | None:
    """Another attribute: `a` becomes `c`, any other `a`."""
    name = str(key.key.value) if isinstance(key.key, p.Lit) else ""
    if name not in ("a", "b", "c", "d", "q"):
        return None
    assert isinstance(key.key, p.Lit)
    return key.replace(key=key.key.replace(value=type(key.key.value)("c" if name == "a" else "a")))


def _capture(kind: p.Theta) -> Node | None:
    return kind.replace(capture=p.Capture.LEFT if kind.capture is p.Capture.INNER else p.Capture.INNER)


def _direction(spec: p.SortSpec) -> Node | None:
    up, down = p.SortOrder.ASC_NULLS_LAST, p.SortOrder.DESC_NULLS_FIRST
    return spec.replace(order=down if spec.order is up else up)


def _comparison(call: p.Call) -> Node | None:
    other = {"lt": "lte", "gt": "gte", "lte": "lt", "gte": "gt", "eq": "ne", "ne": "eq", "and": "or", "or": "and"}
    return build.call(other[call.fn.name], *call.values) if call.fn.name in other else None


def _quantifier(union: p.Union) -> Node | None:
    all_ = union.quantifier is p.Quantifier.ALL
    return union.replace(quantifier=p.Quantifier.DISTINCT if all_ else p.Quantifier.ALL)


def _without(rel: p.Rel) -> Node | None:
    return rel.input if isinstance(rel, p.Filter | p.Sort | p.Limit | p.Distinct) else None


MUTATIONS: dict[str, tuple[type[Node], Callable[[Any], Node | None]]] = {
    "literal": (p.Lit, _literal),
    "column": (p.Key, _column),
    "join type": (p.Theta, _capture),
    "direction": (p.SortSpec, _direction),
    "comparison": (p.Call, _comparison),
    "quantifier": (p.Union, _quantifier),
    "relation": (p.Rel, _without),
}


def _replaced(plan: p.Plan, old: Node, new: Node | None) -> p.Plan:
    return transform(plan, lambda node: new or node if node is old else node, type(old))


def mutated(plan: p.Plan, chance: random.Random) -> tuple[p.Plan, str]:
    """The plan with one mutation in one place, and which."""
    for name in chance.sample(sorted(MUTATIONS), len(MUTATIONS)):
        sort, change = MUTATIONS[name]
        places = [node for node in walk(plan.statement, sort) if change(node) is not None]
        if places:
            chosen = chance.choice(places)
            return _replaced(plan, chosen, change(chosen)), name
    raise AssertionError("no mutation applies")
