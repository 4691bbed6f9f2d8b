"""Generated expressions: well-typed for the most part, and now and then of any type at all."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from firesteel.functions import Kind, all_functions
from tests.differential.pieces import Piece, atom, clause, expr, listed

#: What an attribute of the generated tables is expected to be.
COLUMNS = {
    "id": "number",
    "a": "number",
    "b": "number",
    "s": "text",
    "d": "number",
    "f": "number",
    "p": "bool",
    "dt": "date",
    "ts": "timestamp",
    "xs": "numbers",
    "os": "structs",
    "n": "struct",
}
MIXED = {name: COLUMNS[name] for name in ("id", "a", "b", "s", "xs", "os", "n")}

LITERALS = {
    "number": ["0", "1", "2", "3", "-1", "10", "1.5", "-0.25", "2e0", "100"],
    "text": ["''", "'a'", "'ab'", "'Abc'", "'zebra'", "'日本'", "'10'", "'x_y'", "' pad '"],
    "bool": ["true", "false"],
    "date": ["DATE '2024-02-29'", "DATE '1999-12-31'"],
    "timestamp": ["TIMESTAMP '2024-02-29 12:30:15.5'", "TIMESTAMP '2020-01-01 00:00:00'"],
    "numbers": ["[1, 2, 3]", "[]", "<<1, 2, 2>>", "[0, NULL, 1.5]"],
    "structs": ["[{'k': 1, 'q': 'a'}]", "<<>>", "<<{'k': 0}, {'q': 'b'}>>"],
    "struct": ["{'x': 1, 'y': 'a'}", "{}", "{'x': NULL}"],
    "time": ["TIME '12:30:00'", "TIME '23:59:59.5'"],
    "interval": ["INTERVAL '1' DAY", "INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '-3' HOUR"],
    "absent": ["NULL", "MISSING"],
}
SORTS = ["number", "text", "bool", "date", "timestamp", "numbers", "structs", "struct"]
PATTERNS = ["'a%'", "'%b%'", "'_b_'", "'%'", "''", "'x\\_y' ESCAPE '\\'", "'日_'", "'A%c'"]
TYPES = ["INT", "BIGINT", "DECIMAL(10, 2)", "DOUBLE PRECISION", "STRING", "BOOL", "DATE", "VARCHAR(3)", "LIST", "BAG"]
IS_TYPES = ["NULL", "MISSING", "INT", "STRING", "BOOL", "STRUCT", "LIST", "BAG", "DECIMAL", "DATE"]
FIELDS = ["YEAR", "MONTH", "DAY"]

#: The sorts that a family of parameters may be given.
FAMILIES = {
    "any": SORTS,
    "bool": ["bool"],
    "int": ["number"],
    "number": ["number"],
    "text": ["text"],
    "octets": ["text"],
    "temporal": ["date", "timestamp", "time"],
    "date": ["date"],
    "time": ["time"],
    "timestamp": ["timestamp"],
    "interval": ["interval"],
    "collection": ["numbers", "structs"],
    "list": ["numbers", "structs"],
    "struct": ["struct"],
    "container": ["numbers", "struct"],
}
#: What is not called with arguments between commas only, or depends on the day; and what makes floats that Java and
#: Python round differently.
_NOT_PLAIN = {"trim", "position", "date_add", "date_diff", "cast", "current_date", "current_time", "current_timestamp"}
_NOT_PLAIN |= {"utcnow", "and", "or", "not", "in", "exp", "ln", "log10", "log2", "power", "pow", "sqrt"}
_NOT_PLAIN |= {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "degrees", "radians", "cbrt"}
CALLS = [
    (name, signature)
    for row in all_functions()
    if row.kind is Kind.SCALAR
    for name in row.partiql
    if name.isidentifier() and name not in _NOT_PLAIN
    for signature in row.signatures
    if "type" not in signature.params
]


@dataclass
class Names:
    """What an expression can refer to: expressions of each sort, of the row at hand and of those around it."""

    known: dict[str, list[str]] = field(default_factory=dict)
    #: What tells the rows apart; nothing where that is not known.
    identity: list[str] | None = None

    def with_columns(self, variable: str, columns: dict[str, str], identity: Sequence[str] | None) -> Names:
        known = {sort: list(names) for sort, names in self.known.items()}
        for name, sort in columns.items():
            known.setdefault(sort, []).append(f"{variable}.{name}")
        return Names(known, list(identity) if identity is not None else None)

    def with_value(self, variable: str, sort: str, identity: Sequence[str] | None) -> Names:
        known = {other: list(names) for other, names in self.known.items()}
        known.setdefault(sort, []).append(variable)
        return Names(known, list(identity) if identity is not None else None)


class Expressions:
    """A generator of expressions. Subqueries are made by whoever knows queries."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.serial = 0

    def fresh(self, letter: str = "r") -> str:
        self.serial += 1
        return f"{letter}{self.serial}"

    def subquery(self, names: Names, sort: str, depth: int) -> Piece:
        raise NotImplementedError

    def any(self, names: Names, depth: int) -> Piece:
        if depth > 0 and self.rng.random() < 0.12:
            return self.catalogue(names, depth - 1)
        return self.of(self.rng.choice(SORTS), names, depth)

    def of(self, sort: str, names: Names, depth: int) -> Piece:
        """An expression that is expected to be of the sort; sometimes it is of another, or absent."""
        luck = self.rng.random()
        if luck < 0.04:
            return atom(self.rng.choice(LITERALS["absent"]))
        if luck < 0.10:
            sort = self.rng.choice(SORTS)
        if depth <= 0 or luck > 0.8:
            return self.leaf(sort, names)
        if luck > 0.76:
            return self._choice(sort, names, depth)
        makers = MAKERS.get(sort)
        return self.rng.choice(makers)(self, names, depth - 1) if makers else self.leaf(sort, names)

    def catalogue(self, names: Names, depth: int) -> Piece:
        """A call of any function, with arguments of its signature."""
        name, signature = self.rng.choice(CALLS)
        sorts = [self.rng.choice(FAMILIES[family]) for family in signature.params]
        args = Piece("args", ", ".join(["{}"] * len(sorts)), tuple(self.of(sort, names, depth) for sort in sorts))
        return Piece("expr", f"{name}({{}})", (args,))

    def condition(self, names: Names, depth: int) -> Piece:
        """What is a boolean for certain: planning refuses conditions that cannot be."""
        return self.rng.choice(MAKERS["bool"])(self, names, depth - 1)

    def leaf(self, sort: str, names: Names) -> Piece:
        known = names.known.get(sort, [])
        if known and self.rng.random() < 0.75:
            return atom(self.rng.choice(known))
        return atom(self.rng.choice(LITERALS[sort]))

    def _choice(self, sort: str, names: Names, depth: int) -> Piece:
        one, other = self.of(sort, names, depth - 1), self.of(sort, names, depth - 1)
        match self.rng.randrange(4):
            case 0:
                return expr("CASE WHEN {} THEN {} ELSE {} END", self.of("bool", names, depth - 1), one, other)
            case 1:
                return expr("COALESCE({}, {})", one, other)
            case 2:
                return expr("NULLIF({}, {})", one, other)
            case _:
                picked, when = self.of("number", names, depth - 1), self.of("number", names, 0)
                return expr("CASE {} WHEN {} THEN {} END", picked, when, one)

    def call(self, template: str, names: Names, depth: int, *sorts: str) -> Piece:
        return expr(template, *(self.of(sort, names, depth) for sort in sorts))


Maker = Callable[[Expressions, Names, int], Piece]


def _form(template: str, *sorts: str) -> Maker:
    return lambda make, names, depth: make.call(template, names, depth, *sorts)


def _cast(make: Expressions, names: Names, depth: int) -> Piece:
    return expr(f"CAST({{}} AS {make.rng.choice(TYPES)})", make.any(names, depth))


def _is(make: Expressions, names: Names, depth: int) -> Piece:
    negated = make.rng.choice(["", "NOT "])
    return expr(f"({{}} IS {negated}{make.rng.choice(IS_TYPES)})", make.any(names, depth))


def _like(make: Expressions, names: Names, depth: int) -> Piece:
    return expr(f"({{}} LIKE {make.rng.choice(PATTERNS)})", make.of("text", names, depth))


def _compare(make: Expressions, names: Names, depth: int) -> Piece:
    operator = make.rng.choice(["=", "<>", "<", "<=", ">", ">="])
    sort = make.rng.choice(["number", "number", "text", "date", "timestamp", "bool"])
    if operator in ("=", "<>") and make.rng.random() < 0.3:
        sort = make.rng.choice(SORTS)
    return expr(f"({{}} {operator} {{}})", make.of(sort, names, depth), make.of(sort, names, depth))


def _quantified(make: Expressions, names: Names, depth: int) -> Piece:
    operator, quantifier = make.rng.choice(["=", "<>", "<", ">="]), make.rng.choice(["ANY", "ALL"])
    return expr(f"({{}} {operator} {quantifier} {{}})", make.of("number", names, depth), _numbers(make, names, depth))


def _in(make: Expressions, names: Names, depth: int) -> Piece:
    negated = make.rng.choice(["", "", "NOT "])
    return expr(f"({{}} {negated}IN {{}})", make.of("number", names, depth), _numbers(make, names, depth))


def _numbers(make: Expressions, names: Names, depth: int) -> Piece:
    """Numbers in parentheses, which a subquery has anyway."""
    if depth > 0 and make.rng.random() < 0.5:
        return make.subquery(names, "numbers", depth)
    return expr("({})", make.of("numbers", names, depth))


def _exists(make: Expressions, names: Names, depth: int) -> Piece:
    return expr("EXISTS {}", make.subquery(names, "rows", depth))


def _subquery(sort: str) -> Maker:
    return lambda make, names, depth: make.subquery(names, sort, depth)


def _list(open_: str, close: str) -> Maker:
    def made(make: Expressions, names: Names, depth: int) -> Piece:
        items = [make.of("number", names, depth) for _ in range(make.rng.randint(1, 3))]
        return Piece("expr", "{}", (listed(f"{open_}{{}}{close}", items),))

    return made


def _struct(make: Expressions, names: Names, depth: int) -> Piece:
    pairs = [
        Piece("pair", f"'{name}': {{}}", (make.any(names, depth),)) for name in make.rng.sample(["x", "y", "k"], 2)
    ]
    return Piece("expr", "{}", (listed("{{{}}}", pairs),))


def _path(template: str, sort: str) -> Maker:
    return lambda make, names, depth: expr(template, make.leaf(sort, names))


def _extract(make: Expressions, names: Names, depth: int) -> Piece:
    sort = make.rng.choice(["date", "timestamp"])
    return expr(f"EXTRACT({make.rng.choice(FIELDS)} FROM {{}})", make.of(sort, names, depth))


def _substring(make: Expressions, names: Names, depth: int) -> Piece:
    parts = make.of("text", names, depth), make.of("number", names, 0), clause(" FOR {}", make.of("number", names, 0))
    return expr("SUBSTRING({} FROM {}{})", *parts)


def _trim(make: Expressions, names: Names, depth: int) -> Piece:
    side = make.rng.choice(["LEADING", "TRAILING", "BOTH"])
    return expr(f"TRIM({side} {make.rng.choice(LITERALS['text'][1:])} FROM {{}})", make.of("text", names, depth))


def _date_add(sort: str) -> Maker:
    def made(make: Expressions, names: Names, depth: int) -> Piece:
        part = make.rng.choice(FIELDS)
        return expr(f"DATE_ADD({part}, {{}}, {{}})", make.leaf("number", names), make.of(sort, names, depth))

    return made


_A, _T = "number", "text"
MAKERS: dict[str, list[Maker]] = {
    "number": [
        *(_form(f"({{}} {operator} {{}})", _A, _A) for operator in "+-*"),
        _form("({} / NULLIF({}, 0))", _A, _A),
        _form("MOD({}, 3)", _A),
        _form("-({})", _A),
        *(_form(f"{name}({{}})", _A) for name in ("ABS", "CEIL", "FLOOR")),
        _form("CHAR_LENGTH({})", _T),
        _form("OCTET_LENGTH({})", _T),
        _form("POSITION({} IN {})", _T, _T),
        _form("CARDINALITY({})", "numbers"),
        *(_form(f"COLL_{name}({{}})", "numbers") for name in ("SUM", "COUNT", "MIN", "MAX")),
        _path("{}.x", "struct"),
        _path("{}[0]", "numbers"),
        _path("{}[1].k", "structs"),
        _subquery("number"),
        _extract,
        _cast,
    ],
    "text": [
        _form("({} || {})", _T, _T),
        *(_form(f"{name}({{}})", _T) for name in ("UPPER", "LOWER", "TRIM")),
        _substring,
        _trim,
        _form("OVERLAY({} PLACING {} FROM 2)", _T, _T),
        _form("TEXT_REPLACE({}, 'a', {})", _T, _T),
        _path("{}.y", "struct"),
        _form("CAST({} AS STRING)", _A),
    ],
    "bool": [
        _compare,
        _compare,
        _compare,
        _form("({} AND {})", "bool", "bool"),
        _form("({} OR {})", "bool", "bool"),
        _form("(NOT {})", "bool"),
        _form("({} BETWEEN {} AND {})", _A, _A, _A),
        _is,
        _like,
        _in,
        _quantified,
        _exists,
        _form("COLL_EVERY([{}, {}])", "bool", "bool"),
        lambda make, names, depth: expr("CAN_CAST({} AS INT)", make.any(names, depth)),
    ],
    "date": [_date_add("date"), _form("CAST({} AS DATE)", "timestamp"), _form("({} + {})", "date", "interval")],
    "timestamp": [_date_add("timestamp"), _form("({} - {})", "timestamp", "interval")],
    "numbers": [_list("[", "]"), _list("<<", ">>"), _path("{}[*].k", "structs"), _subquery("numbers")],
    "structs": [_form("[{}, {}]", "struct", "struct"), _subquery("structs")],
    "struct": [_struct, _path("{}[0]", "structs"), _form("TUPLEUNION({}, {})", "struct", "struct")],
}
