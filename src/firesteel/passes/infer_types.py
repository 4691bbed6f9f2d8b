"""Type inference: the types of the registered tables are carried through the plan.

A plan document may declare everything as `any`, although the tables have types. So every type is inferred again from
the leaves up. Declared schemas are dropped (`check` has compared them before), and an engine can trust every `type`.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from firesteel import functions
from firesteel import types as t
from firesteel.errors import FiresteelError, PlanError
from firesteel.functions import Origin
from firesteel.node import Node, bits, children, drive, rebuild, sorts_in
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.plan import (
    Agg,
    Call,
    Case,
    Collection,
    Equi,
    Global,
    Join,
    JoinKey,
    Lit,
    Path,
    Pivot,
    Plan,
    Rel,
    Rex,
    Select,
    Struct,
    TypeParam,
    Var,
    WindowCall,
    build,
    inputs,
    is_list,
    schema,
)
from firesteel.plan.scope import RowScope

Request = Generator[tuple[Node, RowScope | None], Any, Node]


@plan_pass(Phase.TYPE)
def infer_types(plan: Plan, _: Context) -> Plan:
    """Infer all types anew from those of the tables."""
    return retyped(plan, [binding.type for binding in plan.globals])


def retyped(plan: Plan, tables: Sequence[t.Type]) -> Plan:
    """The plan with all types inferred; `tables` has the types of its globals, in their order."""
    done: dict[tuple[int, int], tuple[Node, RowScope | None]] = {}

    def infer(node: Node, scope: RowScope | None) -> Any:
        known = done.get((id(node), id(scope)))
        if known is not None:
            return known[0]
        sorts = sorts_in(node)
        if not sorts & _INFERRED:
            return node
        return below(node, scope) if sorts & _SCOPED else expression(node, scope)

    def expression(root: Node, scope: RowScope | None) -> Node:
        """Infer an expression without subqueries: all parts of it see the same row."""
        stack = [root]
        while stack:
            node = stack[-1]
            kids = children(node)
            waiting = [kid for kid in kids if sorts_in(kid) & _INFERRED and (id(kid), id(scope)) not in done]
            if waiting:
                stack.extend(waiting)
            else:
                made = rebuild(node, [done.get((id(kid), id(scope)), (kid,))[0] for kid in kids]) if kids else node
                remember(node, made, scope)
                stack.pop()
        return done[id(root), id(scope)][0]

    def below(node: Node, scope: RowScope | None) -> Request:
        made = yield from _join(node, scope) if isinstance(node, Join) else _node(node, scope)
        return remember(node, made, scope)

    def remember(node: Node, made: Node, scope: RowScope | None) -> Node:
        result = _retyped(made, scope, tables)
        done[id(node), id(scope)] = (result, scope)
        return result

    statement = drive(infer, plan.statement, None)
    bindings = tuple(b.replace(type=type_) for b, type_ in zip(plan.globals, tables, strict=True))
    return plan.replace(statement=statement, globals=bindings)


def _node(node: Node, scope: RowScope | None) -> Request:
    """Inputs are inferred first, because the node's expressions see the columns of their schemas."""
    if isinstance(node, JoinKey) and scope is not None and scope.split is not None:
        left = yield node.left, RowScope(scope.columns[: scope.split], scope.outer)
        right = yield node.right, RowScope(scope.columns[scope.split :], scope.outer)
        return node.replace(left=left, right=right)
    new_inputs: dict[int, Any] = {}
    inner = scope
    if inputs(node) and isinstance(node, Rel | Rex):
        for rel in inputs(node):
            new_inputs[id(rel)] = yield rel, scope
        inner = RowScope(tuple([f for rel in inputs(node) for f in schema(new_inputs[id(rel)])]), scope)
    kids = []
    for kid in children(node):
        kids.append(new_inputs[id(kid)] if id(kid) in new_inputs else (yield kid, inner))
    return rebuild(node, kids)


def _join(join: Join, scope: RowScope | None) -> Request:
    left = yield join.left, scope
    right = yield join.right, RowScope(schema(left), scope) if join.lateral else scope
    split = len(schema(left)) if isinstance(join.type, Equi) else None
    kind = yield join.type, RowScope(schema(left) + schema(right), scope, split)
    return join.replace(type=kind, left=left, right=right)


#: Nodes whose children see another row than the node itself.
_SCOPED = bits(Rel, JoinKey)
#: Nodes whose type is inferred. A literal is one of them only if it has the type `any`.
_INFERRED = bits(Rel, Var, Global, Path, Call, Agg, WindowCall, Case, Collection, Struct, Pivot, Select, t.Any)


def _retyped(node: Node, scope: RowScope | None, tables: Sequence[t.Type]) -> Node:
    match node:
        case Rel():
            return node.replace(declared=None)
        case Var():
            field = scope.field(node.ordinal, node.depth) if scope else None
            return node.replace(type=field.type) if field else node
        case Global():
            return node.replace(type=tables[node.ordinal])
        case Lit(type=t.Any()):
            return node.replace(type=t.type_of(node.value))
        case Path():
            return node.replace(type=build.path_type(node.root.type, node.steps))
        case Call() | Agg() | WindowCall() if functions.origin(node.fn.name) is not Origin.PARTIQL:
            return _of_substrait(node)
        case Call() | Agg() if functions.find(node.fn.name) is not None:
            if _is_signed(node):
                return node
            return node.replace(fn=build.signature(node.fn.name, node.args).replace(opts=node.fn.opts))
        case Case():
            results = [branch.then.type for branch in node.branches]
            return node.replace(type=t.union([*results, node.default.type if node.default else t.NULL]))
        case Collection(type=t.Collection() as kind):
            return node.replace(type=build.collection(type(kind), node.items).type)
        case Struct():
            return node.replace(type=build.struct((p.key, p.value) for p in node.pairs).type)
        case Pivot():
            return node.replace(type=t.STRUCT)
        case Select(type=t.Collection() as kind):
            return node.replace(type=type(kind)(node.constructor.type))
        case Select() if is_list(node.input) is not None:
            return node.replace(type=build.select(node.constructor, node.input).type)
        case _:
            return node


def _of_substrait(node: Call | Agg | WindowCall) -> Node:
    """Type a call of a Substrait function. A call from a Substrait plan has its types already. One from Ion or the
    algebra gets them from its arguments. An argument that is still `any` is an error: no form of the function fits."""
    from firesteel.functions import substrait as standard  # late: few plans have functions of Substrait

    fn, is_open = node.fn, standard.by_name.is_open
    try:
        if not any(is_open(one.type) for one in fn.params) and not is_open(fn.returns):
            standard.by_name.ensure_fitting(fn.name, *_types(node))
            return node
        made = build.signature(fn.name, node.args, fn.choices)
    except FiresteelError as error:
        raise error.located(node.where) from None
    if is_open(made.returns) and fn.name != "expression:cast":
        raise PlanError(
            f"'{fn.name}' of arguments that may be anything", where=node.where, help="cast them to types that it takes"
        )
    return node.replace(fn=made.replace(opts=fn.opts))


def _types(node: Call | Agg | WindowCall) -> tuple[list[t.Type], list[t.Type]]:
    """The types of the arguments that are values, and the types of their parameters."""
    given = [one.type for one in node.args if isinstance(one, Rex)]
    return given, [one.type for one in node.fn.params if not isinstance(one, TypeParam)]


def _is_signed(node: Call | Agg) -> bool:
    """Does the call already have the signature that follows from its arguments?"""
    fn, args = node.fn, node.args
    if fn.choices or len(fn.params) != len(args) or build.returned(fn.name, args)[1] != fn.returns:
        return False
    for param, arg in zip(fn.params, args, strict=True):
        if isinstance(param, TypeParam) is not isinstance(arg, t.Type):
            return False
        if param.type != (arg if isinstance(arg, t.Type) else arg.type):
            return False
    return True
