"""Values and queries that nest ten thousand deep: an answer, or an error of ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import firesteel as fs

DEEP = 10_000

FILES = {
    "list.ion": "[" * DEEP + "]" * DEEP,
    "struct.ion": "{a: " * DEEP + "1" + "}" * DEEP,
    "sexp.ion": "(" * DEEP + ")" * DEEP,
    "annotations.ion": "a::" * DEEP + "1",
    "list.jsonl": "[" * DEEP + "]" * DEEP + "\n",
    "struct.jsonl": '{"a": ' * DEEP + "1" + "}" * DEEP + "\n",
}
USES: dict[str, Callable[[fs.Session, Path], Any]] = {
    "ion": lambda s, _: s.query("SELECT VALUE r FROM f AS r").to_ion(),
    "python": lambda s, _: s.query("SELECT VALUE r FROM f AS r").to_python(),
    "arrow": lambda s, _: s.query("SELECT r FROM f AS r").to_arrow(),
    "distinct": lambda s, _: s.query("SELECT DISTINCT r FROM f AS r ORDER BY r").to_ion(),
    "equal": lambda s, _: s.query("SELECT VALUE r = r FROM f AS r").to_ion(),
    "cast": lambda s, _: s.query("SELECT VALUE CAST(r AS STRING) FROM f AS r").to_ion(),
    **{
        suffix: lambda s, folder, suffix=suffix: s.query("SELECT r FROM f AS r").write(folder / f"out.{suffix}")
        for suffix in ("jsonl", "ion", "csv", "parquet")
    },
}


def attempt(do: Callable[[], Any]) -> bool:
    """Does it give an answer? If not, the error is ours and can be shown."""
    try:
        do()
    except fs.FiresteelError as error:
        return not str(error)
    return True


@pytest.mark.parametrize("name", FILES)
def test_values_of_files(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(FILES[name])
    session = fs.connect(engine="reference")
    session.register("f", str(path))
    for use in USES.values():
        attempt(lambda use=use: use(session, tmp_path))
    # Python's reader of JSON recurses; ours of Ion does not.
    assert attempt(lambda: USES["ion"](session, tmp_path)) is name.endswith(".ion")


def test_values_of_python() -> None:
    session = fs.connect(engine="reference")
    list_: Any = []
    dict_: Any = {}
    for _ in range(DEEP):
        list_, dict_ = [list_], {"a": dict_}
    for i, value in enumerate((list_, dict_)):
        session.register(f"v{i}", value)
        assert session.query(f"SELECT VALUE x FROM v{i} AS x").to_ion()


QUERIES = {
    "parentheses": "(" * DEEP + "1" + ")" * DEEP,
    "steps": f"SELECT VALUE t{'.a' * 3_000} FROM t",
    "lists": "[" * 1_000 + "]" * 1_000,
    "cases": f"SELECT VALUE {'CASE WHEN t.a = 1 THEN 1 ELSE ' * 500}0{' END' * 500} FROM t",
    "concat": f"SELECT VALUE {' || '.join(['t.b'] * 1_000)} FROM t",
    "not": f"SELECT VALUE {'NOT ' * 1_000}TRUE FROM t",
    "calls": "UPPER(" * 1_000 + "'a'" + ")" * 1_000,
    "types": f"CAST(NULL AS {'LIST<' * 300}INT{'>' * 300})",
    "too deep": "[" * 100_000,
}


@pytest.mark.parametrize("name", QUERIES)
def test_queries(name: str) -> None:
    session = fs.connect(engine="reference")
    session.register("t", [{"a": 1, "b": "x"}])

    def use() -> None:
        plan = session.plan(QUERIES[name])
        plan.check()
        plan.explain()
        fs.read_plan(plan.to_ion().encode())
        session.query(QUERIES[name]).to_ion()

    assert attempt(use) is (name != "too deep")
