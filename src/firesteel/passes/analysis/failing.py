"""Which expressions may raise an error. A pass must not make them run for rows that they did not run for before.

In strict mode every type error counts (`1 + 'a'`). In permissive mode only errors of both modes count, such as an
overflow. What is not known is taken to fail.
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
    Exchange,
    Exclude,
    Expand,
    Filter,
    Global,
    Intersect,
    Join,
    JoinType,
    Key,
    Limit,
    Lit,
    MergingCapture,
    Mode,
    MultiBucket,
    Offset,
    Parameter,
    Path,
    Pivot,
    Project,
    Promised,
    Rel,
    Rex,
    Scan,
    ScanIndexed,
    Select,
    Shared,
    SimpleCapture,
    SingleBucket,
    Sort,
    Step,
    Struct,
    Theta,
    TopN,
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
    """Is a value of this type always valid as a condition: a boolean, NULL or MISSING?"""
    return isinstance(type_, t.Bool | t.Null | t.Missing)


def fails(node: Node, strict: bool) -> bool:
    """May the node itself raise an error, apart from its children?"""
    match node:
        case Call() | Agg():
            return _call(node, strict)
        case Limit(count=count):
            return not (isinstance(count, Lit) and type(count.value) is int and count.value >= 0)
        case Window() | TopN():
            return True
        case Exchange(kind=kind):
            return isinstance(kind, SingleBucket | MultiBucket)
        case Promised(verified=verified):
            return verified
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
        return False  # a cast that a read implies: a value that does not fit its column is an error wherever it runs
    types = [arg if isinstance(arg, t.Type) else arg.type for arg in call.args]
    return functions.may_raise(row, types, call.type, strict=strict)


# ---------------------------------------------------------------------------------------------------------------------
# Nodes that may fail in strict mode only


def _path(path: Path) -> bool:
    """A path may fail unless each step is an attribute that the type has exactly once."""
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
    """The type of the attribute, if a struct of this type has it exactly once and never MISSING; else None."""
    if not isinstance(type_, t.Struct) or type_.open or not isinstance(key, Lit) or not isinstance(key.value, str):
        return None
    any_case, name = isinstance(key.type, t.Symbol), str(key.value)
    found = [f.type for f in type_.fields if f.name == name or (any_case and (f.name or "").lower() == name.lower())]
    return found[0] if len(found) == 1 and not found[0].missable else None


def _scalar(scalar: CollToScalar) -> bool:
    """A scalar subquery needs one row of one attribute. An aggregate without keys always gives that."""
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

#: Classes that may fail in both modes.
FAILING: tuple[type[Node], ...] = (Call, Agg, Limit, TopN, Window, Exchange, Promised, UnresolvedVar)
#: Classes that fail only if a child does. A class in none of these tables is taken to fail in both modes.
NEVER: frozenset[type[Node]] = frozenset(
    [
        *(Lit, Var, Global, Parameter, Collection, Select, Key),
        *(Project, Aggregate, Sort, Distinct, Union, Intersect, Except, Exclude, Shared, Join),
        *(Cross, Equi),
        *(Expand, MergingCapture, SimpleCapture),
    ]
)
STRICT = frozenset(_STRICT)

#: The classes that can fail at all. Other nodes (types, signatures, pairs of a struct) are parts of these.
_JUDGED = (Rel, Rex, Step, JoinType)


def _others(cls: type[Node]) -> list[type[Node]]:
    """The classes that cannot fail by themselves: those outside `_JUDGED`, and abstract classes of `_JUDGED`, whose
    bits are set for every node of their subclasses."""
    found = [cls] if not cls.tag or not issubclass(cls, _JUDGED) else []
    return [*found, *(one for sub in cls.__subclasses__() for one in _others(sub))]


#: The bits of classes that may fail. They are computed as "all but the known ones", so that a class that is declared
#: later is included.
_MAY_FAIL_STRICT = ~bits(*NEVER, *(cls for cls in _others(Node) if cls not in FAILING))
_MAY_FAIL = _MAY_FAIL_STRICT & ~bits(*STRICT)
