"""The names of the columns of every relation, as they come from the reads and the plan's own hints.

A plan itself has ordinals only. A column that is passed on keeps its name; a computed column has none.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from firesteel.errors import FiresteelError
from firesteel.node import drive
from firesteel.substrait.extensions import Extensions
from firesteel.substrait.lower.column_names import named_schema
from firesteel.substrait.lower.relations.grouping import Layout, read_grouping
from firesteel.substrait.message import Message

Names = tuple[str | None, ...]
Naming = Generator[Any, Names, Names]


class Columns:
    """The names of the columns of a plan's relations: with what `common` says of them, and before it."""

    def __init__(self, plan: Message, extensions: Extensions, width: Callable[[Message], int | None]) -> None:
        self.extensions = extensions
        self.plan = plan
        #: How many columns a relation has, where that is known.
        self.width = width
        self.detached: Sequence[Message] = ()
        self._known: dict[int, Names] = {}
        self._direct: dict[int, Names] = {}
        self._open: set[int] = set()

    def of(self, rel: Message) -> Names:
        """The names of a relation's columns."""
        found: Names = drive(self._names, rel)
        return found

    def before(self, rel: Message) -> Names:
        """Those before the relation's columns are emitted."""
        self.of(rel)
        return self._direct.get(id(rel), ())

    def below(self, inner: Message) -> list[Message]:
        """The relations that a relation reads."""
        if "left" in inner.kind.by_name:
            return [getattr(inner, side) for side in ("left", "right") if inner.has(side)]
        single = "view_definition" if "view_definition" in inner.kind.by_name else "input"
        if inner.has(single):
            return [getattr(inner, single)]
        return list(inner.inputs) if "inputs" in inner.kind.by_name else []

    def _names(self, rel: Message) -> Names | Naming:
        if id(rel) in self._known:
            return self._known[id(rel)]
        if id(rel) in self._open:  # it contains itself
            return ()
        return self._naming(rel)

    def _naming(self, rel: Message) -> Naming:
        self._open.add(id(rel))
        kind = rel.which("rel_type")
        names: Names = ()
        if kind == "detached_rel_ordinal":
            if 0 <= rel.detached_rel_ordinal < len(self.detached):
                names = yield (self.detached[rel.detached_rel_ordinal],)
        elif kind is not None:
            inner = getattr(rel, kind)
            sources = []
            for one in self.below(inner):
                sources.append((yield (one,)))
            if kind == "reference":
                names = yield from self._referred(inner)
            else:
                names = _DIRECT.get(kind, _joined)(self, inner, sources)
            if kind == "project" and self._is_replaced(rel, inner, len(sources[0]) if sources else 0):
                names = names[len(sources[0]) :]
            self._direct[id(rel)] = names
            names = _emitted(inner, names)
        width = self.width(rel)
        if width is not None and width != len(names):
            names = (*names, *[None] * width)[:width] if len(names) < width else (None,) * width
        self._known[id(rel)] = names
        self._open.discard(id(rel))
        return names

    def _referred(self, inner: Message) -> Naming:
        trees = self.plan.relations
        if not 0 <= inner.subtree_ordinal < len(trees):
            return ()
        tree = trees[inner.subtree_ordinal]
        return (yield (tree.root.input if tree.has("root") else tree.rel,))

    def _is_replaced(self, rel: Message, inner: Message, given: int) -> bool:
        """Was the project relation read as one that gives its expressions only?"""
        return not inner.has("common") and given > 0 and self.width(rel) == len(inner.expressions)


def _emitted(inner: Message, names: Names) -> Names:
    if "common" not in inner.kind.by_name:
        return names
    if inner.common.which("emit_kind") == "emit":
        names = tuple(names[i] if 0 <= i < len(names) else None for i in inner.common.emit.output_mapping)
    hinted = inner.common.hint.output_names
    return tuple(hinted) if len(hinted) == len(names) else names


def base_names(columns: Columns, read: Message) -> Names:
    """The names of a read's columns before its mask."""
    try:
        return tuple(one.name for one in named_schema(read.base_schema, columns.extensions))
    except FiresteelError:
        return tuple(read.base_schema.names)


def _read(columns: Columns, inner: Message, _sources: list[Names]) -> Names:
    names = base_names(columns, inner)
    if inner.has("projection"):
        items = inner.projection.select.struct_items
        names = tuple(names[one.field] if 0 <= one.field < len(names) else None for one in items)
    return names


def _passed(expression: Message, names: Names) -> str | None:
    """The name of a column that an expression passes on."""
    reference = expression.selection if expression.which("rex_type") == "selection" else None
    if reference is None or reference.which("root_type") not in ("root_reference", None):
        return None
    segment = reference.direct_reference
    field = segment.struct_field if segment.which("reference_type") == "struct_field" else None
    if field is None or field.has("child") or not 0 <= field.field < len(names):
        return None
    return names[field.field]


def _project(_columns: Columns, inner: Message, sources: list[Names]) -> Names:
    names = sources[0] if sources else ()
    return (*names, *(_passed(one, names) for one in inner.expressions))


def _aggregate(columns: Columns, inner: Message, sources: list[Names]) -> Names:
    names = sources[0] if sources else ()
    try:
        found = read_grouping(inner, columns.extensions.dialect)
    except FiresteelError:
        return ()
    marked = len(found.sets) > 1 and found.layout is not Layout.NO_INDEX
    return (*(_passed(one, names) for one in found.keys), *[None] * (len(inner.measures) + marked))


def _joined(_columns: Columns, inner: Message, sources: list[Names]) -> Names:
    label = inner.label("type").removeprefix("JOIN_TYPE_") if "type" in inner.kind.by_name else ""
    if len(sources) == 2 and label.endswith(("SEMI", "ANTI", "MARK")):
        kept = sources[1] if label.startswith("RIGHT") else sources[0]
        return (*kept, None) if label.endswith("MARK") else kept
    return tuple(name for names in sources for name in names)


def _first(_columns: Columns, _inner: Message, sources: list[Names]) -> Names:
    return sources[0] if sources else ()


def _window(_columns: Columns, inner: Message, sources: list[Names]) -> Names:
    return (*(sources[0] if sources else ()), *[None] * len(inner.window_functions))


def _expand(_columns: Columns, inner: Message, sources: list[Names]) -> Names:
    names = sources[0] if sources else ()
    return (*(_passed(one.consistent_field, names) for one in inner.fields), *names[len(inner.fields) :], None)


_DIRECT: dict[str, Callable[[Columns, Message, list[Names]], Names]] = {
    "read": _read,
    "project": _project,
    "aggregate": _aggregate,
    "set": _first,
    "window": _window,
    "expand": _expand,
    **dict.fromkeys(("filter", "sort", "fetch", "top_n", "exchange"), _first),
    **dict.fromkeys(("write", "ddl", "update", "extension_multi", "extension_leaf"), lambda *_: ()),
}
