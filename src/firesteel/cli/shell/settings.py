"""What `.set` changes. Each setting is one row; the dot-command of its name is made from that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from firesteel.cli.render import FORMATS


class BadUsage(Exception):
    """A dot-command that is not used as its help says. The message is one line."""


@dataclass
class Settings:
    """The settings of a shell."""

    format: str = "box"
    max_rows: int = 100
    width: int = 0
    strict: bool = False
    timer: bool = False
    pager: bool = True
    pipeline: str = "quiet"


@dataclass(frozen=True)
class Setting:
    """A setting: the attribute of `Settings`, the values that it may have (or `N`), and what it says."""

    attribute: str
    choices: tuple[str, ...]
    help: str

    @property
    def values(self) -> str:
        """What it may be, as help shows it."""
        return "|".join(self.choices) if self.choices else "N"

    def read(self, settings: Settings) -> str:
        """Its value as text."""
        value = getattr(settings, self.attribute)
        return ("on" if value else "off") if isinstance(value, bool) else str(value)

    def write(self, settings: Settings, name: str, text: str) -> None:
        """Set it to what a person wrote."""
        lower = text.lower()
        if self.choices and lower not in self.choices:
            raise BadUsage(f"{name} is one of {', '.join(self.choices)}, not '{text}'")
        if not self.choices and not (lower.isdecimal() and lower.isascii()):
            raise BadUsage(f"{name} is a number, not '{text}'")
        setattr(settings, self.attribute, _READ.get(self.choices, str)(lower))


_SWITCH = ("on", "off")
_READ: dict[tuple[str, ...], Callable[[str], Any]] = {_SWITCH: lambda text: text == "on", (): int}

SETTINGS: dict[str, Setting] = {
    "mode": Setting("format", tuple(FORMATS), "The format of answers"),
    "max_rows": Setting("max_rows", (), "How many rows a format for people shows; 0 shows all"),
    "width": Setting("width", (), "How wide answers are; 0 is as wide as the terminal"),
    "strict": Setting("strict", _SWITCH, "Strict mode: what permissive mode makes MISSING is an error"),
    "timer": Setting("timer", _SWITCH, "Say how long each statement took"),
    "pager": Setting("pager", _SWITCH, "Show long answers in $PAGER, or less"),
    "pipeline": Setting("pipeline", ("quiet", "debug"), "Show every stage of a query, from its tokens to its plan"),
}
