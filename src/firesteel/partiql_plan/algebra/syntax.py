"""The operators of the algebra and their parts, before names are resolved.

An operator has inputs (bindings expressions), value expressions, and names that it binds. `docs/algebra.md` gives the
grammar; this is the one place that knows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from firesteel import functions
from firesteel.errors import PlanError
from firesteel.ion import Element, Kind
from firesteel.partiql_plan.read.matching import did_you_mean
from firesteel.partiql_plan.read.trail import Trail


@dataclass
class Parsed:
    """An expression taken apart."""

    op: str
    element: Element
    place: Trail
    inputs: tuple[Element, ...] = ()
    values: tuple[Element, ...] = ()
    #: The names that it binds, in the order of the values; None is a name that was left out.
    names: tuple[str | None, ...] = ()
    #: Everything else that it says: a join's type, the directions of an order, a function's name.
    words: tuple[str, ...] = ()
    #: How many of the values are a group's keys, or the pairs of keys and values of a struct.
    split: int = 0
    groups: tuple[tuple[int, int], ...] = field(default=())


def error(message: str, place: Trail, help: str | None = None) -> PlanError:
    return PlanError(message, where=place, help=help)


def parse(element: Element, place: Trail, *, bindings: bool) -> Parsed:
    """The parts of an expression of the kind that is expected: bindings or a value."""
    head = element.head
    wanted = "a bindings expression" if bindings else "a value expression"
    if head is None:
        shown = f"the symbol '{element.text}'" if element.is_symbol() else f"a {element.kind.value}"
        hint = f"(id {element.text}) is a variable" if element.is_symbol() else "(lit ...) is a literal"
        raise error(f"{wanted} is expected here, not {shown}", place, None if bindings else hint)
    place.tagged(head)
    table, other = (_BINDINGS, _VALUES) if bindings else (_VALUES, _BINDINGS)
    parser = table.get(head)
    if parser is not None:
        return parser(element, place)
    if not bindings and functions.find(head) is not None:
        return Parsed("call", element, place, values=element.tail, words=(head,))
    if head in other:
        raise error(f"{wanted} is expected here, and '{head}' is none", place)
    known = [*table, *([] if bindings else (row.name for row in functions.all_functions()))]
    help_ = did_you_mean(head, known) or (None if bindings else f"a function is called by (call {head} ...)")
    raise error(f"no operator '{head}'", place, help_)


def _count(element: Element, place: Trail, least: int, most: int | None, form: str) -> tuple[Element, ...]:
    count = len(element.tail)
    if count < least or (most is not None and count > most):
        raise error(f"{element.head} does not take {count} arguments", place, f"its form is {form}")
    return element.tail


def _name(element: Element, place: Trail, what: str) -> str:
    if element.text is None:
        raise error(f"{what} is a symbol", place)
    return element.text


# ---------------------------------------------------------------------------------------------------------------------
# Bindings


def _aliases(most: int, form: str) -> Callable[[Element, Trail], Parsed]:
    def parser(element: Element, place: Trail) -> Parsed:
        value, *aliases = _count(element, place, 2, 1 + most, form)
        names = [None if alias.is_null else _name(alias, place, "an alias") for alias in aliases]
        if names[0] is None:
            raise error(f"{element.head} needs an AS alias", place, f"its form is {form}")
        padded = (*names, *([None] * (most - len(names))))
        return Parsed(str(element.head), element, place, values=(value,), names=padded)

    return parser


def _cross_join(element: Element, place: Trail) -> Parsed:
    return Parsed("cross_join", element, place, inputs=_count(element, place, 2, 2, "(cross_join left right)"))


_JOINS = ("inner", "left", "right", "full")


def _join(element: Element, place: Trail) -> Parsed:
    form = "(join inner|left|right|full condition left right)"
    kind, condition, left, right = _count(element, place, 4, 4, form)
    if kind.text not in _JOINS:
        raise error(f"no join '{kind.text}'", place, f"its form is {form}")
    return Parsed("join", element, place, inputs=(left, right), values=(condition,), words=(str(kind.text),))


def _one_value(element: Element, place: Trail) -> Parsed:
    value, source = _count(element, place, 2, 2, f"({element.head} value bindings)")
    return Parsed(str(element.head), element, place, inputs=(source,), values=(value,))


def _distinct(element: Element, place: Trail) -> Parsed:
    return Parsed("distinct", element, place, inputs=_count(element, place, 1, 1, "(distinct bindings)"))


def _let(element: Element, place: Trail) -> Parsed:
    form = f"({element.head} ((name value) ...) bindings)"
    pairs, source = _count(element, place, 2, 2, form)
    names, values = _pairs(pairs, place, form)
    return Parsed(str(element.head), element, place, inputs=(source,), values=values, names=names)


def _pairs(element: Element, place: Trail, form: str) -> tuple[tuple[str, ...], tuple[Element, ...]]:
    items = element.value if element.kind is Kind.SEXP else None
    if items is None or any(item.kind is not Kind.SEXP or len(item.value) != 2 for item in items):
        raise error("names and values are pairs in a list", place, f"the form is {form}")
    names = tuple(_name(item.value[0], place, "a name") for item in items)
    return names, tuple(item.value[1] for item in items)


_GROUP_BY = "(group_by (keys (name value) ...) (aggregates (name (function value)) ...) (group_as name)? bindings)"


def _group_by(element: Element, place: Trail) -> Parsed:
    """The values are the keys and then the arguments of the aggregates; the words are the aggregates' functions."""
    *parts, source = _count(element, place, 1, 5, _GROUP_BY)
    names: list[str | None] = []
    values: list[Element] = []
    words = ["full", ""]  # the strategy, and the name of GROUP AS
    arguments: list[tuple[int, int]] = []
    keys = 0
    for part in parts:
        if part.text in ("full", "partial"):
            words[0] = part.text
        elif part.is_form("group_as") and len(part.tail) == 1:
            words[1] = _name(part.tail[0], place, "the name of a group")
        elif part.is_form("keys") and not names:
            found, values_ = _pairs(Element(Kind.SEXP, part.tail, (), part.span), place, _GROUP_BY)
            names.extend(found)
            values.extend(values_)
            keys = len(values)
        elif part.is_form("aggregates"):
            found, calls = _pairs(Element(Kind.SEXP, part.tail, (), part.span), place, _GROUP_BY)
            for name, call in zip(found, calls, strict=True):
                if call.head is None:
                    raise error("an aggregate is a call: (count value)", place, f"the form is {_GROUP_BY}")
                distinct = bool(call.tail) and call.tail[0].is_symbol("distinct")
                names.append(name)
                words.append(f"distinct {call.head}" if distinct else call.head)
                arguments.append((len(values), len(values) + len(call.tail) - distinct))
                values.extend(call.tail[distinct:])
        else:
            raise error("group_by has no such part", place, f"its form is {_GROUP_BY}")
    if words[1]:
        names.append(words[1])
    common = dict(names=tuple(names), words=tuple(words), split=keys, groups=tuple(arguments))
    return Parsed("group_by", element, place, inputs=(source,), values=tuple(values), **common)  # type: ignore[arg-type]


def _order_by(element: Element, place: Trail) -> Parsed:
    form = "(order_by ((value asc|desc nulls_first|nulls_last) ...) bindings)"
    specs, source = _count(element, place, 2, 2, form)
    values: list[Element] = []
    words: list[str] = []
    for spec in specs.value if specs.kind is Kind.SEXP else ():
        if spec.kind is not Kind.SEXP or not 1 <= len(spec.value) <= 3:
            raise error("a key of an order is (value direction nulls)", place, f"the form is {form}")
        value, *said = spec.value
        directions = [str(word.text) for word in said]
        direction = directions.pop(0) if directions and directions[0] in ("asc", "desc") else "asc"
        # As in PartiQL, NULLs go where they would if they were the greatest.
        nulls = directions.pop(0) if directions else ("nulls_last" if direction == "asc" else "nulls_first")
        if directions or nulls not in ("nulls_first", "nulls_last"):
            raise error(f"no direction '{said[-1].text}'", place, f"the form is {form}")
        values.append(value)
        words.append(f"{direction}_{nulls}")
    return Parsed("order_by", element, place, inputs=(source,), values=tuple(values), words=tuple(words))


def _bag_operator(element: Element, place: Trail) -> Parsed:
    form = f"({element.head} all|distinct? left right)"
    *quantifier, left, right = _count(element, place, 2, 3, form)
    said = str(quantifier[0].text) if quantifier else "all"
    if said not in ("all", "distinct"):
        raise error(f"no quantifier '{said}'", place, f"its form is {form}")
    return Parsed(str(element.head), element, place, inputs=(left, right), words=(said,))


# ---------------------------------------------------------------------------------------------------------------------
# Values


def _id(element: Element, place: Trail) -> Parsed:
    parts = _count(element, place, 1, None, f"({element.head} name)")
    return Parsed(str(element.head), element, place, names=tuple(_name(part, place, "a name") for part in parts))


def _lit(element: Element, place: Trail) -> Parsed:
    _count(element, place, 1, 1, "(lit value)")
    return Parsed("lit", element, place)


def _all_values(element: Element, place: Trail) -> Parsed:
    return Parsed(str(element.head), element, place, values=element.tail)


def _path(element: Element, place: Trail) -> Parsed:
    root, *steps = _count(element, place, 2, None, "(path root step ...)")
    marks = {"wildcard": "wildcard", "unpivot": "unpivot"}
    words = tuple(marks.get(str(step.head), "") if not step.tail else "" for step in steps)
    values = (root, *(step for step, word in zip(steps, words, strict=True) if not word))
    return Parsed("path", element, place, values=values, words=words)


def _struct(element: Element, place: Trail) -> Parsed:
    for pair in element.tail:
        if not pair.is_form("expr_pair") or len(pair.tail) != 2:
            raise error("a struct is made of pairs", place, "(struct (expr_pair key value) ...)")
    values = tuple(item for pair in element.tail for item in pair.tail)
    return Parsed("struct", element, place, values=values)


def _case(element: Element, place: Trail) -> Parsed:
    """The values are the branches' pairs, then the one to match and the one else, as the words say."""
    form = "(case match? (when condition value) ... (else value)?)"
    items = list(_count(element, place, 1, None, form))
    matched = [items.pop(0)] if items[0].head not in ("when", "else") else []
    otherwise = [items.pop().tail[0]] if items and items[-1].is_form("else") and len(items[-1].tail) == 1 else []
    if any(not item.is_form("when") or len(item.tail) != 2 for item in items):
        raise error("a case is made of (when condition value)", place, f"its form is {form}")
    branches = tuple(value for item in items for value in item.tail)
    words = (*(["match"] if matched else []), *(["else"] if otherwise else []))
    return Parsed("case", element, place, values=(*branches, *matched, *otherwise), words=words, split=len(branches))


def _call(element: Element, place: Trail) -> Parsed:
    name, *args = _count(element, place, 1, None, "(call function argument ...)")
    return Parsed("call", element, place, values=tuple(args), words=(_name(name, place, "a function's name"),))


def _pivot(element: Element, place: Trail) -> Parsed:
    value, at, source = _count(element, place, 3, 3, "(pivot value at bindings)")
    return Parsed("pivot", element, place, inputs=(source,), values=(value, at))


def _one(element: Element, place: Trail) -> Parsed:
    return Parsed(str(element.head), element, place, values=_count(element, place, 1, 1, f"({element.head} value)"))


Parser = Callable[[Element, Trail], Parsed]

_BINDINGS: dict[str, Parser] = {
    "scan": _aliases(3, "(scan value as at? by?)"),
    "unpivot": _aliases(2, "(unpivot value as at?)"),
    "cross_join": _cross_join,
    "join": _join,
    "filter": _one_value,
    "map_let": _let,
    "project": _let,
    "limit": _one_value,
    "offset": _one_value,
    "group_by": _group_by,
    "order_by": _order_by,
    "distinct": _distinct,
    "union": _bag_operator,
    "intersect": _bag_operator,
    "except": _bag_operator,
}

_VALUES: dict[str, Parser] = {
    "id": _id,
    "global": _id,
    "lit": _lit,
    "path": _path,
    "struct": _struct,
    "list": _all_values,
    "bag": _all_values,
    "sexp": _all_values,
    "call": _call,
    "case": _case,
    "coll_to_scalar": _one,
    "map_values": _one_value,
    "pivot": _pivot,
}

#: Every head of the algebra, the functions of the catalogue included.
OPERATORS = frozenset([*_BINDINGS, *_VALUES, *(row.name for row in functions.all_functions())])


def is_bindings(element: Element) -> bool:
    """Does an expression give bindings, rather than a value?"""
    return element.head in _BINDINGS


def is_type_argument(element: Element) -> bool:
    """`(type int)`: an argument of a call that is a type, not a value."""
    return element.head == "type" and len(element.tail) == 1


def is_reserved(name: str) -> bool:
    """Is a function of this name called by `(call name ...)` only?"""
    return name in _BINDINGS or name in _VALUES
