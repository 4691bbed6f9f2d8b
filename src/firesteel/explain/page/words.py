"""What the drawings say of an operator in a few words."""

from __future__ import annotations

from firesteel.explain.page.model import Operator, PlanView

#: An operator that takes this part of the measured time is hot.
_HOT = 0.25


def short(text: str, width: int) -> str:
    """The text on one line, cut."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"


def measured_words(one: Operator) -> list[str]:
    """Rows and time of a run, or the rows that are estimated; and whether it needs Python."""
    measured = one.measured
    said = []
    if measured is not None and measured.rows is not None:
        said.append(f"{measured.rows:,} row{'' if measured.rows == 1 else 's'}")
    elif one.estimated_rows is not None:
        said.append(f"about {one.estimated_rows:,.0f} rows")
    if measured is not None and measured.milliseconds is not None:
        said.append(f"{measured.milliseconds:,.1f} ms")
    lines = [", ".join(said)] if said else []
    return [*lines, "in Python"] if one.in_python else lines


def was_hot(one: Operator, view: PlanView) -> bool:
    """Did it take a large part of the time?"""
    total = sum(_milliseconds(other) for other in view.operators)
    return total > 0 and _milliseconds(one) >= _HOT * total


def _milliseconds(one: Operator) -> float:
    return (one.measured.milliseconds or 0.0) if one.measured is not None else 0.0


__all__ = ["measured_words", "short", "was_hot"]
