"""Paths and their steps.

A path with wildcards is the query that it abbreviates: `t[*].a[*]` is `SELECT VALUE v2 FROM t AS v1, v1.a AS v2`, so a
wildcard ranges as FROM (or UNPIVOT) does, and what comes after it is asked of every element.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.evaluate.base import CompileContext, Env, Fail, RexClosure, forgive, handles
from firesteel.evaluate.kinds import kind, show
from firesteel.values import MISSING, Bag, Struct, Value, absent

Into = Callable[[Value, Env], Value]
Each = Callable[[Value, Env], list[Value]]


@handles(p.Path)
def _path(node: p.Path, context: CompileContext) -> Generator[Any, Any, RexClosure]:
    root: RexClosure = yield node.root, context
    names = _names(node.steps)
    if names is not None and not context.strict:
        column = node.root.ordinal if isinstance(node.root, p.Var) and node.root.depth == 0 else -1
        return _walking(root, column, names)
    steps: list[tuple[bool, Any]] = []
    for step in node.steps:
        steps.append((isinstance(step, p.Key), (yield step, context)))
    if not all(one for one, _ in steps):
        return _ranging(root, steps)
    intos: list[Into] = [step for _, step in steps]

    def run(env: Env) -> Value:
        value = root(env)
        for into in intos:
            value = into(value, env)
        return value

    return run


def _names(steps: tuple[p.Step, ...]) -> list[tuple[str, str | None]] | None:
    """The names that the steps go into, each with its lower case if it matches in any case; None for other steps."""
    names: list[tuple[str, str | None]] = []
    for step in steps:
        match step:
            case p.Key(key=p.Lit(type=t.Text() as type_, value=str() as name)):
                names.append((name, name.lower() if isinstance(type_, t.Symbol) else None))
            case _:
                return None
    return names


def _walking(root: RexClosure, ordinal: int, names: list[tuple[str, str | None]]) -> RexClosure:
    """A path of names in permissive mode, the usual one: a loop without a call for each step. It starts at the column
    of that ordinal, or if that is -1, at the root."""

    def run(env: Env) -> Value:
        row = env.row
        value = row[ordinal] if 0 <= ordinal < len(row) else root(env)
        for name, folded in names:
            if type(value) is not Struct:
                return None if value is None else MISSING
            found: Value = MISSING
            for key, item in value.pairs:
                if key == name:
                    found = item
                    break
            if found is MISSING and folded is not None:
                for key, item in value.pairs:
                    if key.lower() == folded:
                        found = item
                        break
            value = found
        return value

    return run


def _ranging(root: RexClosure, steps: list[tuple[bool, Any]]) -> RexClosure:
    def run(env: Env) -> Value:
        found = [root(env)]
        for one, step in steps:
            if one:
                found = [step(value, env) for value in found]
            else:
                found = [item for value in found for item in step(value, env)]
        return Bag(found)

    return run


@handles(p.Key)
def _key(node: p.Key, context: CompileContext) -> Generator[Any, Any, Into]:
    key: RexClosure = yield node.key, context
    strict = context.strict and not node.optional
    fail = context.failing(node.where or node.key.where) if strict else forgive
    if not isinstance(node.key.type, t.Text):
        return _index(key, fail)
    any_case = isinstance(node.key.type, t.Symbol)
    find = _strictly(any_case, fail) if strict else (Struct.get_in_any_case if any_case else Struct.get)

    def into(value: Value, env: Env) -> Value:
        name = key(env)
        if type(value) is Struct and isinstance(name, str):
            return find(value, name)
        if _absent(value, name):
            return MISSING if value is MISSING or name is MISSING else None
        return fail("no attribute {} in a value of type {}", show(name), kind(value))

    return into


def _strictly(any_case: bool, fail: Fail) -> Callable[[Struct, str], Value]:
    """An attribute that has to be there, once."""

    def find(struct: Struct, name: str) -> Value:
        folded = name.lower()
        found = [item for key, item in struct.pairs if key == name or (any_case and key.lower() == folded)]
        if len(found) == 1:
            return found[0]
        return fail("attribute {} is ambiguous" if found else "no attribute {}", show(name))

    return find


def _index(key: RexClosure, fail: Fail) -> Into:
    def into(value: Value, env: Env) -> Value:
        index = key(env)
        if isinstance(value, list) and type(index) is int:
            if 0 <= index < len(value):
                return value[index]
            return fail("no element {} in an array of {}", show(index), len(value))
        if _absent(value, index):
            return MISSING if value is MISSING or index is MISSING else None
        return fail("no element {} in a value of type {}", show(index), kind(value))

    return into


def _absent(value: Value, key: Value) -> bool:
    return absent(value) or absent(key)


@handles(p.Wildcard)
def _wildcard(node: p.Wildcard, context: CompileContext) -> Each:
    fail = context.failing(node.where)

    def each(value: Value, _: Env) -> list[Value]:
        if isinstance(value, Bag):
            return value.items
        if not isinstance(value, list):
            fail("[*] takes collections, not {}", kind(value))
            return [value]
        return value

    return each


@handles(p.UnpivotStep)
def _unpivot_step(node: p.UnpivotStep, context: CompileContext) -> Each:
    fail = context.failing(node.where)

    def each(value: Value, _: Env) -> list[Value]:
        if isinstance(value, Struct):
            return [item for _, item in value.pairs]
        fail(".* takes structs, not {}", kind(value))
        return [] if value is MISSING else [value]

    return each
