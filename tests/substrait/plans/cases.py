"""A plan and what it gives; the tables that plans read."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pyarrow as pa

from firesteel import values
from firesteel.errors import FiresteelError
from firesteel.values import Bag, Struct
from tests.substrait.plans.kinds import Json
from tests.substrait.plans.relations import Rel, plan, root

Row = Sequence[Any]


@dataclass(frozen=True)
class Case:
    """A plan, and the rows of each of its roots, or the error that it ends with."""

    name: str
    data: bytes
    answers: tuple[tuple[Row, ...], ...] = ()
    #: Do the rows come in this order?
    ordered: bool = False
    params: dict[int, Any] | None = None
    error: type[FiresteelError] | None = None
    #: The path in the plan that the error names, or its end.
    where: str = ""

    def __str__(self) -> str:
        return self.name


@dataclass
class Cases:
    """The cases of a file."""

    title: str
    found: list[Case] = field(default_factory=list)
    #: Do they all run on Spark in every run of the tests, and not only some?
    whole: bool = False

    def __str__(self) -> str:
        return self.title

    def _add(self, case: Case) -> None:
        assert all(case.name != other.name for other in self.found), f"two cases are named {case.name!r}"
        self.found.append(case)

    def gives(
        self,
        name: str,
        rel: Rel,
        *rows: Row,
        width: int | None = None,
        ordered: bool = False,
        params: dict[int, Any] | None = None,
        **parts: Any,
    ) -> None:
        """A plan of one root, and its rows: tuples, in which a tuple is a struct. `width` where there are none."""
        size = len(rows[0]) if rows else width
        assert size is not None, "how many columns has it?"
        names = [f"c{i}" for i in range(size)]
        kept = {key: parts.pop(key) for key in ("rels", "expressions") if key in parts}
        data = plan(root(rel, names, **kept), **parts)
        self._add(Case(f"{self.title}: {name}", data, (rows,), ordered, params))

    def trees(self, name: str, trees: Sequence[Json], *answers: Sequence[Row], ordered: bool = False) -> None:
        """A plan of several trees, and the rows of each root."""
        self._add(Case(f"{self.title}: {name}", plan(*trees), tuple(map(tuple, answers)), ordered))

    def fails(
        self,
        name: str,
        rel: Rel,
        error: type[FiresteelError],
        where: str = "",
        *,
        width: int = 1,
        params: dict[int, Any] | None = None,
        **parts: Any,
    ) -> None:
        """A plan of one root that ends with an error, at a place whose path ends so."""
        kept = {key: parts.pop(key) for key in ("rels", "expressions") if key in parts}
        data = plan(root(rel, [f"c{i}" for i in range(width)], **kept), **parts)
        self._add(Case(f"{self.title}: {name}", data, params=params, error=error, where=where))


def rows_of(expected: Sequence[Row]) -> list[Struct]:
    """Rows as an engine gives them."""
    return [Struct([(f"c{i}", _value(item)) for i, item in enumerate(row)]) for row in expected]


def _value(item: Any) -> Any:
    if isinstance(item, tuple):
        return Struct([(f"_{i}", _value(one)) for i, one in enumerate(item, 1)])
    if isinstance(item, list):
        return [_value(one) for one in item]
    return Struct([(key, _value(one)) for key, one in item.items()]) if isinstance(item, dict) else item


def problem(found: values.Value, expected: Sequence[Row], ordered: bool) -> str:
    """What is wrong with an answer, or nothing."""
    wanted = rows_of(expected)
    if ordered and not isinstance(found, list):
        return f"it is not in order: {found!r}"
    items = list(found)
    same = values.equal(items, wanted) if ordered else values.equal(Bag(items), Bag(wanted))
    return "" if same else f"\n     got {items}\n  wanted {wanted}"


# ---------------------------------------------------------------------------------------------------------------------
# Tables


def tables() -> dict[str, Any]:
    """The tables that plans read, by name."""
    day = datetime.date
    return {
        # People, each with a manager.
        "people": _table(
            [("id", pa.int64()), ("name", pa.string()), ("boss", pa.int64()), ("pay", pa.decimal128(9, 2))],
            [
                (1, "Ann", None, Decimal("100.00")),
                (2, "Bob", 1, Decimal("70.50")),
                (3, "Cid", 1, Decimal("80.25")),
                (4, "Dee", 2, None),
            ],
        ),
        # The two sides of a join: keys that are there twice, NULL keys, keys without a partner.
        "lefts": _table([("k", pa.int64()), ("a", pa.string())], [(1, "a"), (2, "b"), (2, "c"), (None, "d"), (4, "e")]),
        "rights": _table([("k", pa.int64()), ("n", pa.int32())], [(1, 10), (2, 20), (3, 30), (None, 40)]),
        # Columns whose names differ in case from what plans say, of narrower types than they declare.
        "Mixed": _table(
            [("Id", pa.int32()), ("UPPER", pa.string()), ("when", pa.date32())],
            [(7, "x", day(2024, 2, 29)), (8, None, day(1999, 12, 31))],
        ),
        "twins": _table([("ab", pa.int64()), ("AB", pa.int64())], [(1, 2)]),
        "nothing": _table([("k", pa.int64()), ("n", pa.int32())], []),
        # Values in values.
        "nested": _table(
            [
                ("id", pa.int64()),
                ("s", pa.struct([("x", pa.int64()), ("y", pa.string()), ("z", pa.list_(pa.int64()))])),
                ("l", pa.list_(pa.struct([("p", pa.int64()), ("q", pa.string())]))),
            ],
            [
                (1, {"x": 10, "y": "ten", "z": [1, 2, 3]}, [{"p": 1, "q": "a"}, {"p": 2, "q": "b"}]),
                (2, {"x": None, "y": "none", "z": []}, []),
                (3, None, None),
            ],
        ),
        "sales": _table(
            [("region", pa.string()), ("item", pa.string()), ("amount", pa.int64())],
            [
                ("north", "pen", 5),
                ("north", "ink", 7),
                ("north", "pen", None),
                ("south", "pen", 2),
                ("south", None, 4),
                (None, "ink", 1),
            ],
        ),
    }


def _table(columns: Sequence[tuple[str, pa.DataType]], rows: Sequence[Row]) -> pa.Table:
    made = pa.schema([pa.field(name, kind) for name, kind in columns])
    return pa.Table.from_pylist([dict(zip(made.names, row, strict=True)) for row in rows], schema=made)


PEOPLE = "id i64, name string, boss i64?, pay decimal<9,2>?"
LEFTS = "k i64?, a string"
RIGHTS = "k i64?, n i32"
SALES = "region string?, item string?, amount i64?"
NESTED = "id i64, s struct<i64?,string?,list<i64?>?>?, l list<struct<i64?,string?>?>?"

Gives = Callable[..., None]
