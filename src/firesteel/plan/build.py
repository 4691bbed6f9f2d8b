"""Functions that build nodes and infer their types; used by planners, passes and tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from firesteel import functions, values
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.plan.base import Rel, Rex
from firesteel.plan.properties import SortOrder
from firesteel.plan.relations.rel import Agg, Project, Sort, SortSpec
from firesteel.plan.rex import (
    Call,
    Choice,
    Collection,
    Fn,
    FnOption,
    Key,
    Lit,
    Pair,
    Path,
    Select,
    Step,
    Struct,
    TypeParam,
    ValueParam,
    Var,
)
from firesteel.plan.schema import is_list, schema


def lit(value: values.Value, type_: t.Type | None = None) -> Lit:
    """A literal of a value, of its own type unless another is given."""
    return Lit(type_ or t.type_of(value), value)


def column(rel: Rel, ordinal: int, depth: int = 0) -> Var:
    """The variable that is a relation's column."""
    return Var(schema(rel)[ordinal].type, ordinal, depth=depth)


def emit(rel: Rel, ordinals: Sequence[int]) -> Rel:
    """The relation with its columns remapped: Substrait's emit. The identity is the relation itself."""
    columns = schema(rel)
    if list(ordinals) == list(range(len(columns))):
        return rel
    names = tuple(columns[i].name or "" for i in ordinals)
    return Project(tuple(column(rel, i) for i in ordinals), rel, names=names if all(names) else ())


def signature(name: str, args: Sequence[Rex | t.Type], choices: tuple[Choice, ...] = ()) -> Fn:
    """The catalogue's function of that name, for arguments of these types."""
    row, returns = returned(name, args, choices)
    params = tuple([TypeParam(arg) if isinstance(arg, t.Type) else ValueParam(arg.type) for arg in args])
    return Fn(name, FnOption.PROPAGATE if row.propagates else FnOption.NONE, params, returns, choices=choices)


def returned(
    name: str, args: Sequence[Rex | t.Type], choices: Sequence[Choice] = ()
) -> tuple[functions.Function, t.Type]:
    """The catalogue's row of that name, and what it gives for arguments of these types."""
    row = functions.find(name)
    if row is None:
        meant = functions.suggest(name)
        raise PlanError(f"no function '{name}'", help=f"did you mean '{meant}'?" if meant else None)
    types = [arg if isinstance(arg, t.Type) else arg.type for arg in args]
    chosen = functions.overload(row, types)
    if chosen is None:
        forms = " or ".join(map(str, row.signatures))
        raise PlanError(f"'{name}' does not take {len(args)} arguments", help=f"it is {forms}")
    if row.typed_by_call:
        return row, standard_type(name, args, choices)
    return row, row.returns(types, chosen)


def standard_type(
    name: str, args: Sequence[Rex | t.Type], choices: Sequence[Choice] = (), fn: Fn | None = None
) -> t.Type:
    """What a function of Substrait's gives for arguments of these types, `any` if they are not known; PlanError if it
    does not take them, or if that is not what the signature says."""
    from firesteel.functions.substrait import Constant, by_name

    values = [
        Constant(one.type, one.value) if isinstance(one, Lit) else one.type for one in args if isinstance(one, Rex)
    ]
    types = [one for one in args if isinstance(one, t.Type)]
    chosen = [(one.name, one.value) for one in choices]
    if fn is None:
        return by_name.returned(name, values, types, chosen)
    params = [one.type for one in fn.params if isinstance(one, ValueParam)]
    return by_name.judged(name, values, types, chosen, params, fn.returns)


def typed_fn(name: str, args: Sequence[Rex | t.Type], returns: t.Type, choices: Sequence[tuple[str, str]] = ()) -> Fn:
    """The catalogue's function of that name, for these arguments, with a result type that is given and not inferred."""
    row = functions.find(name)
    assert row is not None, name
    params = tuple(TypeParam(one) if isinstance(one, t.Type) else ValueParam(one.type) for one in args)
    opts = FnOption.PROPAGATE if row.propagates else FnOption.NONE
    return Fn(name, opts, params, returns, choices=tuple(Choice(*one) for one in choices))


def substrait_expression(name: str, args: Sequence[Rex | t.Type], returns: t.Type, **choices: str) -> Call:
    """A call of what Substrait has as an expression, not as a function: `substrait_expression("cast", (x, type), type,
    failure="NULL")`."""
    return Call(typed_fn(f"expression:{name}", args, returns, tuple(choices.items())), tuple(args))


def substrait_cast(value: Rex, type_: t.Type, *, failure: str = "THROW") -> Rex:
    """Substrait's cast: NULL stays NULL. A value that already has the type is not cast."""
    if t.proper(value.type) == t.proper(type_) and not isinstance(value.type, t.Null):
        return value
    target = t.absent(type_, nullable=value.type.nullable or failure == "NULL")
    if isinstance(value, Lit) and value.value is None:
        return Lit(t.absent(type_, nullable=True), None)
    return substrait_expression("cast", (value, t.proper(type_)), target, failure=failure)


def call(name: str, *args: Rex | t.Type) -> Call:
    """A call of the catalogue's function of that name."""
    return Call(signature(name, args), args)


def present(name: str, *args: Rex) -> Rex:
    """A call of a PartiQL function over Substrait's data, which has no MISSING."""
    made = call(name, *args)
    return exactly(made, t.absent(made.type, missable=False))


def exactly(made: Rex, returns: t.Type) -> Rex:
    """The call with a type that excludes MISSING: Substrait data has none."""
    if isinstance(made, Call) and made.type != returns:
        inner = tuple(
            exactly(one, t.absent(one.type, missable=False)) if isinstance(one, Call) and one.type.missable else one
            for one in made.args
        )
        return made.replace(fn=made.fn.replace(returns=returns), args=inner)
    return made


def agg(name: str, *args: Rex, distinct: bool = False) -> Agg:
    """An aggregate call."""
    return Agg(signature(name, args), args, distinct=distinct)


def path(root: Rex, *keys: str | int | Rex | Step) -> Path:
    """A path. A `values.Symbol` matches in any case, another string exactly; an int is an index."""
    steps = tuple(k if isinstance(k, Step) else Key(k if isinstance(k, Rex) else lit(k)) for k in keys)
    return Path(path_type(root.type, steps), root, steps)


def path_type(root: t.Type, steps: Iterable[Step]) -> t.Type:
    """The type at the end of a path."""
    type_ = root
    for step in steps:
        type_ = _step_type(type_, step.key) if isinstance(step, Key) else t.BAG
    return type_


def _step_type(type_: t.Type, key: Rex) -> t.Type:
    if isinstance(type_, t.Any | t.Union | t.Unresolved):
        return t.ANY
    found: t.Type | None = None
    if isinstance(key.type, t.Text):
        if isinstance(type_, t.Map):
            found = t.absent(type_.value, missable=True)
        elif isinstance(type_, t.Struct):
            found = _attribute_type(type_, key)
    elif isinstance(type_, t.Array | t.Sexp) and isinstance(key.type, t.Integer):
        found = t.absent(type_.element, missable=True)
    if found is None:
        return t.Null(missable=True) if type_.nullable else t.MISSING
    if type_.absent:
        found = t.union((found, *([t.NULL] if type_.nullable else []), *([t.MISSING] if type_.missable else [])))
    return found


def _attribute_type(struct: t.Struct, key: Rex) -> t.Type | None:
    if not isinstance(key, Lit):
        return t.ANY
    name = str(key.value)
    found = struct.field(name)
    if found is None and isinstance(key.type, t.Symbol):
        found = next((f.type for f in struct.fields if (f.name or "").lower() == name.lower()), None)
    return t.ANY if found is None and struct.open else found


def struct(pairs: Iterable[tuple[str | Rex, Rex]]) -> Struct:
    """A struct constructor."""
    made = tuple(Pair(lit(k) if isinstance(k, str) else k, v) for k, v in pairs)
    known = all(isinstance(p.key, Lit) and isinstance(p.key.value, str) for p in made)
    listed = tuple(t.Field(str(p.key.value), p.value.type) for p in made if isinstance(p.key, Lit)) if known else ()
    return Struct(t.Struct(listed, open=not known), made)


def collection(kind: type[t.Collection], items: Iterable[Rex]) -> Collection:
    """A collection constructor: `collection(t.Bag, ...)`."""
    made = tuple(items)
    return Collection(kind(t.union(item.type for item in made) if made else t.ANY), made)


def listed(rel: Rel, beside: Rel) -> Rel:
    """The relation as a list (in any order) if `beside` may be a list, so that a join of the two is a list as well."""
    if is_list(beside) is False:
        return rel
    return Sort((SortSpec(lit(True), SortOrder.ASC_NULLS_LAST),), rel).at(rel.where)


def select(constructor: Rex, rel: Rel, kind: type[t.Collection] | None = None) -> Select:
    """A value from every row: a bag or array as asked, or as the relation is."""
    if kind is None:
        ordered = is_list(rel)
        if ordered is None:
            return Select(t.ANY, constructor, rel)
        kind = t.Array if ordered else t.Bag
    return Select(kind(constructor.type), constructor, rel)
