"""Imports: the extension vocabulary, and headers."""

from __future__ import annotations

from pathlib import Path

import pytest

import firesteel as fs
from firesteel import partiql_plan
from firesteel import plan as p
from firesteel import types as t
from firesteel.cli import main
from firesteel.errors import PlanError
from firesteel.partiql_plan import Header, TypeDeclaration, UnionDeclaration
from firesteel.partiql_plan.builtin import UNIONS
from firesteel.values import Symbol
from tests.partiql_plan.helpers import T, comes_back, plan_of

# ---------------------------------------------------------------------------------------------------------------------
# The extension vocabulary

PLAIN = p.Query(p.Select(t.BAG, p.Var(t.ANY, 0), p.Filter(p.Lit(t.BOOL, True), T)))
EXTENDED = [
    p.Query(p.Var(t.ANY, 0, depth=1)),
    p.Query(p.Lit(t.INT, 1), mode=p.Mode.STRICT),
    p.Root(("v",), T),
    p.Query(p.Select(t.BAG, p.Var(t.ANY, 0), T.replace(identified=True, names=()))),
    p.Query(p.Select(t.BAG, p.Var(t.ANY, 0), T.replace(names=("a", "b")))),
    p.Query(p.Select(t.BAG, p.Var(t.ANY, 0), p.Join(p.Cross(), T, T, lateral=True))),
    p.Query(p.Select(t.BAG, p.Var(t.ANY, 0), p.Union(T, T, quantifier=p.Quantifier.DISTINCT))),
    p.Query(p.Select(t.BAG, p.Var(t.ANY, 0), p.Distinct(T))),
]


def test_what_the_document_knows_needs_no_extension() -> None:
    assert "firesteel" not in partiql_plan.write(plan_of(PLAIN))


@pytest.mark.parametrize("statement", EXTENDED, ids=range(len(EXTENDED)))
def test_the_writer_imports_the_extension_where_it_is_used(statement: p.Statement) -> None:
    plan = plan_of(statement)
    text = partiql_plan.write(plan, indent=False)
    assert "(import (partiql) (firesteel))" in text
    comes_back(plan)
    with pytest.raises(PlanError, match="goes beyond the document"):
        partiql_plan.read(text.replace(" (firesteel)", ""))


def test_the_extension_has_a_version() -> None:
    text = "(partiql::plan version::(0 1) (import (partiql) (firesteel {})) (statement (root () (scan (lit [])))))"
    for version in ("", "version::(0 1)"):
        assert isinstance(partiql_plan.read(text.format(version)), p.Plan)
    with pytest.raises(PlanError, match=r"version \(0 2\) of the extension vocabulary"):
        partiql_plan.read(text.format("version::(0 2)"))


def test_a_capture_or_order_beyond_the_document_would_need_the_extension() -> None:
    from firesteel.partiql_plan.vocabulary import member_is_extension

    assert not any(member_is_extension(member) for member in p.Capture if member in (1, 2, 4, 6))
    assert all(member_is_extension(member) for member in p.Capture if member not in (1, 2, 4, 6))


# ---------------------------------------------------------------------------------------------------------------------
# Headers

HEADER = """
(
  partiql :: header                       // DOCUMENT TYPE

  version :: (0 1)                        // MAJOR MINOR

  namespace :: partiql                    // NAMESPACE

  (types
    (bool)

    (int8)                                // Signed integer that can be stored in one byte
    (int16)                               // Signed integer that can be stored in two bytes
    (int32)                               // Signed integer that can be stored in four bytes
    (int64)                               // Signed integer that can be stored in eight bytes
    (int)                                 // Signed integer of arbitrary size

    (decimal)                             // Exact numeric type with arbitrary precision
    (decimal                              // Exact numeric with specified precision and scale
      precision :: ($type int::3)
      scale     :: ($type int::3)
    )

    (decimal ($type 3) ($type 3))

    (float32)                             // Single-precision floating point (IEEE 754 32-bit)
    (float64)                             // Double-precision floating point (IEEE 754 64-bit)

    (char)                                // Unicode codepoint sequence of fixed length 1
    (char                                 // Unicode codepoint sequence of fixed length n
      length :: ($type int::3)
    )
    (string)                              // Unicode codepoint sequence of variable length
    (string                               // Unicode codepoint sequence of variable length up to n
      extent :: ($type int::3)
    )

    (bit)                                 // Bit string of fixed length 1
    (bit                                  // Bit string of fixed length n
      length :: ($type int::3)
    )
    (binary)                              // Bit string of variable length
    (binary                               // Bit string of variable length up to n
      extent :: ($type int::3)
    )

    (byte)                                // Octet string of fixed length 1
    (byte                                 // Octet string of fixed length n
      length :: ($type int::3)
    )
    (blob)                                // Octet string of variable length
    (blob                                 // Octet string of variable length up to n
      extent :: ($type int::3)
    )

    (date)                                // A date with no time
    (time                                 // A date-less time with seconds precision p and no time zone
      precision :: ($type int::3)
    )
    (time
      precision :: ($type int::3)
      timezone  :: ($type ??)
    )
    (timestamp $_0)                       // A date and time with seconds precision p and no time zone
    (timestamp $_0 $_1)                   // A date and time with seconds precision p and time zone z
    (interval)                            //

    (bag)
    (array)
    (tuple)
    (null)
    (missing)

    (union any *) // special "all" types in this (types ...) block
    (union numeric int8::1 int16::2 int::3 decimal::4 float32::5 float64::6)
    (union text char::7 char_n::9 string::8 string_)
  )

  (constants

    pi :: 3.14159265 // ($constant 0)
  )

  (define


  )

  (select ($constant 0))
)
"""


def test_the_header_of_the_document_as_it_stands() -> None:
    header = partiql_plan.read(HEADER)
    assert isinstance(header, Header)
    assert header.namespace == "partiql"
    assert len(header.types) == 37
    assert header.types[7] == TypeDeclaration("decimal", (t.Field("precision", t.INT), t.Field("scale", t.INT)))
    assert header.types[8] == TypeDeclaration("decimal", (t.Field(None, t.INT32), t.Field(None, t.INT32)))
    assert header.types[-3:-1] == (
        UnionDeclaration("any", (t.ANY,)),
        UnionDeclaration("numeric", (t.INT8, t.INT16, t.INT, t.DECIMAL, t.FLOAT32, t.FLOAT64)),
    )
    assert [constant.name for constant in header.constants] == ["pi"]
    assert isinstance(header.nodes[0], p.Select)
    comes_back(header)


GEO = """
(partiql::header version::(0 1) namespace::geo
  (types (point srid::($type int)) (union shape ($type point) ($type blob)))
  (fns (fn distance 0x10 ((v ($type point)) (v ($type point))) returns::($type float64)))
  (constants tau::6.28)
  (define everything::(scan (lit bag [1, 2])) truth::(lit true)))
"""

USER = """
(partiql::plan version::(0 1) (import (partiql) (geo))
  (statement (query (select
    (call distance (lit ($type point) null) (lit (point 4326) null))
    (filter $truth (project ((lit ($type shape) null) ($constant tau)) $everything))))))
"""


def test_a_plan_reaches_what_a_header_declares_by_name() -> None:
    header = partiql_plan.read(GEO)
    assert isinstance(header, Header)
    point = t.UserDefined("geo", "point")
    comes_back(header)
    plan = partiql_plan.read(USER, headers=[header])
    assert isinstance(plan, p.Plan)
    assert plan.imports == ("partiql", "geo")
    select = plan.statement.rex
    assert select.constructor.fn.returns == t.FLOAT64
    assert [arg.type for arg in select.constructor.args] == [point, point.replace(parameters=(4326,))]
    assert select.input.predicate == p.Lit(t.BOOL, True)
    assert select.input.input.input is header.definitions[0].node
    assert select.input.input.exprs[1].value == header.constants[0].value
    assert partiql_plan.read(partiql_plan.write(plan), headers=[header]) == plan
    with pytest.raises(PlanError, match="no header 'geo'"):
        partiql_plan.read(partiql_plan.write(plan))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(partiql::header version::(0 1))", "no namespace"),
        ("(partiql::header namespace::x)", "no version"),
        ("(partiql::header version::(0 1) namespace::x (statement (query (lit 1))))", "a header has no statement"),
        ("(partiql::header version::(0 1) namespace::x (types 5))", "a type is declared as"),
    ],
)
def test_what_is_wrong_with_a_header(text: str, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        partiql_plan.read(text)


def test_header_types_may_be_symbols() -> None:
    header = Header("x", constants=(p.Constant("s", Symbol("a")),), fns=(p.Fn("f", p.FnOption.NONE, (), t.Bag(t.INT)),))
    comes_back(header)


# ---------------------------------------------------------------------------------------------------------------------
# Headers of a plan that is run

SCALE = "(partiql::header version::(0 1) namespace::scale (constants ten::10) (define all::(scan (lit bag [1, 2]))))"
SCALED = """
(partiql::plan version::(0 1) (import (partiql) (scale))
  (statement (query (select (call times (var 0) ($constant ten)) $all))))
"""


def test_a_plan_with_a_header_runs(tmp_path: Path) -> None:
    header, plan = tmp_path / "scale.ion", tmp_path / "plan.ion"
    header.write_text(SCALE, encoding="utf-8")
    plan.write_text(SCALED, encoding="utf-8")
    session = fs.connect(engine="reference")
    for given in (header, str(header), SCALE, partiql_plan.read(SCALE)):
        assert session.run(plan, headers=[given]).to_ion() == "$bag::[10, 20]"
        assert session.run(fs.read_plan(plan, headers=[given])).to_ion() == "$bag::[10, 20]"
    with pytest.raises(PlanError, match="no header 'scale'"):
        session.run(plan)
    with pytest.raises(PlanError, match="is a plan, not a header"):
        fs.read_plan(plan, headers=["(query (lit 1))"])


def test_the_command_line_takes_headers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header, plan = tmp_path / "scale.ion", tmp_path / "plan.ion"
    header.write_text(SCALE, encoding="utf-8")
    plan.write_text(SCALED, encoding="utf-8")
    with pytest.raises(SystemExit) as stop:
        main(["run", str(plan), "--header", str(header), "--engine", "reference", "--format", "ion"])
    assert (stop.value.code, capsys.readouterr().out) == (0, "$bag::[10, 20]\n")


def test_the_import_of_partiql_brings_the_unions_and_constants_of_its_header() -> None:
    text = "(partiql::plan version::(0 1) (import (partiql)) (statement (query (lit ($type {}) null))))"
    assert partiql_plan.read(text.format("numeric")).statement.rex.type == UNIONS["numeric"]
    assert partiql_plan.read(text.format("text")).statement.rex.type == UNIONS["text"]
    pi = "(partiql::plan version::(0 1) (import (partiql)) (statement (query ($constant pi))))"
    assert fs.connect(engine="reference").run(pi).to_ion() == "3.14159265"


# ---------------------------------------------------------------------------------------------------------------------
# Views with columns, and modes


def test_a_view_names_its_columns() -> None:
    session = fs.connect(engine="reference")
    session.register("T", [{"a": 1, "b": 2}])
    session.run("""(create_view "v" (columns x y) (select (struct (((lit "a") (path $0 ((step (lit a)))))
                     ((lit "b") (path $0 ((step (lit b))))))) (scan (global "T"))))""")
    session.query("CREATE VIEW w (p, q) AS SELECT * FROM T")
    assert session.query("SELECT v.y, w.p FROM v AS v, w AS w").to_ion() == "$bag::[{y: 2, p: 1}]"
    with pytest.raises(fs.AnalysisError, match="has 1 columns, and its query has 2"):
        session.query("CREATE VIEW z (p) AS SELECT * FROM T")
    with pytest.raises(fs.UnsupportedError, match="are not known"):
        session.query("CREATE VIEW z (p) AS SELECT VALUE t.a FROM T AS t")


def test_the_mode_of_an_algebra_plan(tmp_path: Path) -> None:
    algebra = "(map_values (path (id p) (lit id)) (scan (id 'hr.people') p))"
    assert fs.read_plan(algebra).node.statement.mode is p.Mode.PERMISSIVE
    assert fs.read_plan(algebra, mode="strict").node.statement.mode is p.Mode.STRICT
    with pytest.raises(fs.UnsupportedError, match="has a mode of its own"):
        fs.read_plan("(query (lit 1))", mode="strict")
    with pytest.raises(fs.UnsupportedError, match="no mode 'loud'"):
        fs.read_plan(algebra, mode="loud")
