"""DataFusion's functions of numbers and of several types."""

from __future__ import annotations

from firesteel.functions.catalog import Function
from firesteel.functions.datafusion.rows import scalar

NUMBERS: tuple[Function, ...] = (
    scalar("round", "1-2", "The number rounded to so many digits, halves away from zero."),
    scalar("trunc", "1-2", "The number cut to so many digits."),
    scalar("abs", "1", "The number without its sign."),
    scalar("ceil", "1", "The next whole number above."),
    scalar("floor", "1", "The next whole number below."),
    scalar("cot", "1", "The cotangent."),
    scalar("cbrt", "1", "The cube root."),
    scalar("gcd", "2", "The greatest common divisor."),
    scalar("lcm", "2", "The least common multiple."),
    scalar("factorial", "1", "The product of the numbers from 1."),
    scalar("iszero", "1", "Is it zero?", total=True),
    scalar("isnan", "1", "Is it NaN?", total=True),
    scalar("nanvl", "2", "The first number; the second where that is NaN.", own=True),
    scalar("logb", "1-2", "The logarithm to the base 10, or to a base, which comes last."),
    scalar("ln", "1", "The natural logarithm; -inf of zero, NaN of less."),
    scalar("log2", "1", "The logarithm to the base 2."),
    scalar("log10", "1", "The logarithm to the base 10."),
    scalar("sqrt", "1", "The square root; NaN of less than zero."),
    scalar("exp", "1", "e to a power."),
    scalar("expm1", "1", "e to a power, less 1."),
    scalar("pi", "0", "Pi."),
    scalar("power", "2", "A number to a power."),
    scalar("signum", "1", "-1, 0 or 1."),
    scalar("negative", "1", "The number with the other sign."),
    scalar("mod", "2", "The remainder, with the sign of the first number."),
    scalar("modulus", "2", "The remainder, with the sign of the first number."),
    scalar("divide", "2", "The quotient, of integers without its fraction; division by zero is an error."),
    scalar("hypot", "2", "The length of the hypotenuse."),
    scalar("width_bucket", "4", "The number of the part of a range, of so many, that a number is in."),
    scalar("greatest", "1+", "The greatest value that is not NULL.", own=True),
    scalar("least", "1+", "The least value that is not NULL.", own=True),
    *(
        scalar(name, "2", f"Is the first value {what}? NaN is greater than all numbers.", total=True)
        for name, what in (("lt", "less"), ("lte", "not greater"), ("gt", "greater"), ("gte", "not less"))
    ),
    scalar("bitwise_shift_left", "2", "The bits shifted to the left."),
    scalar("bitwise_shift_right", "2", "The bits shifted to the right."),
    scalar("negate", "1", "The number or the interval with the other sign."),
)
