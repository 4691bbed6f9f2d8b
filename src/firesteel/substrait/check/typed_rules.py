"""Rules about the types of what is below a message, for plans that run although they break them. The types are those of
the nodes that the messages were lowered to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.functions.substrait import bare
from firesteel.node import has
from firesteel.rules import CallRule, ExpressionRule, NameRule, RelationRule, Remark
from firesteel.substrait.message import Message

#: The nodes that messages were lowered to, by the identity of the message.
Made = Mapping[int, Any]
Judge = Callable[[Message, Made], Iterator[Remark]]


def judge_types(message: Message, made: Made) -> Iterator[Remark]:
    """What is to be said of a message and the nodes below it."""
    judge = _JUDGES.get(message.kind.short)
    if judge is not None:
        yield from judge(message, made)


def _columns(message: Message, made: Made) -> list[t.Type] | None:
    """The types of a relation's columns, if all of them are known."""
    rel = made.get(id(message))
    if not isinstance(rel, p.Rel):
        return None
    types = [field.type for field in p.schema(rel)]
    return None if any(map(_is_unknown, types)) else types


def _is_unknown(type_: t.Type) -> bool:
    return isinstance(type_, t.Any | t.Unresolved | t.Null | t.Union)


def _type(message: Message, made: Made) -> t.Type | None:
    rex = made.get(id(message))
    return rex.type if isinstance(rex, p.Rex) and not _is_unknown(rex.type) else None


def _root(root: Message, made: Made) -> Iterator[Remark]:
    types = _columns(root.input, made) if root.has("input") else None
    if types and len(types) == len(root.names) and any(has(type_, t.Struct) for type_ in types):
        yield Remark(NameRule.NESTED_NAMES, "the root names its columns, and not the fields inside them", root.where)


def _set(set_: Message, made: Made) -> Iterator[Remark]:
    first, *others = [_columns(one, made) for one in set_.inputs] or [None]
    for message, types in zip(set_.inputs[1:], others, strict=True):
        if first is None or types is None or len(types) != len(first):
            continue
        for i, (mine, theirs) in enumerate(zip(types, first, strict=True)):
            if bare(mine) != bare(theirs):
                text = f"column {i} is a {t.proper(mine)} beside a {t.proper(theirs)} of the first input"
                yield Remark(RelationRule.SET_TYPES, text, message.where)


def _choice(choice: Message, made: Made) -> Iterator[Remark]:
    results = [one.then for one in choice.ifs if one.has("then")]
    results += [choice.given["else"]] if choice.has("else") else []
    types = [_type(one, made) for one in results]
    known = dict.fromkeys(bare(one) for one in types if one is not None)
    if len(known) > 1:
        text = f"the results are {' beside '.join(map(str, known))}"
        yield Remark(ExpressionRule.RESULT_TYPES, text, choice.where)


def _call(call: Message, made: Made) -> Iterator[Remark]:
    """A declared nullability that is not the one that follows. Functions that may give NULL of values that are none
    are left out: there the declarations differ."""
    parent = call.parent
    given = _type(parent, made) if parent is not None else None
    kind = call.output_type.which("kind")
    if given is None or kind is None or not isinstance(call.output_type.given[kind], Message):
        return
    said = call.output_type.given[kind]
    label = said.label("nullability") if "nullability" in said.kind.by_name else ""
    values = [_type(one.value, made) for one in call.arguments if one.which("arg_type") == "value"]
    if label == "NULLABILITY_REQUIRED" and given.nullable and any(one is not None and one.nullable for one in values):
        yield Remark(CallRule.OUTPUT_NULLABILITY, f"the call gives {given}, and is declared as required", call.where)
    elif label == "NULLABILITY_NULLABLE" and not given.nullable:
        yield Remark(CallRule.OUTPUT_NULLABILITY, f"the call gives {given}, and is declared as nullable", call.where)


_JUDGES: dict[str, Judge] = {
    "RelRoot": _root,
    "SetRel": _set,
    "IfThen": _choice,
    "SwitchExpression": _choice,
    "ScalarFunction": _call,
}
