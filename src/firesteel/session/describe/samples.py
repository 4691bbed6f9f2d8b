"""What is found in the rows of a table: by its type, or in its first records where it has none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from firesteel import tables, values
from firesteel import types as t
from firesteel.passes import View
from firesteel.tables import Table
from firesteel.tables.typed.arrow_types import row_type

#: How many records are looked at, and how large a file may be that has to be read as a whole for that.
RECORDS, BYTES = 200, 64 << 20


@dataclass(repr=False)
class Found:
    """What is found at a path: the names of its types, attributes of structs, items of collections."""

    types: dict[str, None] = field(default_factory=dict)
    attributes: dict[str, Found] = field(default_factory=dict)
    items: Found | None = None

    @property
    def type(self) -> str:
        """The types in words; empty if nothing is known."""
        return " or ".join(self.types)

    def __repr__(self) -> str:
        return "\n".join(f"{path}: {type_}" for path, type_ in self.paths()) or "nothing is known of the rows"

    def attribute(self, name: str) -> Found:
        """What is found below an attribute."""
        return self.attributes.setdefault(name, Found())

    def item(self) -> Found:
        """What is found in the items."""
        if self.items is None:
            self.items = Found()
        return self.items

    def paths(self, limit: int = 200) -> Iterator[tuple[str, str]]:
        """The paths below, each with its types: `customer.name`, `items[*].sku`."""
        stack = _steps("", self)
        for _ in range(limit):
            if not stack:
                return
            path, found = stack.pop()
            yield path, found.type
            stack.extend(_steps(f"{path}.", found))
            if found.items is not None:
                stack.extend(_steps(f"{path}[*].", found.items))


def _steps(prefix: str, found: Found) -> list[tuple[str, Found]]:
    """The attributes of what is found, the last first."""
    named = [(prefix + _name(name), below) for name, below in found.attributes.items()]
    return named[::-1]


def _name(name: str) -> str:
    return name if name.isidentifier() else '"' + name.replace('"', '""') + '"'


def found_in(entry: Table | View) -> Found:
    """What is found in the rows of a table or view."""
    declared = row_type(entry.query.type if isinstance(entry, View) else entry.type)
    source = None if isinstance(entry, View) else entry.source
    if isinstance(source, tables.Memory):
        return _in_values(islice(values.items(source.value) or (), RECORDS))
    if not isinstance(source, tables.File) or (isinstance(declared, t.Struct) and declared.fields):
        return _in_type(declared)
    if source.format in ("csv", "tsv") and sum(path.stat().st_size for path in tables.files_of(source)[0]) > BYTES:
        return Found()
    return _in_values(item for item in islice(tables.records(source), RECORDS) if not isinstance(item, Exception))


def _in_values(rows: Iterable[values.Value]) -> Found:
    top = Found()
    stack: list[tuple[Found, values.Value]] = [(top, row) for row in rows][::-1]
    while stack:
        found, value = stack.pop()
        if values.absent(value):
            continue
        below = values.items(value)
        found.types[_TAGS.get(type(value)) or str(t.type_of(value).tag)] = None
        if isinstance(value, values.Struct):
            stack.extend([(found.attribute(name), item) for name, item in value.pairs][::-1])
        elif below is not None:
            stack.extend((found.item(), item) for item in below[:RECORDS][::-1])
    return top


_TAGS: dict[type, str] = {values.Struct: "struct", values.Bag: "bag", values.Sexp: "sexp", list: "array"}


def _in_type(type_: t.Type) -> Found:
    top = Found()
    stack: list[tuple[Found, Any]] = [(top, type_)]
    while stack:
        found, one = stack.pop()
        for member in t.members(one):
            if isinstance(member, t.Struct):
                found.types["struct"] = None
                stack.extend((found.attribute(f.name), f.type) for f in member.fields if f.name is not None)
            elif isinstance(member, t.Collection):
                found.types[str(member.tag)] = None
                stack.append((found.item(), member.element))
            elif not isinstance(member, t.Any | t.Null | t.Missing):
                found.types[t.text(t.absent(member, nullable=False, missable=False))] = None
    return top
