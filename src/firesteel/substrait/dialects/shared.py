"""Rows that several dialects share: names of earlier versions of Substrait, and of SQL, and LIKE with an escape."""

from __future__ import annotations

from firesteel import plan as p
from firesteel import types as t
from firesteel.plan import build
from firesteel.repair import RepairKind
from firesteel.substrait.dialects.base import Given, Rule

#: Names that plans of several producers have.
NAMES: dict[str, str] = {
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
    "pow": "power",
    "ceiling": "ceil",
    "log": "log10",
    "str_concat": "concat",
    "substr": "substring",
    "length": "char_length",
    "position": "strpos",
    "instr": "strpos",
    "date_part": "extract",
    "datepart": "extract",
    "mean": "avg",
    "first": "any_value",
    "arbitrary": "any_value",
    "every": "bool_and",
    "stddev": "std_dev",
    "stddev_samp": "std_dev",
    "stddev_pop": "std_dev",
    "var": "variance",
    "var_samp": "variance",
    "var_pop": "variance",
    "isnull": "is_null",
    "isnotnull": "is_not_null",
    "isnan": "is_nan",
}

#: Options that such a name implies.
IMPLIED: dict[str, tuple[tuple[str, str], ...]] = {
    "stddev_pop": (("distribution", "POPULATION"),),
    "var_pop": (("distribution", "POPULATION"),),
}


def _like(given: Given) -> p.Rex | None:
    """`like` with a third argument, the escape character."""
    if len(given.args) != 3 or not all(isinstance(one, p.Rex) for one in given.args):
        return None
    values = list(given.args)
    if not all(isinstance(one.type, t.Text | t.Null) for one in values):
        return None
    given.extensions.repair(RepairKind.ESCAPE, given.message.where)
    if isinstance(values[2], p.Lit) and not values[2].value:
        values = values[:2]
    nullable = any(one.type.nullable for one in values)
    return build.exactly(build.call("like", *values), t.Bool(nullable=nullable))


LIKE = {"like": Rule(_like, "the escape character of LIKE is a third argument, which the standard does not have")}


def _separated(given: Given) -> tuple[p.Rex, ...] | None:
    """`string_agg` with one argument."""
    if len(given.args) != 1:
        return None
    given.extensions.repair(RepairKind.COMMA, given.message.where)
    return (*given.args, p.Lit(t.STRING, ","))


COMMA = {"string_agg": Rule(_separated, "without a separator the texts are joined by a comma")}
