"""Tables that an engine has made, in files of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from firesteel import types as t


@dataclass(frozen=True)
class Stored:
    """Rows in folders that are written once and never changed: to add rows is to add a folder. An older
    `Stored` value still sees the older rows. Columns are encoded by their types, as the engine does."""

    folders: tuple[Path, ...]
    columns: t.Schema
