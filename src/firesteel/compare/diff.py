"""What two plans differ in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesteel import plan as p
from firesteel.compare.differences import Difference, differences
from firesteel.compare.normal_form import normal_forms
from firesteel.compare.page import comparison_page
from firesteel.compare.sides import side_by_side
from firesteel.explain.page import PlanPage
from firesteel.pages import show


@dataclass(frozen=True)
class Diff:
    """What two plans differ in. `left` and `right` are the plans in normal form."""

    differences: tuple[Difference, ...]
    left: p.Plan
    right: p.Plan

    @property
    def same(self) -> bool:
        return not self.differences

    def side_by_side(self, width: int = 160) -> str:
        """Both plans in normal form, as trees, side by side."""
        return side_by_side(self.left, self.right, width)

    def page(self, titles: tuple[str, str] = ("A", "B")) -> PlanPage:
        """Both plans in normal form, beside each other, to look at."""
        return comparison_page(self.left, self.right, self.differences, titles)

    def show(self, path: str | Path | None = None, titles: tuple[str, str] = ("A", "B")) -> PlanPage:
        """Write that page to an HTML file. Without a path it is opened in a browser, or in a notebook shown there."""
        return show(self.page(titles), path)

    def to_python(self) -> dict[str, Any]:
        """The differences as plain lists and dicts."""
        listed = [{"path": list(one.path), "left": one.left, "right": one.right} for one in self.differences]
        return {"same": self.same, "differences": listed}

    def __str__(self) -> str:
        if self.same:
            return "the plans are the same"
        number = len(self.differences)
        places = "1 place" if number == 1 else f"{number} places"
        return "\n".join([f"the plans differ in {places}", *map(str, self.differences)])


def compare(left: p.Plan, right: p.Plan) -> Diff:
    """Bring both plans into normal form, and list where these differ."""
    a, b = normal_forms(left, right)
    return Diff(tuple(differences(a, b)) if a != b else (), a, b)
