"""`create_table` and `insert`, in the forms that the document's appendix on labels shows:

    (create_table $my_table (($my_pk int)))
    (insert $my_table (lit (int) 1))

An `insert` gives a value for each column of a table that the same file creates, in the order of the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.ion.element import Element, Kind
from firesteel.partiql_plan.read.matching import Spot, error
from firesteel.values import Bag

if TYPE_CHECKING:
    from firesteel.partiql_plan.read.nodes import Reader

Steps = Generator[Any, Any, Any]


def _create_table(reader: Reader, element: Element, spot: Spot) -> Steps:
    if len(element.tail) != 2 or element.tail[1].kind is not Kind.SEXP:
        raise error("create_table takes a name and a list of columns", element, spot, help=_FORMS["create_table"])
    columns: list[t.Field] = []
    for item in element.tail[1].value:
        if item.kind is not Kind.SEXP or len(item.value) != 2:
            raise error("a column is a name and a type", item, spot, help=_FORMS["create_table"])
        type_ = reader.types.read(item.value[1], spot)
        if type(type_) is GeneratorType:
            type_ = yield (type_,)
        columns.append(t.Field(_name(reader, item.value[0], spot), t.absent(type_, nullable=True)))
    name = _name(reader, element.tail[0], spot)
    reader.created[name] = tuple(columns)
    return p.CreateTable(tuple(name.split(".")), tuple(columns), None)


def _insert(reader: Reader, element: Element, spot: Spot) -> Steps:
    if not element.tail:
        raise error("insert takes a name and a value for each column", element, spot, help=_FORMS["insert"])
    name = _name(reader, element.tail[0], spot)
    columns = reader.created.get(name)
    if columns is None:
        raise UnsupportedError(
            f"'insert' into '{name}', which this file does not create, is not supported",
            where=error("", element, spot).where,
            help=f"put (create_table {name} (...)) before it: the columns are known from there",
        )
    given = element.tail[1:]
    if len(given) != len(columns):
        raise error(f"'{name}' has {len(columns)} columns, and {len(given)} values are given", element, spot)
    exprs: list[p.Rex] = []
    for item in given:
        value = reader.node(p.Rex, item, spot)
        if type(value) is GeneratorType:
            value = yield (value,)
        exprs.append(value)
    row = p.Scan(p.Lit(t.Bag(t.INT64), Bag([0])))
    names = tuple(column.name or "" for column in columns)
    return p.Insert(tuple(name.split(".")), columns, p.Project(tuple(exprs), row, names=names))


def _name(reader: Reader, element: Element, spot: Spot) -> str:
    """A name: a text, a symbol, or the label of one."""
    found = reader.references.text(element) if element.kind is Kind.SYMBOL else element
    if found.text is None or found.text.startswith("$"):
        raise error("a name is expected here", element, spot)
    return found.text


_FORMS = {"create_table": "(create_table name ((column type) ...))", "insert": "(insert name value ...)"}

#: The statements by their tags.
TABLE_STATEMENTS: dict[str, Callable[[Reader, Element, Spot], Steps]] = {
    "create_table": _create_table,
    "insert": _insert,
}
