"""The lineage of a statement as Python objects, as text, as JSON, and as a facet of OpenLineage."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

#: A step of a path into all elements of a collection, and one into all attributes of a struct.
ELEMENTS, ATTRIBUTES = "[*]", "*"


class Use(enum.Enum):
    """How a source takes part in a column. The values are the type and subtype that OpenLineage has for it, and the
    word in the text. The first three are direct: the value of the column is made from the source's. By the others the
    source decides which rows there are, in which order, or which value is taken."""

    IDENTITY = ("DIRECT", "IDENTITY", "identity")
    TRANSFORMATION = ("DIRECT", "TRANSFORMATION", "transformed")
    AGGREGATION = ("DIRECT", "AGGREGATION", "aggregated")
    FILTER = ("INDIRECT", "FILTER", "filtered by")
    JOIN = ("INDIRECT", "JOIN", "joined by")
    GROUP_BY = ("INDIRECT", "GROUP_BY", "grouped by")
    SORT = ("INDIRECT", "SORT", "sorted by")
    WINDOW = ("INDIRECT", "WINDOW", "window by")
    CONDITIONAL = ("INDIRECT", "CONDITIONAL", "chosen by")

    @property
    def is_direct(self) -> bool:
        return self.value[0] == "DIRECT"

    @property
    def word(self) -> str:
        return self.value[2]


_PLACES = {use: place for place, use in enumerate(Use)}


class Source(NamedTuple):
    """A path into a table. Its first step is `[*]`, into the rows, unless the table is a single value."""

    table: str
    path: tuple[str, ...] = ()
    #: Is the table the name of files that the plan itself reads?
    is_file: bool = False

    def step(self, name: str) -> Source:
        return self._replace(path=(*self.path, name))

    def covers(self, other: Source) -> bool:
        """Is the other one this one, or inside it?"""
        return self.table == other.table and other.path[: len(self.path)] == self.path

    @property
    def field(self) -> str:
        """The path from a row: `items[*].sku`; `*` is the whole row."""
        return field_text(self.path[1:] if self.path[:1] == (ELEMENTS,) else self.path)

    def __str__(self) -> str:
        return f"{self.table}{'' if self.field.startswith('[') else '.'}{self.field}"


def field_text(path: Iterable[str]) -> str:
    """A path as text: a step in brackets has no dot before it."""
    text = "".join(step if step.startswith("[") else f".{step}" for step in path)
    return text.removeprefix(".") or ATTRIBUTES


class Link(NamedTuple):
    """A source, and how it takes part."""

    source: Source
    use: Use


@dataclass(frozen=True)
class Input:
    """A source of a column, and all the ways in which it takes part."""

    source: Source
    uses: tuple[Use, ...]

    @property
    def table(self) -> str:
        return self.source.table

    @property
    def field(self) -> str:
        return self.source.field

    def to_python(self) -> dict[str, Any]:
        return {"table": self.table, "field": self.field, "uses": [use.name.lower() for use in self.uses]}

    def facet(self, namespace: str) -> dict[str, Any]:
        kinds = [{"type": use.value[0], "subtype": use.value[1]} for use in self.uses]
        known = "file" if self.source.is_file else namespace
        return {"namespace": known, "name": self.table, "field": self.field, "transformations": kinds}


def inputs_of(links: Iterable[Link]) -> tuple[Input, ...]:
    """The links by their sources, in order."""
    ordered = sorted(set(links), key=lambda link: (link.source, _PLACES[link.use]))
    grouped = groupby(ordered, key=lambda link: link.source)
    return tuple(Input(source, tuple(link.use for link in each)) for source, each in grouped)


@dataclass(frozen=True)
class Column:
    """A column of the answer, or a part of one: `skus[*].sku`. `inputs` are its own sources; those of
    `Lineage.rows` decide about all columns."""

    name: str
    inputs: tuple[Input, ...]

    @property
    def direct(self) -> tuple[Input, ...]:
        """The sources that the values are made from."""
        return _kept(self.inputs, True)

    @property
    def indirect(self) -> tuple[Input, ...]:
        """The sources that only decide about this column."""
        return _kept(self.inputs, False)


def _kept(inputs: Iterable[Input], direct: bool) -> tuple[Input, ...]:
    pairs = [(one.source, tuple(use for use in one.uses if use.is_direct is direct)) for one in inputs]
    return tuple(Input(source, uses) for source, uses in pairs if uses)


@dataclass(frozen=True)
class TablePaths:
    """A table that a statement reads, and the paths of it that the answer depends on."""

    table: str
    paths: tuple[str, ...]


@dataclass(frozen=True)
class Lineage:
    """Where the columns of a statement's answer come from. `rows` are the sources that decide which rows there are and
    in which order, and so take part in every column. `target` is the table that the statement writes, if it does."""

    columns: tuple[Column, ...]
    rows: tuple[Input, ...]
    tables: tuple[TablePaths, ...]
    target: str | None = None

    def __getitem__(self, name: str) -> Column:
        """A column with its parts, or a part of one: `lineage["skus"]`."""
        found = [one for one in self.columns if one.name == name or one.name.startswith((f"{name}.", f"{name}["))]
        if not found:
            raise KeyError(name)
        return Column(name, inputs_of(_links(one for column in found for one in column.inputs)))

    def inputs(self, name: str) -> tuple[Input, ...]:
        """All sources of a column: its own, and those that decide about all rows."""
        return inputs_of(_links((*self[name].inputs, *self.rows)))

    def to_python(self) -> dict[str, Any]:
        """The lineage as plain lists and dicts."""
        columns = [{"name": one.name, "inputs": [source.to_python() for source in one.inputs]} for one in self.columns]
        made: dict[str, Any] = {} if self.target is None else {"target": self.target}
        made["columns"] = columns
        made["rows"] = [one.to_python() for one in self.rows]
        made["tables"] = [{"table": one.table, "paths": list(one.paths)} for one in self.tables]
        return made

    def to_json(self) -> str:
        """The lineage as JSON."""
        return json.dumps(self.to_python(), indent=2, ensure_ascii=False)

    def to_openlineage(
        self, namespace: str = "firesteel", *, dataset: bool = False, producer: str = "urn:firesteel"
    ) -> dict[str, Any]:
        """The facet `columnLineage` of OpenLineage. The sources that decide about all rows stand with every field; with
        `dataset=True` they stand once, under `dataset`. Files that a plan names have the namespace `file`."""
        fields: dict[str, Any] = {}
        for column in self.columns:
            links = [*_links(column.inputs), *([] if dataset else _links(self.rows))]
            before = fields.get(column.name, [])
            fields[column.name] = [*before, *links]
        facet: dict[str, Any] = {"_producer": producer, "_schemaURL": SCHEMA_URL}
        facet["fields"] = {
            name: {"inputFields": [one.facet(namespace) for one in inputs_of(links)]} for name, links in fields.items()
        }
        if dataset:
            facet["dataset"] = [one.facet(namespace) for one in self.rows]
        return facet

    def __str__(self) -> str:
        """A line for each column, then what decides about all rows, then the tables."""
        lines = [] if self.target is None else [f"into {self.target}"]
        lines += [f"{column.name} ← {_told(column)}" for column in self.columns]
        lines += [f"rows {line}" for line in _by_use(self.rows)]
        lines += [
            f"reads {one.table} ({', '.join(one.paths)})" if one.paths else f"reads {one.table}" for one in self.tables
        ]
        return "\n".join(lines)


#: The facet's version. `dataset` is new in it.
SCHEMA_URL = "https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet"


def _links(inputs: Iterable[Input]) -> list[Link]:
    return [Link(one.source, use) for one in inputs for use in one.uses]


def _told(column: Column) -> str:
    direct = [f"{one.source} ({', '.join(use.word for use in one.uses)})" for one in column.direct]
    return "; ".join([*([", ".join(direct)] if direct else []), *_by_use(column.indirect)]) or "constant"


def _by_use(inputs: Iterable[Input]) -> list[str]:
    """The sources by how they take part: `filtered by t.a, t.b`."""
    links = _links(inputs)
    each = [(use, [str(link.source) for link in links if link.use is use]) for use in Use]
    return [f"{use.word} {', '.join(sources)}" for use, sources in each if sources]
