"""One filter instead of a chain: `filter(q, filter(p, r))` is `filter(p and q, r)`.

The inner condition stays first, so that what it guards against is still guarded.
"""

from __future__ import annotations

from firesteel.node import Node, children, rebuild, transform
from firesteel.plan import Call, Filter, Plan, Rel, Rex
from firesteel.plan.build import call


def merge_filters(plan: Plan) -> Plan:
    """Merge filters that follow each other."""
    return transform(plan, _merge)


def _merge(node: Node) -> Node:
    """A chain is merged once, by whatever reads it: merging two by two would write out its conditions each time."""
    return node if isinstance(node, Filter) else rebuild(node, [_collapsed(child) for child in children(node)])


def _collapsed(node: Node) -> Node:
    if not isinstance(node, Filter) or not isinstance(node.input, Filter):
        return node
    predicates: list[Rex] = []
    source: Rel = node
    while isinstance(source, Filter):
        predicates.append(source.predicate)
        source = source.input
    terms = [term for predicate in reversed(predicates) for term in _terms(predicate)]
    return Filter(call("and", *terms), source).at(node.where)


def _terms(predicate: Rex) -> tuple[Rex, ...]:
    """What a conjunction joins, so that the result is one call and not a tower of them."""
    if isinstance(predicate, Call) and predicate.fn.name == "and":
        return predicate.values
    return (predicate,)
