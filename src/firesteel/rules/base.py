"""What a rule is, and what becomes of a plan that breaks one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from firesteel.errors import FiresteelError, PlanError, described
from firesteel.source import Place, Span


class Severity(Enum):
    """How much a broken rule matters."""

    #: The plan does not run.
    ERROR = "error"
    #: The plan runs, but other consumers may refuse it, or read it differently.
    WARNING = "warning"
    #: The plan could do without it.
    NOTE = "note"


class Rule(Enum):
    """A rule: its code, what has to hold, where the specification says so, what to do, and its severity."""

    def __init__(self, code: str, title: str, basis: str, fix: str, severity: Severity = Severity.ERROR) -> None:
        self.code = code
        self.title = title
        self.basis = basis
        self.fix = fix
        self.severity = severity

    def broken(self, message: str, *, where: Span | Place | None = None, help: str | None = None) -> PlanError:
        """The error of a plan that breaks this rule. Without another help it says what the rule says."""
        return PlanError(message, where=where, help=help or self.fix, code=self.code)

    def applies(self, error: FiresteelError) -> FiresteelError:
        """An error that says nothing of a rule yet, as one of this rule."""
        if isinstance(error, PlanError) and error.code == PlanError.code:
            error.code = self.code
            error.help = error.help or self.fix
        return error


@dataclass(frozen=True)
class Remark:
    """A broken rule of a plan that runs nevertheless: a warning or a note."""

    rule: Rule
    message: str
    where: Place | None = None

    @property
    def code(self) -> str:
        """The code of the rule."""
        return self.rule.code

    @property
    def severity(self) -> Severity:
        """The severity of the rule."""
        return self.rule.severity

    @property
    def help(self) -> str:
        """What to do."""
        return self.rule.fix

    def __str__(self) -> str:
        return described(f"{self.code}: {self.severity.value}: {self.message}", self.where, self.help)
