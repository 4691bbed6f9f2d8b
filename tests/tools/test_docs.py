"""The written reference is what the tables say."""

from __future__ import annotations

import re
from pathlib import Path

from firesteel.repair import RepairKind
from tools import docs_arrow, docs_dialects, docs_findings, docs_formats, docs_passes, docs_relations, docs_repairs
from tools.docs import TARGET, document

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guide.md"


def test_the_functions_are_up_to_date() -> None:
    assert TARGET.read_text(encoding="utf-8") == document(), "run `make docs`"


def test_the_types_of_arrow_are_up_to_date() -> None:
    assert docs_arrow.TARGET.read_text(encoding="utf-8") == docs_arrow.document(), "run `make docs`"


def test_the_repairs_are_up_to_date() -> None:
    assert docs_repairs.TARGET.read_text(encoding="utf-8") == docs_repairs.document(), "run `make docs`"


def test_the_findings_are_up_to_date() -> None:
    assert docs_findings.TARGET.read_text(encoding="utf-8") == docs_findings.document(), "run `make docs`"


def test_the_dialects_are_up_to_date() -> None:
    assert docs_dialects.TARGET.read_text(encoding="utf-8") == docs_dialects.document(), "run `make docs`"


def test_every_kind_of_repair_has_a_code_of_its_own() -> None:
    codes = [kind.code for kind in RepairKind]
    assert codes == sorted(set(codes))
    assert all(re.fullmatch(r"FS8\d\d", code) for code in codes)


def test_the_passes_are_up_to_date() -> None:
    assert docs_passes.TARGET.read_text(encoding="utf-8") == docs_passes.document(), "run `make docs`"


def test_the_guide_runs_from_top_to_bottom() -> None:
    names: dict[str, object] = {}
    for block in re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.M | re.S):
        exec(block, names)


def test_every_file_that_the_guide_names_is_there() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", GUIDE.read_text(encoding="utf-8")):
        assert (GUIDE.parent / target).exists(), target


def test_the_page_of_relations_is_that_of_the_classes() -> None:
    assert docs_relations.TARGET.read_text(encoding="utf-8") == docs_relations.document(), "run `make docs`"
    for relation in docs_relations.RELATIONS:
        assert (ROOT / relation.tests).exists(), relation.name


def test_the_page_of_formats_is_as_the_code() -> None:
    assert docs_formats.TARGET.read_text(encoding="utf-8") == docs_formats.document(), "run `make docs`"
