"""What `check` reports of a plan: problems (invalid, unsupported, refused) and repairs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from firesteel.errors import FiresteelError, PolicyError, UnsupportedError
from firesteel.plan.check import check
from firesteel.plan.statement import Plan
from firesteel.repair import Effect, Repair
from firesteel.source import Place


@dataclass(frozen=True)
class RepairedPlan:
    """A plan of the algebra, and what was repaired when it was read from its document."""

    plan: Plan
    repairs: tuple[Repair, ...] = ()


class Findings(list[FiresteelError]):
    """The problems of a plan, in its order, and beside them what was repaired. Without problems it would run."""

    def __init__(self, problems: Iterable[FiresteelError] = (), repairs: tuple[Repair, ...] = ()) -> None:
        super().__init__(problems)
        self.repairs = repairs

    @property
    def exit_code(self) -> int:
        """That of the command line: the first problem's."""
        return self[0].exit_code if self else 0

    def to_python(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        return {
            "runs": not self,
            "problems": [_problem(i, one) for i, one in enumerate(self, 1)],
            "repairs": [_repair(i, one) for i, one in enumerate(self.repairs, 1)],
        }


#: What sort of a problem it is. One of another class says that the plan is invalid.
_SORTS: dict[type[FiresteelError], str] = {UnsupportedError: "unsupported", PolicyError: "refused"}


def _problem(number: int, error: FiresteelError) -> dict[str, Any]:
    return {
        "number": number,
        "kind": _SORTS.get(type(error), "invalid"),
        "code": error.code,
        "message": error.message,
        "path": _path(error.where),
        "help": error.help,
    }


def _repair(number: int, repair: Repair) -> dict[str, Any]:
    return {
        "number": number,
        "code": repair.code,
        "name": repair.name,
        "kind": repair.effect.value,
        "message": repair.message,
        "path": _path(repair.where),
        "why": repair.why,
    }


def _path(where: object) -> str | None:
    return "/".join(where.path) if isinstance(where, Place) else None if where is None else str(where)


def repair_lines(repairs: Iterable[Repair]) -> list[str]:
    """A line for every repair: what, and where it was first met; before it, whether it is more than harmless."""
    return [
        f"repair {i}{_EFFECTS[one.effect]}: {one.message}" + (f" ({one.where})" if one.where is not None else "")
        for i, one in enumerate(repairs, 1)
    ]


_EFFECTS = {Effect.NONE: "", Effect.LOSS: ", something is lost", Effect.DOUBT: ", in doubt"}


def check_plan(plan: Plan) -> Findings:
    """What is wrong with a plan of the algebra."""
    try:
        return Findings(check(plan))
    except FiresteelError as error:  # it is larger than what can be judged
        return Findings([error])
