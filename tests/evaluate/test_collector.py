"""The cyclic garbage collector is paused while a query runs, and only then."""

from __future__ import annotations

import gc

import firesteel as fs
from firesteel.evaluate import collector


def test_pauses_overlap_and_end() -> None:
    assert gc.isenabled()
    with collector.paused():
        with collector.paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_what_was_off_stays_off() -> None:
    gc.disable()
    try:
        with collector.paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_functions_of_users_run_with_the_collector() -> None:
    seen = []

    def note(value: int) -> int:
        seen.append(gc.isenabled())
        return value

    with fs.connect(engine="reference") as session:
        session.register_function("note", note, "(int) -> int")
        session.register("t", [1])
        assert session.query("SELECT VALUE note(x) FROM t AS x").to_python() == [1]
        assert session.query("SELECT VALUE x FROM t AS x").to_python() == [1]
    assert seen == [True]
    assert gc.isenabled()
