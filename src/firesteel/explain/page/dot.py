"""The operators as a graph for Graphviz: `dot -Tpng`."""

from __future__ import annotations

from firesteel.explain.page.model import Operator, PlanPage, PlanView
from firesteel.explain.page.words import measured_words, short, was_hot

#: Characters of an operator that a box shows.
_WIDTH = 60


def page_dot(page: PlanPage) -> str:
    """One graph; each statement or plan is a cluster of it."""
    lines = ["digraph plan {", "  rankdir=BT;", '  node [shape=box, style=rounded, fontname="Helvetica"];']
    for place, view in enumerate(page.views):
        lines += [
            f"  subgraph cluster_{place} {{",
            f"    label={_quoted(view.title)};",
            *_operators(view, place),
            "  }",
        ]
    return "\n".join([*lines, "}"])


def _operators(view: PlanView, place: int) -> list[str]:
    lines = []
    for one in view.operators:
        if one.same_as is None:
            lines.append(f"    v{place}o{one.id} [label={_quoted(_label(one))}{_look(one, view)}];")
        if one.parent is not None:
            label = f" [label={_quoted(one.label)}]" if one.label else ""
            lines.append(f"    v{place}o{one.described_at} -> v{place}o{one.parent}{label};")
    return lines


def _label(one: Operator) -> str:
    return "\n".join([short(one.text, _WIDTH), *measured_words(one)])


def _look(one: Operator, view: PlanView) -> str:
    if was_hot(one, view):
        return ', color="#c5221f", penwidth=2'
    return ', color="#b3261e", style="rounded,dashed"' if one.in_python else ""


def _quoted(text: str) -> str:
    """A text of DOT: a line break is `\\n`, and a backslash is doubled, so that none of the text is an escape."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", " ").replace("\n", "\\n")
    return f'"{escaped}"'


__all__ = ["page_dot"]
