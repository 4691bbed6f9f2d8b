"""Checks a plan: ordinals, types, functions, schemas. Reading refuses what is not a plan; `check` lists what is wrong
with one, as errors with their places. A plan without any is valid."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from firesteel import functions
from firesteel import types as t
from firesteel.errors import FiresteelError, PlanError
from firesteel.node import Node, all_nodes_in, has, walk
from firesteel.plan import build
from firesteel.plan import rex as rexes
from firesteel.plan.base import NamingRel, Rel, Rex
from firesteel.plan.field_paths import field_path
from firesteel.plan.relations import join as joins
from firesteel.plan.relations import physical
from firesteel.plan.relations import rel as rels
from firesteel.plan.relations import window as windows
from firesteel.plan.reliance import unmet_needs
from firesteel.plan.schema import schema
from firesteel.plan.scope import RowScope, Visit, visits
from firesteel.plan.statement import CreateView, Mode, Plan, Root
from firesteel.rules import RelationRule
from firesteel.source import Place, Span

#: The versions of the plan document that are understood.
VERSIONS = ((0, 1),)

Finding = tuple[str, str | None]
Problems = Iterator[Finding]


def check(plan: Plan, *, orders: bool = True) -> list[FiresteelError]:
    """What is wrong with a plan, in the order of the plan; empty where nothing is. Without `orders`, it is not judged
    whether inputs have the order that relations rely on: the tables, which may promise one, are not bound yet."""
    found: list[FiresteelError] = []
    unresolved = has(plan, t.Unresolved)
    for visit in visits(plan):
        for judge in _judges(type(visit.node)):
            for message, help_ in judge(visit.node, visit.scope, plan):
                found.append(PlanError(message, where=visit.place, help=help_))
        if orders and isinstance(visit.node, Rel):
            found.extend(unordered(visit.node, visit.place))
        if unresolved:
            found.extend(_unresolved_types(visit))
    return found


def unordered(rel: Rel, where: Span | Place) -> Iterator[PlanError]:
    """The orders that a relation relies on and that its inputs are not known to have."""
    for need in unmet_needs(rel):
        error = RelationRule.INPUT_ORDER.broken(need.message, where=where, help=_ORDER)
        if not need.specs:
            error.help = None  # no sort helps
        yield error


_ORDER = "sort the input, or promise its order: register(..., ordered_by=[...]); connect(add_sorts=True) adds sorts"


def ensure(plan: Plan) -> None:
    """Raise the first thing that is wrong with a plan whose tables are not bound yet."""
    found = check(plan, orders=False)
    if found:
        raise found[0]


Judge = Callable[[Any, RowScope | None, Plan], Problems]
_JUDGES: dict[type[Node], Judge] = {}
_JUDGES_OF: dict[type[Node], list[Judge]] = {}


def _judge(cls: type[Node]) -> Callable[[Judge], Judge]:
    def register(judge: Judge) -> Judge:
        _JUDGES[cls] = judge
        return judge

    return register


def _judges(cls: type[Node]) -> list[Judge]:
    """Those of the class and of what it is derived from."""
    known = _JUDGES_OF.get(cls)
    if known is None:
        known = _JUDGES_OF[cls] = [_JUDGES[base] for base in cls.__mro__ if base in _JUDGES]
    return known


def _unresolved_types(visit: Visit) -> Iterator[FiresteelError]:
    """The types in the node, and in the signature of the function that it calls, which may have a place of its own."""
    for held in all_nodes_in(visit.node):
        if held.atom:
            where = held.where if isinstance(held, rexes.Fn) else None
            for one in walk(held, t.Unresolved):
                message = f"the type '{one.name}' is not known"
                yield PlanError(message, where=where or visit.place, help=_DEFINE)


_DEFINE = "name a type of the header, or define it in (types ...)"


# ---------------------------------------------------------------------------------------------------------------------
# Statements


@_judge(Plan)
def _plan(plan: Plan, _scope: RowScope | None, _plan: Plan) -> Problems:
    if plan.version not in VERSIONS:
        known = ", ".join(f"{major}.{minor}" for major, minor in VERSIONS)
        yield f"version {plan.version[0]}.{plan.version[1]} of the plan is not known", f"known is {known}"


@_judge(Root)
def _root(root: Root, _scope: RowScope | None, _plan: Plan) -> Problems:
    count = len(schema(root.input))
    if len(root.names) != count:
        yield f"the root has {len(root.names)} names for {count} columns", None


@_judge(CreateView)
def _create_view(view: CreateView, _scope: RowScope | None, _plan: Plan) -> Problems:
    if not view.name:
        yield "the view has no name", None


# ---------------------------------------------------------------------------------------------------------------------
# Expressions


@_judge(rexes.Lit)
def _lit(lit: rexes.Lit, _scope: RowScope | None, _plan: Plan) -> Problems:
    actual = t.type_of(lit.value)
    if isinstance(actual, t.Integer) and isinstance(lit.type, t.Integer):
        bits = lit.type.bits
        if bits is not None and not -(1 << (bits - 1)) <= lit.value < 1 << (bits - 1):
            yield f"the literal {lit.value} does not fit {lit.type}", None
    elif isinstance(actual, t.Null) or (isinstance(lit.type, t.Missing) and lit.value is None):
        return  # a typed NULL; the document writes MISSING as null of type missing
    elif not t.overlap(actual, lit.type) and not _stands_for(actual, lit.type):
        yield f"the literal is a {actual}, not a {lit.type}", None


def _stands_for(actual: t.Type, declared: t.Type) -> bool:
    """Types whose values are written as those of another: a map as a struct, a UUID as text, a user's as they come."""
    match declared:
        case t.Map():
            return isinstance(actual, t.Struct)
        case t.Uuid():
            return isinstance(actual, t.Text)
    return isinstance(declared, t.UserDefined)


@_judge(rexes.Var)
def _var(var: rexes.Var, scope: RowScope | None, _plan: Plan) -> Problems:
    around = scope.at(var.depth) if scope is not None and var.depth >= 0 else None
    if around is None:
        yield f"variable {var.ordinal} at depth {var.depth} is outside of any relation", None
        return
    field = around.columns[var.ordinal] if 0 <= var.ordinal < len(around.columns) else None
    if field is None:
        yield f"no variable {var.ordinal}: the row has {len(around.columns)} columns", _columns(around)
    elif not t.overlap(field.type, var.type):
        yield f"variable {var.ordinal} is a {field.type}, and is called a {var.type}", None


def _columns(scope: RowScope) -> str | None:
    names = ", ".join(f"{i} {f.name or ''}".strip() for i, f in enumerate(scope.columns))
    return f"they are {names}" if names else None


@_judge(rexes.UnresolvedVar)
def _unresolved(var: rexes.UnresolvedVar, _scope: RowScope | None, _plan: Plan) -> Problems:
    yield f"the variable '{var.name}' is not resolved", "give its ordinal: (var 0)"


@_judge(rexes.Global)
def _global(rex: rexes.Global, _scope: RowScope | None, plan: Plan) -> Problems:
    if not 0 <= rex.ordinal < len(plan.globals):
        yield f"no global {rex.ordinal}: the plan has {len(plan.globals)}", None
    elif not t.overlap(rex.type, plan.globals[rex.ordinal].type):
        binding = plan.globals[rex.ordinal]
        yield f"the global '{binding.name}' is a {binding.type}, and is called a {rex.type}", None


@_judge(rexes.Path)
def _path(path: rexes.Path, _scope: RowScope | None, _plan: Plan) -> Problems:
    if not path.steps:
        yield "the path has no steps", None
    for step in path.steps:
        if isinstance(step, rexes.Key) and not _can_be_key(step.key.type):
            yield f"a path's key is text or an index, not a {step.key.type}", None


def _can_be_key(type_: t.Type) -> bool:
    return type_.absent or t.overlap(type_, t.STRING) or t.overlap(type_, t.INT)


@_judge(rexes.Call)
def _call(call: rexes.Call, _scope: RowScope | None, _plan: Plan) -> Problems:
    yield from _function(call.fn, call.args, functions.Kind.SCALAR)


@_judge(rels.Agg)
def _agg(agg: rels.Agg, _scope: RowScope | None, _plan: Plan) -> Problems:
    yield from _function(agg.fn, agg.args, functions.Kind.AGGREGATE)


@_judge(windows.WindowCall)
def _window_call(call: windows.WindowCall, _scope: RowScope | None, _plan: Plan) -> Problems:
    row = functions.find(call.fn.name)
    aggregates = row is not None and row.kind is functions.Kind.AGGREGATE
    yield from _function(call.fn, call.args, functions.Kind.AGGREGATE if aggregates else functions.Kind.WINDOW)


def _function(fn: rexes.Fn, args: tuple[Rex | t.Type, ...], kind: functions.Kind) -> Problems:
    row = functions.find(fn.name)
    if row is None:
        meant = functions.suggest(fn.name)
        yield f"no function '{fn.name}'", f"did you mean '{meant}'?" if meant else None
        return
    if row.kind is not kind:
        yield f"'{fn.name}' is {row.kind.value}, and is called as {kind.value}", None
        return
    types = [arg if isinstance(arg, t.Type) else arg.type for arg in args]
    signature = functions.overload(row, types)
    if signature is None:
        yield f"'{fn.name}' does not take {len(args)} arguments", _forms(row)
        return
    for i, arg in enumerate(args):
        if (signature.param(i) == "type") != isinstance(arg, t.Type):
            yield f"argument {i + 1} of '{fn.name}' is a {'value' if isinstance(arg, Rex) else 'type'}", _forms(row)
    if fn.params and len(fn.params) != len(args) and not signature.variadic:
        yield f"'{fn.name}' is declared with {len(fn.params)} parameters and called with {len(args)}", _forms(row)
    if row.typed_by_call:
        yield from _standard(fn, args)
        return
    returns = row.returns(types, signature)
    if not t.overlap(returns, fn.returns):
        yield f"'{fn.name}' gives a {returns}, and is declared to give a {fn.returns}", _forms(row)


def _standard(fn: rexes.Fn, args: tuple[Rex | t.Type, ...]) -> Problems:
    """Of Substrait's functions: does a form take the arguments, and is the signature the one that follows from them?"""
    try:
        build.standard_type(fn.name, args, fn.choices, fn)
    except FiresteelError as error:
        yield error.message, error.help


def _forms(row: functions.Function) -> str:
    return "it is " + " or ".join(f"{row.name}{form}" for form in row.signatures)


@_judge(rexes.Case)
def _case(case: rexes.Case, _scope: RowScope | None, _plan: Plan) -> Problems:
    if not case.branches:
        yield "a case has at least one branch", None


def _kind_of(what: str, *kinds: type[t.Type]) -> Judge:
    names = " or ".join(kind.tag for kind in kinds)

    def judge(rex: Rex, _scope: RowScope | None, _plan: Plan) -> Problems:
        if not isinstance(rex.type, (*kinds, t.Any, t.Unresolved)):
            yield f"a {what} is a {names}, not a {rex.type}", None

    return judge


_JUDGES[rexes.Collection] = _kind_of("collection", t.Bag, t.Array, t.Sexp)
_JUDGES[rexes.Struct] = _kind_of("struct", t.Struct)
_JUDGES[rexes.Pivot] = _kind_of("pivot", t.Struct)
_JUDGES[rexes.Select] = _kind_of("select", t.Bag, t.Array)


@_judge(rexes.CollToScalar)
def _coll_to_scalar(rex: rexes.CollToScalar, _scope: RowScope | None, _plan: Plan) -> Problems:
    if not isinstance(rex.query.type, t.Collection | t.Any):
        yield f"coll_to_scalar takes a query, not a {rex.query.type}", None


# ---------------------------------------------------------------------------------------------------------------------
# Relations


@_judge(Rel)
def _rel(rel: Rel, _scope: RowScope | None, _plan: Plan) -> Problems:
    actual = schema(rel)
    count = len(rel.calls) if isinstance(rel, windows.Window) else len(actual)
    if isinstance(rel, NamingRel) and rel.names and len(rel.names) != count:
        yield f"{rel.tag} has {len(rel.names)} names for {count} columns", None
    if rel.declared is None:
        return
    if len(rel.declared) != len(actual):
        yield f"the schema of {rel.tag} has {len(rel.declared)} columns; the relation gives {len(actual)}", None
        return
    for i, (said, is_) in enumerate(zip(rel.declared, actual, strict=True)):
        if not t.overlap(said.type, is_.type):
            yield f"column {i} of {rel.tag} is a {is_.type}; its schema says {said.type}", None


def _condition(what: str, condition: Rex, plan: Plan) -> Problems:
    """A condition that can be no boolean. In PartiQL's permissive mode it is MISSING, and so never true."""
    forgiven = all(getattr(statement, "mode", None) is Mode.PERMISSIVE for statement in plan.statements)
    if not forgiven and not t.overlap(condition.type, t.Bool(nullable=True, missable=True)):
        yield f"a {what}'s condition is a bool, not a {condition.type}", None


@_judge(rels.Filter)
def _filter(rel: rels.Filter, _scope: RowScope | None, plan: Plan) -> Problems:
    yield from _condition("filter", rel.predicate, plan)


@_judge(joins.Theta)
def _theta(join: joins.Theta, _scope: RowScope | None, plan: Plan) -> Problems:
    yield from _condition("join", join.condition, plan)


@_judge(joins.Equi)
def _equi(join: joins.Equi, _scope: RowScope | None, plan: Plan) -> Problems:
    if not join.keys:
        yield "the equi join has no keys", "give them: (equi 1 (keys (<left> <right>)))"
    if join.residual is not None:
        yield from _condition("join", join.residual, plan)


@_judge(joins.Join)
def _join(join: joins.Join, _scope: RowScope | None, _plan: Plan) -> Problems:
    if join.lateral and join.capture.pads_left:
        yield f"a lateral join cannot be {join.capture.name}: its right side exists only for a left row", None


@_judge(rels.SetRel)
def _set(rel: rels.SetRel, _scope: RowScope | None, _plan: Plan) -> Problems:
    left, right = len(schema(rel.left)), len(schema(rel.right))
    if left != right:
        yield f"{rel.tag} takes relations of one width, not of {left} and {right} columns", None


@_judge(rels.Sort)
def _sort(rel: rels.Sort, _scope: RowScope | None, _plan: Plan) -> Problems:
    if not rel.specs:
        yield "sort has no keys", None


@_judge(rels.Aggregate)
def _aggregate(rel: rels.Aggregate, _scope: RowScope | None, _plan: Plan) -> Problems:
    if not rel.aggs and not rel.keys:
        yield "aggregate has neither keys nor aggregates", None


@_judge(rels.SortSpec)
def _sort_spec(spec: rels.SortSpec, _scope: RowScope | None, _plan: Plan) -> Problems:
    if spec.comparator is None:
        return
    row = functions.find(spec.comparator.name)
    if row is None or row.kind is not functions.Kind.SCALAR:
        yield f"no comparison function '{spec.comparator.name}'", "fs.register_function says what it computes"


@_judge(physical.TopN)
def _top_n(rel: physical.TopN, _scope: RowScope | None, _plan: Plan) -> Problems:
    if not rel.specs:
        yield "top_n has no keys", None
    for count in (rel.count, rel.skip):
        if count is not None and not t.overlap(count.type, t.Int64(nullable=True)):
            yield f"top_n takes an integer, not a {count.type}", None


@_judge(physical.Exchange)
def _exchange(rel: physical.Exchange, _scope: RowScope | None, _plan: Plan) -> Problems:
    count = rel.partitions
    if count is not None and count < 1:
        yield f"an exchange to {count} partitions", "leave the number out: the engine chooses one"
        return
    for target in rel.targets:
        for number in target.partitions:
            if number < 0 or (count is not None and number >= count):
                yield f"a target for partition {number}: there are {count or 'no negative ones'}", None
    yield from _buckets(rel.kind, count)


def _buckets(kind: physical.ExchangeKind, count: int | None) -> Problems:
    """A bucket that is a constant is judged here; any other one when the plan runs."""
    match kind:
        case physical.Scatter(fields=()):
            yield "scatter has no fields to go by", None
        case physical.SingleBucket(expression=rex) if not t.overlap(rex.type, t.INT):
            yield f"a bucket is an integer, not a {rex.type}", None
        case physical.MultiBucket(expression=rex) if not t.overlap(rex.type, t.Array(t.INT)):
            yield f"buckets are a list of integers, not a {rex.type}", None
        case physical.SingleBucket(constrained=True) | physical.MultiBucket(constrained=True) if count is None:
            yield "buckets cannot be constrained to a number of partitions that is not given", None
        case physical.SingleBucket(expression=rexes.Lit(value=int(bucket)), constrained=True):
            assert count is not None
            if not 0 <= bucket < count:
                yield f"no partition {bucket}: there are {count}", None


@_judge(physical.Expand)
def _expand(rel: physical.Expand, _scope: RowScope | None, _plan: Plan) -> Problems:
    if not rel.fields:
        yield "expand has no fields", None
    if any(isinstance(field, physical.Switching) and not field.duplicates for field in rel.fields):
        yield "a switching field without duplicates", None


@_judge(physical.Promised)
def _promised(rel: physical.Promised, _scope: RowScope | None, _plan: Plan) -> Problems:
    if rel.singleton and rel.partitioned:
        yield "a single partition is not partitioned by fields", None
    for rex in (*(spec.key for spec in rel.order), *rel.partitioned):
        if field_path(rex) is None:
            yield "a promise is about fields, not about expressions", None


@_judge(rels.Limit)
def _limit(rel: rels.Limit, _scope: RowScope | None, _plan: Plan) -> Problems:
    # An offset that is not a number is an error only in strict mode, so it is found at run time.
    if not t.overlap(rel.count.type, t.INT):
        yield f"limit takes an integer, not a {rel.count.type}", None
