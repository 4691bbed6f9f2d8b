"""Golden cases of PartiQL: a query, and what it gives. Their results were checked by hand; nothing rewrites them.

A file has tables (`-- name: ion`), and cases: `== name`, the query (`[strict]` before it where it is strict), and
`=> ion` or `=> error: part of the message`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import firesteel as fs
from firesteel import values

FOLDER = Path(__file__).parent / "partiql"


@dataclass(frozen=True)
class Case:
    file: str
    name: str
    query: str
    expected: str
    mode: str
    tables: tuple[tuple[str, str], ...]


def cases() -> list[Case]:
    found = []
    for path in sorted(FOLDER.glob("*.golden")):
        text = path.read_text(encoding="utf-8")
        tables = tuple(re.findall(r"^-- (\S+): (.*)$", text, re.M))
        for block in re.split(r"^== ", text, flags=re.M)[1:]:
            name, _, rest = block.partition("\n")
            query, arrow, expected = rest.partition("\n=> ")
            assert arrow, f"{path.name}: '{name}' has no result"
            mode = "strict" if query.startswith("[strict]") else "permissive"
            query = query.removeprefix("[strict]").strip()
            found.append(Case(path.stem, name.strip(), query, expected.strip(), mode, tables))
    return found


CASES = cases()


def verify(session: fs.Session, case: Case) -> None:
    for name, ion in case.tables:
        session.register(name, fs.ion(ion), replace=True)
    if case.expected.startswith("error: "):
        with pytest.raises(fs.FiresteelError) as error:
            session.query(case.query, mode=case.mode).value()
        assert not isinstance(error.value, fs.UnsupportedError), error.value
        assert case.expected.removeprefix("error: ") in error.value.message
        return
    result = session.query(case.query, mode=case.mode)
    assert values.equal(result.value(), fs.ion(case.expected)), result.to_ion()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file}-{case.name}")
def test_reference(case: Case) -> None:
    verify(fs.connect(engine="reference"), case)


def test_there_are_enough() -> None:
    assert len(CASES) >= 150


def test_names_are_unique() -> None:
    names: list[Any] = [(case.file, case.name) for case in CASES]
    assert len(names) == len(set(names))
