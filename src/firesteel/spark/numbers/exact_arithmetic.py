"""Arithmetic with exact decimals: Spark's own where 38 digits are enough, else on the texts of the digits, rounded at
the end. A result that has more digits before the point is SQL NULL.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column

from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.numbers.exact_decimals import DIGITS, WHOLE, Digits, magnitude, of_digits, rounded, trimmed

#: A mean is rounded to this many digits behind the point, or to as many as the total has, if those are more.
PLACES = 18
#: The most digits of a quotient found in one step; and the length of half a number in a product.
_CHUNK = 19
#: With this many zeros behind the dividend, every quotient has 38 significant digits.
_ZEROS = 76
#: How many digits a part of a long number has, and how many such parts a sum is made of.
_LIMB = 30
_LIMBS = 3


def _align(number: Digits, scale: Column) -> Column:
    return F.concat(number.unscaled.cast("string"), F.repeat(F.lit("0"), scale - number.scale)).try_cast(WHOLE)


def plus(a: Digits, b: Digits) -> Column:
    scale = F.greatest(a.scale, b.scale)
    short = of_digits(F.try_add(_align(a, scale), _align(b, scale)), scale)
    return _or_long(short, lambda: _long_sum(a, b, scale, minus=False))


def minus(a: Digits, b: Digits) -> Column:
    scale = F.greatest(a.scale, b.scale)
    short = of_digits(F.try_subtract(_align(a, scale), _align(b, scale)), scale)
    return _or_long(short, lambda: _long_sum(a, b, scale, minus=True))


def times(a: Digits, b: Digits) -> Column:
    short = of_digits(F.try_multiply(a.unscaled, b.unscaled), a.scale + b.scale)
    return _or_long(short, lambda: _long_product(a, b))


def _or_long(short: Column, long: Callable[[], Column]) -> Column:
    """The result `short` if it fits 38 digits; else `long()`, which rounds to 38 digits."""
    return variants.let(short, lambda found: F.when(found["u"].isNotNull(), found).otherwise(long()))


def _power(digits: int, spark_type: str = WHOLE) -> Column:
    return F.lit(str(10**digits)).cast(spark_type)


def _long_sum(a: Digits, b: Digits, scale: Column, *, minus: bool) -> Column:
    """A sum with a carry, 30 digits at once: the lesser magnitude is added to, or subtracted from, the greater."""
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
    """Long multiplication in base 10**19, in which each number has two digits."""
    base = _power(_CHUNK)

    def halves(number: Digits) -> tuple[Column, Column]:
        text = F.lpad(magnitude(number.unscaled), DIGITS, "0")
        return tuple(F.substring(text, 1 + i * _CHUNK, _CHUNK).cast("decimal(19,0)") for i in range(2))  # type: ignore[return-value]

    def carry(product: Column) -> Column:
        rest = F.pmod(product.cast(WHOLE), base)
        return F.struct(
            F.lpad(rest.cast("string"), _CHUNK, "0").alias("t"), _over(product.cast(WHOLE), rest).alias("c")
        )

    def _over(product: Column, rest: Column) -> Column:
        return F.try_divide(product - rest, base).cast("decimal(19,0)")

    def multiply(p: Column) -> Column:
        def first(low: Column) -> Column:
            return variants.let(carry((p["a1"] * p["b0"]).cast(WHOLE) + low["c"]), lambda one: second(low, one))

        def second(low: Column, one: Column) -> Column:
            cross = (p["a0"] * p["b1"]).cast(WHOLE) + one["t"].cast("decimal(19,0)")
            return variants.let(carry(cross), lambda two: third(low, one, two))

        def third(low: Column, one: Column, two: Column) -> Column:
            top = (p["a1"] * p["b1"]).cast(WHOLE) + one["c"] + two["c"]
            text = F.concat(top.cast(WHOLE).cast("string"), two["t"], low["t"])
            negative = (a.unscaled < 0) != (b.unscaled < 0)
            return rounded(text, F.lit(False), negative, a.scale + b.scale)

        return variants.let(carry((p["a0"] * p["b0"]).cast(WHOLE)), first)

    (a1, a0), (b1, b0) = halves(a), halves(b)
    parts = (a1.alias("a1"), a0.alias("a0"), b1.alias("b1"), b0.alias("b0"))
    return variants.let(F.struct(*parts), multiply)


def divide(a: Digits, b: Digits) -> Column:
    """The quotient, of 38 digits; SQL NULL if the divisor is zero or has all of 38 digits."""
    text = F.concat(magnitude(a.unscaled), F.repeat(F.lit("0"), F.lit(_ZEROS)))
    negative = (a.unscaled < 0) != (b.unscaled < 0)
    scale = a.scale - b.scale + F.lit(_ZEROS)
    return _long_division(text, magnitude(b.unscaled), lambda p: rounded(p["t"], p["r"] > 0, negative, scale))


def mean(total: Digits, count: Column) -> Column:
    """The total divided by the count, rounded to `PLACES` digits behind the point, or as many as the total has."""

    def of_normal(normal: Column) -> Column:
        quotient = divide(Digits(normal), Digits(of_digits(count, F.lit(0))))
        places = F.greatest(F.lit(PLACES), normal["e"])
        return variants.let(quotient, lambda found: shortened(Digits(found), places))

    size = magnitude(total.unscaled)
    parts = (size.alias("t"), total.scale.alias("s"), (total.unscaled < 0).alias("n"))
    return variants.let(variants.let(F.struct(*parts), trimmed), of_normal)


def shortened(number: Digits, places: Column) -> Column:
    """The number rounded to at most `places` digits behind the point, half away from zero."""

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
    """The remainder, with the sign of the dividend; SQL NULL if the divisor is zero."""
    scale = F.greatest(a.scale, b.scale)
    short = of_digits(F.try_mod(_align(a, scale), _align(b, scale)), scale)

    def long() -> Column:
        text, by = (F.concat(magnitude(n.unscaled), F.repeat(F.lit("0"), scale - n.scale)).alias("t") for n in (a, b))
        sign = F.when(a.unscaled < 0, F.lit("-")).otherwise(F.lit(""))
        return _long_division(
            text, by, lambda p: of_digits(F.concat(sign, p["r"].cast("string")).try_cast(WHOLE), scale)
        )

    return _or_long(short, long)


def _long_division(text: Column, by: Column, finish: Callable[[Column], Column]) -> Column:
    """Long division of a text of digits, however long: in each step as many digits as fit 38 with the remainder."""

    def loop(p: Column) -> Column:
        steps = F.ceil(F.char_length(p["t"]) / p["c"]).cast("int")
        whole_text = F.lpad(p["t"], steps * p["c"], F.lit("0"))
        start = F.struct(F.lit("").alias("t"), F.lit(0).cast(WHOLE).alias("r"), whole_text.alias("n"))

        def step(state: Column, index: Column) -> Column:
            digits = F.substring(state["n"], index * p["c"] + 1, p["c"])
            rest = F.concat(state["r"].cast("string"), digits).try_cast(WHOLE)
            return variants.let(rest, lambda number: divide_step(state, number))

        def divide_step(state: Column, number: Column) -> Column:
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
