"""Which field of the row at hand an expression gives: the link between expressions and relation properties.

`Var(1)` gives field `(1,)`, and `Var(1).city` gives `(1, 'city')`. A cast to a wider type, and NULL in the place of
MISSING, change neither the order of values nor which of them are equal, so they count as the field itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from firesteel import types as t
from firesteel.node import has, walk
from firesteel.plan.base import Rel, Rex
from firesteel.plan.properties import FieldPath, Properties
from firesteel.plan.rex import Call, Case, Global, Key, Lit, Path, Var
from firesteel.plan.type_fit import lossless

#: Casts between these families change the order of values.
_NUMBERS = (t.Integer, t.Decimal, t.Float32, t.Float64)


def field_path(rex: Rex) -> FieldPath | None:
    """The field of the row at hand that an expression gives, if it gives one."""
    steps: list[str] = []
    while True:
        match rex:
            case Var(ordinal=ordinal, depth=0):
                return (ordinal, *reversed(steps))
            case Path(root=root, steps=keys):
                names = _names(root.type, keys)
                if names is None:
                    return None
                steps.extend(reversed(names))
                rex = root
            case Call(args=(Rex() as value, t.Type() as target)) if not steps and _widens(rex, value, target):
                rex = value
            case Case(match=None, branches=(branch,), default=Rex() as value) if not steps and _fills(branch, value):
                rex = value
            case _:
                return None


def _names(type_: t.Type, steps: Sequence[object]) -> list[str] | None:
    """The names of struct fields that a path steps into. A name that matches in any case is that of the only field."""
    names: list[str] = []
    for step in steps:
        match step:
            case Key(key=Lit(type=t.Text() as kind, value=str() as text)):
                name = str(text)
            case _:
                return None
        if isinstance(kind, t.Symbol):
            fields = type_.fields if isinstance(type_, t.Struct) and not type_.open else ()
            close = [field.name for field in fields if (field.name or "").lower() == name.lower()]
            if len(close) != 1 or close[0] is None:
                return None
            name = close[0]
        names.append(name)
        found = type_.field(name) if isinstance(type_, t.Struct) else None
        type_ = t.ANY if found is None else found
    return names


def _widens(call: Call, value: Rex, target: t.Type) -> bool:
    """Is it a cast of a number to a type that has all of its values?"""
    if call.fn.name not in ("cast", "expression:cast"):
        return False
    given, wanted = t.proper(value.type), t.proper(target)
    return isinstance(given, _NUMBERS) and isinstance(wanted, _NUMBERS) and lossless(given, wanted)


def _fills(branch: object, value: Rex) -> bool:
    """Does a branch replace a MISSING value by NULL? NULL and MISSING sort alike."""
    when, then = getattr(branch, "when", None), getattr(branch, "then", None)
    is_missing = isinstance(when, Call) and when.fn.name == "is_missing" and when.args == (value,)
    return is_missing and isinstance(then, Lit) and then.value is None


def read_fields(rexes: Iterable[Rex]) -> frozenset[FieldPath] | None:
    """Fields that determine the values of these expressions; None if there are none, or something else does too."""
    found: set[FieldPath] = set()
    for rex in rexes:
        path = field_path(rex)
        if path is not None:
            found.add(path)
        elif has(rex, Rel, Global) or any(var.depth for var in walk(rex, Var)):
            return None
        else:
            found |= {(var.ordinal,) for var in walk(rex, Var)}
    return frozenset(found) or None


def emitted(properties: Properties, exprs: Sequence[Rex | None]) -> Properties:
    """The properties of rows of these expressions over rows of known properties. None stands for a new value."""
    paths = [None if expr is None else field_path(expr) for expr in exprs]

    def move(path: FieldPath) -> list[FieldPath]:
        return [
            (i, *path[len(source) :])
            for i, source in enumerate(paths)
            if source is not None and path[: len(source)] == source
        ]

    return properties.mapped(move)
