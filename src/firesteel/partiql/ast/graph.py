"""Graph patterns: the syntax of `graph MATCH pattern`."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Literal

from firesteel.partiql.ast.expressions import Ast, Expr, Name


class Label(Ast):
    """What the labels of a node or an edge have to satisfy."""


class LabelName(Label, tag="label_name"):
    """This label is among them."""

    name: Name


class LabelAny(Label, tag="label_any"):
    """`%`: there is one."""


class LabelNot(Label, tag="label_not"):
    """`!label`."""

    label: Label


class LabelAnd(Label, tag="label_and"):
    """`label & label`."""

    labels: tuple[Label, ...]


class LabelOr(Label, tag="label_or"):
    """`label | label`."""

    labels: tuple[Label, ...]


class Repeat(Ast, tag="repeat"):
    """`*`, `+` or `{least, most}`."""

    least: int
    most: int | None = None


class Selector(Ast, tag="selector"):
    """Which of the matches: `any`, `any shortest`, `all shortest`, `shortest`, `shortest group`; the last two, and
    `any`, with a number."""

    kind: str
    count: int | None = None


class GraphPart(Ast):
    """A piece of a path: a node, an edge, or a path in parentheses."""


class NodePattern(GraphPart, tag="node"):
    """`(variable :label WHERE filter)`."""

    variable: Name | None = None
    _: KW_ONLY
    label: Label | None = None
    filter: Expr | None = None


class EdgePattern(GraphPart, tag="edge"):
    """`-[variable :label WHERE filter]->`, or without the brackets. The direction is as drawn: `->`, `<-`, `~`, `~>`,
    `<~`, `<->`, `-`."""

    direction: Literal["->", "<-", "~", "~>", "<~", "<->", "-"]
    variable: Name | None = None
    _: KW_ONLY
    label: Label | None = None
    filter: Expr | None = None
    repeat: Repeat | None = None


class PathPattern(GraphPart, tag="path_pattern"):
    """`restrictor variable = element element ...`, the restrictor in lower case."""

    elements: tuple[GraphPart, ...]
    _: KW_ONLY
    restrictor: str | None = None
    variable: Name | None = None
    filter: Expr | None = None
    repeat: Repeat | None = None


class GraphMatch(Expr, tag="graph_match"):
    """`graph MATCH selector pattern, pattern WHERE filter`."""

    graph: Expr
    patterns: tuple[PathPattern, ...]
    _: KW_ONLY
    selector: Selector | None = None
    filter: Expr | None = None
