"""Two plans beside each other, as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import zip_longest

from firesteel import plan as p
from firesteel.compare.differences import Difference
from firesteel.errors import redacted
from firesteel.explain.page import Comparison, Operator, PlanPage, PlanView
from firesteel.pages import Statement, page_of

_NOTE = "both plans are in the form in which they are compared: what is only written differently is the same"
_NO_SPARK = "plans in this form do not run"


def comparison_page(
    left: p.Plan, right: p.Plan, differences: Sequence[Difference], titles: tuple[str, str]
) -> PlanPage:
    """The page of two plans in normal form."""
    views = (_view(left, titles[0]), _view(right, titles[1]))
    listed = [(" / ".join(one.path), _hidden(one.left), _hidden(one.right)) for one in differences]
    found = Comparison(tuple(_pairs(*(view.operators for view in views))), tuple(listed))
    return PlanPage(redacted(f"{titles[0]} and {titles[1]}"), views, found)


def _hidden(text: str | None) -> str | None:
    return None if text is None else redacted(text)


def _view(plan: p.Plan, title: str) -> PlanView:
    """The view of a plan; the statements of a script follow each other."""
    views = page_of(title, [Statement(plan, no_spark=_NO_SPARK, notes=(_NOTE,))]).views
    return replace(views[0], title=redacted(title))


def _pairs(left: Sequence[Operator], right: Sequence[Operator]) -> Iterator[tuple[int, int, bool]]:
    """The operators that correspond to each other: those that are the same in order, and between them those of one
    kind."""
    ours = [(one.tag, one.text) for one in left]
    theirs = [(one.tag, one.text) for one in right]
    for what, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if what == "equal":
            yield from ((left[i].id, right[c + i - a].id, True) for i in range(a, b))
            continue
        for one, other in zip_longest(left[a:b], right[c:d]):
            if one is not None and other is not None and one.tag == other.tag:
                yield one.id, other.id, False


__all__ = ["comparison_page"]
