"""Functions that other databases have by other names, each defined in PartiQL: `NVL(a, b)` means `COALESCE(a, b)`.

A call is replaced by its definition before it is lowered, so nothing else knows these names. A function that a user has
registered comes first. What has no meaning that all databases share, or none here, has a hint.
"""

from __future__ import annotations

from functools import cache

from firesteel import functions
from firesteel.node import Node, transform, walk
from firesteel.partiql import ast
from firesteel.partiql.parse.keywords import EXTRACT_FIELDS
from firesteel.partiql.parse.parser import parse

_FIELDS = ("year", "month", "day", "hour", "minute", "second")
_DEVIATIONS = ("stddev_samp", "stddev_pop", "var_samp", "var_pop", "median")

#: The call, and what it means. In a definition an argument stands once, or where it is not computed twice.
DEFINITIONS: dict[str, str] = {
    "nvl(a, b)": "COALESCE(a, b)",
    "ifnull(a, b)": "COALESCE(a, b)",
    "nvl2(a, b, c)": "CASE WHEN a IS NOT NULL THEN b ELSE c END",
    "if(a, b, c)": "CASE WHEN a THEN b ELSE c END",
    "iif(a, b, c)": "CASE WHEN a THEN b ELSE c END",
    "isnull(a)": "a IS NULL",
    "isnotnull(a)": "a IS NOT NULL",
    "zeroifnull(a)": "COALESCE(a, 0)",
    "nullifzero(a)": "NULLIF(a, 0)",
    # Text
    "len(a)": "CHAR_LENGTH(a)",
    "lcase(a)": "LOWER(a)",
    "ucase(a)": "UPPER(a)",
    "btrim(a)": "TRIM(a)",
    "btrim(a, b)": "TRIM(BOTH b FROM a)",
    "mid(a, b, c)": "SUBSTRING(a, b, c)",
    "space(a)": "REPEAT(' ', a)",
    "startswith(a, b)": "STARTS_WITH(a, b)",
    "endswith(a, b)": "ENDS_WITH(a, b)",
    "prefix(a, b)": "STARTS_WITH(a, b)",
    "suffix(a, b)": "ENDS_WITH(a, b)",
    "strpos(a, b)": "POSITION(b IN a)",
    "instr(a, b)": "POSITION(b IN a)",
    "charindex(a, b)": "POSITION(a IN b)",
    "locate(a, b)": "POSITION(a IN b)",
    "split_part(a, b, c)": "CASE WHEN c > ARRAY_LENGTH(SPLIT(a, b)) THEN ''"
    " ELSE COLL_MAX(ARRAY_SLICE(SPLIT(a, b), c, 1)) END",
    "string_split(a, b)": "SPLIT(a, b)",
    "string_to_array(a, b)": "SPLIT(a, b)",
    # Dates
    "now()": "CURRENT_TIMESTAMP",
    "getdate()": "CURRENT_TIMESTAMP",
    "today()": "CURRENT_DATE",
    **{f"{name}(a)": f"EXTRACT({name.upper()} FROM a)" for name in _FIELDS},
    "dayofmonth(a)": "EXTRACT(DAY FROM a)",
    "quarter(a)": "(EXTRACT(MONTH FROM a) + 2) / 3",
    "add_months(a, b)": "DATE_ADD(MONTH, b, a)",
    "last_day(a)": "DATE_ADD(DAY, -1, DATE_ADD(MONTH, 1, DATE_TRUNC('month', a)))",
    "to_date(a)": "CAST(a AS DATE)",
    "epoch(a)": "UNIX_TIMESTAMP(a)",
    # Numbers
    "pi()": "3.141592653589793e0",
    "div(a, b)": "TRUNC(a / b)",
    "to_number(a)": "CAST(a AS DECIMAL)",
    # Collections and structs
    "list_length(a)": "ARRAY_LENGTH(a)",
    "list_contains(a, b)": "ARRAY_CONTAINS(a, b)",
    "list_position(a, b)": "ARRAY_POSITION(a, b)",
    "list_distinct(a)": "ARRAY_DISTINCT(a)",
    "list_sort(a)": "ARRAY_SORT(a)",
    "sort_array(a)": "ARRAY_SORT(a)",
    "list_concat(a, b)": "ARRAY_CONCAT(a, b)",
    "array_append(a, b)": "ARRAY_CONCAT(a, [b])",
    "list_append(a, b)": "ARRAY_CONCAT(a, [b])",
    "array_prepend(a, b)": "ARRAY_CONCAT([a], b)",
    "array_min(a)": "COLL_MIN(a)",
    "array_max(a)": "COLL_MAX(a)",
    "array_sum(a)": "COLL_SUM(a)",
    "list_min(a)": "COLL_MIN(a)",
    "list_max(a)": "COLL_MAX(a)",
    "list_sum(a)": "COLL_SUM(a)",
    "list_avg(a)": "COLL_AVG(a)",
    "element_at(a, b)": "COLL_MAX(ARRAY_SLICE(a, b, 1))",
    "object_keys(a)": "MAP_KEYS(a)",
    "map_contains_key(a, b)": "ARRAY_CONTAINS(MAP_KEYS(a), b)",
    "map_concat(a, b)": "TUPLEUNION(a, b)",
    # Aggregates
    "mean(a)": "AVG(a)",
    "count_if(a)": "COUNT(CASE WHEN a THEN 1 END)",
    "countif(a)": "COUNT(CASE WHEN a THEN 1 END)",
    "bool_and(a)": "EVERY(a)",
    "bool_or(a)": "ANY(a)",
    "any_value(a)": "MIN(a)",
    "arbitrary(a)": "MIN(a)",
    "group_concat(a)": "STRING_AGG(a, ',')",
    "group_concat(a, b)": "STRING_AGG(a, b)",
    **{f"{name}(a)": f"COLL_{name.upper()}(ARRAY_AGG(a))" for name in _DEVIATIONS},
    "stddev(a)": "COLL_STDDEV_SAMP(ARRAY_AGG(a))",
    "variance(a)": "COLL_VAR_SAMP(ARRAY_AGG(a))",
}

#: Names whose first argument is a field of a date, as a word or as a text, and the call that has it.
_OF_FIELDS = {
    "dateadd": "date_add",
    "timestampadd": "date_add",
    "datediff": "date_diff",
    "timestampdiff": "date_diff",
    "date_part": "extract",
    "datepart": "extract",
}

_RANDOM = "an answer depends on its data alone: register a function of your own, or bring the values with the data"
_DATE_TEXT = "TO_STRING(d, 'yyyy-MM-dd') makes text of a date, TO_TIMESTAMP(s, 'yyyy-MM-dd') a timestamp of text"
_TYPE = "CASE WHEN x IS INT THEN 'int' ... END asks for the type of a value"
_JSON = "JSON files are read as values: t.a.b; for JSON inside of text register a function (register_function)"
_MAP = "a struct is written {'key': value}; PIVOT v AT k FROM ... makes one of rows"
_ROWS = "a query over an array makes an array: [SELECT ...], or list the values"
_OWN = "s.register_function(...) adds a function of your own; `firesteel functions` lists those that there are"
_AS_MODE = "SELECT x, COUNT(*) AS n ... GROUP BY x ORDER BY n DESC LIMIT 1"
#: What to write instead of functions that have no definition here.
HINTS: dict[str, str] = {
    **dict.fromkeys(("to_char", "strftime", "strptime", "date_format", "format_datetime"), _DATE_TEXT),
    **dict.fromkeys(("rand", "random", "uuid", "gen_random_uuid", "newid"), _RANDOM),
    **dict.fromkeys(("typeof", "pg_typeof", "type_of"), _TYPE),
    **dict.fromkeys(("json_extract", "json_value", "get_json_object", "from_json", "parse_json", "to_json"), _JSON),
    **dict.fromkeys(("map", "named_struct", "struct", "map_from_entries", "map_from_arrays", "map_agg"), _MAP),
    **dict.fromkeys(("generate_series", "range", "sequence", "array_remove", "array_except", "array_union"), _ROWS),
    **dict.fromkeys(("percentile", "quantile", "percentile_cont"), "MEDIAN(x), or a window with NTILE or PERCENT_RANK"),
    **dict.fromkeys(("first", "last", "max_by", "min_by", "arg_max", "arg_min"), "a window: FIRST_VALUE(x) OVER (...)"),
    **dict.fromkeys(("collect_list", "collect_set"), "ARRAY_AGG(x), or ARRAY_AGG(DISTINCT x)"),
    **dict.fromkeys(("try_cast", "safe_cast"), "CAST gives MISSING in permissive mode where it fails"),
    "approx_count_distinct": "COUNT(DISTINCT x), which is exact",
    "bitwise_and": "there are no functions of bits: register one (register_function)",
    **dict.fromkeys(("concat_ws", "array_join", "array_to_string"), "a || '-' || b, or STRING_AGG(x, '-') over rows"),
    "date_sub": "DATE_ADD(DAY, -1, d)",
    "log": "LN(x) or LOG10(x): databases differ in what LOG is",
    "mode": _AS_MODE,
    "regexp_matches": "REGEXP_LIKE(x, pattern), or REGEXP_EXTRACT_ALL(x, pattern)",
    "array": "an array is written [1, 2]",
    "json_agg": "ARRAY_AGG(x)",
}


def with_definitions(statement: ast.Statement) -> ast.Statement:
    """The statement, in which calls by names of other databases are what they mean here."""
    if not any(_is_meant(node) for node in walk(statement, ast.Call)):
        return statement
    return transform(statement, _defined, ast.Call)


def hint(name: str, suggestion: str | None) -> str:
    """What to write instead of a function that there is not: a hint, else the suggestion of a similar name."""
    return HINTS.get(name) or suggestion or _OWN


def meanings(name: str) -> list[tuple[str, str]]:
    """The calls of a name of another database, each with what it means."""
    found = [(call, meaning) for call, meaning in DEFINITIONS.items() if call.partition("(")[0] == name]
    return found or [(name, said) for said in [HINTS.get(name)] if said is not None]


def _is_meant(node: ast.Call) -> bool:
    key = (node.name, len(node.args))
    free = node.row is None and not node.qualifier and not node.star
    return node.filter is not None or (free and (node.name in _OF_FIELDS or key in _definitions()))


def _defined(node: Node) -> Node:
    if not isinstance(node, ast.Call) or not _is_meant(node):
        return node
    call = _filtered(node)
    if call.row is not None or call.qualifier or call.star:
        return call
    if call.name in _OF_FIELDS:
        return _of_field(call)
    found = _definitions().get((call.name, len(call.args)))
    return call if found is None else _instance(call, *found)


@cache
def _definitions() -> dict[tuple[str, int], tuple[tuple[str, ...], ast.Expr]]:
    """The definitions by name and number of arguments: the names of the arguments, and the syntax tree."""
    made = {}
    for call, meaning in DEFINITIONS.items():
        name, _, rest = call.rstrip(")").partition("(")
        params = tuple(rest.split(", ")) if rest else ()
        statement = parse(meaning)
        assert isinstance(statement, ast.QueryStatement)
        made[name, len(params)] = (params, statement.query)
    return made


def _instance(call: ast.Call, params: tuple[str, ...], meaning: ast.Expr) -> ast.Expr:
    """A definition with the arguments of a call. DISTINCT, OVER and ORDER BY of the call are of its aggregate."""
    given = dict(zip(params, call.args, strict=True))
    more = {"quantifier": call.quantifier, "over": call.over, "order": call.order, "nulls": call.nulls}
    carried = {name: value for name, value in more.items() if value}

    def filled(node: Node) -> Node:
        if isinstance(node, ast.Var):
            return given[node.name]
        node = node.at(call.where)
        return node.replace(**carried) if isinstance(node, ast.Call) and _aggregates(node) else node

    if carried and not any(_aggregates(node) for node in walk(meaning, ast.Call)):
        return call  # lowering says that the function takes none of these
    made = transform(meaning, filled)
    assert isinstance(made, ast.Expr)
    return made


def _of_field(call: ast.Call) -> ast.Expr:
    name = _OF_FIELDS[call.name]
    match call.args:
        case (ast.Var(name=str() as field) | ast.Lit(value=str() as field), *rest):
            if field.upper() in EXTRACT_FIELDS and name == "extract" and len(rest) == 1:
                return ast.Extract(field.lower(), rest[0], where=call.where)
            if field.upper() in EXTRACT_FIELDS and name != "extract" and len(rest) == 2:
                return ast.DateCall(name, field.lower(), rest[0], rest[1], where=call.where)
    return call


def _aggregates(call: ast.Call) -> bool:
    row = functions.find_partiql(call.name)
    return row is not None and row.kind is functions.Kind.AGGREGATE


def _filtered(call: ast.Call) -> ast.Call:
    """`SUM(x) FILTER (WHERE c)` is `SUM(CASE WHEN c THEN x END)`, because aggregates skip NULL. `ARRAY_AGG` and
    `COLLECT` do not, so lowering refuses the filter there."""
    if call.filter is None or call.over is not None:
        return call
    row = functions.find_partiql(call.name)
    defined = _definitions().get((call.name, len(call.args)))
    if row is not None:
        skips = row.kind is functions.Kind.AGGREGATE and row.name not in ("array_agg", "collect")
    else:
        skips = defined is not None and any(_aggregates(node) for node in walk(defined[1], ast.Call))
    if not skips or not (call.args or call.star):
        return call
    first = ast.Lit(1, where=call.where) if call.star else call.args[0]
    kept = ast.Case((ast.When(call.filter, first, where=call.where),), where=call.where)
    return call.replace(args=(kept, *call.args[1:]), star=False, filter=None)
