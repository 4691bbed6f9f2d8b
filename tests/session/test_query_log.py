"""The logger `firesteel`: a line for each query, a line for each pass, and no secret."""

from __future__ import annotations

import logging

import pytest

import firesteel as fs

SECRET = "hush-little-canary"


def test_queries_and_passes_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "firesteel"), fs.connect(engine="reference") as session:
        session.register("t", [1, 2, 3])
        session.query("SELECT VALUE x FROM t AS x WHERE x > 1 AND ? = ?", params=[fs.secret(SECRET)] * 2).to_python()
    lines = [(record.levelname, record.getMessage()) for record in caplog.records if record.name == "firesteel"]
    answered = [text for level, text in lines if level == "INFO"]
    assert len(answered) == 1
    assert answered[0].startswith("query over t on reference: ")
    assert answered[0].endswith(" ms, 2 rows")
    assert any(text.startswith("optimize: merge_filters: ") for level, text in lines if level == "DEBUG")
    assert SECRET not in caplog.text


def test_the_names_of_tables_are_redacted(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "firesteel"), fs.connect(engine="reference") as session:
        session.register(f"t?password={SECRET}", [1])
        session.query(f'SELECT VALUE x FROM "t?password={SECRET}" AS x').to_python()
    assert "query over t?password=" in caplog.text
    assert SECRET not in caplog.text


def test_nothing_is_logged_unless_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    with fs.connect(engine="reference") as session:
        session.query("1 + 1").to_python()
    assert not [record for record in caplog.records if record.name == "firesteel"]
