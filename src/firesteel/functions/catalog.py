"""A row of the catalogue, and what follows from it: which calls are valid, and what type they have."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.functions.properties import Fails, Kind, Lazy, OfNothing, Origin
from firesteel.functions.returns import RETURNS
from firesteel.source import Place, Span

#: The families of types that a parameter may be declared as. `type` is a type argument, not a value.
FAMILIES: dict[str, tuple[type[t.Type], ...]] = {
    "any": (t.Type,),
    "bool": (t.Bool,),
    "int": (t.Integer,),
    "number": (t.Number,),
    "text": (t.Text, t.Clob),
    "octets": (t.Octets,),
    "temporal": (t.Temporal,),
    "date": (t.Date,),
    "time": (t.Time,),
    "timestamp": (t.Timestamp,),
    "interval": (t.Interval,),
    "collection": (t.Collection,),
    "list": (t.Array, t.Sexp),
    "struct": (t.Struct,),
    "container": (t.Collection, t.Struct),
}

#: Does an argument of this type fit a parameter of that family?
Fit = Callable[[str, t.Type], bool]


@dataclass(frozen=True)
class Signature:
    """`(number, number) -> numeric`. The last parameter may repeat: `(any, any...) -> either`. A result with `~` may be
    MISSING although the types of the arguments fit, because a value can still be wrong: `(any, type) -> target~`. A
    result with `!` may be an error in both modes; the function's other signatures are not."""

    params: tuple[str, ...]
    returns: str
    variadic: bool = False
    partial: bool = False
    raises: bool = False

    @staticmethod
    def parse(text: str) -> Signature:
        left, _, returns = text.partition(" -> ")
        params = [p.strip() for p in left.strip()[1:-1].split(",") if p.strip()]
        variadic = bool(params) and params[-1].endswith("...")
        if variadic:
            params[-1] = params[-1][:-3]
        for param in params:
            if param != "type" and param not in FAMILIES:
                raise ValueError(f"unknown family {param!r} in signature {text!r}")
        raises = returns.endswith("!")
        returns = returns.removesuffix("!")
        partial = returns.endswith("~")
        returns = returns.removesuffix("~")
        if returns not in RETURNS:
            raise ValueError(f"unknown result {returns!r} in signature {text!r}")
        return Signature(tuple(params), returns, variadic, partial, raises)

    def param(self, index: int) -> str:
        return self.params[min(index, len(self.params) - 1)]

    def result(self, args: Sequence[t.Type]) -> t.Type:
        """The type of the result, without NULL and MISSING."""
        return RETURNS[self.returns](args)

    def takes(self, count: int) -> bool:
        return count >= len(self.params) if self.variadic else count == len(self.params)

    def fits(self, args: Sequence[t.Type], fit: Fit) -> bool:
        """Do all arguments fit?"""
        return self.takes(len(args)) and all(fit(self.param(i), arg) for i, arg in enumerate(args))

    def __str__(self) -> str:
        marks = ("~" if self.partial else "") + ("!" if self.raises else "")
        return f"({', '.join(self.params)}{'...' if self.variadic else ''}) -> {self.returns}{marks}"


@dataclass(frozen=True)
class Function:
    """One row of the catalogue.

    `propagates`: if an argument is MISSING the result is MISSING, else if one is NULL it is NULL; the function is not
    called then. Otherwise the function handles NULL and MISSING itself.
    `absent`: what the result may be in addition: `null`, `missing`, or (`args`) NULL exactly if an argument is absent.
    `pure`: the same arguments give the same result. An impure function is never computed while planning.
    `dear`: a call may take long, or its result may be much larger than its arguments. It is not computed while
    planning.

    The other fields are what passes and engines need to know (`properties.py` explains the enums). Every default is the
    safe answer: a row without the field gives right answers, though perhaps slowly.
    """

    name: str
    signatures: tuple[Signature, ...]
    doc: str
    kind: Kind = Kind.SCALAR
    partiql: tuple[str, ...] = ()
    substrait: str | None = None
    propagates: bool = True
    absent: str = ""
    pure: bool = True
    dear: bool = False
    origin: Origin = Origin.PARTIQL
    fails: Fails = Fails.MAYBE
    #: Signatures for which a call is never a type error, if `signatures` accept more: `and` takes any arguments, but
    #: only booleans are always right.
    sure: tuple[Signature, ...] = ()
    #: When it stops evaluating arguments; None if it evaluates all of them.
    lazy: Lazy | None = None
    #: Does it give the same result for equal arguments, such as 1 and 1.0? `is_type` does not.
    by_value: bool = False
    #: For aggregates: does DISTINCT make no difference, as for `min`?
    ignores_duplicates: bool = False
    #: For aggregates: does the order of the rows make no difference, if no argument is a float, and equal ones are the
    #: same (unlike 1 and 1.0)?
    ignores_order: bool = False
    #: For aggregates: the result for no rows.
    of_nothing: OfNothing = OfNothing.NULL
    #: If it compares a value with `any` or `all` elements of a collection, how: `eq_any` has ("eq", "any").
    compares: tuple[str, str] | None = None
    #: If it aggregates the elements of a collection, with which aggregate: `coll_sum` has "sum".
    aggregate: str | None = None
    #: Does it only ask whether its argument has elements, as `exists` does?
    asks_for_elements: bool = False
    #: Does it only ask whether its argument is there, as `is_missing` does?
    asks_for_presence: bool = False
    #: Does the type of a call depend on more than the signatures say? Then a form of the function has to match.
    typed_by_call: bool = False

    @property
    def title(self) -> str:
        """What messages call it: a user's function has a number in its name."""
        return self.partiql[0] if self.name.startswith("user:") else self.name

    @property
    def is_absent_of_absent(self) -> bool:
        """Is a call NULL or MISSING whenever an argument is? As a condition it is then not true for such arguments."""
        return self.propagates or self.absent == "args"

    @property
    def takes_collection(self) -> bool:
        """Is a subquery in its arguments a collection, and not a scalar subquery?"""
        return self.asks_for_elements or any(
            "collection" in s.params or "container" in s.params for s in self.signatures
        )

    def signature(self, count: int) -> Signature:
        """The one signature with so many arguments."""
        (found,) = [signature for signature in self.signatures if signature.takes(count)]
        return found

    def returns(self, args: Sequence[t.Type], signature: Signature) -> t.Type:
        """The type of a call with arguments of these types; `signature` is the one that `overload` chose for them."""
        sure = signature.fits(args, _surely)
        if not self.propagates:
            nullable = "null" in self.absent or ("args" in self.absent and any(arg.absent for arg in args))
            missable = "missing" in self.absent or not sure
            return t.absent(signature.result(args), nullable=nullable, missable=missable)
        if any(isinstance(arg, t.Missing) for arg in args):
            return t.MISSING
        possible = [signature] if sure else [s for s in self.signatures if s.fits(args, _maybe)]
        nullable = "null" in self.absent or any(arg.nullable for arg in args)
        missable = signature.partial or not sure or any(arg.missable for arg in args)
        if not possible or any(isinstance(arg, t.Null) for arg in args):
            return t.union((*([t.NULL] if nullable else []), *([t.MISSING] if missable else [])))
        base = t.union(s.result(args) for s in possible)
        return t.absent(base, nullable=nullable, missable=missable)


def fn(
    name: str, signature: str | tuple[str, ...], doc: str, *, sure: str | tuple[str, ...] = (), **more: object
) -> Function:
    """A row whose signatures are given as text."""
    return Function(name, _parsed(signature), doc, sure=_parsed(sure), **more)  # type: ignore[arg-type]


def _parsed(signature: str | tuple[str, ...]) -> tuple[Signature, ...]:
    texts = (signature,) if isinstance(signature, str) else signature
    return tuple(Signature.parse(text) for text in texts)


def own(name: str, signature: str | tuple[str, ...], doc: str, absent: str = "args", **more: object) -> Function:
    """A row of a function that handles NULL and MISSING itself."""
    return fn(name, signature, doc, propagates=False, absent=absent, **more)  # type: ignore[arg-type]


def _surely(family: str, arg: t.Type) -> bool:
    """Does every value of the type, NULL and MISSING aside, belong to the family?"""
    if family in ("any", "type") or isinstance(arg, t.Null | t.Missing):
        return True
    kinds = (t.Text,) if family == "text" else FAMILIES[family]  # the bytes of a clob may be no valid text
    return all(isinstance(member, kinds) for member in t.members(arg))


def _maybe(family: str, arg: t.Type) -> bool:
    """May a value of the type belong to the family?"""
    if family in ("any", "type") or isinstance(arg, t.Any | t.Unresolved | t.Null | t.Missing):
        return True
    return any(isinstance(member, FAMILIES[family]) for member in t.members(arg))


@cache
def _tables() -> tuple[dict[str, Function], dict[str, Function]]:
    from firesteel.functions.aggregate import AGGREGATES
    from firesteel.functions.collections import COLLECTIONS
    from firesteel.functions.moments import MOMENTS
    from firesteel.functions.scalar import SCALARS
    from firesteel.functions.text import TEXTS
    from firesteel.functions.window import WINDOWS

    rows = (*SCALARS, *TEXTS, *MOMENTS, *COLLECTIONS, *AGGREGATES, *WINDOWS)
    by_name = {row.name: row for row in rows}
    by_partiql = {name: row for row in rows for name in row.partiql}
    if len(by_name) != len(rows):
        raise ValueError("two rows of the catalogue have one name")
    return by_name, by_partiql


def all_functions() -> tuple[Function, ...]:
    """Every row, in the order of the tables."""
    return tuple(_tables()[0].values())


def find(name: str) -> Function | None:
    """The row of that name, or None. Only names of Substrait's functions have a colon: `arithmetic:add`."""
    if ":" not in name:
        return _tables()[0].get(name)
    if name.startswith("user:"):
        from firesteel.functions import users

        made = users.find(name)
        return None if made is None else made.row
    from firesteel.functions import substrait  # imported late: its declarations are read when a plan needs them

    return substrait.find(name)


def origin(name: str) -> Origin:
    """Whose function the name is. An unknown name with a colon counts as Substrait's, one without as PartiQL's."""
    row = find(name)
    if row is not None:
        return row.origin
    return Origin.SUBSTRAIT if ":" in name else Origin.PARTIQL


def called(name: str, kind: Kind, arguments: int, where: Span | Place | None) -> Function:
    """The row of a call of that kind with so many arguments; PlanError if there is none. A window call may name an
    aggregate."""
    row = find(name)
    if kind is Kind.SCALAR:
        if row is None:
            meant = suggest(name)
            raise PlanError(f"no function '{name}'", where=where, help=f"did you mean '{meant}'?" if meant else None)
        if row.kind is not Kind.SCALAR:
            raise PlanError(f"'{name}' is an aggregate function: it has no meaning for one row", where=where)
    elif row is None or row.kind not in (kind, Kind.AGGREGATE):
        raise PlanError(f"no {kind.value} function '{name}'", where=where)
    if not any(signature.takes(arguments) for signature in row.signatures):
        raise PlanError(f"'{name}' does not take {arguments} arguments", where=where)
    return row


def find_partiql(name: str) -> Function | None:
    """The row of that PartiQL name, which is in lower case."""
    return _tables()[1].get(name)


def overload(function: Function, args: Sequence[t.Type]) -> Signature | None:
    """The first signature that fits these arguments; else the first that may fit at run time; else the first with so
    many parameters; else None."""
    for fit in (_surely, _maybe):
        for signature in function.signatures:
            if signature.fits(args, fit):
                return signature
    return next((signature for signature in function.signatures if signature.takes(len(args))), None)


def certain(function: Function, args: Sequence[t.Type]) -> bool:
    """Is a call with arguments of these types never a type error, whatever the values are?"""
    return any(s.fits(args, _surely) and not s.partial for s in function.sure or function.signatures)


def may_raise(function: Function, args: Sequence[t.Type], returns: t.Type, *, strict: bool) -> bool:
    """May a call with arguments of these types raise an error, in strict or in permissive mode?"""
    match function.fails:
        case Fails.NEVER:
            return False
        case Fails.WRONG_TYPES:
            if any(signature.raises and signature.takes(len(args)) for signature in function.signatures):
                return True
            return strict and not certain(function, args)
        case Fails.FORGIVEN:
            return strict
        case Fails.OVERFLOW if function.origin is Origin.SUBSTRAIT:
            return not _has_room(returns)
        case _:
            return True


def _has_room(type_: t.Type) -> bool:
    """Does every sum or product of Substrait fit into this result type? A float cannot overflow, and a decimal of fewer
    than 38 digits is derived to be wide enough."""
    if isinstance(type_, t.Decimal):
        return (type_.precision or 38) < 38
    return isinstance(type_, t.Float32 | t.Float64)


def suggest(name: str) -> str | None:
    """The name that was probably meant."""
    close = difflib.get_close_matches(name, _tables()[0], 1)
    return close[0] if close else None


def suggest_partiql(name: str) -> str | None:
    """The name of PartiQL's that was probably meant."""
    close = difflib.get_close_matches(name, _tables()[1], 1)
    return close[0] if close else None
