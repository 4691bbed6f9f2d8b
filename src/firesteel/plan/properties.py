"""Relation properties: what is known of the order of a relation's rows, and of the partitions that they are in.

*Orderedness* is a list of fields that the rows of each partition are sorted by. *Distribution* says that there is only
one partition, or that rows with the same values in some fields are in the same partition. Each relation derives its
properties from those of its inputs (`Rel.properties`, beside the relation's fields). `relation_properties` asks for
them.

A field is a path into the row: the ordinal of a column, then names of struct fields: `(2,)`, `(0, 'address', 'city')`.
A projection may emit the same value twice, so a field is a set of paths that have the same value in every row.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

#: A way into a row: the ordinal of a column, then names of struct fields.
FieldPath = tuple[int | str, ...]
#: Paths that have the same value in every row.
SameField = frozenset[FieldPath]


class SortOrder(enum.IntEnum):
    """Sort orders, by the codes of the PartiQL Plan document. CLUSTERED is an extension: equal values are side by side,
    and their order is not known. A sort by it sorts as ASC_NULLS_FIRST does."""

    ASC_NULLS_LAST = 0
    ASC_NULLS_FIRST = 1
    DESC_NULLS_LAST = 2
    DESC_NULLS_FIRST = 3
    CLUSTERED = 4

    @property
    def descending(self) -> bool:
        return self in (SortOrder.DESC_NULLS_LAST, SortOrder.DESC_NULLS_FIRST)

    @property
    def nulls_first(self) -> bool:
        return self in (SortOrder.ASC_NULLS_FIRST, SortOrder.DESC_NULLS_FIRST, SortOrder.CLUSTERED)


class Basis(enum.IntEnum):
    """Why a property holds. The weakest reason comes first."""

    #: The plan, or the owner of a table, says so.
    DECLARED = 0
    #: It was declared, and the data was checked.
    VERIFIED = 1
    #: A relation of the plan makes it so.
    DERIVED = 2


@dataclass(frozen=True)
class OrderField:
    """A field that rows are ordered by. `comparator` names the function that compares its values, if it is not the
    order of the type."""

    field: SameField
    order: SortOrder = SortOrder.ASC_NULLS_LAST
    comparator: str | None = None

    def serves(self, order: SortOrder, comparator: str | None = None) -> bool:
        """Are values in this order also in that one? Sorted values are clustered, but not the other way round."""
        if order is SortOrder.CLUSTERED:
            return True
        return self.order is order and self.comparator == comparator


@dataclass(frozen=True)
class Singleton:
    """There is one partition."""

    basis: Basis = Basis.DERIVED


@dataclass(frozen=True)
class Partitioned:
    """Rows with the same values in all of these fields are in the same partition."""

    fields: frozenset[SameField]
    basis: Basis = Basis.DERIVED


Distribution = Singleton | Partitioned


@dataclass(frozen=True)
class Properties:
    """What is known of a relation's rows. Nothing, by default."""

    order: tuple[OrderField, ...] = ()
    #: Why the order holds.
    order_basis: Basis = Basis.DERIVED
    distribution: Distribution | None = None

    def without_order(self) -> Properties:
        return replace(self, order=(), order_basis=Basis.DERIVED)

    def without_distribution(self) -> Properties:
        return replace(self, distribution=None)

    def ordered_by(self, order: Sequence[OrderField], basis: Basis = Basis.DERIVED) -> Properties:
        return replace(self, order=tuple(order), order_basis=basis)

    def distributed(self, distribution: Distribution | None) -> Properties:
        return replace(self, distribution=distribution)

    def mapped(self, move: Callable[[FieldPath], Iterable[FieldPath]]) -> Properties:
        """The properties after a relation that moves fields: `move` gives the places where the value of a path is
        found in the output. An order ends at the first field that is found nowhere; a distribution needs all of its
        fields."""

        def moved(field: SameField) -> SameField:
            return frozenset(new for path in field for new in move(path))

        order: list[OrderField] = []
        for one in self.order:
            field = moved(one.field)
            if not field:
                break
            order.append(replace(one, field=field))
        distribution = self.distribution
        if isinstance(distribution, Partitioned):
            fields = frozenset(map(moved, distribution.fields))
            distribution = None if frozenset() in fields else replace(distribution, fields=fields)
        return Properties(tuple(order), self.order_basis, distribution)

    def shifted(self, by: int) -> Properties:
        """The properties of the right columns of a join, which come after `by` columns of the left."""
        return self.mapped(lambda path: [(path[0] + by, *path[1:])] if isinstance(path[0], int) else [])


#: Nothing is known.
UNKNOWN = Properties()


# ---------------------------------------------------------------------------------------------------------------------
# What relations need


@dataclass(frozen=True)
class Wanted:
    """A field that a relation needs its input to be ordered by."""

    path: FieldPath
    order: SortOrder = SortOrder.CLUSTERED
    comparator: str | None = None


def is_ordered(properties: Properties, wanted: Sequence[Wanted]) -> bool:
    """Are the rows of each partition ordered by these fields, in this sequence? Fields that come twice count once."""
    missing = first_unordered(properties, wanted)
    return missing is None


def first_unordered(properties: Properties, wanted: Sequence[Wanted]) -> Wanted | None:
    """The first of the fields that the rows are not ordered by."""
    at = 0
    passed: set[FieldPath] = set()
    for one in wanted:
        if one.path in passed:  # within equal values of a field, its values are all the same
            continue
        while at < len(properties.order) and properties.order[at].field <= passed:
            at += 1
        if at == len(properties.order):
            return one
        known = properties.order[at]
        if one.path not in known.field or not known.serves(one.order, one.comparator):
            return one
        passed |= known.field
        at += 1
    return None


def grouped_prefix(properties: Properties, keys: Iterable[FieldPath]) -> int | None:
    """How many fields of the order are these keys, in any sequence; None if rows with equal keys need not be side by
    side. Rows ordered by (a, b, c) are grouped by (b, a) and by (a), but not by (b)."""
    missing = set(keys)
    count = 0
    for one in properties.order:
        if not missing:
            break
        if not one.field & missing:
            return None
        missing -= one.field
        count += 1
    return None if missing else count


def is_partitioned(properties: Properties, fields: Iterable[FieldPath]) -> bool:
    """Are rows with equal values in these fields in the same partition? They are if that holds for some of the fields,
    or if there is one partition."""
    distribution = properties.distribution
    if isinstance(distribution, Singleton):
        return True
    if distribution is None:
        return False
    given = set(fields)
    return all(field & given for field in distribution.fields)


def same_distribution(left: Distribution | None, right: Distribution | None) -> Distribution | None:
    """The distribution of two inputs that are put together row by row, if they have the same."""
    match left, right:
        case Singleton(a), Singleton(b):
            return Singleton(min(a, b))
        case Partitioned(fields, a), Partitioned(others, b):
            common = _common_fields(fields, others)
            return None if common is None else Partitioned(common, min(a, b))
    return None


def _common_fields(left: frozenset[SameField], right: frozenset[SameField]) -> frozenset[SameField] | None:
    """The fields of two distributions over the same columns, if they are the same."""
    found: set[SameField] = set()
    rest = set(right)
    for field in left:
        partner = next((other for other in rest if other & field), None)
        if partner is None:
            return None
        rest.discard(partner)
        found.add(field & partner)
    return None if rest else frozenset(found)
