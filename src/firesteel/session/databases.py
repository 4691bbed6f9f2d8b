"""Several tables at once: a folder as a database, and a file of values as an environment."""

from __future__ import annotations

from pathlib import Path

from firesteel import values
from firesteel.errors import AnalysisError, PlanError, UnsupportedError
from firesteel.tables import COMPRESSED, file, path_of, suffix_of
from firesteel.tables.files import read_file
from firesteel.tables.opening import reading


def tables_in(given: str | Path, prefix: str | None) -> dict[str, Path]:
    """The tables that the files and folders in a folder are, by their names."""
    folder = path_of(given)
    if not folder.is_dir():
        raise PlanError(f"'{folder}' is no folder", help="register a file with `register`")
    found: dict[str, Path] = {}
    with reading(folder):
        entries = sorted(entry for entry in folder.iterdir() if not entry.name.startswith((".", "_")))
    for entry in entries:
        if not _is_table(entry):
            continue
        name = entry.name if entry.is_dir() else table_name(entry)
        name = name if prefix is None else f"{prefix}.{name}"
        if name in found:
            raise AnalysisError(
                f"'{found[name]}' and '{entry}' would both be the table '{name}'", help="register them one by one"
            )
        found[name] = entry
    if not found:
        raise PlanError(f"there is no table in '{folder}'")
    return found


def _is_table(path: Path) -> bool:
    """Is it a file, or a folder of files, of a known format?"""
    try:
        return file(path) is not None
    except UnsupportedError:  # its format is not known
        return False


def table_name(path: Path) -> str:
    """The name of the table that a file is: without the suffixes of its compression and its format."""
    name = path.name
    if path.suffix.lower() in COMPRESSED:
        name = name[: -len(path.suffix)]
    return name[: -len(suffix_of(path))] if suffix_of(path) else name


def values_in(given: str | Path) -> dict[str, values.Value]:
    """The values of an environment file by their names."""
    source = file(given)
    if source.format not in ("ion", "json"):
        raise UnsupportedError(f"an environment is Ion or JSON: '{source.path}'", help="register it as a table")
    try:
        (found,) = list(read_file(source))
    except ValueError:
        found = None
    if not isinstance(found, values.Struct):
        raise PlanError(f"'{source.path}' is no environment", help="it has to be one struct: {name: value, ...}")
    names = [name for name, _ in found.pairs]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise PlanError(f"'{source.path}' has two values '{repeated}'")
    return dict(found.pairs)


__all__ = ["table_name", "tables_in", "values_in"]
