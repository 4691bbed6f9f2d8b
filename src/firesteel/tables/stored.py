"""Tables that an engine has made, in files of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from firesteel import types as t


@dataclass(frozen=True)
class Stored:
    """Rows in folders that are written once and never changed: to add rows is to add a folder. Whoever holds the
    value of before sees what was there before. A column is encoded by its type, as the engine does it."""

    folders: tuple[Path, ...]
    columns: t.Schema
