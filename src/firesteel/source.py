"""Source text and places in it: what an error points at."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Source:
    """A text with a name: a file's, or `<query>`."""

    text: str
    name: str = "<query>"

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    def line_column(self, offset: int) -> tuple[int, int]:
        """One-based line and column of an offset."""
        line = bisect_right(self._line_starts, offset) - 1
        return line + 1, offset - self._line_starts[line] + 1

    def line(self, number: int) -> str:
        """The text of a one-based line, without its end."""
        start = self._line_starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")


@dataclass(frozen=True)
class Span:
    """The half-open range `[start, end)` of a source."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def __str__(self) -> str:
        line, column = self.source.line_column(self.start)
        return f"{self.source.name}:{line}:{column}"

    def caret(self, width: int = 100) -> str:
        """The line that the span starts on, and carets under the span; a long line is cut around it."""
        number, column = self.source.line_column(self.start)
        line = self.source.line(number)
        length = max(1, min(self.end - self.start, len(line) - column + 1))
        cut = max(0, column - 1 - width // 2)
        shown = line[cut : cut + width].replace("\t", " ")
        start = column - 1 - cut
        return f"  {shown}\n  {' ' * start}{'^' * max(1, min(length, width - start))}"


@dataclass(frozen=True)
class Place:
    """Where a node of a plan was written: the steps from the document's root, and the span where there is text."""

    path: tuple[str, ...]
    span: Span | None = None

    @property
    def trail(self) -> str:
        """The way to it in words, from relation to relation; empty where there are only the steps."""
        return ""

    def __str__(self) -> str:
        path = "/".join(self.path) or "/"
        return f"{self.span} (at {path})" if self.span else f"at {path}"
