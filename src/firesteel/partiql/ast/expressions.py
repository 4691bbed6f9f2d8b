"""Expressions."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any, Literal

from firesteel.partiql.ast.syntax_node import SyntaxNode

Quantifier = Literal["all", "distinct"]


class Ast(SyntaxNode):
    """The root of the syntax tree."""


class Name(Ast, tag="name"):
    """An identifier that names something new: an alias, a column, a window."""

    text: str
    _: KW_ONLY
    quoted: bool = False


class Expr(Ast):
    """What has a value."""


class Type(Ast):
    """A type as written."""


# ---------------------------------------------------------------------------------------------------------------------
# Literals


class Lit(Expr, tag="lit"):
    """A literal whose value is known as it is read: NULL, MISSING, booleans, numbers, strings, Ion."""

    value: Any


class DateLit(Expr, tag="date_lit"):
    """`DATE 'text'`. The text is not checked here."""

    text: str


class TimeLit(Expr, tag="time_lit"):
    """`TIME 'text'`; `zone` is None where neither WITH nor WITHOUT TIME ZONE was written."""

    text: str
    _: KW_ONLY
    precision: int | None = None
    zone: bool | None = None


class TimestampLit(Expr, tag="timestamp_lit"):
    """`TIMESTAMP 'text'`, as `TimeLit`."""

    text: str
    _: KW_ONLY
    precision: int | None = None
    zone: bool | None = None


class IntervalQualifier(Ast, tag="interval_qualifier"):
    """`DAY(3) TO SECOND(2)`: fields in lower case, the precision of the first, the digits of a second."""

    start: str
    end: str | None = None
    _: KW_ONLY
    precision: int | None = None
    digits: int | None = None


class IntervalLit(Expr, tag="interval_lit"):
    """`INTERVAL [-] 'text' qualifier`."""

    text: str
    qualifier: IntervalQualifier
    _: KW_ONLY
    negative: bool = False


class Parameter(Expr, tag="parameter"):
    """The `?` at this place among the question marks, counted from 0."""

    index: int


# ---------------------------------------------------------------------------------------------------------------------
# Variables and paths


class Var(Expr, tag="var"):
    """A name that stands for a value; unquoted it matches in any case, after `@` only what is bound locally."""

    name: str
    _: KW_ONLY
    quoted: bool = False
    local: bool = False


class Step(Ast):
    """One step of a path."""


class Field(Step, tag="field"):
    """`.a`, `."a"` or `.'a'`."""

    name: str
    _: KW_ONLY
    quoted: bool = False


class Index(Step, tag="index"):
    """`[expr]`."""

    key: Expr


class EachElement(Step, tag="each_element"):
    """`[*]`."""


class EachAttribute(Step, tag="each_attribute"):
    """`.*`."""


class Path(Expr, tag="path"):
    """Navigation from a value, one step at least."""

    root: Expr
    steps: tuple[Step, ...]


# ---------------------------------------------------------------------------------------------------------------------
# Constructors


class List(Expr, tag="list"):
    """`[a, b]` or `LIST(a, b)`."""

    items: tuple[Expr, ...]


class Bag(Expr, tag="bag"):
    """`<<a, b>>`."""

    items: tuple[Expr, ...]


class Sexp(Expr, tag="sexp"):
    """`SEXP(a, b)`."""

    items: tuple[Expr, ...]


class Row(Expr, tag="row"):
    """`(a, b)`, `ROW(a)`, or what stands in the parentheses after IN."""

    items: tuple[Expr, ...]


class Pair(Ast, tag="pair"):
    """An attribute of a struct: the name is an expression too."""

    name: Expr
    value: Expr


class Struct(Expr, tag="struct"):
    """`{'a': b, ...}`."""

    pairs: tuple[Pair, ...]


class Values(Expr, tag="values"):
    """`VALUES (a, b), (c, d)`."""

    rows: tuple[Row, ...]


# ---------------------------------------------------------------------------------------------------------------------
# Operators and predicates


class Operator(Expr, tag="operator"):
    """An operator by its name in the function catalogue; chains of `and` and `or` are flat."""

    name: str
    args: tuple[Expr, ...]


class Is(Expr, tag="is"):
    """`value IS [NOT] what`: `null`, `missing`, `true`, `false` or `unknown`."""

    value: Expr
    what: str
    _: KW_ONLY
    negated: bool = False


class IsType(Expr, tag="is_type"):
    """`value IS [NOT] type`."""

    value: Expr
    type: Type
    _: KW_ONLY
    negated: bool = False


class Between(Expr, tag="between"):
    """`value [NOT] BETWEEN low AND high`."""

    value: Expr
    low: Expr
    high: Expr
    _: KW_ONLY
    negated: bool = False


class In(Expr, tag="in"):
    """`value [NOT] IN collection`; a parenthesised collection is a `Row` or a `Subquery`."""

    value: Expr
    collection: Expr
    _: KW_ONLY
    negated: bool = False


class Like(Expr, tag="like"):
    """`value [NOT] LIKE pattern [ESCAPE escape]`; ILIKE ignores case."""

    value: Expr
    pattern: Expr
    _: KW_ONLY
    escape: Expr | None = None
    negated: bool = False
    ignores_case: bool = False


class Quantified(Expr, tag="quantified"):
    """`value operator ANY (collection)`, or ALL; SOME is ANY."""

    operator: str
    quantifier: Literal["any", "all"]
    value: Expr
    collection: Expr


class When(Ast, tag="when"):
    """A branch of CASE."""

    condition: Expr
    result: Expr


class Case(Expr, tag="case"):
    """`CASE [operand] WHEN ... THEN ... [ELSE default] END`."""

    branches: tuple[When, ...]
    _: KW_ONLY
    operand: Expr | None = None
    default: Expr | None = None


# ---------------------------------------------------------------------------------------------------------------------
# Calls and forms with words between their arguments


class SortKey(Ast, tag="sort_key"):
    """One key of ORDER BY; what was not written is None."""

    key: Expr
    _: KW_ONLY
    direction: Literal["asc", "desc"] | None = None
    nulls: Literal["first", "last"] | None = None


class Bound(Ast, tag="bound"):
    """An end of a window frame: `preceding`, `following` or `current`; unbounded without an offset."""

    side: Literal["preceding", "current", "following"]
    offset: Expr | None = None


class Frame(Ast, tag="frame"):
    """`ROWS BETWEEN start AND end EXCLUDE ...`; without an end it is the current row."""

    unit: Literal["rows", "range", "groups"]
    start: Bound
    end: Bound | None = None
    _: KW_ONLY
    exclude: Literal["current row", "group", "ties", "no others"] | None = None


class Window(Ast, tag="window"):
    """What follows OVER: a specification, or just the name of one."""

    name: Name | None = None
    _: KW_ONLY
    partition: tuple[Expr, ...] = ()
    order: tuple[SortKey, ...] = ()
    frame: Frame | None = None


class Call(Expr, tag="call"):
    """A function by its name, in lower case unless quoted; `SUBSTRING(a FROM b)` and its like are calls too."""

    name: str
    args: tuple[Expr, ...]
    _: KW_ONLY
    star: bool = False
    quantifier: Quantifier | None = None
    qualifier: tuple[Name, ...] = ()
    filter: Expr | None = None
    nulls: Literal["ignore", "respect"] | None = None
    over: Window | None = None
    #: Of an aggregate: `WITHIN GROUP (ORDER BY ...)`.
    order: tuple[SortKey, ...] = ()
    #: The row of the function, if it is a user's: lowering finds it, not the parser.
    row: str | None = None


class Cast(Expr, tag="cast"):
    """`CAST(value AS type)`."""

    value: Expr
    type: Type


class CanCast(Expr, tag="can_cast"):
    """`CAN_CAST(value AS type)`, `CAN_LOSSLESS_CAST(value AS type)`."""

    value: Expr
    type: Type
    _: KW_ONLY
    lossless: bool = False


class Trim(Expr, tag="trim"):
    """`TRIM([side] [characters] FROM value)`, `TRIM(value)`."""

    value: Expr
    _: KW_ONLY
    side: Literal["leading", "trailing", "both"] | None = None
    characters: Expr | None = None


class Extract(Expr, tag="extract"):
    """`EXTRACT(field FROM value)`, the field in lower case."""

    field: str
    value: Expr


class DateCall(Expr, tag="date_call"):
    """`DATE_ADD(field, a, b)` or `DATE_DIFF(field, a, b)`, name and field in lower case."""

    name: str
    field: str
    left: Expr
    right: Expr
