"""docs/architecture.md says what is: the way of a query is traced, and the rooms are counted."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

import firesteel as fs
from firesteel.passes import PIPELINE, Phase, all_passes

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
TEXT_WAY, SUBSTRAIT_WAY, SHARED_WAY, ROOMS = re.findall(r"^```text\n(.*?)^```", PAGE, re.M | re.S)

#: The modules of the session that a query passes. Catalog, plan cache and results are asked by these, and are not on
#: the way.
OWN = tuple(f"firesteel.session.{name}" for name in ("session", "planner", "statements", "document", "engines"))
#: The rooms whose functions count when the session calls them.
CALLED = ("partiql", "partiql_plan", "substrait", "evaluate", "passes", "explain", "spark")

TEXT = "SELECT t.a FROM t WHERE t.a > 0"
SUBSTRAIT = {
    "relations": [
        {
            "root": {
                "names": ["a"],
                "input": {
                    "read": {
                        "namedTable": {"names": ["t"]},
                        "baseSchema": {
                            "names": ["a"],
                            "struct": {"types": [{"i64": {"nullability": "NULLABILITY_REQUIRED"}}]},
                        },
                    }
                },
            }
        }
    ]
}


def listed(*blocks: str) -> list[str]:
    return [line.split()[0] for block in blocks for line in block.splitlines()]


def room(module: str) -> str:
    return module.split(".")[1] if module.startswith("firesteel.") else ""


def is_on_the_way(frame: FrameType) -> bool:
    """Public functions of the session, and those of other rooms that it calls."""
    module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_qualname
    if any(part.startswith(("_", "<")) for part in name.split(".")):
        return False
    caller = frame.f_back.f_globals.get("__name__", "") if frame.f_back is not None else ""
    return module in OWN or (room(module) in CALLED and room(caller) == "session")


def traced(run: Callable[[], object]) -> tuple[list[str], list[CodeType]]:
    """The functions on the way, each where it is first called, and the code of all functions that were called."""
    names: list[str] = []
    codes: list[CodeType] = []

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event != "call":
            return
        codes.append(frame.f_code)
        if is_on_the_way(frame):
            name = f"{frame.f_globals['__name__'].removeprefix('firesteel.')}.{frame.f_code.co_qualname}"
            if name not in names:
                names.append(name)

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(before)
    return names, codes


def session(**options: Any) -> fs.Session:
    made = fs.connect(**options)
    made.register("t", [{"a": 1}])
    return made


def test_the_way_of_a_text() -> None:
    s = session(engine="reference")
    names, codes = traced(lambda: s.query(TEXT))
    assert names == listed(TEXT_WAY, SHARED_WAY)
    rewrites = {one.rewrite.__code__: one.name for one in all_passes()}
    passed = dict.fromkeys(rewrites[code] for code in codes if code in rewrites)
    assert list(passed) == [one.name for one in all_passes() if one.phase is not Phase.LOWER]


def test_the_way_of_a_substrait_plan() -> None:
    s = session(engine="reference")
    assert traced(lambda: s.run(json.dumps(SUBSTRAIT)))[0] == listed(SUBSTRAIT_WAY, SHARED_WAY)


@pytest.mark.spark
def test_the_way_to_spark(spark: Any) -> None:
    s = session(spark=spark)
    names, codes = traced(lambda: s.query(TEXT))
    engine = "spark.runtime.engine.SparkEngine."
    expected = [name.replace("session.engines.Reference.", engine) for name in listed(TEXT_WAY, SHARED_WAY)]
    assert names == [name for name in expected if not name.startswith(("evaluate.", "passes.analysis."))]
    assert all(one.rewrite.__code__ in codes for one in PIPELINE[Phase.LOWER])


def test_what_is_asked_for_again_is_not_planned_again() -> None:
    s = session(engine="reference")
    s.query(TEXT)
    names, _ = traced(lambda: s.query(TEXT))
    assert [name for name in names if room(f"firesteel.{name}") in CALLED] == [
        "passes.analysis.paths.touched_paths",
        "evaluate.run.evaluate",
        "evaluate.query_log.answered",
    ]


def test_every_room_is_drawn_and_every_room_that_is_drawn_exists() -> None:
    folder = ROOT / "src" / "firesteel"
    folders = {path.parent.name for path in folder.glob("*/__init__.py")}
    modules = {path.stem for path in folder.glob("*.py") if not path.stem.startswith("__")}
    drawn = re.findall(r"\[(\w+)\]", ROOMS)
    assert sorted(drawn) == sorted(folders | modules)


def test_the_rooms_are_drawn_as_the_contract_has_them() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one.get("containers") == ["firesteel"])
    drawn = [re.findall(r"\[(\w+)\]", line) for line in ROOMS.splitlines()]
    assert drawn == [re.findall(r"\w+", one) for one in layers]


def test_every_file_that_the_page_names_is_there() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
    for module in re.findall(r"`((?:passes|session|substrait|cli|tests)/[\w/.]*)`", PAGE):
        assert (ROOT / "src" / "firesteel" / module).exists() or (ROOT / module).exists(), module
