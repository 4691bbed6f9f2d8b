"""What plans write: tables and views in the session's catalog, rows added to them; all of it, or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import firesteel as fs
from firesteel import values
from firesteel.cli.entry import _run
from tests.tables.file_plans import (
    AB,
    I32,
    I64,
    STRING,
    Json,
    column,
    define,
    plan,
    root,
    schema,
    table,
    virtual,
    write,
)

REQUIRED = schema(a=column("i64", nullable=False), b=STRING)
CD = schema(c=I64, d=STRING)


@pytest.fixture
def session() -> fs.Session:
    return fs.connect(engine="reference")


def rows(session: fs.Session, name: str) -> list[Any]:
    return sorted(session.query(f"SELECT * FROM {name}").to_python(), key=str)


def ab(*pairs: tuple[Any, Any]) -> list[Any]:
    return sorted(({"a": a, "b": b} for a, b in pairs), key=str)


def fails(session: fs.Session, *trees: Json) -> str:
    """The message of the error that a plan ends with."""
    with pytest.raises(fs.FiresteelError) as error:
        session.run_all(plan(*trees))
    return f"{type(error.value).__name__}: {error.value.message}"


def test_a_table_of_a_query(session: fs.Session) -> None:
    made = write("t", virtual((1, "x"), (2, None)), "CTAS")
    (seen,) = session.run_all(plan(made, root(table("t"), "a", "b")))  # a later tree sees it
    assert seen.to_python() == ab((1, "x"), (2, None))
    assert session.run(plan(write("u", table("t"), "CTAS"))).to_python() == []  # no root, no rows
    assert rows(session, "u") == rows(session, "T") == ab((1, "x"), (2, None))


def test_a_table_that_is_there(session: fs.Session) -> None:
    session.run(plan(write("t", virtual((1, "x")), "CTAS")))
    assert fails(session, write("T", virtual((2, "y")), "CTAS")) == "AnalysisError: 'T' is registered already"
    assert fails(session, write("t", virtual((2, "y")), "CTAS", mode="ERROR")).startswith("AnalysisError")
    session.run(plan(write("t", virtual((2, "y")), "CTAS", mode="IGNORE")))
    assert rows(session, "t") == ab((1, "x"))
    session.run(plan(write("t", virtual((2, "y")), "CTAS", mode="APPEND")))
    assert rows(session, "t") == ab((1, "x"), (2, "y"))
    session.run(plan(write("t", table("t"), "CTAS", mode="REPLACE")))  # of itself
    assert rows(session, "t") == ab((1, "x"), (2, "y"))
    session.run(plan(write("t", virtual((3, "z"), columns=CD), "CTAS", mode="REPLACE", columns=CD)))
    assert rows(session, "t") == [{"c": 3, "d": "z"}]
    for mode in ("APPEND", "REPLACE", "IGNORE"):  # and where there is none
        session.run(plan(write(f"new_{mode}", virtual((1, "x")), "CTAS", mode=mode)))
        assert rows(session, f"new_{mode}") == ab((1, "x"))


def test_columns_match_by_name(session: fs.Session) -> None:
    session.run(plan(write("t", virtual((1, "x")), "CTAS")))
    turned = schema(b=STRING, A=I32)
    session.run(plan(write("t", virtual(("y", 2), columns=turned), "INSERT", columns=turned)))
    only = schema(b=STRING)
    session.run(plan(write("t", virtual(("z",), columns=only), "INSERT", columns=only)))
    assert rows(session, "t") == ab((1, "x"), (2, "y"), (None, "z"))
    other = schema(a=I64, c=STRING)
    said = fails(session, write("t", virtual((1, "x"), columns=other), "INSERT", columns=other))
    assert said == "PlanError: 't' has no column 'c'"
    dates = schema(a=column("date"), b=STRING)
    assert "column 'a' is a date" in fails(session, write("t", table("d", columns=dates), "INSERT", columns=dates))
    session.run(plan(write("one", virtual((1,), columns=schema(Aa=I64)), "CTAS", columns=schema(Aa=I64))))
    twice = schema(aa=I64, AA=I64)
    assert "but for case" in fails(session, write("one", virtual((1, 2), columns=twice), "INSERT", columns=twice))
    assert fails(session, write("none", virtual((1, "x")), "INSERT")) == "AnalysisError: no table 'none'"


def test_a_write_without_a_schema_goes_by_position_and_a_table_may_have_more_names(session: fs.Session) -> None:
    session.run(plan(write("t", virtual((1, "x")), "CTAS")))
    given = write("t", virtual((2, "y"), columns=CD), "INSERT", columns=None)
    assert session.run_all(plan(given)) == []
    given["root"]["input"]["write"]["namedTable"]["names"] = ["public", "t"]
    result = session.run(plan(given, root(table("public", "t"), "a", "b")))
    assert [repair.message for repair in result.repairs] == [
        "'public.t' is the table 't'",
        "a write without its table's schema: columns go by their positions",
    ]
    assert rows(session, "t") == ab((1, "x"), (2, "y"), (2, "y"))


#: A struct with a name for each of its fields, and one in a list: `p{q,r}`, `l[{x}]`.
NESTED = {
    "names": ["p", "q", "r", "l", "x"],
    "struct": {
        "types": [column("struct", types=[I64, STRING]), column("list", type=column("struct", types=[I64]))],
        **column("x", nullable=False)["x"],
    },
}
ROW = [{"p": {"q": 1, "r": "x"}, "l": [{"x": 7}]}]


def built(number: int = 1, text: str = "x") -> Json:
    """A row whose struct and list are put together in the plan: their fields have no names there."""
    one = [{"literal": {"i64": str(number), "nullable": True}}, {"literal": {"string": text, "nullable": True}}]
    item = {"nested": {"struct": {"fields": [{"literal": {"i64": "7", "nullable": True}}]}}}
    values = [{"nested": {"struct": {"fields": one}}}, {"nested": {"list": {"values": [item]}}}]
    common = {"emit": {"outputMapping": [1, 2]}}
    return {"project": {"common": common, "input": virtual((1,), columns=schema(n=I64)), "expressions": values}}


def nested_writes() -> dict[str, list[Json]]:
    """Plans that make `t` of one row, or see it through a view."""
    made = define("t", "TABLE", "CREATE", tableSchema=NESTED)
    view = define("t", "VIEW", "CREATE", viewDefinition=built(), tableSchema=NESTED)
    return {
        "CTAS": [write("t", built(), "CTAS", columns=NESTED)],
        "INSERT": [made, write("t", built(), "INSERT", columns=NESTED)],
        "INSERT without a schema": [made, write("t", built(), "INSERT", columns=None)],
        "a view": [view],
    }


@pytest.mark.parametrize("name", nested_writes())
def test_names_of_nested_fields_are_those_that_are_declared(session: fs.Session, name: str) -> None:
    trees = nested_writes()[name]
    again = root(table("t", columns=NESTED), *NESTED["names"])
    assert session.run(plan(*trees, again)).to_python() == ROW
    assert rows(session, "t") == ROW
    assert session.query("SELECT VALUE o.p.q + i.x FROM t AS o, o.l AS i").to_python() == [8]


@pytest.mark.spark
def test_names_of_nested_fields_on_spark(spark: Any, tmp_path: Path) -> None:
    for i, trees in enumerate(nested_writes().values()):
        session = fs.connect(spark=spark, in_process=False, warehouse=tmp_path / str(i))
        session.run_all(plan(*trees))
        assert rows(session, "t") == ROW


def test_a_failing_query_leaves_the_table_as_it_was(session: fs.Session) -> None:
    session.register("wide", pa.table({"a": [1, 1 << 40], "b": ["x", "y"]}))
    narrow = schema(a=I32, b=STRING)
    session.run(plan(write("t", virtual((7, "old"), columns=narrow), "CTAS", columns=narrow)))
    for doing in ("INSERT", "CTAS"):
        mode = "REPLACE" if doing == "CTAS" else None
        said = fails(session, write("t", table("wide", columns=narrow), doing, mode=mode, columns=narrow))
        assert said == "EvaluationError: overflow: 1099511627776 is no int32"
        assert rows(session, "t") == ab((7, "old"))


def test_an_empty_table_and_what_it_requires(session: fs.Session) -> None:
    made = define("e", "TABLE", "CREATE", tableSchema=REQUIRED)
    (none,) = session.run_all(plan(made, root(table("e", columns=REQUIRED), "a", "b")))
    assert none.to_python() == []
    session.run(plan(write("e", virtual((1, None)), "INSERT")))
    said = fails(session, write("e", virtual((2, "x"), (None, "y")), "INSERT"))
    assert said == "EvaluationError: NULL for the column 'a', which is declared without"
    only = schema(b=STRING)
    assert "needs a value for the column 'a'" in fails(
        session, write("e", virtual(("x",), columns=only), "INSERT", columns=only)
    )
    assert rows(session, "e") == ab((1, None))
    assert "registered already" in fails(session, made)
    session.run(plan(define("e", "TABLE", "CREATE_OR_REPLACE", tableSchema=REQUIRED)))
    assert rows(session, "e") == []


def test_views(session: fs.Session) -> None:
    session.run(plan(write("t", virtual((1, "x")), "CTAS")))
    session.run(plan(define("v", "VIEW", "CREATE", viewDefinition=table("t"))))
    session.run(plan(write("t", virtual((2, "y")), "INSERT")))
    assert rows(session, "v") == ab((1, "x"), (2, "y"))
    assert "registered already" in fails(session, define("v", "VIEW", "CREATE", viewDefinition=table("t")))
    session.run(plan(define("v", "VIEW", "CREATE_OR_REPLACE", viewDefinition=virtual((9, "z")))))
    assert rows(session, "v") == ab((9, "z"))
    replaced = define("t", "VIEW", "CREATE_OR_REPLACE", viewDefinition=table("v"))
    assert "registered already" in fails(session, replaced)  # a table is no view
    assert "which is a view" in fails(session, write("v", virtual((1, "x")), "INSERT"))
    assert "as a view" in fails(session, write("v", virtual((1, "x")), "CTAS", mode="REPLACE"))


def test_drops(session: fs.Session) -> None:
    session.run(plan(write("t", virtual((1, "x")), "CTAS"), define("v", "VIEW", "CREATE", viewDefinition=table("t"))))
    assert fails(session, define("t", "VIEW", "DROP")) == "AnalysisError: 't' is a table, not a view"
    assert fails(session, define("v", "TABLE", "DROP_IF_EXIST")) == "AnalysisError: 'v' is a view, not a table"
    session.run(plan(define("v", "VIEW", "DROP"), define("t", "TABLE", "DROP")))
    assert fails(session, define("t", "TABLE", "DROP")) == "AnalysisError: no table 't'"
    session.run(plan(define("t", "TABLE", "DROP_IF_EXIST"), define("v", "VIEW", "DROP_IF_EXIST")))


def test_a_plan_sees_the_names_that_it_makes_itself(session: fs.Session) -> None:
    session.register("t", [{"z": 1}])
    made = plan(
        write("t", virtual((1, "x"), columns=CD), "CTAS", mode="REPLACE", columns=CD),
        root(table("t", columns=CD), "c", "d"),
        define("v", "VIEW", "CREATE", viewDefinition=table("t", columns=CD)),
        root(table("v", columns=CD), "c", "d"),
        define("t", "TABLE", "DROP"),
        define("t", "TABLE", "CREATE", tableSchema=AB),
        root(table("t"), "a", "b"),
    )
    assert session.check(made) == []
    found = [result.to_python() for result in session.run_all(made)]
    assert found == [[{"c": 1, "d": "x"}], [{"c": 1, "d": "x"}], []]


def test_tables_that_the_user_registered(session: fs.Session) -> None:
    session.register("list", [{"a": 1, "b": "x"}])
    session.register("arrow", pa.table({"a": pa.array([1], pa.int32()), "b": ["x"]}))
    session.register("open", [{"a": 1}, {"b": True}])
    for name in ("list", "arrow"):
        session.run(plan(write(name, virtual((2, "y")), "INSERT")))
        assert rows(session, name) == ab((1, "x"), (2, "y"))
    assert "overflow" in fails(session, write("arrow", virtual((1 << 40, "y")), "INSERT"))
    session.run(plan(write("open", virtual((2, "y")), "INSERT")))
    assert session.query("SELECT VALUE o FROM open AS o").to_python() == [{"a": 1}, {"b": True}, {"a": 2, "b": "y"}]


def test_files_of_the_user_are_written_with_leave_only(tmp_path: Path, session: fs.Session) -> None:
    (tmp_path / "many").mkdir()
    start = pa.table({"a": pa.array([1], pa.int64()), "b": ["x"]})
    for name in ("t.parquet", "many/1.parquet"):
        pq.write_table(start, tmp_path / name)
    (tmp_path / "t.csv").write_text("a,b\n1,x\n")
    before = (tmp_path / "t.parquet").read_bytes()

    def with_tables(one: fs.Session) -> fs.Session:
        for name, path in (("t", "t.parquet"), ("many", "many"), ("text", "t.csv")):
            one.register(name, tmp_path / path)
        return one

    with_tables(session)
    for name in ("t", "many"):
        assert "PolicyError: the plan may not write" in fails(session, write(name, virtual((2, "y")), "INSERT"))
    session.run(plan(write("t", virtual((5, "z")), "CTAS", mode="REPLACE")))  # the name, and not the file
    assert (tmp_path / "t.parquet").read_bytes() == before

    allowed = with_tables(fs.connect(engine="reference", policy=fs.Policy(allow_write=tmp_path)))
    for name in ("t", "many"):
        (first,) = allowed.run_all(plan(root(table(name), "a", "b"), write(name, virtual((2, "y")), "INSERT")))
        assert first.to_python() == ab((1, "x"))  # what was asked for before
        assert rows(allowed, name) == ab((1, "x"), (2, "y"))
        allowed.run(plan(write(name, table(name), "INSERT")))
        assert len(rows(allowed, name)) == 4
    assert "of the format 'csv'" in fails(allowed, write("text", virtual((2, "y")), "INSERT"))
    required = pa.schema([pa.field("a", pa.int64(), nullable=False), ("b", pa.string())])
    pq.write_table(start.cast(required), tmp_path / "r.parquet")
    allowed.register("r", tmp_path / "r.parquet")
    assert "NULL for the column 'a'" in fails(allowed, write("r", virtual((None, "y")), "INSERT"))
    assert rows(allowed, "r") == ab((1, "x"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["many", "r.parquet", "t.csv", "t.parquet"]


def test_the_flag_of_the_command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pq.write_table(pa.table({"a": [1], "b": ["x"]}), tmp_path / "t.parquet")
    (tmp_path / "plan.proto").write_bytes(plan(write("t", virtual((2, "y")), "INSERT"), root(table("t"), "a", "b")))
    run = ["run", f"{tmp_path}/plan.proto", "--table", f"t={tmp_path}/t.parquet", "--engine", "reference"]
    assert _run([*run, "--allow-read", str(tmp_path)]) == 3
    assert "--allow-write DIR" in capfd.readouterr().err
    assert _run([*run, "--allow-write", str(tmp_path), "--format", "ion"]) == 0
    assert capfd.readouterr().out.strip() == '$bag::[{a: 1, b: "x"}, {a: 2, b: "y"}]'


# ---------------------------------------------------------------------------------------------------------------------
# Spark


@pytest.mark.spark
def test_tables_on_spark(spark: Any, tmp_path: Path) -> None:
    """What a table holds is kept: an answer that was asked for before sees what was there before."""
    session = fs.connect(spark=spark, warehouse=tmp_path)
    trees = session.explain(fs.read_plan(plan(write("t", virtual((1, "x")), "CTAS"), root(table("t"), "a", "b"))))
    assert [tree.splitlines()[0].strip() for tree in trees.split("\n\n")] == [
        "write_table t (a, b)",
        "root strict (a, b)",
    ]
    assert list(tmp_path.iterdir()) == []  # nothing was done
    session.register("wide", pa.table({"a": [1, 1 << 40], "b": ["x", "y"]}))
    narrow = schema(a=I32, b=STRING)
    session.run(plan(write("t", table("wide"), "CTAS"), define("e", "TABLE", "CREATE", tableSchema=REQUIRED)))
    before = session.query("SELECT * FROM t")
    session.run(plan(write("t", table("t"), "INSERT"), write("e", table("t"), "INSERT")))
    assert len(rows(session, "e")) == len(rows(session, "t")) == 4
    assert sorted(before.to_python(), key=str) == ab((1, "x"), (1 << 40, "y"))
    assert "NULL for the column 'a'" in fails(session, write("e", virtual((None, "y")), "INSERT"))
    session.run(plan(write("n", virtual((7, "old"), columns=narrow), "CTAS", columns=narrow)))
    said = fails(session, write("n", table("wide", columns=narrow), "INSERT", columns=narrow))
    assert said.startswith("EvaluationError")
    assert rows(session, "n") == ab((7, "old"))
    assert len(rows(session, "e")) == 4
    (folder,) = tmp_path.iterdir()
    assert len(list(folder.iterdir())) == 4  # what failed has left nothing
    session.close()
    assert list(tmp_path.iterdir()) == []
    assert fails(session, root(table("t"), "a", "b")) == "AnalysisError: no table 't'"


# ---------------------------------------------------------------------------------------------------------------------
# What a write gives


def giving(tree: Json, output: str, *names: str, emit: list[int] | None = None) -> Json:
    """A write under a root with these names, with its output: NO_OUTPUT or MODIFIED_RECORDS."""
    more: Json = {} if emit is None else {"common": {"emit": {"outputMapping": emit}}}
    inner = {**tree["root"]["input"]["write"], "output": f"OUTPUT_MODE_{output}", **more}
    return root({"write": inner}, *names)


def ensure_records_come_back(session: fs.Session) -> None:
    """The records of a write are those that it added, also if it reads the table that it adds to."""
    first = giving(write("t", virtual((1, "x"), (2, None)), "CTAS"), "MODIFIED_RECORDS", "a", "b")
    result = session.run(plan(first))
    assert sorted(result.to_python(), key=str) == rows(session, "t") == ab((1, "x"), (2, None))
    again = giving(write("t", table("t"), "INSERT"), "MODIFIED_RECORDS", "text", "number", emit=[1, 0])
    result = session.run(plan(again))
    assert len(rows(session, "t")) == 4
    found = sorted(result.to_python(), key=str)
    assert found == [{"text": "x", "number": 1}, {"text": None, "number": 2}]
    nothing = session.run(plan(giving(write("t", virtual((3, "z")), "INSERT"), "NO_OUTPUT", "a", "b")))
    assert nothing.to_arrow() == pa.schema({"a": pa.int64(), "b": pa.string()}).empty_table()
    assert len(rows(session, "t")) == 5


def test_records_come_back(session: fs.Session) -> None:
    ensure_records_come_back(session)


@pytest.mark.spark
def test_records_come_back_on_spark(spark: Any, tmp_path: Path) -> None:
    ensure_records_come_back(fs.connect(spark=spark, in_process=False, warehouse=tmp_path))


def test_records_of_a_file_are_those_that_were_added(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [1, 2], "b": ["x", None]}), path)
    session = fs.connect(engine="reference", policy=fs.Policy(allow_write=[tmp_path]))
    session.register("t", path)
    result = session.run(plan(giving(write("t", table("t"), "INSERT"), "MODIFIED_RECORDS", "a", "b")))
    assert len(rows(session, "t")) == 4
    assert sorted(result.to_python(), key=str) == ab((1, "x"), (2, None))


def test_a_write_that_gives_nothing_adds_no_answer_to_those_of_other_roots(session: fs.Session) -> None:
    first = giving(write("t", virtual((1, "x")), "CTAS"), "NO_OUTPUT", "a", "b")
    assert session.run(plan(first, root(table("t"), "a", "b"))).to_python() == ab((1, "x"))
    for names in ((), ("rows",)):  # as producers write roots whose columns nobody asks for
        again = giving(write("t", virtual((2, "y")), "INSERT"), "NO_OUTPUT", *names)
        assert session.run_all(plan(again)) == []
    answers = session.run_all(
        plan(
            giving(write("t", virtual((3, "z")), "INSERT"), "MODIFIED_RECORDS", "a", "b"),
            root(table("t"), "a", "b"),
        )
    )
    assert [len(answer.to_python()) for answer in answers] == [1, 4]


def test_what_a_write_cannot_give(session: fs.Session) -> None:
    made = write("t", virtual((1, "x")), "CTAS")
    short = giving(made, "MODIFIED_RECORDS", "a")
    assert fails(session, short) == "PlanError: there are fewer names than columns and fields"
    for output in ("NO_OUTPUT", "MODIFIED_RECORDS"):
        beyond = giving(made, output, "a", emit=[2])
        assert fails(session, beyond) == "PlanError: no column 2: the relation gives 2"
    maybe = giving(write("t", virtual((1, "x")), "CTAS", mode="IGNORE"), "MODIFIED_RECORDS", "a", "b")
    assert fails(session, maybe).startswith("UnsupportedError: a write that gives back the records")
    nowhere = giving(write("nowhere", virtual((1, "x")), "INSERT"), "MODIFIED_RECORDS", "a", "b")
    assert fails(session, nowhere) == "AnalysisError: no table 'nowhere'"
    assert session.run(plan(define("t", "TABLE", "CREATE", tableSchema=REQUIRED))).to_python() == []
    null = giving(write("t", virtual((None, "y")), "INSERT"), "MODIFIED_RECORDS", "a", "b")
    assert "NULL for the column 'a'" in fails(session, null)
    assert rows(session, "t") == []


#: A type of every kind of column, and a value of it.
KINDS: dict[str, tuple[Json, Json]] = {
    "boolean": (column("bool"), {"boolean": True}),
    "small": (column("i8"), {"i8": -128}),
    "float": (column("fp64"), {"fp64": "NaN"}),
    "early": (column("date"), {"date": -719162}),
    "timestamp": (
        column("precisionTimestamp", precision=6),
        {"precisionTimestamp": {"precision": 6, "value": "-62135596800000000"}},
    ),
    "zoned": (
        column("precisionTimestampTz", precision=6),
        {"precisionTimestampTz": {"precision": 6, "value": "-62135596799999999"}},
    ),
    "nanos": (
        column("precisionTimestamp", precision=9),
        {"precisionTimestamp": {"precision": 9, "value": "1234567890123456789"}},
    ),
    "time": (column("precisionTime", precision=6), {"precisionTime": {"precision": 6, "value": "3600000001"}}),
    "decimal": (
        column("decimal", precision=38, scale=10),
        {"decimal": {"value": "0gofoetUqasAAAAAAAAAAA==", "precision": 38, "scale": 10}},
    ),
    "octets": (column("binary"), {"binary": "AP8="}),
    "months": (column("intervalYear"), {"intervalYearToMonth": {"years": 1, "months": 2}}),
    "uuid": (column("uuid"), {"uuid": "AAECAwQFBgcICQoLDA0ODw=="}),
    "list": (column("list", type=column("i32")), {"list": {"values": [{"i32": 1}]}}),
    "times": (
        column("list", type=column("precisionTime", precision=6)),
        {"list": {"values": [{"precisionTime": {"precision": 6, "value": "1"}}]}},
    ),
}


@pytest.mark.spark
def test_every_type_comes_back_as_it_was(spark: Any) -> None:
    columns = schema(**{name: type_ for name, (type_, _) in KINDS.items()})
    full = [{"literal": {**literal, "nullable": True}} for _, literal in KINDS.values()]
    empty = [{"literal": {"null": type_, "nullable": True}} for type_, _ in KINDS.values()]
    given = {"virtualTable": {"expressions": [{"fields": full}, {"fields": empty}]}}
    made = write("t", {"read": {"baseSchema": columns, **given}}, "CTAS", columns=columns)
    found = []
    for session in (fs.connect(engine="reference"), fs.connect(spark=spark)):
        (answer,) = session.run_all(plan(made, root(table("t", columns=columns), *columns["names"])))
        found.append(answer.value())
        session.close()
    assert values.equal(*found)


TREES = """\
write_table t (a, b)
└─ project $0."_1", $0."_2"          [a int64?, b string?]
   └─ scan $bag::[{_1: 1, _2: "x"}]  [$0 struct(_1 int64?, _2 string?)]

root strict (a, b)
└─ project $0."a", $0."b"  [a int64?, b string?]
   └─ scan t               [$0 struct(a int64?, b string?)]

insert_rows t (a, b)
└─ project $0."a", $0."b"  [a int64?, b string?]
   └─ scan t               [$0 struct(a int64?, b string?)]"""


def test_every_statement_is_explained_and_nothing_is_done(
    session: fs.Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = plan(write("t", virtual((1, "x")), "CTAS"), root(table("t"), "a", "b"), write("t", table("t"), "INSERT"))
    assert session.explain(fs.read_plan(made)) == TREES
    assert session.find([("t", False)]) is None
    assert session.check(made) == []
    (tmp_path / "plan.proto").write_bytes(made)
    assert _run(["explain", str(tmp_path / "plan.proto"), "--engine", "reference"]) == 0
    assert capsys.readouterr().out.rstrip() == TREES


def test_two_roots_are_two_trees(session: fs.Session) -> None:
    session.register("t", pa.table({"a": [1], "b": ["x"]}))
    made = fs.read_plan(plan(root(table("t"), "a", "b"), root(table("t"), "c", "d")))
    first, second = session.explain(made).split("\n\n")
    assert first.splitlines()[0].strip() == "root strict (a, b)"
    assert second.splitlines()[0].strip() == "root strict (c, d)"
    assert first.splitlines()[1:] == second.splitlines()[1:]
