"""Compiled expressions: columns that know their type, and how expensive it is to mention them.

An `Expr` is in one of four shapes. *Encoded*: one column, by `encoding(type)`. *Split*: a plain column beside one that
says where it is MISSING; together they stand for a VARIANT that nobody may ever ask for (a comparison that feeds a
filter). *Mixed*: decimals, some of which stand for integers, as another column says (`CASE ... ELSE 0 END`): for most
operators that makes no difference. *Virtual*: a struct of which only the attributes are columns (a row of a table).
`column` encodes any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import MAX_DIGITS, Form, common, form, spelled, to_spark
from firesteel.spark.encoding.variants import any_of, to_variant

UNKNOWN = object()

#: The types whose values VARIANT holds as they are, so that a variant of such a type can be taken apart again.
NATIVE = (t.Bool, t.Int8, t.Int16, t.Int32, t.Int64, t.Float32, t.Float64, t.String, t.Date)


@dataclass(frozen=True, eq=False)
class Expr:
    """A compiled expression."""

    type: t.Type
    value: Column | None
    #: The first stage of the frame (see `scope.Stages`) in which its columns are there.
    stage: int = 0
    #: How deep the expression nests, in Spark's terms.
    height: int = 0
    #: A name or a literal: it costs nothing to mention it twice.
    atomic: bool = False
    #: May raise an error: it is not computed where it is not needed.
    throws: bool = False
    missing: Column | None = None
    #: Of a mixed one: where it is an integer.
    integral: Column | None = None
    #: Of a quick one: how many digits it has behind the point.
    places: Column | None = None
    #: Of a dynamic one: the number that it is, mixed; SQL NULL where it is something else, or nothing.
    quick: Expr | None = None
    fields: tuple[Expr, ...] = ()
    present: Column | None = None
    constant: Any = UNKNOWN
    #: Of an atomic expression: the columns of the frame that it needs.
    names: tuple[str, ...] = ()
    #: Is it a column of the frame as it is?
    own: bool = False
    #: Of a boolean inside a lambda, which is a variant there: true or not, for whom that is enough.
    truth: Callable[[], Column] | None = None
    #: Of a variant with a name inside a lambda: what is said of it (`inline.SAYINGS`), by a name; and where it is noted
    #: that somebody wanted to hear it.
    said: Mapping[str, Expr] = field(default_factory=dict)
    heard: set[str] | None = None

    @property
    def virtual(self) -> bool:
        return self.value is None

    @property
    def dynamic(self) -> bool:
        """Is it one column of variants?"""
        if self.virtual or self.missing is not None or self.integral is not None:
            return False
        return form(self.type) is Form.VARIANT

    @property
    def plain(self) -> Column:
        """The plain column: SQL NULL where the value is absent. A variant is taken apart, as its type says what is in
        it; UnsupportedError if the type has no plain column."""
        if self.dynamic:
            return variants.from_variant(self._value, self.type)
        return self.column if self.virtual else self._value

    @property
    def _value(self) -> Column:
        assert self.value is not None
        return self.value

    @property
    def column(self) -> Column:
        """The column, encoded by the type."""
        if self.virtual:
            return self._struct()
        if self.missing is not None:
            made = to_variant(self._value, t.absent(self.type, nullable=True, missable=False))
            return F.when(~self.missing, made)
        if self.integral is not None:
            integer = F.when(self.integral, self._value.try_cast("bigint"))
            return F.coalesce(integer.cast("variant"), self._value.cast("variant"), variants.null())
        return self._value

    @property
    def columns(self) -> tuple[Column, ...]:
        """What there is to name, of one that is not virtual: the value, and what is beside it."""
        return tuple(part for part in (self.value, self.missing, self.integral, self.places) if part is not None)

    def _struct(self) -> Column:
        struct = self.type
        assert isinstance(struct, t.Struct)
        if form(struct) is Form.VARIANT:
            return as_variant(self)
        named = zip(struct.fields, self.fields, strict=True)
        made = F.struct(*(inner.column.alias(field.name or "") for field, inner in named))
        return made if self.present is None else F.when(self.present, made)

    # Absence: None where it cannot be ---------------------------------------------------------------------------------

    def is_missing(self) -> Column | None:
        if self.missing is not None:
            return self.missing
        return self._value.isNull() if not self.virtual and self.type.missable else None

    def is_null(self) -> Column | None:
        if not self.type.nullable:
            return None
        if self.virtual:
            return ~self.present if self.present is not None else None
        if self.missing is not None:
            return self._value.isNull() & ~self.missing
        return F.is_variant_null(self._value) if self.dynamic else self._value.isNull()

    def is_absent(self) -> Column | None:
        if not self.type.absent:
            return None
        if self.virtual:
            return self.is_null()
        if self.dynamic:
            return any_of(test for test in (self._value.isNull(), self.is_null()) if test is not None)
        return self._value.isNull()

    def renamed(self, type_: t.Type) -> Expr:
        """The same columns, called another type of the same encoding."""
        return replace(self, type=type_)


def made(
    type_: t.Type, value: Column, *args: Expr, missing: Column | None = None, cost: int = 1, throws: bool = False
) -> Expr:
    """An expression over others."""
    return Expr(
        type_,
        value,
        stage=max((arg.stage for arg in args), default=0),
        height=cost + max((arg.height for arg in args), default=0),
        throws=throws or any(arg.throws for arg in args),
        missing=missing,
    )


def mixed(decimal: t.Decimal, value: Column, integral: Column, *args: Expr, cost: int = 1) -> Expr:
    """Decimals, some of which stand for integers; or NULL."""
    type_ = t.absent(t.union((t.INT64, decimal)), nullable=True)
    return replace(made(type_, value, *args, cost=cost), integral=integral)


def as_decimal(expr: Expr) -> Expr:
    """A mixed expression as decimals, for whom that makes no difference; any other as it is."""
    if expr.integral is None:
        return expr
    decimal = next(member for member in t.members(expr.type) if isinstance(member, t.Decimal))
    return replace(expr, type=t.absent(t.proper(decimal), nullable=True), integral=None)


def struct_expr(pairs: Iterable[tuple[str, Expr]], present: Column | None = None) -> Expr:
    """A virtual struct."""
    named = list(pairs)
    inner = tuple(expr for _, expr in named)
    fields = tuple(t.Field(name, expr.type) for name, expr in named)
    return Expr(
        t.Struct(fields, open=False, nullable=present is not None),
        None,
        stage=max((expr.stage for expr in inner), default=0),
        height=1 + max((expr.height for expr in inner), default=0),
        atomic=all(expr.atomic for expr in inner),
        throws=any(expr.throws for expr in inner),
        fields=inner,
        present=present,
        names=tuple(name for expr in inner for name in expr.names),
    )


def reference(type_: t.Type, name: str) -> Expr:
    """A column of the frame."""
    return Expr(type_, F.col(name), atomic=True, names=(name,), own=True)


def again(expr: Expr, columns: Sequence[Column]) -> Expr:
    """An expression of the same shape over names for its columns."""
    found = iter(columns)
    parts = (expr.value, expr.missing, expr.integral, expr.places)
    value, missing, integral, places = (None if part is None else next(found) for part in parts)
    return Expr(expr.type, value, missing=missing, integral=integral, places=places, atomic=True)


def null_expr() -> Expr:
    return Expr(t.NULL, variants.null(), atomic=True, constant=None)


def missing_expr() -> Expr:
    from firesteel.values import MISSING

    return Expr(t.MISSING, variants.missing(), atomic=True, constant=MISSING)


# ---------------------------------------------------------------------------------------------------------------------
# From one encoding to another


def as_variant(expr: Expr) -> Column:
    """The expression as a variant, whatever its shape. A virtual struct is put together as one, and not as a struct
    that is then taken apart."""
    if not expr.virtual:
        return to_variant(expr.column, expr.type)
    assert isinstance(expr.type, t.Struct)
    named = zip(expr.type.fields, expr.fields, strict=True)
    made = variants.struct_of([(field.name or "", as_variant(inner), inner.type.missable) for field, inner in named])
    return made if expr.present is None else F.when(expr.present, made).otherwise(variants.null())


def fit(expr: Expr, target: t.Type) -> Column:
    """The expression's column, encoded by a type that holds its values."""
    if expr.virtual and form(target) is not Form.VARIANT and isinstance(target, t.Struct):
        by_name = dict(zip((field.name for field in _fields(expr)), expr.fields, strict=True))
        parts = []
        for field in target.fields:
            inner = by_name.get(field.name)
            column = fit(inner, field.type) if inner is not None else _empty(field.type)
            parts.append(column.alias(field.name or ""))
        made_ = F.struct(*parts)
        return made_ if expr.present is None else F.when(expr.present, made_)
    if isinstance(expr.type, t.Null | t.Missing) and not (expr.type.nullable and expr.type.missable):
        return _empty(target, null=expr.type.nullable)
    if expr.virtual and form(target) is Form.VARIANT:
        return as_variant(expr)
    return convert(expr.column, expr.type, target)


def _fields(expr: Expr) -> tuple[t.Field, ...]:
    assert isinstance(expr.type, t.Struct)
    return expr.type.fields


def _empty(type_: t.Type, null: bool = False) -> Column:
    """MISSING, or NULL, as a column of the type."""
    if form(type_) is Form.VARIANT:
        return variants.null() if null else variants.missing()
    return F.literal(None, spelled(type_))


def convert(column: Column, source: t.Type, target: t.Type) -> Column:
    """A column encoded by one type, encoded by another that holds its values. Types are not nested deep."""
    if form(target) is Form.VARIANT:
        return to_variant(column, source)
    if form(source) is Form.VARIANT and not isinstance(source, t.Null | t.Missing):
        return variants.from_variant(column, target)
    if to_spark(source) == to_spark(target):
        return column
    if isinstance(source, t.Collection) and isinstance(target, t.Collection):
        inner, outer = source.element, target.element
        return F.transform(column, lambda item: convert(item, inner, outer))
    if isinstance(source, t.Struct) and isinstance(target, t.Struct):
        parts = []
        for field in target.fields:
            found = source.field(field.name or "")
            part = convert(column[field.name or ""], found, field.type) if found is not None else _empty(field.type)
            parts.append(part.alias(field.name or ""))
        return F.when(column.isNotNull(), F.struct(*parts))
    if isinstance(source, t.Null | t.Missing):
        return F.literal(None, spelled(target))
    return column.cast(spelled(target))


def opened(expr: Expr) -> Expr:
    """A variant that holds values of one scalar type, split: then functions of that type take it as it is. What is
    mixed becomes a variant."""
    if expr.integral is not None:
        return made(expr.type, expr.column, expr, cost=3)
    if not expr.dynamic or not isinstance(t.proper(expr.type), NATIVE):
        return expr
    return replace(expr, value=expr.plain, missing=expr.column.isNull(), height=expr.height + 1)


def truth(expr: Expr) -> Expr:
    """Of a boolean: true where it is true, false or SQL NULL elsewhere."""
    column = expr.plain if expr.truth is None else expr.truth()
    return made(t.absent(t.BOOL, nullable=True), column, expr, cost=int(expr.dynamic))


def proper(expr: Expr) -> Expr:
    """The expression, where it is known to be present. Of a dynamic one nothing more is known."""
    if expr.dynamic:
        return expr
    return replace(expr, type=t.proper(expr.type), missing=None, present=None)


def fit_cost(expr: Expr, target: t.Type) -> int:
    """How much deeper `fit` nests: tags and lambdas are several levels each, and more where they are nested."""
    if form(target) is not Form.VARIANT:
        return 0 if expr.virtual or to_spark(expr.type) == to_spark(target) else 4
    if expr.dynamic or isinstance(expr.type, t.Null | t.Missing):
        return 0
    return 3 if isinstance(expr.type, _AS_THEY_ARE) else 12


_AS_THEY_ARE = (*NATIVE, t.Decimal, t.Char, t.Byte, t.Blob, t.Timestamp)


def choose(conditions: Sequence[Expr], results: Sequence[Expr]) -> Expr:
    """The result of the first condition that is true; the last result if none is."""
    if not conditions:
        return results[-1]
    found = _mixture(conditions, results)
    if found is not None:
        return found
    type_ = common(result.type for result in results)
    *branches, default = (fit(result, type_) for result in results)
    cost = 1 + max(fit_cost(result, type_) for result in results)
    return made(type_, _case(conditions, [*branches, default]), *conditions, *results, cost=cost)


def _case(conditions: Sequence[Expr], branches: Sequence[Column]) -> Column:
    column: Any = F
    for condition, branch in zip(conditions, branches, strict=False):
        column = column.when(condition.plain, branch)
    found: Column = column.otherwise(branches[-1])
    return found


#: A sum of integers that are less is one of 64 bits, however many there are.
_FEW = 10**9


def _mixture(conditions: Sequence[Expr], results: Sequence[Expr]) -> Expr | None:
    """Decimals of one type in some branches, small integers that are known in the others: mixed, not variants."""
    constants = [type(result.constant) is int and abs(result.constant) < _FEW for result in results]
    others = [result for result, constant in zip(results, constants, strict=True) if not constant]
    if not any(constants) or not all(_is_decimal(result) for result in others):
        return None
    types = {t.proper(result.type) for result in others}
    decimal = types.pop() if len(types) == 1 else None
    if not isinstance(decimal, t.Decimal) or decimal.precision is None:
        return None
    digits = max(len(str(abs(r.constant))) for r, constant in zip(results, constants, strict=True) if constant)
    scale = decimal.scale or 0
    wide = t.Decimal(max(decimal.precision - scale, digits) + scale, scale)
    if (wide.precision or 0) > MAX_DIGITS:
        return None
    value = _case(conditions, [result.plain.cast(spelled(wide)) for result in results])
    flags = [F.lit(constant) for constant in constants]
    return mixed(wide, value, _case(conditions, flags), *conditions, *results, cost=2)


def _is_decimal(expr: Expr) -> bool:
    plain = not (expr.dynamic or expr.virtual or expr.type.missable) and expr.missing is None and expr.integral is None
    return plain and isinstance(expr.type, t.Decimal)
