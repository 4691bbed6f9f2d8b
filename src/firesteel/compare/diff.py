"""What two plans differ in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from firesteel import plan as p
from firesteel.compare.differences import Difference, differences
from firesteel.compare.normal_form import normal_forms
from firesteel.compare.sides import side_by_side


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
