"""The vocabulary of the PartiQL Plan document, and of our extension.

Everything that is not listed here is the extension vocabulary `firesteel`: a document that uses it says
`(import (partiql) (firesteel))`. So a node that is added to the algebra is an extension until the document has it.
"""

from __future__ import annotations

import enum

from firesteel.node import Node
from firesteel.plan import Capture, SortOrder, Strategy
from firesteel.types import Type

#: The name of the built-in types and functions, and of the extension vocabulary.
PARTIQL, FIRESTEEL = "partiql", "firesteel"

#: The versions of the document, and of the extension vocabulary, that are read. The first is the one written.
VERSIONS = ((0, 1),)
EXTENSION_VERSIONS = ((0, 1),)

_STATEMENTS = "query create_view"
_REXES = "lit global var unresolved path call case struct collection pivot coll_to_scalar select"
_STEPS = "step wildcard unpivot_step"
_RELS = "scan scan_indexed unpivot project filter sort aggregate union intersect except limit offset join"
_PARTS = "agg fn v t cross equi theta"
_TAGS = frozenset(" ".join((_STATEMENTS, _REXES, _STEPS, _RELS, _PARTS)).split())

#: The named parameters of the document's nodes: its own, and two without which its node could not say what it is for.
_NAMED = frozenset({("create_view", "columns"), ("case", "default"), ("equi", "keys")})

_CODES: dict[type[enum.Enum], frozenset[int]] = {
    SortOrder: frozenset({0, 1, 2, 3}),
    Strategy: frozenset({0, 1}),
    Capture: frozenset({1, 2, 4, 6}),
}

#: What the document's longer list of captures means: it gives three of them two names.
CAPTURE_SYNONYMS = {3: 2, 5: 4, 7: 6}

#: Statements that the document names, or shows, and leaves out of its scope.
_DML = "insert insert_value upsert replace update remove delete"
_DDL = "create_table create_index drop_table drop_index"
OUT_OF_SCOPE = frozenset(f"{_DML} {_DDL}".split())


def node_is_extension(cls: type[Node]) -> bool:
    """Does the document not know this node? Types are one table for all, and none of them is an extension."""
    return bool(cls.tag) and cls.tag not in _TAGS and not issubclass(cls, Type)


def parameter_is_extension(cls: type[Node], name: str) -> bool:
    """Does the document not know this named parameter of a node?"""
    return (cls.tag, name) not in _NAMED and not issubclass(cls, Type)


def member_is_extension(member: enum.Enum) -> bool:
    """Does the document not know this code?"""
    known = _CODES.get(type(member))
    return known is not None and member.value not in known
