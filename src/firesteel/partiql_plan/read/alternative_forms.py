"""Rewrites the other notations that the PartiQL Plan document uses to the canonical forms.

Each function takes one notation of one node and returns its canonical form; it does not look below that node. An
omitted parameter becomes `LEFT_OUT`. The generic reader sees canonical forms only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.ion.element import Element, Kind, int_, sexp, string, sym
from firesteel.node import Node
from firesteel.partiql_plan.forms import form, tags
from firesteel.partiql_plan.read.complete_nodes import FnName
from firesteel.partiql_plan.read.matching import LEFT_OUT
from firesteel.partiql_plan.read.trail import Trail
from firesteel.plan import Agg, Call, Case, Collection, Fn, Pivot, Rel, Rex, Step, Var
from firesteel.plan import Path as PathRex
from firesteel.plan.build import lit

if TYPE_CHECKING:
    from firesteel.partiql_plan.read.nodes import Reader

Rewrite = Callable[["Reader", Element, Trail], Any]


def canonical(reader: Reader, cls: type[Node], element: Element, place: Trail) -> Any:
    """The canonical form of an element, or the node itself where the element only refers to it."""
    rewrite = _rewrites(cls).get(str(element.head))
    return element if rewrite is None else rewrite(reader, element, place)


def heads(cls: type[Node]) -> Iterable[str]:
    """The heads that are accepted besides the tags of a sort."""
    return _rewrites(cls)


def _rewrites(cls: type[Node]) -> dict[str, Rewrite]:
    known = _BY_SORT.get(cls)
    if known is None:
        tables = [table for sort, table in _REWRITES.items() if issubclass(cls, sort) or issubclass(sort, cls)]
        known = _BY_SORT[cls] = {head: rewrite for table in tables for head, rewrite in table.items()}
    return known


_BY_SORT: dict[type[Node], dict[str, Rewrite]] = {}


def _sexp(like: Element, *items: Element) -> Element:
    """An s-expression in the place of another."""
    return Element(Kind.SEXP, items, (), like.span)


def _parts(cls: type[Node], element: Element) -> tuple[list[Element], list[Element]]:
    """The parameters by place, and the named ones."""
    named = form(cls).named
    items = element.tail
    if not named:
        return list(items), []
    by_place = [item for item in items if item.head not in named]
    return by_place, [item for item in items if item.head in named] if len(by_place) < len(items) else []


def is_type(element: Element) -> bool:
    """Is this a type, where an expression could stand as well?"""
    if element is LEFT_OUT or element.head in ("$type", "$ype"):
        return True
    if element.kind is Kind.SYMBOL:
        return not element.value.startswith("$")
    return element.head in tags(t.Type) and element.head not in tags(Rex)


# ---------------------------------------------------------------------------------------------------------------------
# Types that are left out


def _without_type(cls: type[Node]) -> Rewrite:
    """The type comes first, and may be left out."""
    count = len(form(cls).in_order)

    def rewrite(_reader: Reader, element: Element, _place: Trail) -> Element:
        by_place, named = _parts(cls, element)
        if len(by_place) != count - 1:
            return element
        return _sexp(element, element.value[0], LEFT_OUT, *by_place, *named)

    return rewrite


def _lit(_reader: Reader, element: Element, _place: Trail) -> Element:
    # A value may look like anything, so nothing but the count says whether there is a type.
    return _sexp(element, element.value[0], LEFT_OUT, element.tail[0]) if len(element.tail) == 1 else element


def _var(_reader: Reader, element: Element, _place: Trail) -> Element:
    by_place, named = _parts(Var, element)
    match by_place:
        case [ordinal]:
            by_place = [LEFT_OUT, ordinal]
        case [ordinal, type_] if ordinal.kind is Kind.INT and type_.kind is not Kind.INT:
            by_place = [type_, ordinal]  # `(var 0 string)`, in the example of unpivot
    if len(by_place) == 2 and by_place[1].is_symbol("?"):
        name = by_place[1].annotations[0] if by_place[1].annotations else "?"
        return _sexp(element, sym("unresolved"), by_place[0], string(name), *named)
    return _sexp(element, element.value[0], *by_place, *named)


def _path(reader: Reader, element: Element, place: Trail) -> Element:
    if len(element.tail) == 1 and element.tail[0].is_form("star"):
        # `(path (star))` of the create_view example: SELECT *, which a plan in normal form does not have.
        return _sexp(element, sym("unresolved"), LEFT_OUT, string("*"))
    rewritten: Element = _without_type(PathRex)(reader, element, place)
    return rewritten


def _select(reader: Reader, element: Element, _place: Trail) -> Element:
    """`(select rex rel)` and, without a constructor or without a relation, `(select rel)` and `(select rex)`."""
    match element.tail:
        case [only] if reader.references.sort(only) is Rel:
            return _sexp(element, element.value[0], LEFT_OUT, LEFT_OUT, only)
        case [only]:
            return _sexp(element, element.value[0], LEFT_OUT, only, LEFT_OUT)
        case [type_, rel] if is_type(type_):
            return _sexp(element, element.value[0], type_, LEFT_OUT, rel)
        case [constructor, rel]:
            return _sexp(element, element.value[0], LEFT_OUT, constructor, rel)
    return element


def _case(_reader: Reader, element: Element, _place: Trail) -> Element:
    by_place, named = _parts(Case, element)
    match by_place:
        case [branches]:
            by_place = [LEFT_OUT, LEFT_OUT, branches]
        case [type_, branches] if is_type(type_):
            by_place = [type_, LEFT_OUT, branches]
        case [matched, branches]:
            by_place = [LEFT_OUT, matched, branches]
    return _sexp(element, element.value[0], *by_place, *named)


def _tuple(_reader: Reader, element: Element, _place: Trail) -> Element:
    """The document's form has the pairs side by side, its examples have them in a list."""
    items = list(element.tail)
    type_ = items.pop(0) if items and is_type(items[0]) else LEFT_OUT
    if element.head == "struct" and len(items) == 1:
        return _sexp(element, sym("struct"), type_, items[0])
    return _sexp(element, sym("struct"), type_, sexp(*items))


# ---------------------------------------------------------------------------------------------------------------------
# Functions


def _call(cls: type[Node]) -> Rewrite:
    """`(call f a b)`, `(call f (args a b))`, `(call f ((v a) (v b)))`."""

    def rewrite(_reader: Reader, element: Element, _place: Trail) -> Element:
        by_place, named = _parts(cls, element)
        if not by_place:
            return element
        fn, *args = by_place
        if len(args) == 1 and args[0].is_form("args"):
            listed = _sexp(args[0], *args[0].tail)
        elif len(args) == 1 and _is_list(args[0]):
            listed = args[0]
        else:
            listed = sexp(*args)
        return _sexp(element, element.value[0], fn, listed, *named)

    return rewrite


def _is_list(element: Element) -> bool:
    """A list of arguments, not an argument: it begins with none of the heads that an argument may have."""
    if element.kind is not Kind.SEXP:
        return False
    head = element.head or ""
    return not head or (head.startswith("$") and head not in ("$constant", "$global", "$type"))


def _fn(_reader: Reader, element: Element, _place: Trail) -> Element:
    """`(fn name params returns)`: the options may be left out, and a parameter may be just its type."""
    items = list(element.tail)
    if len(items) == 3:
        items.insert(1, int_(0))
    if len(items) == 4 and items[2].kind is Kind.SEXP:
        wrapped = (item if item.head in ("v", "t") else _sexp(item, sym("v"), item) for item in items[2].value)
        items[2] = _sexp(items[2], *wrapped)
    return _sexp(element, element.value[0], *items)


def _fn_reference(reader: Reader, element: Element, place: Trail) -> Any:
    """`($fn 0)`, `($fn plus::0)`, `($fn plus)`."""
    which = _referred(element, place)
    if which.text is not None:
        return FnName(which.text)
    return _numbered("function", reader.fns, which, place)


# ---------------------------------------------------------------------------------------------------------------------
# Globals and constants


def _global(reader: Reader, element: Element, _place: Trail) -> Element:
    """`(global <type> 0)`, `(global 0)`, and `(global "T" collection)`, a global by name."""
    items = [reader.references.text(item) for item in element.tail]
    match items:
        case [only] if only.kind is Kind.INT:
            return _sexp(element, element.value[0], LEFT_OUT, only)
        case [name, *_] if name.kind is Kind.STRING or (name.kind is Kind.SYMBOL and not _ends_in_int(items)):
            ordinal = reader.references.global_named((name.value,))
            return _sexp(element, element.value[0], LEFT_OUT, int_(ordinal))
    return element


def _ends_in_int(items: list[Element]) -> bool:
    return len(items) == 2 and items[1].kind is Kind.INT


def _global_reference(reader: Reader, element: Element, place: Trail) -> Element:
    """`($global 0)`, `($global T)`."""
    which = _referred(element, place)
    if which.text is not None:
        which = int_(reader.references.global_named((which.text,)))
    return _sexp(element, sym("global"), LEFT_OUT, which)


def _constant_reference(reader: Reader, element: Element, place: Trail) -> Any:
    """`($constant 0)`, `($constant pi)`."""
    which = _referred(element, place)
    if which.text is not None:
        found = reader.references.constant(which.text)
        if found is None:
            raise PlanError(f"no constant '{which.text}'", where=place)
    else:
        found = _numbered("constant", reader.constants, which, place)
    return lit(found.value).replace(where=place.tagged("lit"))


def _referred(element: Element, place: Trail) -> Element:
    if len(element.tail) != 1:
        raise PlanError(f"({element.head} ...) takes one ordinal or name, not {len(element.tail)}", where=place)
    return element.tail[0]


def _numbered(what: str, known: list[Any], which: Element, place: Trail) -> Any:
    if which.kind is not Kind.INT:
        raise PlanError(f"a {what} is referred to by its ordinal or its name", where=place)
    if not 0 <= which.value < len(known):
        raise PlanError(f"no {what} {which.value}: the document declares {len(known)}", where=place)
    return known[which.value]


# ---------------------------------------------------------------------------------------------------------------------
# The rest


def _step(_reader: Reader, element: Element, _place: Trail) -> Element:
    """`(step wildcard)` and `(step unpivot)` are nodes of their own."""
    for word, tag in (("wildcard", "wildcard"), ("unpivot", "unpivot_step")):
        if len(element.tail) == 1 and element.tail[0].is_symbol(word):
            return _sexp(element, sym(tag))
    return element


def _unpivot(_reader: Reader, element: Element, place: Trail) -> Element:
    """`(at (var 0))` is redundant and dropped: the key is always the first column."""
    at = [item for item in element.tail if item.is_form("at")]
    if not at:
        return element
    plain = len(at) == 1 and len(at[0].tail) == 1 and at[0].tail[0].is_form("var")
    if not plain or not any(item.kind is Kind.INT and item.value == 0 for item in at[0].tail[0].tail):
        raise UnsupportedError("unpivot binds its keys to variable 0 and to nothing else", where=place)
    return _sexp(element, element.value[0], *(item for item in element.tail if not item.is_form("at")))


_REWRITES: dict[type[Node], dict[str, Rewrite]] = {
    Rex: {
        "lit": _lit,
        "var": _var,
        "path": _path,
        "select": _select,
        "case": _case,
        "struct": _tuple,
        "tuple": _tuple,
        "collection": _without_type(Collection),
        "pivot": _without_type(Pivot),
        "call": _call(Call),
        "global": _global,
        "$global": _global_reference,
        "$constant": _constant_reference,
    },
    Rel: {"unpivot": _unpivot},
    Agg: {"agg": _call(Agg)},
    Fn: {"fn": _fn, "$fn": _fn_reference},
    Step: {"step": _step},
}
