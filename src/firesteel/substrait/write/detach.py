"""Detached messages: deep and repeated relations and expressions of a tree, moved into the tables beside it.

Protobuf's readers refuse messages that nest more than 100 levels deep, and a plan that shares its parts would be
written once for every place that refers to them. `PlanRel.detached_rels` and `detached_expressions` are for both.
"""

from __future__ import annotations

from collections import Counter

from firesteel.substrait.lower import own_nodes
from firesteel.substrait.message import Message

#: A message nests no deeper than this many levels,
MAX_HEIGHT = 56
#: and one that is referred to more than once is detached from this height on.
SHARED_HEIGHT = 8

_ORDINALS = {"Rel": "detached_rel_ordinal", "Expression": "detached_expression_ordinal"}
_TABLES = {"Rel": "detached_rels", "Expression": "detached_expressions"}


def detach(tree: Message) -> None:
    """Move what nests too deep, or is repeated, into the tables of a tree."""
    order, uses = _visited(tree)
    heights: dict[int, int] = {}
    top = tree.root.input if tree.has("root") else tree.rel
    for node in order[:-1]:  # from the leaves up to what the tree has
        height = 1 + max((heights[id(inner)] for inner in _inside(node)), default=0)
        short = node.kind.short
        wanted = height > MAX_HEIGHT or (uses[id(node)] > 1 and height >= SHARED_HEIGHT)
        if wanted and short in _ORDINALS and node is not top and not _stays(node):
            moved = Message(node.kind)
            moved.given.update(node.given)
            table: list[Message] = tree.given.setdefault(_TABLES[short], [])
            node.given.clear()
            node.given[_ORDINALS[short]] = len(table)
            table.append(moved)
            height = 1
        heights[id(node)] = height


def _stays(rel: Message) -> bool:
    """Is it a relation that its reader looks at where it stands?"""
    if rel.kind.short != "Rel":
        return False
    if rel.has("read"):
        return True
    detail = rel.extension_single.detail if rel.has("extension_single") else None
    return detail is not None and detail.has("value") and _name(detail.given["value"]) in own_nodes.QUERIES


def _name(detail: object) -> str:
    return str(detail.given.get("kind_name", "")) if isinstance(detail, Message) else ""


def _inside(node: Message) -> list[Message]:
    """The messages in a message; also the one in an `Any` that is not encoded yet."""
    found: list[Message] = []
    for value in node.given.values():
        if isinstance(value, Message):
            found.append(value)
        elif isinstance(value, list) and value and isinstance(value[0], Message):
            found += value
    return found


def _visited(root: Message) -> tuple[list[Message], Counter[int]]:
    """Every message once, after those in it; and how many messages hold each."""
    order: list[Message] = []
    uses: Counter[int] = Counter()
    seen: set[int] = set()
    stack = [(root, False)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
            continue
        if id(node) in seen:
            continue
        seen.add(id(node))
        stack.append((node, True))
        inner = _inside(node)
        uses.update(map(id, inner))
        stack += [(one, False) for one in inner]
    return order, uses
