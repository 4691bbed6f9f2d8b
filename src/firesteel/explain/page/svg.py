"""The operators as a picture: a tree of boxes from the statement down, laid out here.

A box stands in the middle above its inputs, and the trees of two inputs never overlap. What is drawn is found from the
leaves up, so a plan of any depth needs no room on the stack.
"""

from __future__ import annotations

import re
from html import escape
from typing import NamedTuple

from firesteel.explain.page.model import Operator, PlanPage, PlanView, tree_of
from firesteel.explain.page.words import measured_words, short, was_hot

#: Characters of an operator that a box shows, and how wide one is.
_WIDTH, _CHARACTER = 44, 7.25
_LINE, _PAD, _GAP, _STEP, _TITLE = 15, 8, 14, 26, 26

#: Colours by kind, for light pages and for dark ones.
_COLOURS = {
    "statement": ("#4a5568", "#aab6c8"),
    "select": ("#0b6bcb", "#74b6ff"),
    "scan": ("#1a7337", "#7ddc98"),
    "filter": ("#a15c00", "#f0b35a"),
    "join": ("#7a2fd0", "#c79bff"),
    "aggregate": ("#b1226a", "#ff8fc4"),
    "sort": ("#00707a", "#6fdbe4"),
    "limit": ("#5d6d00", "#cfdb6b"),
    "window": ("#3f51b5", "#a6b1ff"),
    "set": ("#8d4a1d", "#e3a981"),
}
_PLAIN = ("#54606f", "#b3bfce")
#: Characters that XML does not have.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class _Box(NamedTuple):
    one: Operator
    lines: list[str]
    width: float
    x: float
    y: float

    @property
    def height(self) -> float:
        return _LINE * len(self.lines) + _PAD


def page_svg(page: PlanPage) -> str:
    """The picture; statements and plans stand beside each other."""
    parts: list[str] = []
    left, height = 10.0, 0.0
    for view in page.views:
        boxes = _laid_out(view)
        width = max((box.x + box.width for box in boxes.values()), default=0.0)
        title = f'<text class="title" x="{left:.0f}" y="18">{_text(view.title)}</text>'
        body = [*_edges(boxes), *(_drawn(box, view) for box in boxes.values())]
        parts.append(f'{title}<g transform="translate({left:.0f} {_TITLE})">{"".join(body)}</g>')
        left += max(width, len(view.title) * _CHARACTER) + 3 * _GAP
        height = max(height, max((box.y + box.height for box in boxes.values()), default=0.0))
    size = f"{left:.0f} {height + _TITLE + 10:.0f}"
    wide, high = size.split()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {size}" role="img">'
        f"<title>{_text(page.title)}</title><style>{_style()}</style>{''.join(parts)}</svg>\n"
    )


def _style() -> str:
    def colours(dark: int) -> str:
        named = "".join(f".{kind}{{stroke:{pair[dark]}}}" for kind, pair in _COLOURS.items())
        return f"rect{{stroke:{_PLAIN[dark]}}}{named}rect.hot{{stroke:#d93025}}"

    return (
        "text{font:12px ui-monospace,'DejaVu Sans Mono',monospace;fill:#1b2330}"
        "text.title{font-weight:600}text .more{fill:#5b6678;font-size:11px}"
        "rect{fill:#fff;stroke-width:1.5}rect.hot{stroke-width:3}rect.python{stroke-dasharray:5 3}"
        f"path{{fill:none;stroke:#9aa6b8;stroke-width:1.2}}{colours(0)}"
        "@media (prefers-color-scheme:dark){text{fill:#e3e8f0}text .more{fill:#9aa6b8}rect{fill:#1a2029}"
        f"{colours(1)}}}"
    )


def _laid_out(view: PlanView) -> dict[int, _Box]:
    """The boxes by their operators' numbers."""
    below = tree_of(view.operators)
    lines = {one.id: _lines(one) for one in view.operators}
    widths = {number: max(map(len, said)) * _CHARACTER + 2 * _PAD for number, said in lines.items()}
    whole: dict[int, float] = {}  # the width of a box with all that is below it
    for one in reversed(view.operators):
        kids = below.get(one.id, ())
        inner = sum(whole[kid.id] for kid in kids) + _GAP * max(0, len(kids) - 1)
        whole[one.id] = max(widths[one.id], inner)
    boxes: dict[int, _Box] = {}
    starts = {0: 0.0}
    for one in view.operators:
        start, kids = starts[one.id], below.get(one.id, [])
        above = boxes.get(one.parent) if one.parent is not None else None
        y = 0.0 if above is None else above.y + above.height + _STEP
        x = start + (whole[one.id] - widths[one.id]) / 2
        boxes[one.id] = _Box(one, lines[one.id], widths[one.id], x, y)
        inner = sum(whole[kid.id] for kid in kids) + _GAP * max(0, len(kids) - 1)
        at = start + (whole[one.id] - inner) / 2
        for kid in kids:
            starts[kid.id] = at
            at += whole[kid.id] + _GAP
    return boxes


def _lines(one: Operator) -> list[str]:
    label = f"{one.label} " if one.label else ""
    return [short(label + one.text, _WIDTH), *measured_words(one)]


def _edges(boxes: dict[int, _Box]) -> list[str]:
    found = []
    for box in boxes.values():
        if box.one.parent is not None:
            above = boxes[box.one.parent]
            x, y, to_x, to_y = box.x + box.width / 2, box.y, above.x + above.width / 2, above.y + above.height
            half = (y + to_y) / 2
            found.append(f'<path d="M{x:.1f} {y:.1f}C{x:.1f} {half:.1f} {to_x:.1f} {half:.1f} {to_x:.1f} {to_y:.1f}"/>')
    return found


def _drawn(box: _Box, view: PlanView) -> str:
    looks = [box.one.kind, *(["hot"] if was_hot(box.one, view) else []), *(["python"] if box.one.in_python else [])]
    rect = (
        f'<rect class="{" ".join(looks)}" x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="6"/>'
    )
    first, *more = box.lines
    tail = "".join(f'<tspan class="more" x="{box.x + _PAD:.1f}" dy="{_LINE}">{_text(line)}</tspan>' for line in more)
    text = f'<text x="{box.x + _PAD:.1f}" y="{box.y + _LINE:.1f}">{_text(first)}{tail}</text>'
    return f"<g><title>{_text(box.one.text)}</title>{rect}{text}</g>"


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("�", text))


__all__ = ["page_svg"]
