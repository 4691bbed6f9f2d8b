"""The written reference is what the tables say, and every function has its place in it."""

from __future__ import annotations

from firesteel.functions import substrait as standard
from tools import docs_substrait


def test_it_is_up_to_date() -> None:
    assert docs_substrait.TARGET.read_text(encoding="utf-8") == docs_substrait.document(), "run `make docs`"


def test_every_function_is_native_in_python_or_missing_with_a_reason() -> None:
    for one in standard.all_declarations():
        said = docs_substrait.on_spark(one)
        assert said == "in Python" or said.startswith(("native", "missing: ")), one.name
        assert said != "missing: ", one.name
