"""Deliveries: an exchange at the root of a plan may name a location for some of its partitions.

Each such target becomes a plan of its own: the rows of these partitions, which are written to the location. All of them
read one shared exchange, which is computed once. The answer of the plan is what it is without targets.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import FiresteelError
from firesteel.plan import build
from firesteel.policy import Policy
from firesteel.tables import FORMATS


class Delivery(NamedTuple):
    """Rows, and where they are written to."""

    plan: p.Plan
    path: Path

    @property
    def format(self) -> str:
        """What the suffix says, else Parquet: the location of many partitions is often a folder's name."""
        return FORMATS.get(self.path.suffix.lower(), "parquet")


def deliveries(node: p.Plan, policy: Policy) -> list[Delivery]:
    """What a plan delivers. Raises a PolicyError if it may not write to a location, before anything is written. A
    target that is no location is for whoever made the plan: it is kept and shown, and nothing is done."""
    root = node.statement
    if not isinstance(root, p.Root):
        return []
    exchange = root.input.input if isinstance(root.input, p.Project) else root.input
    if not isinstance(exchange, p.Exchange) or not exchange.targets:
        return []
    shared = p.Shared("deliveries", _numbered(root.input, exchange))
    return list(_each(node, root, shared, exchange.targets, policy))


def _numbered(top: p.Rel, exchange: p.Exchange) -> p.Rel:
    """The rows at the root, with the number of their partition as the last column."""
    made = exchange.replace(numbered=True, targets=())
    if not isinstance(top, p.Project):
        return made
    number = build.column(made, len(p.schema(exchange)))
    return top.replace(exprs=(*top.exprs, number), input=made, names=())


def _each(
    node: p.Plan, root: p.Root, shared: p.Rel, targets: tuple[p.Target, ...], policy: Policy
) -> Iterator[Delivery]:
    width = len(p.schema(shared)) - 1
    for target in targets:
        if target.uri is None:
            continue
        try:
            path = policy.target(target.uri)
        except FiresteelError as error:
            raise error.located(target.where) from None
        numbers = [build.lit(number, t.INT32) for number in target.partitions]
        chosen = build.call("in_collection", build.column(shared, width), build.collection(t.Array, numbers))
        rows = build.emit(p.Filter(chosen, shared), range(width))
        yield Delivery(node.replace(statement=root.replace(input=rows)), path)
