"""The README's Python runs, and prints what the README says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.M | re.S)


def test_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    out = io.StringIO()
    names: dict[str, object] = {}
    code = [text for language, text in BLOCKS if language == "python"]
    with contextlib.redirect_stdout(out):
        for text in code:
            exec(text, names)
    shown = next(text for language, text in BLOCKS if not language and text.startswith("sku"))
    assert out.getvalue() == shown
    assert names["r"].to_python() == ["Ada", "Grace", "Edsger"]  # type: ignore[attr-defined]


def test_the_plan_is_the_example() -> None:
    plan = next(text for language, text in BLOCKS if not language and text.startswith("(map_values"))
    example = (ROOT / "examples" / "revenue.ion").read_text(encoding="utf-8")
    assert plan == example.split("\n", 1)[1]


def test_every_file_that_it_names_is_there() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / target).exists(), target
