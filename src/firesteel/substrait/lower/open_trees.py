"""Open trees: relation trees that refer to an outer row, by an anchor that exists only where they are used.

An open tree is lowered again at every reference, in the scope of that place. Any other tree is lowered once and
shared.
"""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.rules import AnchorRule
from firesteel.substrait.lower.base import FieldScope, Lowerer, Lowering
from firesteel.substrait.message import Message, walk


@dataclass(frozen=True)
class OpenTree:
    """A relation tree, with what it keeps beside it."""

    tree: Message
    rel: Message


def is_open(lowerer: Lowerer, tree: Message) -> bool:
    """Does a tree refer to an anchor that is not in it, or to another tree that does?"""
    known: set[int] = set()
    wanted: set[int] = set()
    for message in walk(tree):
        match message.kind.short:
            case "RelCommon" if message.has("rel_anchor"):
                known.add(message.rel_anchor)
            case "OuterReference" if message.has("rel_reference"):
                wanted.add(message.rel_reference)
            case "ReferenceRel" if message.subtree_ordinal in lowerer.open_trees:
                return True
    return not wanted <= known


def inline_open_tree(lowerer: Lowerer, ordinal: int, message: Message, scope: FieldScope) -> Lowering:
    """The relation that an open tree is where it is referred to."""
    found: OpenTree = lowerer.open_trees[ordinal]
    if id(found.rel) in lowerer.inlining:
        raise AnchorRule.CYCLE.broken("a relation tree that contains itself", where=message.where)
    kept = lowerer.detached_rels, lowerer.detached_expressions
    lowerer.detached_rels, lowerer.detached_expressions = (
        list(found.tree.detached_rels),
        list(found.tree.detached_expressions),
    )
    lowerer.inlining.add(id(found.rel))
    made = yield found.rel, scope
    lowerer.inlining.discard(id(found.rel))
    lowerer.detached_rels, lowerer.detached_expressions = kept
    return made
