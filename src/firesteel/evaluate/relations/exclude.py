"""EXCLUDE: values with parts left out."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from firesteel import plan as p
from firesteel.evaluate.base import CompileContext, Env, RelClosure, Rows, handles
from firesteel.values import Bag, Struct, Value


@handles(p.Exclude)
def _exclude(node: p.Exclude, context: CompileContext) -> Generator[Any, Any, RelClosure]:
    source: RelClosure = yield node.input, context
    paths = [(path.ordinal, path.steps) for path in node.paths]

    def run(env: Env) -> Rows:
        rows, ordered = source(env)
        made = []
        for row in rows:
            columns = list(row)
            for ordinal, steps in paths:
                columns[ordinal] = without(columns[ordinal], steps)
            made.append(tuple(columns))
        return Rows(made, ordered)

    return run


def without(value: Value, steps: tuple[p.ExcludeStep, ...]) -> Value:
    """The value without what the path leads to; the value itself if the path leads nowhere."""
    step, last = steps[0], len(steps) == 1
    if isinstance(value, Struct):
        pairs = []
        for name, item in value.pairs:
            if not _named(step, name):
                pairs.append((name, item))
            elif not last:
                pairs.append((name, without(item, steps[1:])))
        return Struct(pairs)
    if isinstance(value, list | Bag) and isinstance(step, p.ExcludeIndex | p.ExcludeElements):
        if isinstance(value, Bag) and isinstance(step, p.ExcludeIndex):
            return value
        items = []
        for i, item in enumerate(value):
            if isinstance(step, p.ExcludeIndex) and step.index != i:
                items.append(item)
            elif not last:
                items.append(without(item, steps[1:]))
        return type(value)(items)
    return value


def _named(step: p.ExcludeStep, name: str) -> bool:
    if isinstance(step, p.ExcludeField):
        return step.name == name if step.exact else step.name.lower() == name.lower()
    return isinstance(step, p.ExcludeAttributes)
