"""The write operator in plans: files and virtual tables, by a message of ours; and what a policy says to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import firesteel as fs
from firesteel.spark.runtime.inspect import physical_plan

ROWS: list[dict[str, Any]] = [
    {"c": "de", "r": 0, "p": {"x": 1, "y": {"z": 2}}, "n": 1},
    {"c": "fr", "r": 5, "p": {"x": 3, "y": {"z": 4}}, "n": 2},
    {"c": "de", "r": 0, "p": {"x": 5, "y": {"z": 6}}, "n": 3},
]
I64 = {"i64": {"nullability": "NULLABILITY_NULLABLE"}}
INNER = {"struct": {"types": [I64], "nullability": "NULLABILITY_NULLABLE"}}
TYPES: list[Any] = [
    {"string": {"nullability": "NULLABILITY_NULLABLE"}},
    I64,
    {"struct": {"types": [I64, INNER], "nullability": "NULLABILITY_NULLABLE"}},
    I64,
]
READ = {
    "baseSchema": {"names": ["c", "r", "p", "x", "y", "z", "n"], "struct": {"types": TYPES}},
    "namedTable": {"names": ["t"]},
}
#: The columns, then the fields of the struct, then those of the struct in it.
NAMES = ["country", "rotate", "point", "number", "across", "up", "deep"]


def field(ordinal: int) -> dict[str, Any]:
    return {"directReference": {"structField": {"field": ordinal}}, "rootReference": {}}


def plan(detail: dict[str, Any], **write: Any) -> str:
    made = {
        "extensionTable": {"detail": {"@type": "type.googleapis.com/firesteel.Write", **detail}},
        "op": "WRITE_OP_CTAS",
        "input": {"read": READ},
        **write,
    }
    return json.dumps({"relations": [{"root": {"input": {"write": made}}}]})


@pytest.fixture(params=["reference", pytest.param("spark", marks=pytest.mark.spark)])
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[fs.Session]:
    policy = fs.Policy(allow_write=[tmp_path])
    if request.param == "spark":
        made = fs.connect(spark=request.getfixturevalue("spark"), in_process=False, policy=policy)
    else:
        made = fs.connect(engine="reference", policy=policy)
    made.register("t", ROWS)
    with made:
        yield made


def test_files_with_everything(session: fs.Session, tmp_path: Path) -> None:
    mask = {
        "select": {"structItems": [{"field": 3}, {"field": 2, "child": {"struct": {"structItems": [{"field": 1}]}}}]}
    }
    detail = {
        "files": {"path": f"{tmp_path}/out/{{country}}.parquet", "format": "parquet", "compression": "zstd"},
        "fieldNames": NAMES,
        "mask": mask,
        "rotationDescription": [field(0)],
        "rotationIndicator": field(1),
    }
    document = plan(detail)
    again = fs.read_plan(fs.read_plan(document).to_substrait())
    for one in (document, again):
        assert session.run(one).to_python() == []
        files = sorted((tmp_path / "out").iterdir())
        assert [path.name for path in files] == ["de.parquet", "fr.parquet"]
        found = [pq.read_table(path).to_pylist() for path in files]
        assert found == [
            [{"number": 1, "point": {"up": {"deep": 2}}}],
            [{"number": 2, "point": {"up": {"deep": 4}}}, {"number": 3, "point": {"up": {"deep": 6}}}],
        ]
        with pytest.raises(fs.PlanError, match="is there already"):
            session.run(document)
        for path in files:
            path.unlink()
        (tmp_path / "out").rmdir()
    assert "write_files" in session.explain(fs.read_plan(document))
    assert session.check(fs.read_plan(document)) == []


def test_names_go_breadth_first(session: fs.Session, tmp_path: Path) -> None:
    session.run(plan({"files": {"path": f"{tmp_path}/n.jsonl", "format": "json"}, "fieldNames": NAMES}))
    parts = [tmp_path / "n.jsonl"] if (tmp_path / "n.jsonl").is_file() else (tmp_path / "n.jsonl").glob("*.json")
    (first, *_) = sorted(line for part in parts for line in part.read_text().splitlines())
    point = {"across": 1, "up": {"deep": 2}}
    assert json.loads(first) == {"country": "de", "rotate": 0, "point": point, "number": 1}


def test_what_a_policy_refuses(session: fs.Session, tmp_path: Path) -> None:
    def files(path: str, **more: Any) -> str:
        return plan({"files": {"path": path, "format": "parquet"}, "fieldNames": NAMES, **more})

    for path in ("/tmp/elsewhere.parquet", f"{tmp_path}/../x.parquet", "s3://b/x.parquet"):
        with pytest.raises(fs.PolicyError):
            session.run(files(path))
    with pytest.raises(fs.PolicyError):  # the folder that would be replaced is the one that is allowed
        session.run(files(f"{tmp_path}/{{country}}.parquet", rotationDescription=[field(0)]))
    with pytest.raises(fs.PlanError, match="no rotation description field"):
        session.run(files(f"{tmp_path}/o/{{country}}.parquet"))
    with pytest.raises(fs.PlanError, match="no field 9"):
        session.run(files(f"{tmp_path}/o.parquet", rotationIndicator=field(9)))
    with pytest.raises(fs.PlanError, match="names"):
        session.run(plan({"files": {"path": f"{tmp_path}/o.parquet"}, "fieldNames": [*NAMES, "one more"]}))
    with pytest.raises(fs.PlanError, match="does not say where to"):
        session.run(plan({}))
    assert list(tmp_path.iterdir()) == []


def test_virtual_tables(session: fs.Session) -> None:
    for pin in (False, True):
        name = f"v{int(pin)}"
        document = plan({"virtualTable": {"names": [name], "pin": pin}, "fieldNames": NAMES})
        session.run(document)
        assert sorted(session.query(f"SELECT VALUE v.point.up.deep FROM {name} AS v").to_python()) == [2, 4, 6]
    session.write_table("w", "SELECT v.number, v.nothing AS m FROM v1 AS v", pin=True)
    found = session.query("SELECT VALUE w FROM w AS w ORDER BY w.number").to_python()
    assert found == [{"number": 1}, {"number": 2}, {"number": 3}]
    with pytest.raises(fs.AnalysisError, match="registered already"):
        session.write_table("w", "SELECT v.number FROM v1 AS v")
    session.write_table("w", "SELECT v.number + 1 AS number FROM v1 AS v", mode="overwrite")
    session.write_table("w", "SELECT v.number FROM v1 AS v WHERE v.number = 1", mode="append")
    assert sorted(session.query("SELECT VALUE w.number FROM w AS w").to_python()) == [1, 2, 3, 4]
    with pytest.raises(fs.UnsupportedError, match="columns are not known"):
        session.write_table("x", "SELECT VALUE 1 FROM w AS w")


@pytest.mark.spark
def test_a_pinned_table_is_in_memory(spark: Any) -> None:
    with fs.connect(spark=spark, in_process=False) as session:
        session.register("t", ROWS)
        for name, pin in (("kept", True), ("unkept", False)):
            session.write_table(name, "SELECT t.n FROM t AS t", pin=pin)
            shown = physical_plan(session.query(f"SELECT k.n + 1 AS m FROM {name} AS k").to_spark())
            assert ("InMemoryTableScan" in shown) is pin
