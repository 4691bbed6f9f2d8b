"""The written reference is what the tables say."""

from __future__ import annotations

from tools.docs import TARGET, document


def test_the_functions_are_up_to_date() -> None:
    assert TARGET.read_text(encoding="utf-8") == document(), "run `make docs`"
