"""The keys of simple values, which nearly all are: texts, truth values, and numbers of few digits.

They are the same keys as those of `flat_keys`, by another way. A token of any value is a large expression; here it is a
few operations on the value's text. What is not simple has the large one, in a place for which Spark generates no code:
for keys that are hardly ever made, the code took longer to compile than the query to run.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark import columns as F
from firesteel.spark.dynamic import one_of
from firesteel.spark.expr import Expr, made
from firesteel.spark.flat_keys import RANKS, filled, in_order, number_of
from firesteel.spark.scope import Scope
from firesteel.spark.sides import WHOLE

#: The kinds that have a simple key always, and the numbers, which have one if they have few digits.
ALWAYS = frozenset({"STRING", "BOOLEAN", "DOUBLE"})
_NUMBERS = ("BIGINT", "DECIMAL", "DOUBLE")

#: Decimals of so many digits have different nearest floats, if they are different.
_DIGITS = 15
_EXACT = 2.0**53
#: Powers of ten, each a float exactly, and the two halves of their bits.
_SPLIT = 2.0**27 + 1
_POWERS = [10.0**n for n in range(_DIGITS + 1)]
_UPPER = [_SPLIT * power - (_SPLIT * power - power) for power in _POWERS]
_LOWER = [power - upper for power, upper in zip(_POWERS, _UPPER, strict=True)]


@dataclass(frozen=True)
class Lean:
    """What a simple key is made of, each with a name: the kind, the text, and of a number the nearest float and the
    side of that on which it lies."""

    kind: Column
    text: Column
    double: Column
    side: Expr

    @classmethod
    def of(cls, scope: Scope, value: Expr, kind: Expr) -> Lean:
        def bound(type_: t.Type, column: Column, *of: Expr) -> Expr:
            return scope.bind(made(t.absent(type_, nullable=True), column, *of), dear=True)

        text = scope.text(value)
        double = bound(t.FLOAT64, F.when(one_of(kind.column, *_NUMBERS), text.plain.try_cast("double")), text, kind)
        side = bound(t.INT32, _side(kind.column, text.plain, double.plain), text, kind, double)
        return cls(kind.column, text.plain, double.plain, side)

    @property
    def there(self) -> Column:
        """Has the value a simple key?"""
        return one_of(self.kind, "STRING", "BOOLEAN") | self.side.plain.isNotNull()

    def parts(self, kinds: Set[str] | None) -> list[Column]:
        """The parts of the token."""
        numeric = self.side.plain.isNotNull()
        found = {
            "r": F.when(numeric, RANKS["BIGINT"])
            .when(self.kind == "STRING", RANKS["STRING"])
            .otherwise(RANKS["BOOLEAN"]),
            "t": F.when(~numeric, self.text),
        }
        if kinds is None or kinds & set(_NUMBERS):
            found["n"] = F.when(numeric, self._number())
        return filled(found)

    def _number(self) -> Column:
        other = self.side.plain != 0
        digits = F.rtrim(F.rtrim(self.text, F.lit("0")), F.lit("."))
        before = F.substring_index(self.text, ".", 1).try_cast(WHOLE)
        class_ = F.when(F.isnan(self.double), 0).otherwise(1)
        return number_of(
            class_, self.double + F.lit(0.0), self.side.plain, F.when(other, before), F.when(other, in_order(digits))
        )


def _side(kind: Column, text: Column, double: Column) -> Column:
    """Is the number less (-1) or more (1) than the nearest float, or the same (0)? SQL NULL of what is not simple.

    A decimal is `m / 10**n`, both exact floats: it lies on that side of the float `d` on which `m` lies of
    `d * 10**n`. What such a product loses by rounding is known exactly, from the products of the halves of the bits.
    """
    at = F.locate(".", text)
    places = F.char_length(text) - at
    short = (F.char_length(text) <= _DIGITS + 1) & (at > 0) & (F.locate("E", text) == 0)
    power, upper, lower = (F.get(F.lit(row), places) for row in (_POWERS, _UPPER, _LOWER))
    product = double * power
    high = double * _SPLIT - (double * _SPLIT - double)
    low = double - high
    lost = ((high * upper - product) + high * lower + low * upper) + low * lower
    digits = F.replace(text, F.lit("."), F.lit("")).try_cast("bigint").cast("double")
    side = F.signum((digits - product) - lost).cast("int")
    whole_ = (kind == "DOUBLE") | ((kind == "BIGINT") & (F.abs(double) < _EXACT))
    return F.when(whole_, 0).when((kind == "DECIMAL") & short, side)
