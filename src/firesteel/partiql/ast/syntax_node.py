"""Nodes that are cheap to make.

A syntax tree has a node for every other token, and making them is most of what parsing costs. A frozen dataclass sets
each field through `object.__setattr__`; here the fields go straight into the instance's dictionary. A
span is kept as a tuple until it is asked for. Otherwise these nodes behave like all others.
"""

from __future__ import annotations

import dataclasses
from typing import Any, cast

from firesteel.node import Node
from firesteel.source import Span


class SyntaxNode(Node):
    """A node whose `__init__` writes to `__dict__`; it takes `where` as a span or as the fields of one."""

    where: Span | None = dataclasses.field(default=None, kw_only=True, compare=False)

    def __init_subclass__(cls, tag: str | None = None, atom: bool | None = None) -> None:
        super().__init_subclass__(tag, atom)
        cls.__init__ = _init_of(cls)  # type: ignore[method-assign]


def _where(node: SyntaxNode) -> Span | None:
    fields = node.__dict__
    where: Any = fields["where"]
    if type(where) is tuple:
        where = fields["where"] = Span(*where)
    return cast("Span | None", where)


SyntaxNode.where = property(_where)  # type: ignore[assignment]


def _init_of(cls: type[Node]) -> Any:
    fields = dataclasses.fields(cast(Any, cls))
    names: dict[str, Any] = {"__builtins__": {}}
    positional: list[str] = []
    named: list[str] = []
    for field in fields:
        text = field.name
        if field.default is not dataclasses.MISSING:
            names[f"_{field.name}"] = field.default
            text += f"=_{field.name}"
        (named if field.kw_only else positional).append(text)
    stores = "".join(f"\n d[{field.name!r}] = {field.name}" for field in fields)
    exec(f"def __init__({', '.join(['self', *positional, '*', *named])}):\n d = self.__dict__{stores}", names)
    return names["__init__"]
