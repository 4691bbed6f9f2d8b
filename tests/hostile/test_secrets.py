"""A canary: a secret that goes in by every way must not come out by any: errors, warnings, explanations, logs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

import firesteel as fs
from firesteel.cli.entry import _run
from firesteel.errors import redacted
from tests.hostile.timing import SOON, processor_seconds
from tests.tables.file_plans import files, item, plan

CANARY = "Tw33t-c4nary/+%"
MARKED = "hush-little-canary"


def _session() -> fs.Session:
    return fs.connect(engine="reference")


def _explained(text: str) -> Any:
    return _session().explain(text, params=[fs.secret(MARKED)])


#: What is done with a secret; each prints, returns or raises something.
WAYS: dict[str, Callable[[], Any]] = {
    "a table's user": lambda: _session().register("t", f"s3://AKIA:{CANARY}@bucket/x.parquet"),
    "a table's token": lambda: _session().register("t", f"https://host/x.parquet?token={CANARY}&a=1"),
    "a shared signature": lambda: _session().register("t", f"https://host/c/x.parquet?sv=1&sig={CANARY}"),
    "an option of a format": lambda: _session().register("t", __file__, format="csv", options={"password": CANARY}),
    "where to write": lambda: _session().query("1").write(f"s3://k:{CANARY}@bucket/x.nothing"),
    "a database": lambda: _session().register("t", f"jdbc:x://host/db?user=a&password={CANARY}"),
    "a file in FROM": lambda: _session().query(f"SELECT * FROM 's3://k:{CANARY}@b/x.parquet' AS t"),
    "a catalog file": lambda: fs.connect(engine="reference", catalog=f"/nowhere/token={CANARY}\0"),
    "a file that is not there": lambda: _session().register("t", f"/nowhere/password={CANARY}/x.parquet"),
    "a plan's location": lambda: _session().run(plan(files(item("uriFile", f"s3://k:{CANARY}@b/x.parquet")))),
    "a plan's signature": lambda: _session().run(plan(files(item("uriFile", f"abfs://c/x?signature={CANARY}")))),
    "a plan that is explained": lambda: fs.read_plan(
        plan(files(item("uriFile", f"s3://k:{CANARY}@b/x.parquet")))
    ).explain(),
    "a query's option": lambda: _session().query(f"SELECT * FROM nothing WHERE secret_key = {CANARY}!"),
    "a marked parameter in explain": lambda: _explained("SELECT VALUE x FROM <<1>> AS x WHERE ? = x"),
    "a folded parameter in explain": lambda: _explained("SELECT VALUE ? || '!' FROM <<1>> AS x"),
    "a marked parameter in an error": lambda: (
        _session().query("? + 1", params=[fs.secret(MARKED)], mode="strict").to_python()
    ),
    "a marked parameter in a cast": lambda: (
        _session().query("CAST(? AS INT)", params=[fs.secret(MARKED)], mode="strict").to_python()
    ),
    "a marked parameter in the pipeline": lambda: _session().explain(
        "SELECT VALUE x FROM <<1>> AS x WHERE ? = x", params=[fs.secret(MARKED)], pipeline="debug"
    ),
    "a function's exception": lambda: _raising(),
}


def _raising() -> Any:
    session = _session()

    def connects(url: str) -> str:
        raise ValueError(f"cannot connect to {url}")

    session.register_function("connects", connects, "(string) -> string")
    return session.query(f"connects('jdbc://me:{CANARY}@host/db')", mode="strict").to_python()


@pytest.mark.parametrize("name", WAYS)
def test_no_secret_is_shown(
    name: str, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, recwarn: pytest.WarningsRecorder
) -> None:
    said: list[str] = []
    with caplog.at_level(logging.DEBUG):
        try:
            said.append(str(WAYS[name]()))
        except fs.FiresteelError as error:
            said += [str(error), error.message, repr(error), str(error.args), str(error.help)]
    assert said
    shown = capsys.readouterr()
    said += [shown.out, shown.err, caplog.text, *(str(one.message) for one in recwarn)]
    assert not [text for text in said if CANARY in text or MARKED in text]


def test_the_command_line_shows_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(["query", "SELECT * FROM t", "--table", f"t=s3://k:{CANARY}@b/x.parquet", "--engine", "reference"]) == 1
    shown = capsys.readouterr()
    assert CANARY not in shown.out + shown.err
    assert "***" in shown.err


def test_what_is_redacted() -> None:
    assert redacted("s3://a:b@bucket/c") == "s3://***@bucket/c"
    assert redacted("sc://host:15002/;token=abc;x=1") == "sc://host:15002/;token=***;x=1"
    assert redacted('{"fs.s3a.secret.key": "abc", "a": 1}') == '{"fs.s3a.secret.key": "***", "a": 1}'
    for harmless in ("a: b", "https://host/a@b", "the token is none", "x = 1, y: 2", "user@host"):
        assert redacted(harmless) == harmless
    with pytest.raises(fs.PolicyError, match="less than 4"):
        fs.secret("abc")


def test_a_secret_is_still_a_value() -> None:
    assert _session().query("? || '!'", params=[fs.secret(MARKED)]).to_python() == MARKED + "!"


@pytest.mark.parametrize("text", ["token" * 200_000, ":/a:" * 200_000, "secret." * 100_000 + ":", "token=" * 200_000])
def test_redacting_takes_no_time(text: str) -> None:
    assert processor_seconds(lambda: redacted(text)) < SOON
