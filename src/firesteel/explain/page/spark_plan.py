"""Spark's physical plan as a layer.

Spark prints its plan and does not say which of our operators a node computes. The nodes are matched by kind, in the
order of the tree. Of the others, what serves the node above it (an exchange, a sort for a merge join) goes with that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from firesteel.explain.page.layers import Range, linked, matched
from firesteel.explain.page.model import Layer, Operator

_NOTE = "matched by kind and order: Spark does not say which operator a node computes, and may change their order"

#: A line of the tree: how it is indented, the number of its generated code, the name of the node, the rest.
_LINE = re.compile(r"^(?P<lead>[\s:|]*(?:\+- |:- )?)(?:\*\(\d+\) |\* )?(?P<name>\w+)(?P<rest>.*)$")
#: Kinds of Spark's nodes by their names, in the words of `Operator.kind`; the first that is in the name.
_KINDS = (
    ("TakeOrderedAndProject", "sort"),
    ("Limit", "limit"),
    ("Join", "join"),
    ("CartesianProduct", "join"),
    ("Window", "window"),
    ("Aggregate", "aggregate"),
    ("Filter", "filter"),
    ("Scan", "scan"),
    ("Range", "scan"),
    ("Generate", "scan"),
    ("Union", "set"),
)
_SORT = "Sort"
#: Join types that are kinds of their own.
_SEMI = re.compile(r"LeftSemi|LeftAnti|ExistenceJoin")


class _Node(NamedTuple):
    start: int
    end: int
    depth: int
    name: str
    kind: str | None


def spark_layer(text: str, operators: Sequence[Operator]) -> Layer:
    """Spark's plan as it prints it, its nodes matched with the operators."""
    nodes = _nodes(text)
    owners = _owners(nodes, operators)
    ranges = [Range(node.start, node.end, owners[place]) for place, node in enumerate(nodes) if place in owners]
    return linked("spark", "Spark's physical plan", text.strip("\n"), _shifted(ranges, text), _NOTE)


def _shifted(ranges: list[Range], text: str) -> list[Range]:
    """The ranges without the empty lines at the start."""
    cut = len(text) - len(text.lstrip("\n"))
    return [Range(one.start - cut, one.end - cut, one.operator) for one in ranges]


def _nodes(text: str) -> list[_Node]:
    nodes: list[_Node] = []
    start = 0
    for line in text.splitlines(keepends=True):
        found = _LINE.match(line.rstrip("\n"))
        if found is not None and not line.startswith("=="):
            name = found["name"]
            begin = start + len(found["lead"])
            nodes.append(
                _Node(begin, start + len(line.rstrip("\n")), len(found["lead"]), name, _kind(name, found["rest"]))
            )
        start += len(line)
    return nodes


def _kind(name: str, rest: str) -> str | None:
    if name == _SORT:
        return "sort"
    kind = next((kind for word, kind in _KINDS if word in name), None)
    if kind == "join" and _SEMI.search(rest):
        return "semi join"
    return "partial aggregate" if kind == "aggregate" and "partial_" in rest else kind


def _owners(nodes: Sequence[_Node], operators: Sequence[Operator]) -> dict[int, int]:
    """The operator of each node, as far as one is found."""
    ours = [(one.id, _our_kind(one)) for one in operators if one.same_as is None]
    kinds = [kind for _, kind in ours]
    theirs = [(place, node.kind) for place, node in enumerate(nodes) if node.kind in kinds]
    pairs = matched(kinds, [kind for _, kind in theirs])
    owners = {theirs[their][0]: ours[our][0] for their, our in pairs.items()}
    often = Counter(kinds)
    only = {kind: number for number, kind in ours if often[kind] == 1}
    for place, kind in theirs:
        if place not in owners and kind in only and kind != "sort":
            owners[place] = only[kind]
    above = _above(nodes)
    for place, node in enumerate(nodes):
        upper = above[place]
        if place not in owners and upper in owners and _serves(node):
            owners[place] = owners[upper]
    return owners


def _our_kind(one: Operator) -> str:
    return "semi join" if one.kind == "join" and re.search(r"\bleft_(semi|anti|mark)", one.text) else one.kind


def _serves(node: _Node) -> bool:
    """Is a node there for the one above it?"""
    return node.kind in ("sort", "partial aggregate") or "Exchange" in node.name or "QueryStage" in node.name


def _above(nodes: Sequence[_Node]) -> list[int | None]:
    """The place of the node above each."""
    stack: list[int] = []
    found: list[int | None] = []
    for place, node in enumerate(nodes):
        while stack and nodes[stack[-1]].depth >= node.depth:
            stack.pop()
        found.append(stack[-1] if stack else None)
        stack.append(place)
    return found


__all__ = ["spark_layer"]
