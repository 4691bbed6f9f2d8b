"""Read the public PartiQL suite, from any directory in its layout: each case becomes one run per evaluation mode.

A case is a struct inside `namespace::[...]` lists. `envs::{...}` applies to its list; a case's own `env` replaces it. A
statement that is a symbol names an `equiv_class`: all of its statements must give the asserted result.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from firesteel import values
from firesteel.ion import Element, Kind, read, to_value

MODES = {"EvalModeCoerce": "permissive", "EvalModeError": "strict"}


@dataclass(frozen=True)
class Run:
    """A statement (or several equivalent ones) to run in a mode over an environment, and the expected result."""

    id: str
    area: str
    statements: tuple[str, ...]
    expected: str
    mode: str | None = None
    output: values.Value = values.MISSING
    env: values.Struct = field(default_factory=values.Struct)


def load(folder: Path) -> Iterator[Run]:
    """Every run under a directory, in the order of the files."""
    for path in sorted(folder.rglob("*.ion")):
        name = path.relative_to(folder).as_posix()
        elements = read(path.read_bytes(), name)
        yield from _File(name).runs(elements, (), values.Struct())


def in_part(run: Run, parts: int) -> bool:
    """Is the run in the sample: a fixed selection of about one in `parts` runs?"""
    return zlib.crc32(run.id.encode()) % parts == 0


def area_of(name: str) -> str:
    """The area that the report counts a run in: the part of the suite, and the folder below it."""
    parts = Path(name).parts
    part = "extended" if "extended" in parts[0] else "core"
    kinds = [p for p in parts[1:-1] if p in ("eval", "eval-equiv", "success", "fail")]
    below = [p for p in parts[1:-1] if p in ("syntax", "static-analysis", "ion", "rfc", "experimental")]
    return " ".join([part, *kinds, *below])


class _File:
    """The reader of one file. Equivalence classes are known in the whole file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.classes: dict[str, list[str]] = {}

    def runs(self, elements: Sequence[Element], path: tuple[str, ...], env: values.Struct) -> Iterator[Run]:
        for element in elements:
            if "envs" in element.annotations:
                env = to_value(element)
            if "equiv_class" in element.annotations:
                fields = dict(element.value)
                self.classes[fields["id"].value] = [s.value for s in fields["statements"].value]
        for element in elements:
            if element.kind is Kind.LIST:
                yield from self.runs(element.value, (*path, *element.annotations), env)
            elif element.kind is Kind.STRUCT and not {"envs", "equiv_class"} & set(element.annotations):
                yield from self.case(element, path, env)

    def case(self, element: Element, path: tuple[str, ...], env: values.Struct) -> Iterator[Run]:
        fields = dict(element.value)
        statement = fields["statement"]
        statements = self.classes[statement.value] if statement.kind is Kind.SYMBOL else [statement.value]
        if "env" in fields:
            env = to_value(fields["env"])
        id_ = "::".join((self.name, "/".join(path), fields["name"].value))
        asserts = fields["assert"]
        for one in asserts.value if asserts.kind is Kind.LIST else [asserts]:
            yield from self.asserted(dict(one.value), id_, statements, env)

    def asserted(self, said: dict[str, Element], id_: str, statements: list[str], env: values.Struct) -> Iterator[Run]:
        result = said["result"].value
        output = to_value(said["output"]) if "output" in said else values.MISSING
        modes: list[str | None] = [None]
        if "evalMode" in said:
            mode = said["evalMode"]
            modes = [MODES[m.value] for m in (mode.value if mode.kind is Kind.LIST else [mode])]
        for mode_ in modes:
            label = f"{id_}::{mode_}" if mode_ else id_
            yield Run(label, area_of(self.name), tuple(statements), result, mode_, output, env)
