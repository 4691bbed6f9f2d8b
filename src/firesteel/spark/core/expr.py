"""Compiled expressions: columns that know their type, where they can be mentioned, and what that costs.

An expression is one of five representations:

    Plain         one column of the type's own Spark type; SQL NULL is NULL, or MISSING, as `encoding(type)` says
    Variant       one VARIANT column; SQL NULL is MISSING, variant null is NULL
    Split         a plain column, and one that says where it is MISSING: `a.x < 3` in a filter
    NumberParts   a decimal column, and columns that say where it stands for an integer and how many digits it has
    StructParts   a struct of which only the attributes are columns: the row of a table

Any of them may have a value that is known while compiling (`constant`). `Placement` says where an expression can be
mentioned. `column` gives any of them as one column, encoded by the type.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import Form, WholeOrDecimal, form
from firesteel.spark.encoding.decimal_variants import is_whole
from firesteel.spark.encoding.variants import any_of, to_variant
from firesteel.values import MISSING

UNKNOWN = object()

#: Types that VARIANT holds without a tag, so that a variant of such a type can become a plain column again.
NATIVE = (t.Bool, t.Int8, t.Int16, t.Int32, t.Int64, t.Float32, t.Float64, t.String, t.Date)

E = TypeVar("E", bound="Expr")


class Depth(enum.IntEnum):
    """How deep the expression of Spark that computes something nests, roughly: the one table of such figures. What is
    deeper than a limit (`limits.py`) is cut into stages."""

    #: A function, and a test of its operands: `CASE WHEN x IS NOT NULL THEN upper(x) END`.
    TINY = 3
    #: The same with an error in one branch.
    SMALL = 4
    #: A few functions in one another.
    MEDIUM = 6
    #: Several branches, each with a few functions.
    LARGE = 8
    #: A text or a decimal put together from its parts.
    DEEP = 12
    #: A search through a value, such as a lambda over an array.
    VERY_DEEP = 20
    #: A comparison key of any value.
    HUGE = 30
    #: A conversion between values of any types.
    DEEPEST = 40


@dataclass(frozen=True)
class Placement:
    """Where an expression can be mentioned, and what mentioning it costs."""

    #: The first stage of the frame (see `scope.Stages`) in which its columns are there.
    stage: int = 0
    #: How deep the expression nests, in Spark's terms.
    height: int = 0
    #: A name or a literal: it costs nothing to mention it twice.
    atomic: bool = False
    #: May it raise an error? Then it is computed only where it is needed.
    throws: bool = False
    #: Of an atomic expression: the columns of the frame that it needs.
    names: tuple[str, ...] = ()
    #: Is it just a column of the frame?
    own: bool = False


@dataclass(frozen=True, eq=False)
class Expr:
    """A compiled expression: one of the five representations below."""

    type: t.Type
    place: Placement = field(default=Placement(), kw_only=True)
    #: The value, where it is known while compiling.
    constant: Any = field(default=UNKNOWN, kw_only=True)

    @property
    def plain(self) -> Column:
        """The value as a plain column, SQL NULL where it is absent. A variant is converted to its type's plain column;
        UnsupportedError if there is none."""
        raise NotImplementedError

    @property
    def column(self) -> Column:
        """The column, encoded by the type."""
        raise NotImplementedError

    # Absence: None if it cannot occur ---------------------------------------------------------------------------------

    def is_missing(self) -> Column | None:
        raise NotImplementedError

    def is_null(self) -> Column | None:
        raise NotImplementedError

    def is_absent(self) -> Column | None:
        raise NotImplementedError

    # Copies with changes ----------------------------------------------------------------------------------------------

    def with_type(self: E, type_: t.Type) -> E:
        """The same columns, with another type of the same encoding."""
        return replace(self, type=type_)

    def with_place(self: E, **changes: Any) -> E:
        """The same expression, with another placement."""
        return replace(self, place=replace(self.place, **changes))


@dataclass(frozen=True, eq=False)
class Columns(Expr):
    """An expression with columns of its own: `value`, and the others of its representation."""

    value: Column

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns of the expression, which `bind` gives names to."""
        return (self.value,)

    def with_columns(self, columns: Sequence[Column]) -> Columns:
        """The same representation over other columns, which are names."""
        (value,) = columns
        return replace(self, value=value, place=Placement(atomic=True), constant=UNKNOWN)

    def over_names(self, names: Sequence[str]) -> Columns:
        """The same representation over columns of the frame."""
        return self.with_columns([F.col(name) for name in names]).with_place(names=tuple(names), own=True)

    @property
    def plain(self) -> Column:
        return self.value

    def is_absent(self) -> Column | None:
        return self.value.isNull() if self.type.absent else None


@dataclass(frozen=True, eq=False)
class Plain(Columns):
    """One column of Spark's own type."""

    @property
    def column(self) -> Column:
        return self.value

    def is_missing(self) -> Column | None:
        return self.value.isNull() if self.type.missable else None

    def is_null(self) -> Column | None:
        return self.value.isNull() if self.type.nullable else None


@dataclass(frozen=True, eq=False)
class Variant(Columns):
    """One column of VARIANTs."""

    #: The value as a plain decimal; SQL NULL where it does not fit one, is no number, or is absent.
    number: NumberParts | None = field(default=None, kw_only=True)
    #: Of a boolean inside a lambda: a plain boolean, for callers that only ask whether it is true.
    truth: Callable[[], Column] | None = field(default=None, kw_only=True)
    #: Inside a lambda: the facts about it that have names (`lambda_names.FACTS`), and those that were used.
    facts: Mapping[str, Expr] = field(default_factory=dict, kw_only=True)
    used: set[str] | None = field(default=None, kw_only=True)

    def with_columns(self, columns: Sequence[Column]) -> Variant:
        (value,) = columns
        return Variant(self.type, value, place=Placement(atomic=True))

    @property
    def plain(self) -> Column:
        return variants.from_variant(self.value, self.type)

    @property
    def column(self) -> Column:
        return self.value

    def is_missing(self) -> Column | None:
        return self.value.isNull() if self.type.missable else None

    def is_null(self) -> Column | None:
        return F.is_variant_null(self.value) if self.type.nullable else None

    def is_absent(self) -> Column | None:
        if not self.type.absent:
            return None
        return any_of(test for test in (self.value.isNull(), self.is_null()) if test is not None)


@dataclass(frozen=True, eq=False)
class Split(Columns):
    """A plain column, and one that says where it is MISSING. They replace a VARIANT, which often nobody needs: a filter
    only asks whether a comparison is true."""

    missing: Column

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.value, self.missing

    def with_columns(self, columns: Sequence[Column]) -> Split:
        value, missing = columns
        return Split(self.type, value, missing, place=Placement(atomic=True))

    @property
    def column(self) -> Column:
        present = to_variant(self.value, t.absent(self.type, nullable=True, missable=False))
        return F.when(~self.missing, present)

    def is_missing(self) -> Column | None:
        return self.missing

    def is_null(self) -> Column | None:
        return self.value.isNull() & ~self.missing if self.type.nullable else None


@dataclass(frozen=True, eq=False)
class NumberParts(Columns):
    """Decimals, some of which stand for integers (`CASE ... ELSE 0 END`): for most operators that makes no difference.
    `places` is how many digits each has behind the point, where that is known."""

    #: Where it is an integer; None if it is one nowhere.
    integral: Column | None = None
    places: Column | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        if isinstance(self.type, WholeOrDecimal):
            return (self.value,)
        return tuple(part for part in (self.value, self.integral, self.places) if part is not None)

    def with_columns(self, columns: Sequence[Column]) -> NumberParts:
        value, *others = columns
        if isinstance(self.type, WholeOrDecimal):
            return NumberParts(self.type, value, is_whole(value), place=Placement(atomic=True))
        rest = iter(others)
        integral, places = (None if part is None else next(rest) for part in (self.integral, self.places))
        return NumberParts(self.type, value, integral, places, place=Placement(atomic=True))

    @property
    def column(self) -> Column:
        if self.integral is None or isinstance(self.type, WholeOrDecimal):
            return self.value
        integer = F.when(self.integral, self.value.try_cast("bigint"))
        number = F.coalesce(integer.cast("variant"), to_variant(self.value, _decimal_of(self)))
        return number if self.type.missable else F.coalesce(number, variants.null())

    def is_missing(self) -> Column | None:
        return self.value.isNull() if self.type.missable else None

    def is_null(self) -> Column | None:
        return self.value.isNull() if self.type.nullable else None


@dataclass(frozen=True, eq=False)
class StructParts(Expr):
    """A struct of which only the attributes are columns. `present` says where it is not NULL."""

    fields: tuple[Expr, ...]
    present: Column | None = None

    @property
    def plain(self) -> Column:
        return self.column

    @property
    def column(self) -> Column:
        if form(self.type) is Form.VARIANT:
            return as_variant(self)
        struct = F.struct(*(inner.column.alias(name) for name, inner in self.named))
        return struct if self.present is None else F.when(self.present, struct)

    @property
    def named(self) -> list[tuple[str, Expr]]:
        """The attributes, by their names."""
        assert isinstance(self.type, t.Struct)
        return [(field.name or "", inner) for field, inner in zip(self.type.fields, self.fields, strict=True)]

    def is_missing(self) -> Column | None:
        return None

    def is_null(self) -> Column | None:
        return ~self.present if self.present is not None and self.type.nullable else None

    def is_absent(self) -> Column | None:
        return self.is_null()


# ---------------------------------------------------------------------------------------------------------------------
# Making expressions


def column_expr(type_: t.Type, column: Column, *, constant: Any = UNKNOWN, **place: Any) -> Columns:
    """An expression of one column, encoded by the type."""
    return _of_column(type_, column, Placement(**place), constant)


def _of_column(type_: t.Type, column: Column, place: Placement, constant: Any = UNKNOWN) -> Columns:
    if form(type_) is Form.VARIANT:
        return Variant(type_, column, place=place, constant=constant)
    if isinstance(type_, WholeOrDecimal):
        return NumberParts(type_, column, is_whole(column), place=place, constant=constant)
    return Plain(type_, column, place=place, constant=constant)


def place_over(args: Iterable[Expr], cost: int = 1, throws: bool = False) -> Placement:
    """The placement of an expression made of others, `cost` levels higher."""
    places = [arg.place for arg in args]
    return Placement(
        stage=max((place.stage for place in places), default=0),
        height=cost + max((place.height for place in places), default=0),
        throws=throws or any(place.throws for place in places),
    )


def derive(
    type_: t.Type, value: Column, *args: Expr, missing: Column | None = None, cost: int = 1, throws: bool = False
) -> Columns:
    """An expression made of `args`: a Split if `missing` is given, else one column."""
    place = place_over(args, cost, throws)
    if missing is not None:
        return Split(type_, value, missing, place=place)
    return _of_column(type_, value, place)


def number_parts(
    decimal: t.Decimal, value: Column, integral: Column, *args: Expr, cost: int = 1, places: Column | None = None
) -> NumberParts:
    """Decimals, of which those that are `integral` stand for integers; or NULL."""
    type_ = t.absent(t.union((t.INT64, decimal)), nullable=True)
    return NumberParts(type_, value, integral, places, place=place_over(args, cost))


def as_decimal(expr: Expr) -> Expr:
    """NumberParts as plain decimals, where integers need not be told apart; any other expression as it is."""
    if not isinstance(expr, NumberParts):
        return expr
    type_ = t.absent(_decimal_of(expr), nullable=expr.type.nullable, missable=expr.type.missable)
    return Plain(type_, expr.value, place=expr.place, constant=expr.constant)


def _decimal_of(expr: NumberParts) -> t.Type:
    return t.proper(next(member for member in t.members(expr.type) if isinstance(member, t.Decimal)))


def struct_expr(pairs: Iterable[tuple[str, Expr]], present: Column | None = None) -> StructParts:
    """A struct of attributes."""
    named = list(pairs)
    inner = tuple(expr for _, expr in named)
    type_ = t.Struct(tuple(t.Field(name, e.type) for name, e in named), open=False, nullable=present is not None)
    place = replace(
        place_over(inner),
        atomic=all(expr.place.atomic for expr in inner),
        names=tuple(name for expr in inner for name in expr.place.names),
    )
    return StructParts(type_, inner, present, place=place)


def reference(type_: t.Type, name: str) -> Columns:
    """A column of the frame."""
    return column_expr(type_, F.col(name), atomic=True, names=(name,), own=True)


def null_expr() -> Expr:
    return column_expr(t.NULL, variants.null(), atomic=True, constant=None)


def missing_expr() -> Expr:
    return column_expr(t.MISSING, variants.missing(), atomic=True, constant=MISSING)


def as_variant(expr: Expr) -> Column:
    """The expression as a variant, whatever its representation. StructParts become a variant directly, without a struct
    in between."""
    if not isinstance(expr, StructParts):
        return to_variant(expr.column, expr.type)
    struct = variants.struct_of([(name, as_variant(inner), inner.type.missable) for name, inner in expr.named])
    return struct if expr.present is None else F.when(expr.present, struct).otherwise(variants.null())
