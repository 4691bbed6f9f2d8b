"""The rows of Substrait's functions, made from their declarations, and of its expressions (casts, elements of lists
...)."""

from __future__ import annotations

from functools import cache

from firesteel.functions import datafusion
from firesteel.functions.catalog import Function, Signature
from firesteel.functions.properties import Fails, Kind, OfNothing, Origin
from firesteel.functions.substrait.declarations import Declaration, Implementation, declarations

#: Functions that handle NULL themselves. All others give NULL if an argument is NULL.
OWN = frozenset(
    [
        *("boolean:and", "boolean:or", "boolean:and_not"),
        *("comparison:is_not_distinct_from", "comparison:is_distinct_from", "comparison:is_null"),
        *("comparison:is_not_null", "comparison:is_true", "comparison:is_not_true", "comparison:is_false"),
        *("comparison:is_not_false", "comparison:nullif", "comparison:coalesce"),
        *("comparison:least_skip_null", "comparison:greatest_skip_null"),
        *("string:concat", "string:concat_ws", "string:string_split", "set:index_in"),
    ]
)

#: Functions that may give NULL although no argument is NULL, even if their declaration says otherwise.
NULLING = frozenset(
    [
        *("arithmetic:divide", "arithmetic:modulus", "arithmetic:factorial", "arithmetic:acosh", "arithmetic:product"),
        *("arithmetic:sqrt", "string:replace_slice", "string:string_split"),
        "unsigned_integers:divide",
        *("logarithmic:ln", "logarithmic:log10", "logarithmic:log2", "logarithmic:logb", "logarithmic:log1p"),
        *("string:regexp_match_substring", "string:string_agg"),
        *("arithmetic:first_value", "arithmetic:last_value"),
    ]
)

#: Functions that never fail.
TOTAL = frozenset(
    [
        *(f"boolean:{name}" for name in ("and", "or", "and_not", "xor", "not")),
        *(f"comparison:{name}" for name in ("equal", "not_equal", "lt", "lte", "gt", "gte", "between", "nullif")),
        *(f"comparison:is_{name}" for name in ("null", "not_null", "true", "not_true", "false", "not_false")),
        *(f"comparison:is_{name}" for name in ("nan", "finite", "infinite", "distinct_from", "not_distinct_from")),
        *(f"comparison:{name}" for name in ("coalesce", "least", "greatest", "least_skip_null", "greatest_skip_null")),
        *(f"datetime:{name}" for name in ("lt", "lte", "gt", "gte")),
        *(f"string:{name}" for name in ("concat", "concat_ws", "like", "starts_with", "ends_with", "contains")),
        *(f"string:{name}" for name in ("strpos", "count_substring", "reverse", "string_split", "replace_slice")),
        *(f"string:{name}" for name in ("lower", "upper", "swapcase", "capitalize", "title", "initcap")),
        *(f"string:{name}" for name in ("char_length", "bit_length", "octet_length", "ltrim", "rtrim", "trim")),
        *(f"string:{name}" for name in ("left", "right")),
        *("set:index_in", "list:cardinality", "list:sort", "rounding:ceil", "rounding:floor"),
    ]
)
#: Functions that fail only by overflow.
OVERFLOWING = frozenset(
    f"{stem}:{name}"
    for stem in ("arithmetic", "arithmetic_decimal")
    for name in ("add", "subtract", "multiply", "negate", "abs")
)
#: The results of aggregates over no rows, where that is not NULL.
OF_NOTHING = {
    "aggregate_generic:count": OfNothing.ZERO,
    "aggregate_decimal_output:count": OfNothing.ZERO,
    "aggregate_approx:approx_count_distinct": OfNothing.ZERO,
    "aggregate_decimal_output:approx_count_distinct": OfNothing.ZERO,
    "arithmetic:sum0": OfNothing.ZERO,
    "arithmetic_decimal:sum0": OfNothing.ZERO,
    "unsigned_integers:sum0": OfNothing.ZERO,
    "arithmetic:product": OfNothing.ONE,
}
#: Functions that are `dear`: a short call may take seconds, or fill the memory.
DEAR = frozenset(
    [
        *(f"string:regexp_{name}" for name in ("match_substring", "match_substring_all", "strpos", "count_substring")),
        *("string:regexp_replace", "string:regexp_string_split"),
        *(f"string:{name}" for name in ("repeat", "lpad", "rpad", "center")),
    ]
)


def _expression(
    name: str, signature: Signature, doc: str, *, propagates: bool = True, fails: Fails = Fails.NEVER
) -> Function:
    return Function(
        f"expression:{name}",
        (signature,),
        doc,
        propagates=propagates,
        absent="" if propagates else "null",
        origin=Origin.SUBSTRAIT,
        fails=fails,
        typed_by_call=True,
    )


#: Substrait's expressions that are calls in our algebra.
EXPRESSIONS: dict[str, Function] = {
    row.name: row
    for row in (
        _expression(
            "cast",
            Signature(("any", "type"), "any"),
            "The value as the type, by the rules of SQL.",
            fails=Fails.MAYBE,
        ),
        _expression(
            "list_element", Signature(("any", "any"), "any"), "The element at a place from 0, or from the end."
        ),
        _expression("map_value", Signature(("any", "any"), "any"), "The value under a key, NULL if there is none."),
        _expression(
            "map_entry",
            Signature(("any", "any", "any"), "any"),
            "A map of one entry, a key and a value, if that of the first argument has the key; else an empty one.",
            propagates=False,
        ),
        _expression(
            "map",
            Signature(("any",), "any", variadic=True),
            "A map of keys and values.",
            propagates=False,
            fails=Fails.MAYBE,
        ),
        _expression("any_true", Signature(("any",), "any"), "Is one of a list true? NULL where it may be."),
        _expression("all_true", Signature(("any",), "any"), "Are all of a list true? NULL where they may be."),
        _expression(
            "ranks",
            Signature(("any",), "any"),
            "The values of a list, each with its rank by a comparison function.",
            fails=Fails.MAYBE,
        ),
        _expression(
            "at_most",
            Signature(("any", "any"), "any"),
            "True, or an error where there are more records.",
            fails=Fails.MAYBE,
        ),
    )
}

#: Functions that users have registered, by the names of their rows.
REGISTERED: dict[str, Function] = {}


@cache
def _standard(name: str) -> Function | None:
    stem, _, _ = name.partition(":")
    found = declarations(stem).get(name)
    return None if found is None else row(found)


def find(name: str) -> Function | None:
    """The row of that name: `arithmetic:add`, `expression:cast`, `<urn>:<name>`."""
    return EXPRESSIONS.get(name) or REGISTERED.get(name) or datafusion.ROWS.get(name) or _standard(name)


def row(declared: Declaration, *, own: bool = False, origin: Origin = Origin.SUBSTRAIT) -> Function:
    """The row of a declared function. The result type of a call is stored in the call, because it depends on more than
    the row says. A user's function gets the worst-case properties, even if it has the name of a standard one."""
    forms = dict.fromkeys(form for one in declared.implementations for form in _signatures(one))
    propagates = declared.kind is Kind.SCALAR and declared.name not in OWN and not own
    return Function(
        declared.name,
        tuple(forms),
        "",
        declared.kind,
        substrait=declared.name,
        propagates=propagates,
        absent="" if propagates else "null",
        pure=all(one.deterministic for one in declared.implementations),
        dear=declared.name in DEAR,
        origin=origin,
        fails=_fails(declared.name) if origin is Origin.SUBSTRAIT else Fails.MAYBE,
        ignores_duplicates=declared.kind is Kind.AGGREGATE and declared.name.endswith((":min", ":max")),
        ignores_order=declared.kind is Kind.AGGREGATE and origin is Origin.SUBSTRAIT and _ignores_order(declared.name),
        of_nothing=OF_NOTHING.get(declared.name, OfNothing.NULL),
        typed_by_call=True,
    )


def _ignores_order(name: str) -> bool:
    return name.endswith((":count", ":sum", ":sum0", ":avg", ":min", ":max", ":bool_and", ":bool_or"))


def _fails(name: str) -> Fails:
    if name in TOTAL:
        return Fails.NEVER
    return Fails.OVERFLOW if name in OVERFLOWING else Fails.MAYBE


def _signatures(form: Implementation) -> list[Signature]:
    """The signatures of a form: how many values it takes. Enum arguments are choices, and not counted."""
    count = sum(parameter.shape is not None for parameter in form.parameters)
    if form.repeats is None:
        return [Signature(("any",) * count, "any")]
    least = count - 1 + form.repeats
    made = [Signature(("any",) * max(1, least), "any", variadic=True)]
    return made if least else [Signature((), "any"), *made]
