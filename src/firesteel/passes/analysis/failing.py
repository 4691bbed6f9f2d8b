"""What may raise an error: such an expression is not evaluated for rows that it was not evaluated for before.

In strict mode that is whatever may turn out wrong; in permissive mode only what is an error in both modes, as an
overflow is. Where it is not known, it may.
"""

from __future__ import annotations

from collections.abc import Callable

from firesteel import functions
from firesteel import types as t
from firesteel.functions import Origin
from firesteel.node import Node, bits, children, sorts_in
from firesteel.passes.analysis.node_memo import remembered_fold
from firesteel.plan import (
    Agg,
    Aggregate,
    Call,
    Case,
    Collection,
    CollToScalar,
    Cross,
    Distinct,
    Equi,
    Except,
    Exclude,
    Filter,
    Global,
    Intersect,
    Join,
    JoinType,
    Key,
    Limit,
    Lit,
    Mode,
    Offset,
    Parameter,
    Path,
    Pivot,
    Project,
    Rel,
    Rex,
    Scan,
    ScanIndexed,
    Select,
    Shared,
    Sort,
    Step,
    Struct,
    Theta,
    Union,
    Unpivot,
    UnpivotStep,
    UnresolvedVar,
    Var,
    Wildcard,
    Window,
)


def may_fail(root: Node, mode: Mode) -> bool:
    """May evaluating a subtree raise an error?"""
    strict = mode is Mode.STRICT
    slot, wanted = ("_may_fail_strict", _MAY_FAIL_STRICT) if strict else ("_may_fail", _MAY_FAIL)
    if not sorts_in(root) & wanted:
        return False

    def below(node: Node) -> list[Node]:
        return [kid for kid in children(node) if sorts_in(kid) & wanted]

    def one(node: Node, inner: list[bool]) -> bool:
        return any(inner) or bool(node.sorts & wanted and fails(node, strict))

    return remembered_fold(root, slot, one, below)


def is_condition(type_: t.Type) -> bool:
    """Is it never wrong where a condition is wanted: a boolean, or absent?"""
    return isinstance(type_, t.Bool | t.Null | t.Missing)


def fails(node: Node, strict: bool) -> bool:
    """May a node raise an error of its own, its parts aside?"""
    match node:
        case Call() | Agg():
            return _call(node, strict)
        case Limit(count=count):
            return not (isinstance(count, Lit) and type(count.value) is int and count.value >= 0)
        case Window():
            return True
        case _:
            judge = _STRICT.get(type(node))
            if judge is not None:
                return strict and judge(node)
            return isinstance(node, _JUDGED) and type(node) not in NEVER


def _call(call: Call | Agg, strict: bool) -> bool:
    row = functions.find(call.fn.name)
    if row is None:
        return True
    if row.origin is not Origin.PARTIQL and call.fn.choice("failure") == "READ":
        return False  # a value that does not fit its column is an error of the read, whoever needs it
    types = [arg if isinstance(arg, t.Type) else arg.type for arg in call.args]
    return functions.may_raise(row, types, call.type, strict=strict)


# ---------------------------------------------------------------------------------------------------------------------
# What is wrong in strict mode only


def _path(path: Path) -> bool:
    """An attribute that may not be there, or not be the only one of its name; an element; a wildcard."""
    type_ = path.root.type
    for step in path.steps:
        if isinstance(step, Key) and step.optional:
            type_ = t.ANY
            continue
        found = attribute(type_, step.key) if isinstance(step, Key) else None
        if found is None:
            return True
        type_ = found
    return False


def attribute(type_: t.Type, key: Rex) -> t.Type | None:
    """The type of an attribute that a struct of this type surely has, and once; else None."""
    if not isinstance(type_, t.Struct) or type_.open or not isinstance(key, Lit) or not isinstance(key.value, str):
        return None
    any_case, name = isinstance(key.type, t.Symbol), str(key.value)
    found = [f.type for f in type_.fields if f.name == name or (any_case and (f.name or "").lower() == name.lower())]
    return found[0] if len(found) == 1 and not found[0].missable else None


def _scalar(scalar: CollToScalar) -> bool:
    """One row of one attribute is what an aggregate without keys gives."""
    match scalar.query:
        case Select(constructor=Struct(pairs=(_,)), input=Aggregate(keys=())):
            return False
        case _:
            return True


def _present(type_: t.Type, *kinds: type[t.Type]) -> bool:
    return not type_.absent and all(isinstance(member, kinds) for member in t.members(type_))


_STRICT: dict[type[Node], Callable[..., bool]] = {
    Path: _path,
    Wildcard: lambda _: True,
    UnpivotStep: lambda _: True,
    Case: lambda case: case.match is None and not all(is_condition(branch.when.type) for branch in case.branches),
    Struct: lambda struct: not all(_present(pair.key.type, t.Text) for pair in struct.pairs),
    Pivot: lambda pivot: not _present(pivot.key.type, t.Text),
    CollToScalar: _scalar,
    Scan: lambda scan: not _present(scan.rex.type, t.Collection),
    ScanIndexed: lambda scan: not _present(scan.rex.type, t.Array, t.Sexp),
    Unpivot: lambda unpivot: not _present(unpivot.rex.type, t.Struct),
    Filter: lambda filter_: not is_condition(filter_.predicate.type),
    Theta: lambda theta: not is_condition(theta.condition.type),
    Offset: lambda _: True,
}

#: What may fail in both modes.
FAILING: tuple[type[Node], ...] = (Call, Agg, Limit, Window, UnresolvedVar)
#: What fails only by its parts. A class that is in none of these tables may fail, in both modes.
NEVER: frozenset[type[Node]] = frozenset(
    [
        *(Lit, Var, Global, Parameter, Collection, Select, Key),
        *(Project, Aggregate, Sort, Distinct, Union, Intersect, Except, Exclude, Shared, Join),
        *(Cross, Equi),
    ]
)
STRICT = frozenset(_STRICT)

#: What is judged at all. Other nodes (types, signatures, pairs of a struct) are parts of these.
_JUDGED = (Rel, Rex, Step, JoinType)


def _others(cls: type[Node]) -> list[type[Node]]:
    """The classes that are not judged; and the abstract ones of those that are, because each node has their bits."""
    found = [cls] if not cls.tag or not issubclass(cls, _JUDGED) else []
    return [*found, *(one for sub in cls.__subclasses__() for one in _others(sub))]


#: The bits of what may fail: all that are not of a class that is known not to, so that those of new classes are there.
_MAY_FAIL_STRICT = ~bits(*NEVER, *(cls for cls in _others(Node) if cls not in FAILING))
_MAY_FAIL = _MAY_FAIL_STRICT & ~bits(*STRICT)
