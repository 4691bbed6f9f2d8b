"""Names that producers use for standard functions instead of the standard's own. Each use is a repair."""

from __future__ import annotations

from firesteel.functions.properties import Kind

#: DataFusion's and DuckDB's own names, and those of earlier versions of Substrait.
ALIASES: dict[str, str] = {
    "eq": "equal",
    "not_eq": "not_equal",
    "neq": "not_equal",
    "lt_eq": "lte",
    "gt_eq": "gte",
    "substract": "subtract",
    "plus": "add",
    "minus": "subtract",
    "times": "multiply",
    "mod": "modulus",
    "negative": "negate",
    "bitwise_shift_left": "shift_left",
    "bitwise_shift_right": "shift_right",
    "pow": "power",
    "ceiling": "ceil",
    "signum": "sign",
    "log": "log10",
    "str_concat": "concat",
    "substr": "substring",
    "length": "char_length",
    "len": "char_length",
    "strlen": "octet_length",
    "character_length": "char_length",
    "btrim": "trim",
    "ucase": "upper",
    "lcase": "lower",
    "prefix": "starts_with",
    "suffix": "ends_with",
    "instr": "strpos",
    "position": "strpos",
    "date_part": "extract",
    "datepart": "extract",
    "count_star": "count",
    "mean": "avg",
    "sum_no_overflow": "sum",
    "first": "any_value",
    "arbitrary": "any_value",
    "every": "bool_and",
    "stddev": "std_dev",
    "stddev_samp": "std_dev",
    "stddev_pop": "std_dev",
    "var": "variance",
    "var_samp": "variance",
    "var_pop": "variance",
    "approx_distinct": "approx_count_distinct",
    "array_length": "cardinality",
    "isnull": "is_null",
    "isnotnull": "is_not_null",
    "isnan": "is_nan",
    "list_sort": "sort",
    "list_transform": "transform",
    "list_filter": "filter",
}

#: Options that such a name implies.
IMPLIED: dict[str, tuple[tuple[str, str], ...]] = {
    "stddev_pop": (("distribution", "POPULATION"),),
    "var_pop": (("distribution", "POPULATION"),),
}

#: The extensions to prefer for a bare name, if forms of several extensions fit equally well.
_FIRST = ("comparison", "arithmetic", "aggregate_generic", "aggregate_approx", "arithmetic_decimal")
_LAST = ("aggregate_decimal_output", "geometry")


def preference(stem: str) -> int:
    """The rank of an extension: the one with the smallest number is preferred."""
    if stem in _FIRST:
        return _FIRST.index(stem)
    return 99 if stem in _LAST else 50


def fits(kind: Kind, wanted: Kind) -> bool:
    """May a function of the kind be called as `wanted`? An aggregate may be called over a window."""
    return kind is wanted or (wanted is Kind.WINDOW and kind is Kind.AGGREGATE)
