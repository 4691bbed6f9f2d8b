"""Plans to elements: what the document has besides the generic forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from firesteel import types as t
from firesteel.ion import Element, form, int_, sexp, sym
from firesteel.node import Node, children, drive
from firesteel.partiql_plan.read.complete_nodes import names_said
from firesteel.partiql_plan.write.forms import FormWriter, Steps
from firesteel.partiql_plan.write.types import Refer
from firesteel.plan import (
    Constant,
    Definition,
    Fn,
    Lit,
    NamingRel,
    Rel,
    Rex,
    UnpivotStep,
    UnresolvedVar,
    Wildcard,
    schema,
)
from firesteel.plan.build import lit

#: A shared expression of no more nodes than this is written wherever it is used.
_SMALL = 16


class PlanWriter(FormWriter):
    """Writes the nodes of a plan, referring to what it declares: by ordinal to functions and constants that are equal,
    by label to nodes that are the same."""

    def __init__(
        self,
        refer: Refer,
        *,
        fns: Iterable[Fn] = (),
        constants: Iterable[Constant] = (),
        definitions: Iterable[Definition] = (),
        roots: Iterable[Node] = (),
    ) -> None:
        super().__init__(refer)
        self.fns = list(fns)
        self._fn_ordinals: dict[Fn, int] = {}
        for ordinal, fn in enumerate(self.fns):
            self._fn_ordinals.setdefault(fn, ordinal)
        self._fn_references: dict[int, Element] = {}
        self._constants: dict[Node, int] = {}
        for ordinal, constant in enumerate(constants):
            self._constants.setdefault(lit(constant.value), ordinal)
        self._labels: dict[int, str] = {}
        self._define(list(definitions), list(roots))

    def _define(self, definitions: list[Definition], roots: list[Node]) -> None:
        taken = {definition.label for definition in definitions}
        for definition in definitions:
            if not definition.label.isdecimal():  # `$3` is a variable
                self._labels.setdefault(id(definition.node), definition.label)
        self._definitions: list[tuple[str, Node]] = [(one.label, one.node) for one in definitions]
        number = 0
        for node in shared_nodes([*roots, *(one.node for one in definitions)]):
            if id(node) not in self._labels:
                number += 1
                while f"shared_{number}" in taken:
                    number += 1
                self._labels[id(node)] = f"shared_{number}"
                self._definitions.append((f"shared_{number}", node))

    def run(self, node: Node) -> Element:
        """The element of a node."""
        element: Element = drive(lambda steps: steps, self.node(node))
        return element

    def definitions(self) -> list[Element]:
        """The labelled nodes: the plan's own, then those that are shared."""
        return [
            (self.run(node) if self._labels.get(id(node), label) != label else self._unlabelled(node)).annotate(label)
            for label, node in self._definitions
        ]

    def _unlabelled(self, node: Node) -> Element:
        element: Element = drive(lambda steps: steps, self._node(node))
        return element

    def functions(self) -> list[Element]:
        """The definitions of the functions, in order. Writing one may need types, but no further functions."""
        return [drive(lambda steps: steps, self.form(fn)) for fn in self.fns]

    def node(self, node: Node) -> Any:
        label = self._labels.get(id(node))
        return sym(f"${label}") if label is not None else self._node(node)

    def _node(self, node: Node) -> Any:
        match node:
            case Rel():
                return self._rel(node)
            case Fn():
                return self._fn(node)
            case Lit() if self._constants and node in self._constants:
                return form("$constant", int_(self._constants[node]))
            case UnresolvedVar(type_, name):
                return form("var", self.refer(type_), sym("?").annotate(name))
            case Wildcard():
                return form("step", sym("wildcard"))
            case UnpivotStep():
                return form("step", sym("unpivot"))
        return self.form(node)

    def _fn(self, fn: Fn) -> Element:
        # Most functions are the same few objects; comparing equal ones costs more than all the rest.
        known = self._fn_references.get(id(fn))
        if known is None:
            if fn not in self._fn_ordinals:
                self._fn_ordinals[fn] = len(self.fns)
                self.fns.append(fn)
            known = form("$fn", int_(self._fn_ordinals[fn]).annotate(fn.name))
            self._fn_references[id(fn)] = known
        return known

    def _rel(self, rel: Rel) -> Steps:
        """The schema carries the names of the columns; where it cannot, they are said."""
        columns = schema(rel) if rel.declared is None else rel.declared
        spoken = isinstance(rel, NamingRel) and names_said(rel, columns) != rel.names
        always, without = (("names",), ()) if spoken else ((), ("names",))
        return self.form(rel, self._schema(columns), always=always, without=without)

    def _schema(self, columns: t.Schema) -> Element:
        types = ((field.name, self.refer(field.type)) for field in columns)
        return sexp(*(type_ if name is None else type_.annotate(name) for name, type_ in types))


def shared_nodes(roots: list[Node]) -> list[Node]:
    """The nodes that are reached in more than one way and worth a label, the inner ones first.

    Relations always get one, expressions if they are not small. So the document grows with the number of nodes, not
    with the number of paths to them.
    """
    order, below = _post_order(roots)
    size: dict[int, int] = {}
    for node in order:
        size[id(node)] = min(1 + sum(size[id(kid)] for kid in below[id(node)]), _SMALL + 1)
    ways = Counter(id(root) for root in roots)
    found: list[Node] = []
    # Parents before children: what cannot have a label itself passes on that there are several ways to it.
    for node in reversed(order):
        several = ways[id(node)] > 1
        labelled = several and isinstance(node, Rel | Rex) and (isinstance(node, Rel) or size[id(node)] > _SMALL)
        if labelled:
            found.append(node)
        for kid in below[id(node)]:
            ways[id(kid)] += 2 if several and not labelled else 1
    return found[::-1]


def _post_order(roots: list[Node]) -> tuple[list[Node], dict[int, list[Node]]]:
    """Every node once, after those below it; and those below each."""
    order: list[Node] = []
    below: dict[int, list[Node]] = {}
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif id(node) not in below:
            kids = below[id(node)] = children(node)
            stack.append((node, True))
            stack.extend((kid, False) for kid in reversed(kids))
    return order, below
