"""Fast keys of simple values, as nearly all values are: strings, booleans, and numbers of few digits.

They are the same keys as those of `variant_keys`, where the token of any value is a large expression; here it is a few
operations on the value's text. A value that is not simple gets the large expression, inside `variants.apart`, for which
Spark generates no code: compiling it took longer than the query, for keys that hardly any row needs.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import Expr, derive
from firesteel.spark.core.scope import Scope
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import one_of
from firesteel.spark.keys.variant_keys import RANKS, filled, number_of
from firesteel.spark.numbers.float_text import DIGITS

#: The kinds that always have a simple key. Other numbers have one if they have few digits.
ALWAYS = frozenset({Kind.STRING, Kind.BOOLEAN, Kind.DOUBLE})
_NUMBERS = (Kind.BIGINT, Kind.DECIMAL, Kind.DOUBLE)


@dataclass(frozen=True)
class SimpleKey:
    """The parts of a simple key, bound to names: the kind, the text, and the nearest float of a number."""

    kind: Column
    text: Column
    double: Expr

    @classmethod
    def of(cls, scope: Scope, value: Expr, kind: Expr) -> SimpleKey:
        text = scope.text(value)
        column = F.when(_is_short(kind.column, text.plain), text.plain.try_cast("double"))
        double = scope.bind(derive(t.absent(t.FLOAT64, nullable=True), column, text, kind), dear=True)
        return cls(kind.column, text.plain, double)

    @property
    def there(self) -> Column:
        """Does the value have a simple key?"""
        return one_of(self.kind, Kind.STRING, Kind.BOOLEAN) | self.double.plain.isNotNull()

    def parts(self, kinds: Set[str] | None) -> list[Column]:
        """The parts of the token (`variant_keys.token`)."""
        numeric = self.double.plain.isNotNull()
        by_name = {
            "r": F.when(numeric, RANKS[Kind.BIGINT])
            .when(self.kind == Kind.STRING, RANKS[Kind.STRING])
            .otherwise(RANKS[Kind.BOOLEAN]),
            "t": F.when(~numeric, self.text),
        }
        if kinds is None or kinds & set(_NUMBERS):
            by_name["n"] = F.when(numeric, number_of(self.double.plain))
        return filled(by_name)


def _is_short(kind: Column, text: Column) -> Column:
    """Is it a float, or a number of few enough digits for its nearest float to stand for it?"""
    short = F.char_length(F.replace(text, F.lit("."), F.lit(""))) <= DIGITS
    return (kind == Kind.DOUBLE) | (one_of(kind, Kind.BIGINT, Kind.DECIMAL) & short)
