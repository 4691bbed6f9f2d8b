"""A Substrait plan as a tree: names beside ordinals, types, what is wrong; of any plan that can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

import firesteel as fs
from firesteel.substrait import decode, explain, new
from tests.substrait import made
from tests.substrait.made import call, emit, field, filtered, lit, message, plan, project, read, root

GOLDEN = Path(__file__).parents[1] / "golden" / "substrait"
SAVED = Path(__file__).parents[2].parent / "shared" / "conformance" / "substrait-plans"


@pytest.mark.parametrize("name", sorted(made.PLANS))
def test_golden(name: str, bless: bool) -> None:
    text = explain(message(made.PLANS[name]())) + "\n"
    path = GOLDEN / f"{name}.txt"
    if bless:
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def lines(*relations: made.Json, **others: object) -> list[str]:
    return explain(message(plan(*relations, **others))).splitlines()


def test_what_is_wrong_is_told_where_it_is_and_the_rest_goes_on() -> None:
    wrong = filtered(read(), call("gt", field(9), lit(i64="1"), out=made.BOOL))
    said = lines(root(project(wrong, call("add", field(1), field(0), out=made.I64), common=emit(0, 3)), "a", "x"))
    assert said[2].startswith("└─ project add(b$1, a$0) emit (0, 3)")
    assert said[2].endswith("[a i64, $1 i64]")
    assert "does not take" in said[3]
    assert said[3].startswith("   ! FS343: ")
    assert "└─ filter gt(⟨$9⟩, 1::i64)" in said[4]
    assert said[5] == "      ! FS321: no field 9: the row has 3"
    assert "└─ read t" in said[6]


def test_emit_is_told_where_it_changes_something() -> None:
    assert "emit" not in lines(root(project(read(), common=emit(0, 1, 2)), "a", "b", "c"))[2]
    assert "emit (2, 0)" in lines(root(project(read(), common=emit(2, 0)), "c", "a"))[2]


def test_hints_and_constraints_are_kept_and_shown() -> None:
    url = {"typeUrl": "type.googleapis.com/somebody.Thing", "value": ""}
    hint = {
        "stats": {"rowCount": 5.0, "recordSize": 8.0},
        "alias": "x",
        "outputNames": ["p", "q", "r"],
        "constraint": {"advancedExtension": {"optimization": [url]}},
    }
    said = lines(root(read(common={"hint": hint}, advancedExtension={"optimization": [url]}), "a", "b", "c"))
    assert said[2].endswith("[p i64, q string?, r i32]")
    assert said[3:] == [
        "   · hint: about 5 rows, about 8 bytes each, alias x, names (p, q, r)",
        "   · constraint optimization: type.googleapis.com/somebody.Thing",
        "   · optimization: type.googleapis.com/somebody.Thing",
    ]


@pytest.mark.parametrize(
    ("relation", "said"),
    [
        ({}, "⟨a relation of nothing⟩"),
        ({"filter": {}}, "filter ⟨an expression of nothing⟩"),
        ({"detachedRelOrdinal": 4}, "⟨detached relation 4⟩"),
        ({"reference": {"subtreeOrdinal": 4}}, "reference to tree 4"),
        ({"extensionLeaf": {"detail": {"@type": "type.googleapis.com/substrait.Version"}}}, "extension_leaf type.goo"),
        ({"exchange": {"input": read(), "broadcast": {}}}, "exchange broadcast"),
        ({"write": {"namedTable": {"names": ["x"]}, "op": "WRITE_OP_CTAS", "input": read()}}, "write ctas x"),
        (
            {"ddl": {"namedObject": {"names": ["v"]}, "object": "DDL_OBJECT_VIEW", "op": "DDL_OP_DROP"}},
            "ddl drop view v",
        ),
        (
            project(read(), {"literal": {"decimal": {"value": "AQ=="}}}, {"enum": {}}),
            "⟨literal decimal⟩, ⟨unspecified⟩",
        ),
        (project(read(), {"scalarFunction": {"functionReference": 99}}), "⟨function 99⟩()"),
        (project(read(), made.outer(1, 3)), "⟨a row that is not there⟩"),
    ],
)
def test_goes_on_past_what_it_cannot_say(relation: made.Json, said: str) -> None:
    assert said in "\n".join(lines(root(relation, "a"), root(read(), "a", "b", "c")))


def test_a_plan_of_nothing_and_one_that_contains_itself() -> None:
    assert explain(new("Plan")) == "substrait 0.0.0\n! FS304: a plan without relations"
    assert "⟨a tree of nothing⟩" in "\n".join(lines({}))
    tree = {**root({"detachedRelOrdinal": 0}, "a"), "detachedRels": [filtered({"detachedRelOrdinal": 0}, field(0))]}
    assert "filter, as in line" in "\n".join(lines(tree))
    around = {**root(project(read(), {"detachedExpressionOrdinal": 0}), "a"), "detachedExpressions": []}
    around["detachedExpressions"] = [call("add", {"detachedExpressionOrdinal": 0}, field(0), out=made.I64)]
    assert "add(⟨detached expression 0⟩, a$0)" in "\n".join(lines(around))


def test_a_deep_plan() -> None:
    rel = read()
    for _ in range(300):
        rel = filtered(rel, call("gt", field(0), lit(i64="1"), out=made.BOOL))
    assert len(lines(root(rel, "a", "b", "c"))) == 303


@pytest.mark.skipif(not SAVED.exists(), reason="the saved plans are not there")
def test_every_saved_plan() -> None:
    files = [path for path in SAVED.rglob("*") if path.suffix in (".json", ".proto") and path.name != "manifest.json"]
    assert len(files) > 300
    for path in sorted(files)[::3]:
        read_ = fs.read_plan(path)
        assert read_.message is not None
        assert explain(read_.message).startswith("substrait ")
        assert decode(fs.substrait.encode(read_.message)) == read_.message
