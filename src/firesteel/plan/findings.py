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
from firesteel.warning import QueryWarning


@dataclass(frozen=True)
class RepairedPlan:
    """A plan of the algebra, and what was repaired when it was read from its document."""

    plan: Plan
    repairs: tuple[Repair, ...] = ()
    #: Warnings of the query text that the plan was made from.
    warnings: tuple[QueryWarning, ...] = ()


class Findings(list[FiresteelError]):
    """The problems of a plan, in plan order, and its `repairs`. A plan without problems can be run."""

    def __init__(
        self,
        problems: Iterable[FiresteelError] = (),
        repairs: tuple[Repair, ...] = (),
        dialect: str | None = None,
    ) -> None:
        super().__init__(problems)
        self.repairs = repairs
        #: Whose plan a Substrait plan was read as: a producer's, or `spec`; None where the producer is not known.
        self.dialect = dialect

    @property
    def exit_code(self) -> int:
        """The exit code of `firesteel check`: that of the first problem."""
        return self[0].exit_code if self else 0

    def to_python(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        return {
            "runs": not self,
            "dialect": self.dialect,
            "problems": [_problem(i, one) for i, one in enumerate(self, 1)],
            "repairs": [_repair(i, one) for i, one in enumerate(self.repairs, 1)],
        }


#: The kind of a problem by its class. Any other class means that the plan is invalid.
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
    """One line per repair: its number, its effect unless it is harmless, its message, and the first place of it."""
    return [
        f"repair {i}{_EFFECTS[one.effect]}: {one.message}" + (f" ({one.where})" if one.where is not None else "")
        for i, one in enumerate(repairs, 1)
    ]


_EFFECTS = {Effect.NONE: "", Effect.LOSS: ", something is lost", Effect.DOUBT: ", in doubt"}


def check_plan(plan: Plan, *, orders: bool = True) -> Findings:
    """What is wrong with a plan of the algebra; without `orders`, apart from the order of inputs."""
    try:
        return Findings(check(plan, orders=orders))
    except FiresteelError as error:  # the plan is too large to check
        return Findings([error])
