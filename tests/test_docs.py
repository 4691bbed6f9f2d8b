"""The written reference is what the tables say."""

from __future__ import annotations

import re
from pathlib import Path

from tools import docs_arrow, docs_passes
from tools.docs import TARGET, document

GUIDE = Path(__file__).parent.parent / "docs" / "guide.md"


def test_the_functions_are_up_to_date() -> None:
    assert TARGET.read_text(encoding="utf-8") == document(), "run `make docs`"


def test_the_types_of_arrow_are_up_to_date() -> None:
    assert docs_arrow.TARGET.read_text(encoding="utf-8") == docs_arrow.document(), "run `make docs`"


def test_the_passes_are_up_to_date() -> None:
    assert docs_passes.TARGET.read_text(encoding="utf-8") == docs_passes.document(), "run `make docs`"


def test_the_guide_runs_from_top_to_bottom() -> None:
    names: dict[str, object] = {}
    for block in re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.M | re.S):
        exec(block, names)


def test_every_file_that_the_guide_names_is_there() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", GUIDE.read_text(encoding="utf-8")):
        assert (GUIDE.parent / target).exists(), target
