"""Split a relation that reads an outer row into one that does not, and the conditions over both rows.

Conditions are pulled up through filters, projections and joins. A condition that does not read the outer row stays,
unless it may raise an error and a condition before it, which may guard it, is pulled up.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from firesteel.node import drive
from firesteel.passes.analysis.columns import columns_of, renumbered
from firesteel.passes.analysis.conditions import all_of, filtered, terms
from firesteel.passes.analysis.node_memo import has_table
from firesteel.passes.decorrelate.conditions import join_terms, widened
from firesteel.passes.decorrelate.risk import risky
from firesteel.passes.decorrelate.scopes import sees, width
from firesteel.plan import Capture, Cross, Equi, Filter, Join, JoinType, Mode, Project, Rel, Rex, Theta, build


@dataclass(frozen=True)
class Pulled:
    """A relation that does not read the outer row, and the conditions over its row (depth 0) and the outer row (depth
    1), in order. Its first columns are those of the original relation; more may follow, which the conditions read."""

    rel: Rel
    conditions: tuple[Rex, ...] = ()


Asking = Generator[tuple[Rel], Any, "Pulled | None"]


def pulled(rel: Rel, mode: Mode, *, lazy: bool = False) -> Pulled | None:
    """The relation and its conditions; None if it cannot be split. With `lazy` all conditions are pulled up."""

    def dispatch(rel: Rel) -> Any:
        if not sees(rel, 0) and not (lazy and isinstance(rel, Filter)):
            return Pulled(rel)
        match rel:
            case Filter():
                return _filter(rel, mode, lazy)
            case Project():
                return _project(rel, mode)
            case Join():
                return _join(rel, mode)
            case _:
                return None

    found: Pulled | None = drive(dispatch, rel)
    return found


def _filter(rel: Filter, mode: Mode, lazy: bool) -> Asking:
    below: Pulled | None = yield (rel.input,)
    if below is None:
        return None
    kept: list[Rex] = []
    out = list(below.conditions)
    for term in terms(rel.predicate):
        stays = not sees(term, 1) and not (out and risky(term, mode)) and (not lazy or has_table(term))
        if not stays and has_table(term):
            return None
        (kept if stays else out).append(term)
    return Pulled(filtered(below.rel, kept), tuple(out))


def _project(rel: Project, mode: Mode) -> Asking:
    below: Pulled | None = yield (rel.input,)
    if below is None or any(sees(expr, 1) for expr in rel.exprs):
        return None
    if not below.conditions:
        return Pulled(rel.replace(input=below.rel))
    if any(risky(expr, mode) for expr in rel.exprs):
        return None
    needed = sorted({i for rex in below.conditions for i in columns_of(rex)})
    places = {i: len(rel.exprs) + n for n, i in enumerate(needed)}
    more = tuple(build.column(below.rel, i) for i in needed)
    names = (*rel.names, *(f"${i}" for i in needed)) if rel.names else ()
    made = rel.replace(exprs=(*rel.exprs, *more), input=below.rel, names=names)
    return Pulled(made, tuple(renumbered(rex, places.__getitem__) for rex in below.conditions))


def _join(rel: Join, mode: Mode) -> Asking:
    left: Pulled | None = yield (rel.left,)
    right: Pulled | None = None
    if rel.lateral or rel.capture is not Capture.INNER:
        outer = 1 if rel.lateral else 0
        right = None if sees(rel.right, outer) or rel.capture.pads_left else Pulled(rel.right)
    else:
        right = yield (rel.right,)
    if left is None or right is None:
        return None
    before, after = width(rel.left), width(left.rel)
    kind, own = _kind(rel, before)
    if kind is None or any(has_table(rex) for rex in own):
        return None
    if (own or left.conditions or right.conditions) and (risky(kind, mode) or (rel.lateral and risky(rel.right, mode))):
        return None
    made: Rel = rel.replace(type=widened(kind, before, after), left=left.rel, right=right.rel)
    if rel.capture.tests:
        return _tested(made, rel, left) if not own else None
    beside, wide = width(rel.right), width(right.rel)
    places = [*range(before), *range(after, after + beside), *range(before, after)]
    places += range(after + beside, after + wide)
    made = build.emit(made, places)
    lefts = [renumbered(rex, lambda i: i if i < before else i + beside) for rex in left.conditions]
    shift = lambda i: before + i if i < beside else after + i  # noqa: E731
    rights = [renumbered(rex, shift) for rex in right.conditions]
    return Pulled(made, (*lefts, *rights, *own))


def _tested(made: Rel, rel: Join, left: Pulled) -> Pulled | None:
    """A semi, anti or mark join: the columns that were added to the left rows come last, behind the mark."""
    before, after = width(rel.left), width(left.rel)
    marks = width(made) - after
    places = [*range(before), *range(after, after + marks), *range(before, after)]
    moved = [renumbered(rex, lambda i: i if i < before else i + marks) for rex in left.conditions]
    return Pulled(build.emit(made, places), tuple(moved))


def _kind(rel: Join, left: int) -> tuple[JoinType | None, list[Rex]]:
    """The join type without the conditions that read the outer row, and these conditions."""
    if not sees(rel.type, 1):
        return rel.type, []
    if rel.capture is not Capture.INNER or (isinstance(rel.type, Equi) and any(key.same for key in rel.type.keys)):
        return None, []
    found = join_terms(rel.type, left)
    kept = [term for term in found if not sees(term, 1)]
    return Theta(Capture.INNER, all_of(kept)) if kept else Cross(), [term for term in found if sees(term, 1)]
