"""A plan that was asked for before is not made again, unless what it was made with has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

import firesteel as fs
from firesteel import partiql
from firesteel.lru import Recent


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that are parsed."""
    texts: list[str] = []

    def parse(text: str) -> partiql.Statement:
        texts.append(text)
        return partiql_parse(text)

    partiql_parse = partiql.parse
    monkeypatch.setattr(partiql, "parse", parse)
    return texts


def test_a_text_is_planned_once_for_each_state_of_the_catalog(parsed: list[str]) -> None:
    s = fs.connect(engine="reference")
    s.register("t", [{"a": 1}])
    text = "SELECT VALUE t.a FROM t"
    for _ in range(3):
        assert s.query(text).to_python() == [1]
    assert len(parsed) == 1
    s.forget()
    assert s.query(text).to_python() == [1]
    assert len(parsed) == 2
    s.register("t", [{"a": "x"}], replace=True)
    assert s.query(text).to_python() == ["x"]
    s.unregister("t")
    with pytest.raises(fs.AnalysisError):
        s.query(text).to_python()


def test_the_mode_and_the_parameters_count(parsed: list[str]) -> None:
    s = fs.connect(engine="reference")
    assert s.query("1 + 'a'").value() is fs.MISSING
    with pytest.raises(fs.FiresteelError):
        s.query("1 + 'a'", mode="strict").value()
    assert [s.query("? + 1", params=[i]).value() for i in (1, 2)] == [2, 3]


def test_what_is_behind_a_path_is_read_each_time(tmp_path: Path) -> None:
    s = fs.connect(engine="reference")
    path = tmp_path / "plan.ion"
    for value in (1, 2):
        path.write_text(fs.connect(engine="reference").plan(str(value)).to_ion(), encoding="utf-8")
        assert s.run(path).value() == value


def test_the_one_not_asked_for_the_longest_is_forgotten() -> None:
    kept: Recent[str] = Recent(2)
    made: list[str] = []

    def make(text: str) -> str:
        made.append(text)
        return text.upper()

    for text in ("a", "b", "a", "c", "a", "b"):
        assert kept.get(text, lambda text=text: make(text)) == text.upper()  # type: ignore[misc]
    assert made == ["a", "b", "c", "b"]
