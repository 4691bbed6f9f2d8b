"""Several tables at once: a folder as a database, a file of values as an environment, a file of views as a catalog.

A catalog file is Ion: `firesteel_catalog::{version: 1}`, and behind it a PartiQL Plan document for each view, whose
statement creates it. It is replaced as a whole at every change, by one process after the other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from firesteel import plan as p
from firesteel import values
from firesteel.errors import AnalysisError, EvaluationError, FiresteelError, PlanError, UnsupportedError
from firesteel.ion import Element, read, to_value
from firesteel.ion.document import is_binary
from firesteel.lazy import LazyModule
from firesteel.passes import View
from firesteel.policy import Unpacking
from firesteel.session.document import ensure_size
from firesteel.tables import COMPRESSED, file, owned, path_of, present, staged, suffix_of
from firesteel.tables.files import read_file
from firesteel.tables.opening import open_file, reading

if TYPE_CHECKING:
    from firesteel import partiql_plan
else:  # only a catalog file needs it
    partiql_plan = LazyModule("firesteel.partiql_plan")


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


def values_in(given: str | Path, unpacking: Unpacking) -> dict[str, values.Value]:
    """The values of an environment file by their names."""
    source = file(given, unpacking=unpacking)
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


# ---------------------------------------------------------------------------------------------------------------------
# Catalog files

_MARK = "firesteel_catalog"
_VERSION = 1
#: How long to wait, in seconds, for another process that is changing the file.
_PATIENCE = 10.0


def views_in(given: str | Path, max_size: int | None) -> dict[str, p.Plan]:
    """The views of a catalog file by their names, each as the plan that creates it; none if there is no such file."""
    path = path_of(given)
    if not present(path):
        return {}
    ensure_size(path, max_size)
    with open_file(path) as opened, reading(path):
        data = opened.read()
    try:
        return _views(path, data)
    except FiresteelError as error:
        raise PlanError(
            f"'{path}' is no catalog that can be read: {error.message}",
            where=error.where,
            help="mend or remove the file; the views of a new one are created again",
        ) from error


def _views(path: Path, data: bytes) -> dict[str, p.Plan]:
    try:
        text: str | bytes = data if is_binary(data) else data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PlanError(f"byte {error.start} is not UTF-8") from None
    elements = read(text, str(path))
    if not elements or elements[0].annotations != (_MARK,):
        raise PlanError(f"it does not begin with {_MARK}::{{version: {_VERSION}}}")
    head = to_value(Element(elements[0].kind, elements[0].value))
    if not isinstance(head, values.Struct) or head.get("version") != _VERSION:
        raise PlanError(f"it is of another version than {_VERSION}", where=elements[0].span)
    found: dict[str, p.Plan] = {}
    for document in elements[1:]:
        plan = partiql_plan.read_element(document)
        if not isinstance(plan, p.Plan) or not isinstance(plan.statement, p.CreateView):
            raise PlanError("a document in it creates no view", where=document.span)
        if plan.statement.name in found:
            raise PlanError(f"it has two views '{plan.statement.name}'", where=document.span)
        found[plan.statement.name] = plan
    return found


def view_plan(name: str, view: View) -> p.Plan:
    """The plan that creates a view."""
    return p.Plan(p.CreateView(name, view.query, mode=view.mode), globals=view.globals)


def keep_views(given: Path, changes: Mapping[str, View | None], max_size: int | None) -> None:
    """Change views of a catalog file; None drops one. Others may have changed the file since it was read."""
    path = path_of(given).absolute()
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path):
        views = views_in(path, max_size)
        for name, view in changes.items():
            views.pop(name, None)
            if view is not None:
                views[name] = view_plan(name, view)
        documents = [partiql_plan.write(plan) for plan in views.values()]
        text = "\n".join([f"{_MARK}::{{version: {_VERSION}}}", *documents, ""])
        with staged(path) as new:
            new.write_text(text, encoding="utf-8")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """No other process changes the file in here: the lock is that of its folder."""
    end = time.monotonic() + _PATIENCE
    while True:
        with owned(path.parent) as mine:
            if mine:
                yield
                return
        if time.monotonic() > end:
            raise EvaluationError(f"'{path}' cannot be changed: another process has locked its folder")
        time.sleep(0.02)


__all__ = ["keep_views", "table_name", "tables_in", "values_in", "view_plan", "views_in"]
