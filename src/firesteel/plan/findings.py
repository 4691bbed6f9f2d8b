"""What `check` reports of a plan: problems (invalid, unsupported, refused), remarks (warnings, notes) and repairs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from firesteel.errors import FiresteelError, PolicyError, UnsupportedError
from firesteel.plan.check import check
from firesteel.plan.statement import Plan
from firesteel.repair import Effect, Repair
from firesteel.rules import BY_CODE, Remark, Rule
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
    """The problems of a plan, in plan order, its `remarks` and its `repairs`. A plan without problems can be run."""

    def __init__(
        self,
        problems: Iterable[FiresteelError] = (),
        repairs: tuple[Repair, ...] = (),
        dialect: str | None = None,
        remarks: tuple[Remark, ...] = (),
    ) -> None:
        super().__init__(problems)
        self.repairs = repairs
        #: Whose plan a Substrait plan was read as: a producer's, or `spec`; None where the producer is not known.
        self.dialect = dialect
        #: Rules that the plan breaks although it runs: warnings and notes.
        self.remarks = remarks

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
            "remarks": [_remark(i, one) for i, one in enumerate(self.remarks, 1)],
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
        **_located(error.where),
        "help": error.help,
        **_ruled(BY_CODE.get(error.code)),
    }


def _remark(number: int, remark: Remark) -> dict[str, Any]:
    return {
        "number": number,
        "kind": remark.severity.value,
        "code": remark.code,
        "message": remark.message,
        **_located(remark.where),
        "help": remark.help,
        **_ruled(remark.rule),
    }


def _located(where: object) -> dict[str, Any]:
    return {"path": path_of(where), "trail": (where.trail or None) if isinstance(where, Place) else None}


def _ruled(rule: Rule | None) -> dict[str, Any]:
    """The rule that was broken, and where the specification has it."""
    return {"rule": rule and rule.title, "basis": rule and rule.basis}


def _repair(number: int, repair: Repair) -> dict[str, Any]:
    return {
        "number": number,
        "code": repair.code,
        "name": repair.name,
        "kind": repair.effect.value,
        "message": repair.message,
        **_located(repair.where),
        "why": repair.why,
    }


def path_of(where: object) -> str | None:
    """A place as one text."""
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
