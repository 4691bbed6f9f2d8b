"""The operators as a flowchart for Mermaid, which GitHub and others draw."""

from __future__ import annotations

import re

from firesteel.explain.page.model import Operator, PlanPage, PlanView
from firesteel.explain.page.words import measured_words, short, was_hot

#: Characters of an operator that a box shows.
_WIDTH = 60
#: Characters that Mermaid and HTML take for nothing but themselves.
_OTHER = re.compile(r"[^\w .,:=+*/$'?~^-]", re.ASCII)


def page_mermaid(page: PlanPage) -> str:
    """One flowchart; each statement or plan is a part of it."""
    lines = ["flowchart BT"]
    for place, view in enumerate(page.views):
        lines += [f'  subgraph v{place}["{_escaped(view.title)}"]', *_operators(view, place), "  end"]
    lines += ["  classDef hot stroke:#c5221f,stroke-width:3px", "  classDef python stroke-dasharray:4"]
    return "\n".join(lines)


def _operators(view: PlanView, place: int) -> list[str]:
    lines = []
    for one in view.operators:
        if one.same_as is None:
            lines.append(f'    v{place}o{one.id}["{_label(one)}"]{_look(one, view)}')
        if one.parent is not None:
            arrow = f'-- "{_escaped(one.label)}" -->' if one.label else "-->"
            lines.append(f"    v{place}o{one.described_at} {arrow} v{place}o{one.parent}")
    return lines


def _label(one: Operator) -> str:
    return "<br>".join(map(_escaped, [short(one.text, _WIDTH), *measured_words(one)]))


def _look(one: Operator, view: PlanView) -> str:
    return ":::hot" if was_hot(one, view) else ":::python" if one.in_python else ""


def _escaped(text: str) -> str:
    """Every character that could be markup goes by its number."""

    def numbered(found: re.Match[str]) -> str:
        return f"#{ord(found[0])};"

    return _OTHER.sub(numbered, text)


__all__ = ["page_mermaid"]
