"""DuckDB's dialect. Its operators go by their signs, and some functions of its own mean what DataFusion's mean."""

from __future__ import annotations

from firesteel import plan as p
from firesteel import types as t
from firesteel.functions.datafusion import AGGREGATES, SCALARS
from firesteel.functions.substrait.names import Names
from firesteel.plan import build
from firesteel.repair import RepairKind
from firesteel.substrait.dialects import datafusion, shared
from firesteel.substrait.dialects.base import Dialect, Given, Rewrite, Rule, Shape
from firesteel.substrait.dialects.datafusion_calls import declared_type

NAMES: dict[str, str] = {
    "prefix": "starts_with",
    "suffix": "ends_with",
    "len": "char_length",
    "strlen": "octet_length",
    "ucase": "upper",
    "lcase": "lower",
    "count_star": "count",
    "sum_no_overflow": "sum",
    "list_sort": "sort",
    "list_transform": "transform",
    "list_filter": "filter",
    "||": "concat",
    "%": "modulus",
    "**": "power",
    "^": "power",
    "@": "abs",
    "^@": "starts_with",
    "&": "bitwise_and",
    "|": "bitwise_or",
    "<<": "shift_left",
    ">>": "shift_right",
    "~~": "like",
    "//": "divide",
}

#: Functions of its own, with the rows of DataFusion that compute them.
_SCALARS = {
    **{
        name: name
        for name in (
            *("greatest", "least", "gcd", "lcm", "cbrt", "date_trunc", "make_date", "last_day", "md5", "sha256"),
            *("left", "right", "concat", "concat_ws", "ltrim", "rtrim", "lpad", "rpad", "chr", "ascii", "translate"),
            *("levenshtein", "bit_length", "array_to_string", "regexp_replace"),
        )
    },
    "trim": "btrim",
    "regexp_matches": "regexp_like",
    "!~~": "like_not_match",
    "~~*": "like_imatch",
    "!~~*": "like_not_imatch",
}
_AGGREGATES = {
    **{
        name: name
        for name in (
            *("min", "max", "string_agg", "bit_and", "bit_or", "bit_xor", "covar_pop", "covar_samp"),
            *("regr_slope", "regr_intercept", "regr_r2", "regr_avgx", "regr_avgy", "regr_sxx", "regr_syy", "regr_sxy"),
        )
    },
    "last": "last_value",
    "quantile_cont": "percentile_cont",
}
#: Functions that differ from the standard's of the name in the same way as DataFusion's do.
_DIFFERENT = ("greatest", "least", "min", "max", "left", "right", "concat", "concat_ws", "regexp_replace")
#: Parts of dates that are functions of their own.
_PARTS = {"dayofweek": "dow", "isodow": "isodow", "dayofyear": "doy", "week": "week", "epoch": "epoch"}


def _part(unit: str) -> Rewrite:
    def rewrite(given: Given) -> p.Rex | None:
        type_ = declared_type(given)
        if len(given.args) != 1 or not isinstance(given.args[0], p.Rex) or type_ is None:
            return None
        args = (p.Lit(t.STRING, unit), given.args[0])
        return p.Call(build.typed_fn("datafusion:date_part", args, t.absent(type_, nullable=True)), args)

    return rewrite


def _negative(given: Given) -> p.Rex | None:
    """`subtract` with one argument."""
    if len(given.args) != 1 or not isinstance(given.args[0], p.Rex):
        return None
    (value,) = given.args
    if not isinstance(value.type, t.Number | t.Interval):
        return None
    return p.Call(build.typed_fn("datafusion:negative", (value,), value.type), (value,))


def _constant_or_null(given: Given) -> p.Rex | None:
    if not given.args or not all(isinstance(one, p.Rex) for one in given.args):
        return None
    value, *others = given.args
    absent = [one for one in others if one.type.nullable or isinstance(one.type, t.Null)]
    if not absent:
        return value
    type_ = t.absent(value.type, nullable=True)
    nothing = tuple(p.Branch(build.call("is_null", one), p.Lit(type_, None)) for one in absent)
    return p.Case(type_, None, nothing, default=value)


def cast(value: p.Rex, type_: t.Type, failure: str) -> p.Rex | None:
    """A number as an integer is rounded, and not cut: of a float half to even, of a decimal away from zero."""
    source = t.proper(value.type)
    if not isinstance(type_, t.Integer):
        return None
    if isinstance(source, t.Float32 | t.Float64):
        args, choices = (value, p.Lit(t.INT32, 0)), (("rounding", "TIE_TO_EVEN"),)
        rounded = p.Call(build.typed_fn("rounding:round", args, value.type, choices), args)
        return build.substrait_cast(rounded, type_, failure=failure)
    if isinstance(source, t.Decimal) and source.scale:
        digits = min(38, (source.precision or 38) - source.scale + 1)
        whole = build.substrait_cast(value, t.Decimal(max(1, digits), 0), failure=failure)
        return build.substrait_cast(whole, type_, failure=failure)
    return None


def _not_like(given: Given) -> p.Rex | None:
    if len(given.args) != 2:
        return None
    text, pattern = given.args
    if not isinstance(text, p.Rex) or not isinstance(pattern, p.Lit) or not isinstance(text.type, t.Text):
        return None
    if not isinstance(pattern.value, str) or "%" not in pattern.value:
        return None
    given.extensions.repair(RepairKind.NOT_LIKE, given.message.where)
    return build.call("not", build.call("like", text, pattern))


DUCKDB = Dialect(
    "duckdb",
    ("duckdb",),
    shapes={
        Shape.PROJECT_REPLACES: "DuckDB's projections have no columns but their expressions, and it writes no emit",
        Shape.OWN_TYPES: "DuckDB declares the types of its own engine",
        Shape.LOOSE_TYPES: "DuckDB declares types that it does not mean",
    },
    names=Names({**shared.NAMES, **NAMES}, shared.IMPLIED),
    rules={
        **shared.LIKE,
        **shared.COMMA,
        "subtract": Rule(_negative, "DuckDB writes `-a` as `subtract(a)`"),
        "-": Rule(_negative, "DuckDB writes `-a` as a subtraction with one argument"),
        **{name: Rule(_part(unit), "it is a part of a date") for name, unit in _PARTS.items()},
        "constant_or_null": Rule(_constant_or_null, "the first argument, or NULL where another one is NULL"),
        "not_equal": Rule(_not_like, "DuckDB writes `a NOT LIKE 'x%'` as `not_equal(a, 'x%')`"),
    },
    scalars={name: SCALARS[row] for name, row in _SCALARS.items()},
    aggregates={name: AGGREGATES[row] for name, row in _AGGREGATES.items()},
    different={name: datafusion.DIFFERENT[name] for name in _DIFFERENT},
    cast=cast,
)
