"""Functions of text. Positions count code points, from one."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column

from firesteel import types as t
from firesteel.evaluate.scalar.text import LONGEST
from firesteel.spark.core.expr import Depth
from firesteel.spark.encoding import columns as F
from firesteel.spark.scalar.like import SPECIAL, like, quoted_regex
from firesteel.spark.scalar.substrait.base import Build, Call, Scalar, scalar, simple

_MAX = 2**31 - 1
#: A constant count or length up to this needs no check at run time.
_SHORT = 10_000
_ASCII_LOWER, _ASCII_UPPER = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def index(call: Call, at: int) -> Column:
    """A number clipped to 32 bits, as Spark's functions want positions; no text is longer."""
    value = call.constant(at)
    if type(value) is int:
        return F.lit(max(-_MAX, min(value, _MAX)))
    column = call.args[at].plain
    if not isinstance(call.args[at].type, t.Int64):
        return column
    return F.when(column.isNotNull(), F.greatest(F.least(column, F.lit(_MAX)), F.lit(-_MAX)).cast("int"))


def folded(call: Call, column: Column) -> Column:
    """The text for comparisons: in lower case if the call ignores case."""
    match call.choice("case_sensitivity", "CASE_SENSITIVE"):
        case "CASE_INSENSITIVE":
            return F.lower(column)
        case "CASE_INSENSITIVE_ASCII":
            return F.translate(column, _ASCII_UPPER, _ASCII_LOWER)
    return column


def _both(function: Callable[[Column, Column], Column]) -> Build:
    """A function of two texts that ignores case if the call says so."""
    return lambda call: function(*(folded(call, column) for column in call.columns))


def _change_case(utf8: Callable[[Column], Column], source: str, target: str) -> Build:
    """A change of case, of all letters or only of ASCII's."""

    def build(call: Call) -> Column:
        (x,) = call.columns
        return F.translate(x, source, target) if call.choice("char_set", "UTF8") == "ASCII_ONLY" else utf8(x)

    return build


def _swap_case(x: Column) -> Column:
    letters = F.transform(F.split(x, ""), lambda one: F.when(F.upper(one) == one, F.lower(one)).otherwise(F.upper(one)))
    return F.array_join(letters, "")


def _capitalize(x: Column) -> Column:
    return F.concat(F.upper(F.left(x, F.lit(1))), F.substring(x, F.lit(2), F.lit(_MAX)))


def _words(x: Column, one: Callable[[Column], Column]) -> Column:
    """Apply `one` to each word, together with the space behind it."""
    return F.array_join(F.transform(F.split(x, r"(?<=\s)(?=\S)"), one), "")


def _title(x: Column) -> Column:
    """Each word with its first letter in upper case, except articles."""

    def one(word: Column) -> Column:
        return F.when(word.rlike(r"(?i)^(a|an|the)\s*$"), word).otherwise(_capitalize(word))

    return _words(x, one)


def _initial(x: Column) -> Column:
    return _words(F.lower(x), _capitalize)


def _utf8_only(function: Callable[[Column], Column]) -> Build:
    def build(call: Call) -> Column:
        if call.choice("char_set", "UTF8") == "ASCII_ONLY":
            raise call.unsupported("of ASCII alone")
        return function(call.columns[0])

    return build


def _concat(call: Call) -> Column:
    if call.choice("null_handling", "ACCEPT_NULLS") == "ACCEPT_NULLS":
        return F.concat(*call.columns)
    given = [F.coalesce(x, F.lit("")) if a.type.nullable else x for a, x in zip(call.args, call.columns, strict=True)]
    return F.concat(*given)


def _concat_ws(call: Call) -> Column:
    return F.call_function("concat_ws", *call.columns)


def _like(call: Call) -> Column:
    """LIKE. There is no escape character (not even the backslash) unless a third argument names one."""
    x, pattern, *escape = call.columns
    text, wanted = folded(call, x), folded(call, pattern)
    if escape:
        mark = call.constant(2)
        if not isinstance(mark, str) or len(mark) != 1:
            raise call.unsupported("an escape that is not one literal character")
        return F.like(text, wanted, F.lit(mark))
    return like(text, wanted, call.constant(1))


def _substring(call: Call) -> Column:
    """The characters at positions `start` to `start + length - 1`, as far as they exist."""
    x = call.columns[0]
    first, size = call.constant(1), call.constant(2, _MAX)
    negative = call.choice("negative_start", "WRAP_FROM_END")
    if type(first) is int and type(size) is int and size >= 0 and (first > 0 or (first < 0 and negative[0] == "W")):
        return F.substring(x, F.lit(max(first, -_MAX)), F.lit(min(size, _MAX)))
    start = index(call, 1).cast("bigint")
    length = index(call, 2).cast("bigint") if len(call.args) > 2 else F.literal(_MAX, "bigint")
    low = start
    if negative == "WRAP_FROM_END":
        low = F.when(start < 0, start + F.char_length(x) + 1).otherwise(start)
    at = F.when(low < 1, F.literal(1, "bigint")).otherwise(low)
    size_ = low + length - at
    part = F.substring(x, at.cast("int"), F.when(size_ > 0, size_).otherwise(F.lit(0)).cast("int"))
    part = F.when(start.isNotNull() & length.isNotNull(), part)
    if negative == "ERROR":
        part = F.when(start < 0, call.error("a negative start")).otherwise(part)
    if len(call.args) > 2 and not (type(size) is int and size >= 0):
        part = F.when(length < 0, call.error("a negative length")).otherwise(part)
    return part


def _strpos(call: Call) -> Column:
    x, part = (folded(call, column) for column in call.columns)
    return F.call_function("instr", x, part).cast("bigint")


def quoted(call: Call, at: int) -> Column:
    """A regular expression that matches exactly this text."""
    value = call.constant(at)
    if isinstance(value, str):
        return F.lit(quoted_regex(value))
    return F.regexp_replace(call.args[at].plain, F.lit(SPECIAL), F.lit(r"\\$1"))


def _count_substring(call: Call) -> Column:
    x, part = (folded(call, column) for column in call.columns)
    without = F.replace(x, part, F.lit(""))
    size = F.char_length(part)
    found = F.call_function("div", F.char_length(x) - F.char_length(without), F.when(size > 0, size))
    return F.when((part == "") & x.isNotNull(), F.literal(0, "bigint")).otherwise(found)


def _replace(call: Call) -> Column:
    x, part, other = call.columns
    if call.choice("case_sensitivity", "CASE_SENSITIVE") == "CASE_SENSITIVE":
        # Spark takes NULL for an empty replacement.
        value = F.replace(x, part, other)
        return F.when(other.isNotNull(), value) if call.args[2].type.nullable else value
    flags = "(?iu)" if call.choice("case_sensitivity", "") == "CASE_INSENSITIVE" else "(?i)"
    literal = F.regexp_replace(other, F.lit(r"([\\$])"), F.lit(r"\\$1"))
    return F.regexp_replace(x, F.concat(F.lit(flags), quoted(call, 1)), literal)


def _replace_slice(call: Call) -> Column:
    """Replace `length` characters from `start`; NULL if `start` is outside of the text."""
    x, _, _, other = call.columns
    start, length = index(call, 1), index(call, 2)
    fits = (start >= 1) & (start <= F.char_length(x)) & (length >= 0)
    rest = F.substring(x, (start.cast("bigint") + length).cast("int"), F.lit(_MAX))
    far = start.cast("bigint") + length > F.char_length(x)
    after = F.when(far, F.lit("")).otherwise(rest)
    return F.when(fits, F.concat(F.substring(x, F.lit(1), start - 1), other, after))


def _limit_length(call: Call, at: int, length: Column, found: Column) -> Column:
    """`found`, with a check of its length unless the constant is small: else a plan could fill the memory."""
    value = call.constant(at)
    if type(value) is int and value <= _SHORT:
        return found
    return F.when(length > LONGEST, call.error(f"a text of more than {LONGEST:,} characters")).otherwise(found)


def _repeat(call: Call) -> Column:
    x, times = call.columns[0], index(call, 1)
    return _limit_length(call, 1, F.char_length(x).cast("bigint") * times, F.repeat(x, times))


def _pad(function: Callable[..., Column]) -> Build:
    def build(call: Call) -> Column:
        x, _, *characters = call.columns
        found = function(x, index(call, 1), characters[0] if characters else F.lit(" "))
        return _limit_length(call, 1, index(call, 1), found)

    return build


def _center(call: Call) -> Column:
    x, _, mark = call.columns
    length = index(call, 1)
    size = F.char_length(x)
    more = length - size
    left = F.call_function("div", more + (1 if call.choice("padding", "RIGHT") == "LEFT" else 0), F.lit(2)).cast("int")
    found = F.rpad(F.lpad(x, size + left, mark), length, mark)
    found = _limit_length(call, 1, length, F.when(more <= 0, x).otherwise(found))
    if isinstance(call.constant(2), str) and len(call.constant(2)) == 1:
        return found
    return F.when(F.char_length(mark) != 1, call.error("it fills with one character")).otherwise(found)


def _trim(function: Callable[..., Column]) -> Build:
    def build(call: Call) -> Column:
        x, *characters = call.columns
        return function(x, characters[0] if characters else F.lit(" "))

    return build


def _split(call: Call) -> Column:
    """Split; if the separator is empty or NULL, the whole text is the only part."""
    x, separator = call.columns
    known = call.constant(1)
    parts, alone = F.split(x, quoted(call, 1), -1), F.array(x)
    if isinstance(known, str) and known:
        return parts
    split = F.when(separator.isNull() | (separator == ""), alone).otherwise(parts)
    return F.when(x.isNotNull(), split) if call.args[0].type.nullable else split


TEXT: dict[str, Scalar] = {
    "concat": scalar(_concat),
    "concat_ws": scalar(_concat_ws),
    "like": scalar(_like),
    "substring": scalar(_substring, twice=True),
    "starts_with": scalar(_both(F.startswith)),
    "ends_with": scalar(_both(F.endswith)),
    "contains": scalar(_both(F.contains)),
    "strpos": scalar(_strpos),
    "count_substring": scalar(_count_substring, twice=True, cost=Depth.MEDIUM),
    "replace": scalar(_replace, cost=Depth.TINY),
    "replace_slice": scalar(_replace_slice, twice=True, cost=Depth.MEDIUM),
    "repeat": scalar(_repeat, twice=True),
    "reverse": simple(F.reverse),
    "lower": scalar(_change_case(F.lower, _ASCII_UPPER, _ASCII_LOWER)),
    "upper": scalar(_change_case(F.upper, _ASCII_LOWER, _ASCII_UPPER)),
    "swapcase": scalar(
        _change_case(_swap_case, _ASCII_LOWER + _ASCII_UPPER, _ASCII_UPPER + _ASCII_LOWER), cost=Depth.MEDIUM
    ),
    "capitalize": scalar(_utf8_only(_capitalize), twice=True, cost=Depth.TINY),
    "title": scalar(_utf8_only(_title), cost=Depth.LARGE),
    "initcap": scalar(_utf8_only(_initial), cost=Depth.LARGE),
    "char_length": simple(lambda x: F.char_length(x).cast("bigint"), cost=Depth.TINY),
    "octet_length": simple(lambda x: F.octet_length(x).cast("bigint"), cost=Depth.TINY),
    "bit_length": simple(lambda x: F.bit_length(x).cast("bigint"), cost=Depth.TINY),
    "left": scalar(lambda call: F.left(call.columns[0], index(call, 1))),
    "right": scalar(lambda call: F.right(call.columns[0], index(call, 1)), twice=True),
    "lpad": scalar(_pad(F.lpad), twice=True),
    "rpad": scalar(_pad(F.rpad), twice=True),
    "center": scalar(_center, twice=True, cost=Depth.MEDIUM),
    "trim": scalar(_trim(F.trim)),
    "ltrim": scalar(_trim(F.ltrim)),
    "rtrim": scalar(_trim(F.rtrim)),
    "string_split": scalar(_split, twice=True, cost=Depth.TINY),
}
