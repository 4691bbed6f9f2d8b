"""Labels on definitions that stand inside other nodes: `(filter gt0::(call gt $0 (lit 0)) ...)`, and `$gt0` elsewhere.

The same notation names a parameter for readers: `(foo a::1 b::2)`. What is inside a node has a label only where the
document refers to it, and nothing else has that label.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

from firesteel.ion.element import Element, Kind
from firesteel.partiql_plan.forms import tags
from firesteel.plan import Rel, Rex

#: `($fn 0)` and its like refer to what a document declares, and are no labels.
RESERVED = frozenset({"$type", "$ype", "$fn", "$global", "$constant"})

#: How deep below a node names may stand, which may have labels: `(scan my_table::'test')`, and in a list of columns
#: `(create_table my_table::'test' ((my_pk::'id' int)))`.
_NAMES = {"scan": 1, "scan_indexed": 1, "unpivot": 1, "insert": 1, "create_table": 3}


def inside(element: Element) -> tuple[Element, ...]:
    """The parts of an element that may be nodes or refer to some; what a literal holds is data."""
    if element.kind is not Kind.SEXP or element.head in RESERVED:
        return ()
    parts: tuple[Element, ...] = element.value
    return parts[:-1] if element.head == "lit" else parts


def inline_labels(within: Iterable[Element], known: Container[str]) -> list[tuple[str, Element]]:
    """The labels inside elements that something in them refers to, with what they stand for. `known` are the labels
    that are declared elsewhere."""
    wanted: set[str] = set()
    found: list[tuple[str, Element]] = []
    roots = reversed(list(within))
    stack = [(part, _NAMES.get(str(root.head), 0)) for root in roots for part in reversed(inside(root))]
    while stack:
        element, names = stack.pop()
        if element.annotations and (_is_node(element) or (names > 0 and element.text is not None)):
            found.extend((name, element) for name in element.annotations)
        if element.kind is Kind.SYMBOL and element.value.startswith("$"):
            wanted.add(element.value[1:])
        below = _NAMES.get(str(element.head), names - 1)
        stack.extend((part, below) for part in reversed(inside(element)))
    wanted = {name for name in wanted if name not in known}
    return [(name, part) for name, part in found if name in wanted]


def _is_node(element: Element) -> bool:
    """Is this an expression or a relation, or a reference to one?"""
    head = element.value if element.kind is Kind.SYMBOL else element.head
    if head is None:
        return False
    if head.startswith("$"):
        return head not in RESERVED
    return element.kind is Kind.SEXP and (head in tags(Rex) or head in tags(Rel) or head in _OTHER)


#: Heads of nodes besides their tags.
_OTHER = frozenset({"tuple", "flow"})


def label_of(element: Element, inline: Mapping[str, Element]) -> str | None:
    """The label of an element, if it is one of those that have one where they stand."""
    return next((name for name in element.annotations if inline.get(name) is element), None)


def labels_in(element: Element, inline: Mapping[str, Element]) -> Iterator[str]:
    """The labels that an element refers to or contains; those inside of a contained one are its own."""
    stack = list(inside(element)) if element.kind is Kind.SEXP else [element]
    while stack:
        part = stack.pop()
        name = label_of(part, inline)
        if name is not None:
            yield name
        elif part.kind is Kind.SYMBOL:
            if part.value.startswith("$"):
                yield part.value[1:]
        else:
            stack.extend(inside(part))
