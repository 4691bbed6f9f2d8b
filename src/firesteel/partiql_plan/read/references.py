"""Labels: `name::node`, referred to as `$name`, applied as `($name input)`, composed by `(flow (a '->' b))`.

A label that is referred to is read once, so that all who refer to it share one node. A label that is applied is a stage
that lacks its input: it is copied with its input in place. Circular labels are an error. A label may stand inside of
another node, too (`inline_labels`): its node is read once, for that place and for all who refer to it.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable
from typing import TYPE_CHECKING, Any

from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.ion.element import Element, Kind, int_, string, sym
from firesteel.ion.values import to_value
from firesteel.node import Node
from firesteel.partiql_plan.forms import form, tags
from firesteel.partiql_plan.read.inline_labels import RESERVED, inline_labels, label_of, labels_in
from firesteel.partiql_plan.read.matching import Spot, did_you_mean, error
from firesteel.partiql_plan.read.trail import Trail
from firesteel.plan import Constant, Definition, GlobalBinding, PlanNode, Rel, Rex

if TYPE_CHECKING:
    from firesteel.partiql_plan.read.nodes import Reader

Steps = Generator[Any, Any, Any]

#: `$3` is the variable 3; no row has as many columns as more digits could count.
_VARIABLE = re.compile(r"\$[0-9]{1,18}")

#: The labels that the writer makes up for shared nodes. They say that a node is shared, and nothing else.
SHARED = re.compile(r"shared_[0-9]+")


class References:
    """The labels of a document, and what they stand for."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._elements: dict[str, Element] = {}
        self._nodes: dict[str, Node] = {}
        self._applied: set[str] = set()
        self._used: set[str] = set()
        self._inline: dict[str, Element] = {}
        #: The definitions and constants of imported headers.
        self.imported: dict[str, Node] = {}
        self.imported_constants: dict[str, Constant] = {}

    # Declaring -------------------------------------------------------------------------------------------------------

    def declare(self, labelled: Iterable[Element], within: Iterable[Element] = ()) -> None:
        """Take over elements under their first annotations, and those inside others that have a label."""
        labelled = list(labelled)
        for element in labelled:
            if not element.annotations:
                where = Trail(None, "define", None, element.span)
                raise PlanError("a definition needs a label", where=where, help="name::(...)")
            name, *rest = element.annotations
            self._declare(name, element, tuple(rest))
        constants = {constant.name for constant in self._reader.constants if constant.name}
        known = {*self._elements, *self.imported, *self.imported_constants, *constants}
        for name, element in inline_labels([*labelled, *within], known):
            self._declare(name, element, ())
            self._inline[name] = element
        self._refuse_circles()

    def _declare(self, name: str, element: Element, rest: tuple[str, ...]) -> None:
        if name in self._elements:
            raise PlanError(f"the label '{name}' is given twice", where=Trail(None, "define", None, element.span))
        self._elements[name] = Element(element.kind, element.value, rest, element.span)

    def _refuse_circles(self) -> None:
        state: dict[str, bool] = {}  # False while on the way, True when done
        for start in self._elements:
            path = [(start, iter(self._mentioned(start)))] if start not in state else []
            state.setdefault(start, False)
            while path:
                name, rest = path[-1]
                further = next(rest, None)
                if further is None:
                    state[name] = True
                    path.pop()
                elif further not in state:
                    state[further] = False
                    path.append((further, iter(self._mentioned(further))))
                elif not state[further]:
                    names = [known for known, _ in path]
                    circle = " -> ".join([*names[names.index(further) :], further])
                    where = Trail(None, "define", None, self._elements[further].span)
                    raise PlanError(f"labels lead to each other in a circle: {circle}", where=where)

    def _mentioned(self, label: str) -> list[str]:
        """The labels in what a label stands for."""
        return [
            name for name in dict.fromkeys(labels_in(self._elements[label], self._inline)) if name in self._elements
        ]

    def definitions(self) -> Steps:
        """What the labels stand for: nodes as definitions, plain values as constants.

        Stages that were applied are in the plan wherever they were, and nowhere else; the writer's own labels too.
        """
        found: dict[str, Definition] = {}
        # Those of the writer come last here: only then is it known whether anything uses them.
        for name, element in sorted(self._elements.items(), key=lambda item: bool(SHARED.fullmatch(item[0]))):
            if _is_value(element):
                self._reader.constants.append(Constant(name, to_value(element)))
                continue
            used = name in self._used
            if not (used if SHARED.fullmatch(name) else name in self._applied and not used):
                node = yield (self._label(PlanNode, name, element, (None, "define", None)),)
                found[name] = Definition(name, node).at(node.where)
        return tuple(found[name] for name in self._elements if name in found)

    def inline(self, cls: type[Node], element: Element, spot: Spot) -> Steps | None:
        """The node of a definition that stands in its place with a label; None for all that has none."""
        name = label_of(element, self._inline)
        return None if name is None else self._label(cls, name, element, spot)

    # Referring -------------------------------------------------------------------------------------------------------

    def symbol(self, cls: type[Node], element: Element, spot: Spot) -> Any:
        """A node that is written as a symbol: `$3`, `$label`, or the tag of a node without parameters."""
        text: str = element.value
        if _VARIABLE.fullmatch(text):
            return self._reader.node(cls, _sexp(element, sym("var"), int_(int(text[1:]))), spot)
        if text.startswith("$"):
            return self._label(cls, text[1:], element, spot)
        if text in tags(cls) and not any(slot.required for slot in form(tags(cls)[text]).in_order):
            return self._reader.node(cls, _sexp(element, sym(text)), spot)
        help_ = f"did you mean '${text}'?" if text in self._elements else f'a global by name is (global "{text}")'
        raise error(f"the symbol '{text}' cannot stand here", element, spot, help=help_)

    def _label(self, cls: type[Node], name: str, element: Element, spot: Spot) -> Steps:
        self._used.add(name)
        node = self._nodes.get(name) or self.imported.get(name)
        if node is None:
            target = self._elements.get(name)
            if target is not None and not _is_value(target):
                node = yield (self._reader.node(PlanNode, target, (Trail(None, "define"), name, None)),)
            elif target is not None:
                node = yield (self._value(target, spot),)
            else:
                constant = self.constant(name)
                if constant is None:
                    known = [*self._elements, *self.imported]
                    raise error(f"no label '{name}'", element, spot, help=did_you_mean(name, known))
                node = yield (self._constant(constant, element, spot),)
            self._nodes[name] = node
        if not isinstance(node, cls) or not isinstance(node, Rex | Rel):
            raise error(f"the label '{name}' stands for '{node.tag}', which cannot stand here", element, spot)
        return node

    def _value(self, target: Element, spot: Spot) -> Steps:
        """A value under a label: text is the name of a global, as in `(scan $my_table)`; anything else is a literal."""
        if target.text is not None and not target.annotations:
            made = _sexp(target, sym("global"), string(target.text))
        else:
            made = _sexp(target, sym("lit"), target)
        return (yield (self._reader.node(Rex, made, spot),))

    def _constant(self, constant: Constant, element: Element, spot: Spot) -> Steps:
        if isinstance(constant.value, str):
            made = _sexp(element, sym("global"), string(constant.value))
        else:
            made = _sexp(element, sym("$constant"), sym(constant.name or ""))
        return (yield (self._reader.node(Rex, made, spot),))

    def constant(self, name: str) -> Constant | None:
        """The constant of a name: the document's, or a header's."""
        own = (constant for constant in self._reader.constants if constant.name == name)
        return next(own, None) or self.imported_constants.get(name)

    def text(self, element: Element) -> Element:
        """What a symbol says: what is under the label, where it refers to a plain value."""
        if element.kind is Kind.SYMBOL and element.value.startswith("$"):
            target = self._elements.get(element.value[1:])
            if target is not None and _is_value(target):
                self._used.add(element.value[1:])
                return target
        return element

    def global_named(self, path: tuple[str, ...]) -> int:
        """The ordinal of a global by its name; it is added if there is none."""
        bindings = self._reader.globals
        for ordinal, binding in enumerate(bindings):
            if binding.path == path:
                return ordinal
        bindings.append(GlobalBinding(path, t.ANY))
        return len(bindings) - 1

    def sort(self, element: Element) -> type[Node]:
        """Will this be a relation or an expression?"""
        seen: set[str] = set()
        while True:
            symbol = element.value if element.kind is Kind.SYMBOL else element.head or ""
            name = symbol[1:]
            if not symbol.startswith("$") or symbol in RESERVED or name in seen:
                return Rel if symbol in tags(Rel) or symbol == "flow" else Rex
            seen.add(name)
            if name in self.imported:
                return Rel if isinstance(self.imported[name], Rel) else Rex
            if name not in self._elements:
                return Rex
            element = self._elements[name]

    # Applying --------------------------------------------------------------------------------------------------------

    def applied(self, element: Element, place: Trail) -> Element:
        """The element with its flow composed and its label applied, if it is one of those."""
        while element.head is not None:
            head = element.head
            if head == "flow":
                element = self._composed(element, place)
            elif head.startswith("$") and head not in RESERVED:
                stage = self._stage(head, place)
                element = _sexp(element, *stage.value, *element.tail)
            else:
                break
        return element

    def _stage(self, symbol: str, place: Trail) -> Element:
        """The s-expression that a label stands for, to be completed."""
        while True:
            name = symbol.removeprefix("$")
            target = self._elements.get(name)
            if target is None:
                raise PlanError(f"no label '{name}'", where=place, help=did_you_mean(name, self._elements))
            self._applied.add(name)
            if target.kind is Kind.SEXP:
                return target
            if _is_value(target):
                raise PlanError(f"the label '{name}' stands for a value and cannot be applied", where=place)
            symbol = target.value

    def _composed(self, flow: Element, place: Trail) -> Element:
        """`(flow (a '->' b '->' c))`: each stage takes the one before it as its input."""
        items = flow.tail
        if len(items) == 1 and items[0].kind is Kind.SEXP:
            items = items[0].value
        stages, arrows = items[0::2], items[1::2]
        if len(items) % 2 == 0 or not all(arrow.is_symbol("->") for arrow in arrows):
            raise PlanError("a flow is stages with '->' between them", where=place, help="(flow (a '->' b '->' c))")
        made: Element = stages[0]
        for stage in stages[1:]:
            whole = self._stage(stage.value, place) if stage.kind is Kind.SYMBOL else stage
            if whole.kind is not Kind.SEXP:
                raise error("a stage of a flow is a relation without its input", stage, (place, "", None))
            made = _sexp(stage, *whole.value, made)
        return made


def _is_value(element: Element) -> bool:
    """A plain value: not a node, and not a reference to one."""
    if element.kind is Kind.SYMBOL:
        return not element.value.startswith("$")
    return element.kind is not Kind.SEXP


def _sexp(like: Element, *items: Element) -> Element:
    return Element(Kind.SEXP, items, (), like.span)
