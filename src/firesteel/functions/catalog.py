"""What a function's row says, and what follows from it: which calls are right and what type they have."""

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

#: What a parameter may be declared as: a family of types. `type` is a type argument, not a value.
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
    "struct": (t.Struct,),
    "container": (t.Collection, t.Struct),
}

#: Does an argument of this type fit a parameter of that family?
Fit = Callable[[str, t.Type], bool]


@dataclass(frozen=True)
class Signature:
    """`(number, number) -> numeric`. The last parameter may repeat: `(any, any...) -> either`. A result marked with
    `~` may be MISSING even of arguments that fit, because they can still be wrong: `(any, type) -> target~`. One marked
    with `!` may be an error in both modes, where that is not so of the function's other signatures."""

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
        """The type of what it gives, NULL and MISSING aside."""
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

    `propagates`: MISSING in any argument gives MISSING, else NULL in any gives NULL, before the function is asked.
    A function that does not propagate says itself what it makes of them. `absent` says what may come out besides:
    `null`, `missing`, or (`args`) NULL just where an argument is absent. A function that is not `pure` may give
    another value for the same arguments, and is never computed ahead of a run; nor is one that is `dear`: it may take
    long, or give far more than it is given.

    What else passes and engines have to know of a function is a field too (`properties.py` explains the enums). Every
    default is the safe answer, so that a row without the field is right, and perhaps slow.
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
    #: Arguments of which it is never wrong, where `signatures` take more: `and` takes anything, and is sure of booleans
    #: only.
    sure: tuple[Signature, ...] = ()
    #: When it stops looking at its arguments; None if it evaluates them all.
    lazy: Lazy | None = None
    #: Does it give the same for arguments that are equal, as 1 and 1.0 are? `is_type` does not.
    by_value: bool = False
    #: Of an aggregate: is DISTINCT without meaning to it, as it is to `min`?
    ignores_duplicates: bool = False
    #: Of an aggregate: what it gives of no rows.
    of_nothing: OfNothing = OfNothing.NULL
    #: The comparison of a value with `any` or `all` elements of a collection that it is: `eq_any` is ("eq", "any").
    compares: tuple[str, str] | None = None
    #: The aggregate that it is, of the elements of a collection: `coll_sum` is "sum".
    aggregate: str | None = None
    #: Does it take anything, and ask only whether there are elements, as `exists` does?
    asks_for_elements: bool = False
    #: Does the type of a call follow from more than the signatures say? Then its form has to take the arguments.
    typed_by_call: bool = False

    @property
    def is_absent_of_absent(self) -> bool:
        """Is a call NULL or MISSING wherever an argument is? Then a condition that is one is not true there."""
        return self.propagates or self.absent == "args"

    @property
    def takes_collection(self) -> bool:
        """Is a query that is its argument a collection, and no scalar?"""
        return self.asks_for_elements or any(
            "collection" in s.params or "container" in s.params for s in self.signatures
        )

    def signature(self, count: int) -> Signature:
        """The only signature that takes so many arguments."""
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
    """A row, its signatures as text."""
    return Function(name, _parsed(signature), doc, sure=_parsed(sure), **more)  # type: ignore[arg-type]


def _parsed(signature: str | tuple[str, ...]) -> tuple[Signature, ...]:
    texts = (signature,) if isinstance(signature, str) else signature
    return tuple(Signature.parse(text) for text in texts)


def own(name: str, signature: str | tuple[str, ...], doc: str, absent: str = "args", **more: object) -> Function:
    """A function that says itself what NULL and MISSING give."""
    return fn(name, signature, doc, propagates=False, absent=absent, **more)  # type: ignore[arg-type]


def _surely(family: str, arg: t.Type) -> bool:
    """Is every proper value of the type of that family?"""
    if family in ("any", "type") or isinstance(arg, t.Null | t.Missing):
        return True
    kinds = (t.Text,) if family == "text" else FAMILIES[family]  # what is in a clob may turn out to be no text
    return all(isinstance(member, kinds) for member in t.members(arg))


def _maybe(family: str, arg: t.Type) -> bool:
    """May a value of the type be of that family?"""
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
    """The row of that name. A colon is in the names of Substrait's functions only: `arithmetic:add`."""
    if ":" not in name:
        return _tables()[0].get(name)
    from firesteel.functions import substrait  # its files are read when a plan asks for them

    return substrait.find(name)


def origin(name: str) -> Origin:
    """Whose function a name means. Of one that nobody knows, the colon tells: it is no name of PartiQL's."""
    row = find(name)
    if row is not None:
        return row.origin
    return Origin.SUBSTRAIT if ":" in name else Origin.PARTIQL


def called(name: str, kind: Kind, arguments: int, where: Span | Place | None) -> Function:
    """The row of a call of that kind with so many arguments; PlanError if there is none. A window takes aggregates."""
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
    """The row that PartiQL calls by that name, in lower case."""
    return _tables()[1].get(name)


def overload(function: Function, args: Sequence[t.Type]) -> Signature | None:
    """The first signature that takes these arguments, or that may at run time; None if the count fits none."""
    for fit in (_surely, _maybe):
        for signature in function.signatures:
            if signature.fits(args, fit):
                return signature
    return next((signature for signature in function.signatures if signature.takes(len(args))), None)


def certain(function: Function, args: Sequence[t.Type]) -> bool:
    """Are arguments of these types right for a signature, whatever their values: is the call never a type error?"""
    return any(s.fits(args, _surely) and not s.partial for s in function.sure or function.signatures)


def may_raise(function: Function, args: Sequence[t.Type], returns: t.Type, *, strict: bool) -> bool:
    """May a call with arguments of these types raise an error of its own, in strict mode or in permissive mode?"""
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
    """Has a sum or a product of Substrait's always room in its type? A float has no bounds; and a decimal of fewer than
    38 digits is as wide as the result can be."""
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
