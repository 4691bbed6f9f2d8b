"""The exception tree.

    FiresteelError            root of every error we raise
    ├── ParseError            the text is not PartiQL, or not Ion
    ├── AnalysisError         the query parses, but has no meaning: unknown names, wrong types
    ├── PlanError             not a plan, or a plan that contradicts itself
    ├── EvaluationError       a value is wrong at run time: in strict mode, or in both modes
    ├── PolicyError           refused: the policy of the session does not allow it
    └── UnsupportedError      we know what you mean and cannot do it (yet)

An error knows what happened, where (a span of text, a place in a plan), and what to do about it; it also owns its
code and the exit code of the command line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from firesteel.source import Place, Span

#: Texts that `secret` marked. They are kept until the process ends: an error may quote one at any time.
_HIDDEN: set[str] = set()
_STARS = "***"
#: The user in a URI (`s3://key:secret@bucket`), and values of options that are named like a credential. Repetitions
#: are bounded, so that the time is linear.
_USER = re.compile(r"(:/{1,2})(?:[^\s'\"@/:]{1,200}:[^\s'\"@]{1,200}|[^\s'\"@/:]{1,200})@")
_CREDENTIAL = re.compile(
    r"(?i)((?:password|passwd|pwd|secret|token|access[_.-]?key|api[_.-]?key|account[_.-]?key|signature|credentials?"
    r"|authorization|(?<=[?&])sig(?==))"
    r"[\w.-]{0,40}(?:\s{0,9}=\s{0,9}|['\"]\s{0,9}:\s{0,9})['\"]?)([^\s&;,'\"})]+)"
)


def secret(text: str) -> str:
    """The text, marked: no error, warning or explanation of a plan shows it from now on. For parameters and options:
    `s.query(..., params=[fs.secret(token)])`."""
    if len(text) < 4:
        raise PolicyError("a secret of less than 4 characters cannot be hidden", help="it would be found everywhere")
    _HIDDEN.update((text, repr(text)[1:-1]))
    return text


def redacted(text: str) -> str:
    """The text with stars for secrets: those that were marked, users in URIs, and values of credentials."""
    for hidden in sorted(_HIDDEN, key=len, reverse=True):
        text = text.replace(hidden, _STARS)
    if ":/" in text:
        text = _USER.sub(rf"\1{_STARS}@", text)
    return _CREDENTIAL.sub(rf"\1{_STARS}", text) if "=" in text or ":" in text else text


class FiresteelError(Exception):
    """Root of every error that Firesteel raises."""

    code: str = "FS000"
    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        message: str,
        *,
        where: Span | Place | None = None,
        help: str | None = None,
        code: str | None = None,
    ) -> None:
        self.message = redacted(message)
        super().__init__(self.message)
        self.where = where
        self.help = help
        if code is not None:  # of a rule, instead of that of the class
            self.code = code
        #: Errors beside this one, which was raised as the first of them; `check` reports all.
        self.others: tuple[FiresteelError, ...] = ()

    @property
    def span(self) -> Span | None:
        return self.where.span if isinstance(self.where, Place) else self.where

    def located(self, where: Span | Place | None) -> FiresteelError:
        """This error, placed there unless it already knows a place."""
        if self.where is None:
            self.where = where
        return self

    def __str__(self) -> str:
        return described(f"{self.code}: {self.message}", self.where, self.help)


def first_of(errors: Sequence[FiresteelError]) -> FiresteelError:
    """The first of several errors, to be raised for all of them."""
    errors[0].others = tuple(errors[1:])
    return errors[0]


def described(message: str, where: Span | Place | None, help: str | None) -> str:
    """What an error or a warning says: what, where, and what to do."""
    lines = [message]
    if where is not None:
        lines.append(str(where))
        if isinstance(where, Place) and where.trail:
            lines.append(f"in {where.trail}")
    span = where.span if isinstance(where, Place) else where
    if span is not None:
        lines.append(span.caret())
    if help:
        lines.append(f"  {help}")
    return redacted("\n".join(lines))


class ParseError(FiresteelError):
    """The text is not PartiQL, or not Ion."""

    code = "FS100"


class AnalysisError(FiresteelError):
    """The query parses, but has no meaning: an unknown name, a wrong type."""

    code = "FS200"


class PlanError(FiresteelError):
    """Not a plan, or a plan that contradicts itself."""

    code = "FS300"


class EvaluationError(FiresteelError):
    """A value is wrong at run time: in strict mode, or in a way that is an error in both modes."""

    code = "FS400"


class PolicyError(FiresteelError):
    """The session's policy does not allow it."""

    code = "FS500"
    exit_code = 3


class UnsupportedError(FiresteelError):
    """We know what you mean and cannot do it (yet)."""

    code = "FS600"
