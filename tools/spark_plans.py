"""Facts about a physical plan, read from its text (`explain("formatted")`): exchanges, columns and filters of scans,
Python nodes."""

from __future__ import annotations

import contextlib
import io
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

_EXCHANGE = re.compile(r"^[\s:+|*()\d-]*?(?:Exchange|BroadcastExchange) \(\d+\)$", re.MULTILINE)
_PYTHON = re.compile(r"\w*(?:Python|InArrow|InPandas)\w*")
_NUMBER = re.compile(r"subquery#\d+")
_FILTERS = re.compile(r"^PushedFilters: \[(.*)\]$", re.MULTILINE)
_SCHEMA = re.compile(r"^ReadSchema: struct<(.*)>$", re.MULTILINE)
_PART = re.compile(r"[A-Z]\w*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")


@dataclass(frozen=True)
class Facts:
    """The facts about a physical plan, before it runs."""

    exchanges: int
    #: The filters that are pushed to files, and the columns that are read from files, with their numbers.
    filters: Counter[str]
    columns: Counter[str]
    #: Nodes that call Python.
    python: tuple[str, ...]


def facts(frame: Any) -> Facts:
    """The facts of a frame's plan."""
    text = _once(explained(frame))
    filters = [part for found in _FILTERS.findall(text) for part in _PART.findall(found)]
    columns = [part.partition(":")[0] for found in _SCHEMA.findall(text) for part in _fields(found)]
    return Facts(
        len(_EXCHANGE.findall(text)), Counter(filters), Counter(columns), tuple(sorted(set(_PYTHON.findall(text))))
    )


def _once(text: str) -> str:
    """The text with each subquery once: it runs once, however often expressions mention it."""
    main, *subqueries = re.split(r"^(?=Subquery:\d+ Hosting operator)", text, flags=re.MULTILINE)
    found = {(_NUMBER.findall(part.partition("\n")[0]) or [part])[-1]: part for part in reversed(subqueries)}
    return "".join((main, *found.values()))


def explained(frame: Any, mode: str = "formatted") -> str:
    """The text that `explain` prints."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        frame.explain(mode)
    return text.getvalue()


def _fields(struct: str) -> list[str]:
    """The top-level fields of a struct type in text form."""
    depth, parts, start = 0, [], 0
    for i, char in enumerate(struct):
        depth += (char in "<(") - (char in ">)")
        if char == "," and depth == 0:
            parts.append(struct[start:i])
            start = i + 1
    return [part for part in (*parts, struct[start:]) if part]
