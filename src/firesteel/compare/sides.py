"""Two plans as trees, side by side, like `diff --side-by-side`."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import zip_longest

from firesteel import plan as p
from firesteel.explain import explain

#: What stands between two lines, by what is there on the left and on the right.
_MARKS = {(True, True): "|", (True, False): "<", (False, True): ">"}


def side_by_side(left: p.Plan, right: p.Plan, width: int = 160) -> str:
    """Both trees. Between two lines `|` says that they differ; `<` and `>` that only one plan has the line."""
    sides = [explain(plan, columns=False).splitlines() for plan in (left, right)]
    room = max((width - 3) // 2, 20)
    return "\n".join(
        f"{_cut(one or '', room):<{room}} {mark} {_cut(other or '', room)}".rstrip()
        for one, mark, other in _lines(*sides)
    )


def _lines(left: list[str], right: list[str]) -> Iterator[tuple[str | None, str, str | None]]:
    for what, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        for one, other in zip_longest(left[a:b], right[c:d]):
            yield one, " " if what == "equal" else _MARKS[one is not None, other is not None], other


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1] + "…"
