"""Header documents: types, functions, constants and definitions under a namespace, for plans to import."""

from __future__ import annotations

from dataclasses import KW_ONLY

from firesteel import types as t
from firesteel.plan import Constant, Definition, Fn, PlanNode


class TypeDeclaration(PlanNode):
    """A type, or a way to make types: `(decimal precision::($type int) scale::($type int))`."""

    name: str
    parameters: tuple[t.Field, ...] = ()


class UnionDeclaration(PlanNode):
    """A name for several types: `(union numeric ($type int) ($type decimal))`."""

    name: str
    members: tuple[t.Type, ...]


class Header(PlanNode, tag="header"):
    """What a namespace declares. `nodes` stand in it without a label, and nothing can refer to them."""

    namespace: str
    _: KW_ONLY
    version: tuple[int, int] = (0, 1)
    types: tuple[TypeDeclaration | UnionDeclaration, ...] = ()
    fns: tuple[Fn, ...] = ()
    constants: tuple[Constant, ...] = ()
    definitions: tuple[Definition, ...] = ()
    nodes: tuple[PlanNode, ...] = ()

    def named_types(self) -> dict[str, t.Type]:
        """The types that a plan may name when it imports this: those that are not built in are the namespace's own."""
        found: dict[str, t.Type] = {}
        for declared in self.types:
            if isinstance(declared, UnionDeclaration):
                found[declared.name] = t.union(declared.members)
            else:
                found[declared.name] = t.UserDefined(self.namespace, declared.name)
        return found
