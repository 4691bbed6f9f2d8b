"""Decimals of any scale, exactly: as an integer of up to 38 digits and a scale that only the run knows.

Spark's own decimals have one scale for a whole column, and its rules for arithmetic round what does not fit. Here
nothing is rounded but a quotient, to 38 digits, half to even; what takes more digits is SQL NULL.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import Expr, Variant, derive
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.variants import whole
from firesteel.spark.numbers.float_text import decimal_text

WHOLE = "decimal(38,0)"
DIGITS = 38
#: How many digits behind the point a mean has, at least.
PLACES = 18
#: At most so many digits of a quotient are found at once, and half of a number is as long.
_CHUNK = 19
#: So many digits behind the point of a quotient are enough to have 38 that count.
_ZEROS = 76
#: How many digits a part of a long number has, and how many such parts a sum is made of.
_LIMB = 30
_LIMBS = 3


def finite(column: Column) -> Column:
    """Is a float a number, and not an infinity?"""
    return ~(F.isnan(column) | (F.abs(column) == float("inf")))


def places(text: Column) -> Column:
    """How many digits are behind the point of a number that is written without an exponent."""
    at = F.locate(".", text)
    return F.when(at == 0, F.lit(0)).otherwise(F.char_length(text) - at)


def decimal_places(text: Column, kind: Column) -> Column:
    """How many digits a variant shows behind the point, as far as Spark tells: of `4.50` it tells `4.5`, and of `2.0`
    just `2`. But a decimal has one, or JSON would have said an integer."""
    return F.when(kind == "DECIMAL", F.greatest(places(text), F.lit(1))).otherwise(F.lit(0))


def exact_number(text: Column) -> Column:
    """A decimal as a variant, of its digits without an exponent; an integer gets a point, which makes it a decimal."""
    return F.parse_json(F.when(F.contains(text, F.lit(".")), text).otherwise(F.concat(text, F.lit(".0"))))


@dataclass(frozen=True)
class Digits:
    """A column of (integer, scale)."""

    column: Column

    @property
    def unscaled(self) -> Column:
        return self.column["u"]

    @property
    def scale(self) -> Column:
        return self.column["e"]


def of_digits(unscaled: Column, scale: Column) -> Column:
    return F.struct(unscaled.cast(WHOLE).alias("u"), scale.cast("int").alias("e"))


def digits(text: Column) -> Column:
    """Of a number's text without an exponent; SQL NULL of what has too many digits."""
    scale = F.char_length(F.regexp_extract(text, r"\.(\d+)$", 1))
    pair = of_digits(F.regexp_replace(text, r"\.", "").try_cast(WHOLE), scale)
    return F.when(text.isNotNull(), pair)  # a bare struct would be taken apart by Catalyst, and computed as often


def of_text(text: Column) -> Column:
    """Of a number's text, perhaps with an exponent; rounded to 38 digits, half to even. SQL NULL if it has too many
    zeros."""

    def made_(p: Column) -> Column:
        scale = F.char_length(F.regexp_extract(p["m"], r"\.(\d*)$", 1)) - p["e"]
        digits_ = F.regexp_replace(p["m"], r"[^0-9]", "")
        return F.when(p["m"].isNotNull(), rounded(digits_, F.lit(False), p["m"].startswith("-"), scale))

    mantissa = F.regexp_extract(text, r"^([^eE]*)", 1)
    exponent = F.coalesce(F.regexp_extract(text, r"[eE]([+-]?\d+)$", 1).try_cast("int"), F.lit(0))
    near = F.when(exponent.between(-10_000, 10_000), F.struct(mantissa.alias("m"), exponent.alias("e")))
    return variants.let(F.when(text.isNotNull(), near), lambda p: F.when(p.isNotNull(), made_(p)))


def of_variant(column: Column, kind: Column | None = None) -> Column:
    """Of a variant that is an integer of 64 bits or a decimal of 38 digits; if its kind is given, with the digit that a
    decimal has behind the point."""
    text = whole(column, "string")
    if kind is not None:
        bare = (kind == "DECIMAL") & (F.locate(".", text) == 0) & (F.char_length(text) < DIGITS)
        text = F.when(bare, F.concat(text, F.lit(".0"))).otherwise(text)
    return digits(text)


def of_plain(expr: Expr) -> Column:
    """Of a plain column of integers or decimals."""
    scale = (expr.type.scale or 0) if isinstance(expr.type, t.Decimal) else 0
    text = F.translate(expr.plain.cast("string"), ".", "")
    return F.when(expr.plain.isNotNull(), of_digits(text.try_cast(WHOLE), F.lit(scale)))


def number(scope: Scope, expr: Expr, where: Where) -> Expr:
    """A number as (digits, float, is it an integer?): the digits of a float are those that it is written with. SQL NULL
    if it is none; the digits are SQL NULL if there are too many."""
    if not isinstance(expr, Variant):
        floating = isinstance(expr.type, t.Float32 | t.Float64)
        if floating:
            column = of_float(expr.plain.cast("double"))
        else:
            integer = F.lit(isinstance(expr.type, t.Integer))
            found = isinstance(expr.type, t.Number)
            column = _with_float(of_plain(expr), integer) if found else F.lit(None).cast(_NUMBER)
        return derive(t.ANY, F.when(expr.plain.isNotNull(), column), expr, cost=6)
    kind = scope.kind(expr)
    wide = F.struct(
        F.lit(None).cast(WHOLE).alias("u"),
        F.lit(None).cast("int").alias("e"),
        F.lit(None).cast("double").alias("d"),
        F.lit(False).alias("i"),
    )
    column = (
        F.when(
            variants.one_of(kind.column, "BIGINT", "DECIMAL"),
            _with_float(of_variant(expr.column), kind.column == "BIGINT"),
        )
        .when(variants.one_of(kind.column, "DOUBLE", "FLOAT"), of_float(whole(expr.column, "double")))
        .when(variants.one_of(kind.column, *variants.WIDE_NUMBERS), wide)
    )
    return derive(t.ANY, column, expr, kind, cost=8)


_NUMBER = "struct<u:decimal(38,0),e:int,d:double,i:boolean>"


def _with_float(pair: Column, integer: Column) -> Column:
    nothing = F.lit(None).cast("double")
    return F.struct(pair["u"].alias("u"), pair["e"].alias("e"), nothing.alias("d"), integer.alias("i"))


def of_float(column: Column) -> Column:
    """A float as a number: without digits if it is not finite."""

    def made_(written: Column) -> Column:
        return F.struct(written["u"].alias("u"), written["e"].alias("e"), column.alias("d"), F.lit(False).alias("i"))

    return variants.let(of_text(decimal_text(F.when(finite(column), column))), made_)


def to_variant(number: Digits) -> Column:
    """As a decimal; one of more digits behind the point than a variant has is tagged."""

    def padded(p: Column) -> Column:
        return variants.let(F.lpad(p["t"], F.greatest(p["n"], p["e"] + 1), F.lit("0")), lambda text: written(p, text))

    def written(p: Column, text: Column) -> Column:
        before = F.char_length(text) - p["e"]
        after = F.when(p["e"] > 0, F.substring(text, before + 1, p["e"])).otherwise(F.lit("0"))
        full = F.concat(p["m"], F.substring(text, F.lit(1), before), F.lit("."), after)
        return variants.let(F.struct(full.alias("t"), narrow(p).alias("n")), encoded)

    def narrow(p: Column) -> Column:
        return (p["e"] <= DIGITS) & (p["n"] + F.when(p["e"] == 0, 1).otherwise(0) <= DIGITS)

    def encoded(p: Column) -> Column:
        parsed = F.parse_json(F.when(p["n"], p["t"]))
        return F.when(p["n"], parsed).otherwise(variants.tag("decimal", p["t"].cast("variant")))

    size = magnitude(number.unscaled)
    sign = F.when(number.unscaled < 0, F.lit("-")).otherwise(F.lit(""))
    parts = (size.alias("t"), F.char_length(size).alias("n"), number.scale.alias("e"), sign.alias("m"))
    return variants.let(F.struct(*parts), padded)


def magnitude(unscaled: Column) -> Column:
    """The digits without the sign. Spark's own `abs` and `-` round decimals to 34 digits."""
    return F.ltrim(unscaled.cast("string"), F.lit("-"))


def _aligned(number: Digits, scale: Column) -> Column:
    return F.concat(number.unscaled.cast("string"), F.repeat(F.lit("0"), scale - number.scale)).try_cast(WHOLE)


def plus(a: Digits, b: Digits) -> Column:
    scale = F.greatest(a.scale, b.scale)
    short = of_digits(F.try_add(_aligned(a, scale), _aligned(b, scale)), scale)
    return _or_long(short, lambda: _long_sum(a, b, scale, minus=False))


def minus(a: Digits, b: Digits) -> Column:
    scale = F.greatest(a.scale, b.scale)
    short = of_digits(F.try_subtract(_aligned(a, scale), _aligned(b, scale)), scale)
    return _or_long(short, lambda: _long_sum(a, b, scale, minus=True))


def times(a: Digits, b: Digits) -> Column:
    short = of_digits(F.try_multiply(a.unscaled, b.unscaled), a.scale + b.scale)
    return _or_long(short, lambda: _long_product(a, b))


def _or_long(short: Column, long: Callable[[], Column]) -> Column:
    """The digits, if there are no more than 38; else as many of them, rounded."""
    return variants.let(short, lambda found: F.when(found["u"].isNotNull(), found).otherwise(long()))


def _power(digits: int, spark_type: str = WHOLE) -> Column:
    return F.lit(str(10**digits)).cast(spark_type)


def _long_sum(a: Digits, b: Digits, scale: Column, *, minus: bool) -> Column:
    """Digit by digit, thirty of them at once: the lesser is added to the greater, or taken from it."""
    size = _LIMB * _LIMBS

    def text(number: Digits) -> Column:
        digits = F.concat(magnitude(number.unscaled), F.repeat(F.lit("0"), scale - number.scale))
        return F.when(F.char_length(digits) < size, F.lpad(digits, size, "0"))

    def add(pair: Column) -> Column:
        swap = pair["y"] > pair["x"]
        high, low = F.when(swap, pair["y"]).otherwise(pair["x"]), F.when(swap, pair["x"]).otherwise(pair["y"])
        alike = pair["n"] == pair["m"]
        start = F.struct(F.lit("").alias("t"), F.lit(0).alias("c"), high.alias("x"), low.alias("y"))

        def step(state: Column, index: Column) -> Column:
            place = F.lit(size - _LIMB + 1) - index * _LIMB
            x, y = (F.substring(state[name], place, F.lit(_LIMB)).cast("decimal(30,0)") for name in "xy")
            return variants.let(
                F.when(alike, x + y).otherwise(x - y).cast("decimal(32,0)") + state["c"],
                lambda sum_: F.struct(
                    F.concat(F.lpad(F.pmod(sum_, _power(_LIMB)).cast("string"), _LIMB, "0"), state["t"]).alias("t"),
                    F.when(sum_ < 0, -1).when(sum_ >= _power(_LIMB), 1).otherwise(0).alias("c"),
                    *(state[name].alias(name) for name in "xy"),
                ),
            )

        negative = F.when(swap, pair["m"]).otherwise(pair["n"])
        places = F.array(*map(F.lit, range(_LIMBS)))
        return F.aggregate(places, start, step, lambda state: rounded(state["t"], F.lit(False), negative, scale))

    negative = (b.unscaled < 0) != F.lit(minus)
    parts = (text(a).alias("x"), text(b).alias("y"), (a.unscaled < 0).alias("n"), negative.alias("m"))
    return variants.let(F.struct(*parts), add)


def _long_product(a: Digits, b: Digits) -> Column:
    """As by hand, with two digits of 19 each."""
    base = _power(_CHUNK)

    def halves(number: Digits) -> tuple[Column, Column]:
        text = F.lpad(magnitude(number.unscaled), DIGITS, "0")
        return tuple(F.substring(text, 1 + i * _CHUNK, _CHUNK).cast("decimal(19,0)") for i in range(2))  # type: ignore[return-value]

    def carried(product: Column) -> Column:
        rest = F.pmod(product.cast(WHOLE), base)
        return F.struct(
            F.lpad(rest.cast("string"), _CHUNK, "0").alias("t"), _over(product.cast(WHOLE), rest).alias("c")
        )

    def _over(product: Column, rest: Column) -> Column:
        return F.try_divide(product - rest, base).cast("decimal(19,0)")

    def multiply(p: Column) -> Column:
        def first(low: Column) -> Column:
            return variants.let(carried((p["a1"] * p["b0"]).cast(WHOLE) + low["c"]), lambda one: second(low, one))

        def second(low: Column, one: Column) -> Column:
            cross = (p["a0"] * p["b1"]).cast(WHOLE) + one["t"].cast("decimal(19,0)")
            return variants.let(carried(cross), lambda two: third(low, one, two))

        def third(low: Column, one: Column, two: Column) -> Column:
            top = (p["a1"] * p["b1"]).cast(WHOLE) + one["c"] + two["c"]
            text = F.concat(top.cast(WHOLE).cast("string"), two["t"], low["t"])
            negative = (a.unscaled < 0) != (b.unscaled < 0)
            return rounded(text, F.lit(False), negative, a.scale + b.scale)

        return variants.let(carried((p["a0"] * p["b0"]).cast(WHOLE)), first)

    (a1, a0), (b1, b0) = halves(a), halves(b)
    parts = (a1.alias("a1"), a0.alias("a0"), b1.alias("b1"), b0.alias("b0"))
    return variants.let(F.struct(*parts), multiply)


def divide(a: Digits, b: Digits) -> Column:
    """The quotient, of 38 digits; SQL NULL of zero and of a divisor of all the 38 digits."""
    text = F.concat(magnitude(a.unscaled), F.repeat(F.lit("0"), F.lit(_ZEROS)))
    negative = (a.unscaled < 0) != (b.unscaled < 0)
    scale = a.scale - b.scale + F.lit(_ZEROS)
    return _divided(text, magnitude(b.unscaled), lambda p: rounded(p["t"], p["r"] > 0, negative, scale))


def mean(total: Digits, count: Column) -> Column:
    """The total of some numbers by their number: of `PLACES` digits behind the point, or as many as the total has."""

    def of_normal(normal: Column) -> Column:
        quotient = divide(Digits(normal), Digits(of_digits(count, F.lit(0))))
        places = F.greatest(F.lit(PLACES), normal["e"])
        return variants.let(quotient, lambda found: shortened(Digits(found), places))

    size = magnitude(total.unscaled)
    parts = (size.alias("t"), total.scale.alias("s"), (total.unscaled < 0).alias("n"))
    return variants.let(variants.let(F.struct(*parts), _trimmed), of_normal)


def shortened(number: Digits, places: Column) -> Column:
    """With at most so many digits behind the point; half is rounded away from zero."""

    def cut(p: Column) -> Column:
        end = F.char_length(p["t"]) - p["c"]
        up = F.when(F.substring(p["t"], end + 1, F.lit(1)) >= "5", 1).otherwise(0)
        size = F.try_add(F.substring(p["t"], F.lit(1), end).try_cast(WHOLE), up)
        return of_digits(F.concat(p["m"], size.cast("string")).try_cast(WHOLE), p["s"])

    over = number.scale - places
    size = magnitude(number.unscaled)
    text = F.lpad(size, F.greatest(F.char_length(size), over + 1), F.lit("0"))
    sign = F.when(number.unscaled < 0, F.lit("-")).otherwise(F.lit(""))
    parts = (text.alias("t"), over.alias("c"), sign.alias("m"), places.alias("s"))
    return F.when(over > 0, variants.let(F.struct(*parts), cut)).otherwise(number.column)


def modulo(a: Digits, b: Digits) -> Column:
    """With the sign of the dividend; SQL NULL of zero."""
    scale = F.greatest(a.scale, b.scale)
    short = of_digits(F.try_mod(_aligned(a, scale), _aligned(b, scale)), scale)

    def long() -> Column:
        text, by = (F.concat(magnitude(n.unscaled), F.repeat(F.lit("0"), scale - n.scale)).alias("t") for n in (a, b))
        sign = F.when(a.unscaled < 0, F.lit("-")).otherwise(F.lit(""))
        return _divided(text, by, lambda p: of_digits(F.concat(sign, p["r"].cast("string")).try_cast(WHOLE), scale))

    return _or_long(short, long)


def _divided(text: Column, by: Column, finish: Callable[[Column], Column]) -> Column:
    """A long division of digits of any number: as many at once as fit beside the rest of what is before them."""

    def loop(p: Column) -> Column:
        steps = F.ceil(F.char_length(p["t"]) / p["c"]).cast("int")
        whole_text = F.lpad(p["t"], steps * p["c"], F.lit("0"))
        start = F.struct(F.lit("").alias("t"), F.lit(0).cast(WHOLE).alias("r"), whole_text.alias("n"))

        def step(state: Column, index: Column) -> Column:
            digits = F.substring(state["n"], index * p["c"] + 1, p["c"])
            rest = F.concat(state["r"].cast("string"), digits).try_cast(WHOLE)
            return variants.let(rest, lambda number: divided(state, number))

        def divided(state: Column, number: Column) -> Column:
            rest = F.try_mod(number, p["d"])
            found = F.try_divide(number - rest, p["d"]).cast(WHOLE).cast("string")
            return F.struct(
                F.concat(state["t"], F.lpad(found, p["c"], F.lit("0"))).alias("t"),
                rest.cast(WHOLE).alias("r"),
                state["n"].alias("n"),
            )

        return F.aggregate(F.sequence(F.lit(0), steps - 1), start, step, finish)

    divisor = F.nullif(by.try_cast(WHOLE), F.lit(0).cast(WHOLE))
    chunk = F.least(F.lit(DIGITS) - F.char_length(divisor.cast("string")), F.lit(_CHUNK))
    parts = F.struct(text.alias("t"), divisor.alias("d"), chunk.alias("c"))
    return variants.let(F.when(divisor.isNotNull() & (chunk > 0), parts), lambda p: F.when(p.isNotNull(), loop(p)))


def rounded(text: Column, more: Column, negative: Column, scale: Column) -> Column:
    """The first 38 digits of a long number, half to even, as digits; `more` says that there are others behind it."""

    def cut(p: Column) -> Column:
        size = F.char_length(p["t"])
        dropped = F.greatest(size - DIGITS, F.lit(0))
        kept = F.substring(p["t"], F.lit(1), size - dropped)
        rest = F.substring(p["t"], size - dropped + 1, dropped)
        half = F.concat(F.lit("5"), F.repeat(F.lit("0"), dropped - 1))
        odd = F.substring(kept, F.lit(-1), F.lit(1)).isin("1", "3", "5", "7", "9")
        up = (dropped > 0) & ((rest > half) | ((rest == half) & (p["m"] | odd)))
        number = F.try_add(F.when(size == 0, F.lit("0")).otherwise(kept).try_cast(WHOLE), F.when(up, 1).otherwise(0))
        parts = (p["n"].alias("n"), number.cast("string").alias("t"), (p["s"] - dropped).alias("s"))
        return variants.let(F.struct(*parts), _trimmed)

    parts = (F.ltrim(text, F.lit("0")).alias("t"), more.alias("m"), negative.alias("n"), scale.alias("s"))
    return variants.let(F.struct(*parts), cut)


def _trimmed(p: Column) -> Column:
    """Without the zeros at the end that stand behind the point; a negative scale is zeros written out."""
    text, scale = p["t"], p["s"]
    zeros = F.char_length(text) - F.char_length(F.rtrim(text, F.lit("0")))
    cut = F.greatest(F.least(zeros, scale, F.char_length(text) - 1), F.lit(0))
    sign = F.when(p["n"], F.lit("-")).otherwise(F.lit(""))
    short = F.substring(text, F.lit(1), F.char_length(text) - cut)
    full = F.concat(sign, short, F.repeat(F.lit("0"), F.greatest(-scale, F.lit(0)))).try_cast(WHOLE)
    behind = F.when(text == "0", F.lit(0)).otherwise(F.greatest(scale - cut, F.lit(0)))
    return of_digits(full, behind)
