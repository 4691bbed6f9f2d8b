"""The order in which parts of a plan are put where their own order says nothing."""

from __future__ import annotations

from hashlib import sha1
from typing import Any

from firesteel.node import Node, sexpr
from firesteel.passes.analysis.node_memo import remembered_fold

#: Characters of a node's text that decide about its place; after that a digest does.
WIDTH = 200

SortKey = tuple[str, bytes]


def sort_key(node: Node) -> SortKey:
    """Equal for equal nodes only, and the same in every process. Takes linear time for a plan as a whole."""
    return sexpr(node, WIDTH), remembered_fold(node, "_digest", _digest)


def _digest(node: Node, inner: list[bytes]) -> bytes:
    said = [type(node).__name__, *(_shape(part, node.atom) for part in node.parts())]
    return sha1("\0".join(said).encode("utf-8", "surrogatepass") + b"".join(inner), usedforsecurity=False).digest()


def _shape(value: Any, atom: bool) -> str:
    """A field as text; a node in it stands for itself in the digests of those below."""
    if isinstance(value, Node) and value.atom is atom:
        return "()"
    if isinstance(value, tuple):
        return f"({' '.join(_shape(item, atom) for item in value)})"
    return repr(value)
