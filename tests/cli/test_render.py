"""Answers in every format: what people see, and what other tools read."""

from __future__ import annotations

import csv
import datetime
import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet
import pytest
from amazon.ion import simpleion

import firesteel as fs
from firesteel import types as t
from firesteel import values
from firesteel.cli.render import FORMATS, render
from firesteel.explain.rows import display_width, draw, one_line, shortened
from firesteel.session.engines import Known
from tests.cli.golden_files import verify

ROOT = Path(__file__).parents[2]
DRIFTING = """$bag::[
  {id: 1, name: "Ada", note: null, city: "", at: 2024-02-29T12:30:00.5Z, ratio: 0.1e0, price: 12.50, code: "12"},
  {id: 2, name: "null", note: {tags: ["x", "y"], rest: $bag::[1, {a: 1}]}, ratio: 1e100, price: 1000., code: 12},
  {id: 3, name: "日本語", note: "two\\nlines", city: "Z\\u00fcrich", ratio: nan, price: -0.001, code: true},
  {id: 4, name: "\\x1b[31mred\\u202e", city: " padded", extra: [1, 2, 3]}
]"""
#: A row of every type that all formats have, and one of NULLs.
TYPED = """SELECT r.i, r.f, r.d, r.b, r.s, r.day, r.moment, r.l FROM <<
  {'i': 1, 'f': 1.5e0, 'd': 12.50, 'b': true, 's': 'a, "b"', 'day': DATE '2024-02-29',
   'moment': TIMESTAMP '2024-02-29 12:30:00.5', 'l': [1, 2]},
  {'i': 2, 'f': -0.25e0, 'd': 0.10, 'b': false, 's': '', 'day': DATE '1969-12-31',
   'moment': TIMESTAMP '1969-12-31 23:59:59.0', 'l': []},
  {'i': 3, 'f': NULL, 'd': NULL, 'b': NULL, 's': NULL, 'day': NULL, 'at': NULL, 'l': NULL}
>> AS r"""
ROWS = [
    {"i": 1, "f": 1.5, "d": Decimal("12.50"), "b": True, "s": 'a, "b"', "day": datetime.date(2024, 2, 29),
     "moment": datetime.datetime(2024, 2, 29, 12, 30, 0, 500_000), "l": [1, 2]},
    {"i": 2, "f": -0.25, "d": Decimal("0.10"), "b": False, "s": "", "day": datetime.date(1969, 12, 31),
     "moment": datetime.datetime(1969, 12, 31, 23, 59, 59), "l": []},
    {"i": 3, "f": None, "d": None, "b": None, "s": None, "day": None, "moment": None, "l": None},
]  # fmt: skip


@pytest.fixture(scope="module")
def session() -> fs.Session:
    made = fs.connect(engine="reference")
    made.register("t", fs.ion(DRIFTING))
    return made


def shown(result: fs.Result, format: str, **how: Any) -> str:
    out = io.StringIO()
    render(result, format, out, **how)
    return out.getvalue()


def stored(result: fs.Result, format: str, folder: Path) -> Path:
    path = folder / f"answer.{format}"
    if FORMATS[format].binary:
        with path.open("wb") as out:
            render(result, format, out)
    else:
        path.write_text(shown(result, format), encoding="utf-8")
    return path


@pytest.mark.parametrize("format", [name for name, one in FORMATS.items() if not one.binary])
def test_what_people_see(session: fs.Session, format: str, bless: bool) -> None:
    """Rows that drift, columns of known types, a lone value, no rows, and an explanation."""
    queries = (
        "SELECT VALUE x FROM t AS x",
        "SELECT x.id, CHAR_LENGTH('abc') AS n, DATE '2024-02-29' AS day FROM t AS x",
        "1 + 1",
        "SELECT x.id AS id FROM t AS x WHERE false",
        "<<>>",
        "EXPLAIN SELECT x.id FROM t AS x",
    )
    parts = [f"== {text}\n{shown(session.query(text), format)}" for text in queries]
    verify(f"render_{format}", "\n".join(parts), bless)


def test_null_missing_and_texts_like_them_differ(session: fs.Session) -> None:
    rows = session.query(
        """[{'a': NULL}, {}, {'a': 'null'}, {'a': ''}, {'a': 'x'}, {'a': 1}, {'a': '1'}, {'a': 'missing'}]"""
    )
    lines = draw(rows.rows()).splitlines()[2:-1]
    assert lines == ["null", "", '"null"', '""', "x", "1", '"1"', '"missing"']
    assert one_line([values.MISSING, None, "null"]) == '[missing, null, "null"]'


def test_columns_come_in_the_order_of_the_select_list(session: fs.Session) -> None:
    result = session.query("SELECT x.name AS z, x.id AS a, x.city AS m FROM t AS x")
    assert shown(result, "csv").splitlines()[0] == "z,a,m"
    assert result.columns == ["z", "a", "m"]
    orders = fs.connect(engine="reference")
    orders.register("orders", ROOT / "examples" / "data" / "orders.jsonl")
    assert shown(orders.query("SELECT * FROM orders"), "csv").startswith("id,customer,status,items\n")


def test_a_struct_with_a_key_twice_has_two_columns(session: fs.Session) -> None:
    assert draw(session.query("<<{'a': 1, 'a': 2, 'b': 3}>>").rows()).splitlines()[::2] == ["a | a | b", "1 | 2 | 3"]


def test_only_the_rows_that_are_shown_are_asked_for() -> None:
    class Asked(Known):
        limits: list[int | None] = []

        def value(self, limit: int | None = None) -> values.Value:
            self.limits.append(limit)
            return super().value(limit)

    result = fs.Result(Asked(values.Bag(range(1_000))), "spark", t.Bag(t.INT64))
    text = shown(result, "table", max_rows=2)
    assert text.splitlines() == ["_1", "--", "0", "1", "(the first 2 rows; there are more)"]
    assert Asked.limits == [3]
    assert len(shown(result, "jsonl", max_rows=2).splitlines()) == 1_000
    assert Asked.limits == [3]  # rows are streamed


@pytest.mark.parametrize("format", ["table", "box", "vertical"])
@pytest.mark.parametrize("width", [30, 60, 100])
def test_no_line_is_wider_than_the_terminal(session: fs.Session, format: str, width: int) -> None:
    for text in ("SELECT VALUE x FROM t AS x", "SELECT x.name, x.note FROM t AS x"):
        lines = shown(session.query(text), format, width=width).splitlines()
        assert max(map(display_width, lines)) <= width
        assert "\x1b" not in "".join(lines)


def test_wide_rows_are_vertical_and_numbers_are_never_cut(session: fs.Session) -> None:
    result = session.query("SELECT 123456789012 AS a, 'a long text that can be cut' AS b, 210987654321 AS c FROM <<1>>")
    assert "123456789012 │ a lo" in shown(result, "box", width=48)
    assert shown(result, "box", width=30).startswith("-[ row 1 ]")


def test_texts_are_cut_by_places_of_the_terminal() -> None:
    assert shortened("日本語", 5) == "日本…"
    assert shortened("日本語", 6) == "日本語"
    assert shortened("e\u0301\u0301", 1) == "e\u0301\u0301"


def test_a_deep_value_is_shown_without_recursion() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    assert one_line(deep, 10) == "[[[[[[[[[…"


# ---------------------------------------------------------------------------------------------------------------------
# Other tools


@pytest.mark.parametrize(
    ("format", "reader"),
    [
        ("parquet", "read_parquet('{}')"),
        ("json", "read_json('{}', columns={{i: 'INT', f: 'DOUBLE', d: 'DECIMAL(4,2)', b: 'BOOL', s: 'VARCHAR', "
         "day: 'DATE', moment: 'TIMESTAMP', l: 'INT[]'}})"),
        ("jsonl", "read_json('{}')"),
        ("csv", "read_csv('{}', allow_quoted_nulls=false, columns={{i: 'INT', f: 'DOUBLE', d: 'DECIMAL(4,2)', "
         "b: 'BOOL', s: 'VARCHAR', day: 'DATE', moment: 'TIMESTAMP', l: 'INT[]'}})"),
        ("tsv", "read_csv('{}', delim='\t', allow_quoted_nulls=false)"),
    ],
)  # fmt: skip
def test_duckdb_reads_it(session: fs.Session, format: str, reader: str, tmp_path: Path) -> None:
    path = stored(session.query(TYPED), format, tmp_path)
    selected = "i, f, d::DECIMAL(4,2) AS d, b, s, day, moment::TIMESTAMP AS moment, l::INT[] AS l"
    found = duckdb.sql(f"SELECT {selected} FROM {reader.format(path)} ORDER BY i")
    assert [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()] == ROWS


def test_pyarrow_reads_it(session: fs.Session, tmp_path: Path) -> None:
    result = session.query(TYPED)
    assert pyarrow.parquet.read_table(stored(result, "parquet", tmp_path)).to_pylist() == ROWS
    lines = pyarrow.json.read_json(stored(result, "jsonl", tmp_path)).to_pylist()
    assert [row["l"] for row in lines] == [row["l"] for row in ROWS]
    options = pyarrow.csv.ConvertOptions(
        column_types={"d": pyarrow.decimal128(4, 2)}, strings_can_be_null=True, quoted_strings_can_be_null=False
    )
    cells = pyarrow.csv.read_csv(stored(result, "csv", tmp_path), convert_options=options).to_pylist()
    assert [{name: row[name] for name in "ifdbs"} for row in cells] == [
        {name: row[name] for name in "ifdbs"} for row in ROWS
    ]
    assert [row["moment"] for row in cells] == [row["moment"] for row in ROWS]


@pytest.mark.parametrize("format", ["ion", "ion-binary"])
def test_amazon_ion_reads_it(session: fs.Session, format: str, tmp_path: Path) -> None:
    with stored(session.query("SELECT x.id, x.name, x.price, x.ratio FROM t AS x"), format, tmp_path).open(
        "rb"
    ) as file:
        found = simpleion.load(file)
    assert [annotation.text for annotation in found.ion_annotations] == ["$bag"]
    assert [row["id"] for row in found] == [1, 2, 3, 4]
    assert [row["name"] for row in found][:3] == ["Ada", "null", "日本語"]
    assert found[0]["price"] == Decimal("12.50")
    assert fs.ion(stored(session.query("SELECT VALUE x FROM t AS x"), format, tmp_path).read_bytes()) == fs.ion(
        DRIFTING
    )


def test_json_and_csv_readers_of_python_agree(session: fs.Session) -> None:
    result = session.query(TYPED)
    assert [row["s"] for row in json.loads(shown(result, "json"))] == [row["s"] for row in ROWS]
    assert [row["s"] for row in csv.DictReader(io.StringIO(shown(result, "csv")))] == ['a, "b"', "", ""]


MOMENTS = (
    "[NULL, true, 5, -5, 1.50, 5., 0.1e0, 1e100, `nan`, `+inf`, 'it''s', `sym`, `{{AP8=}}`, DATE '2020-01-01', `2020T`,"
    " TIME '12:30:01.50', TIME WITH TIME ZONE '12:30:01+01:00', TIMESTAMP WITH TIME ZONE '2020-01-01 02:03:04.5-01:30',"
    " TIMESTAMP '2020-01-01 02:03:04', INTERVAL '1-2' YEAR TO MONTH, <<1, <<>>>>, {'a': 1, 'a': [MISSING]}, `(a b)`]"
)


def test_partiql_is_read_as_the_same_value(session: fs.Session) -> None:
    for text in (MOMENTS, "SELECT VALUE x FROM t AS x", "1.0", "'text'", TYPED):
        result = session.query(text)
        again = session.query(shown(result, "partiql"))
        assert again.to_ion() == result.to_ion()


def test_moments_as_people_write_them(session: fs.Session) -> None:
    assert [one_line(row) for row in session.query(MOMENTS).rows()][4:] == [
        "1.50", "5", "0.1", "1e100", "nan", "inf", '"it\'s"', '"sym"', "x'00ff'", "2020-01-01", "2020", "12:30:01.50",
        "12:30:01+01:00", "2020-01-01 02:03:04.5-01:30", "2020-01-01 02:03:04", "1 year 2 months", "<<1, <<>>>>",
        "{a: 1, a: [missing]}", '("a", "b")',
    ]  # fmt: skip


def test_bad_formats(session: fs.Session) -> None:
    result = session.query("1")
    with pytest.raises(fs.UnsupportedError, match="no format 'xml'"):
        render(result, "xml", io.StringIO())
    with pytest.raises(fs.UnsupportedError, match="'parquet' is not text"):
        render(result, "parquet", io.StringIO())
    with pytest.raises(fs.UnsupportedError, match="JSON has no octets"):
        render(session.query("`{{AP8=}}`"), "json", io.StringIO())


def test_no_rows_and_mixed_columns_as_parquet(session: fs.Session, tmp_path: Path) -> None:
    empty = pyarrow.parquet.read_table(
        stored(session.query("SELECT 1 AS a FROM t AS x WHERE false"), "parquet", tmp_path)
    )
    assert (empty.column_names, empty.num_rows) == (["a"], 0)
    with pytest.raises(fs.UnsupportedError, match="Parquet cannot hold this"):
        stored(session.query("SELECT x.code FROM t AS x"), "parquet", tmp_path)


def test_a_result_is_a_sequence_of_rows(session: fs.Session) -> None:
    result = session.query("SELECT x.id, x.city FROM t AS x")
    assert len(result) == 4
    assert next(iter(result)) == {"id": 1, "city": ""}
    assert result[1] == {"id": 2}
    assert result[-1]["id"] == 4
    assert [row["id"] for row in result[1:3]] == [2, 3]
    assert len(result.head(2)) == 2
    assert result.head(2).columns == ["id", "city"]
    assert result.schema == {"id": "int64", "city": "string"}
    summary = {row["column"]: row for row in result.describe()}
    assert summary["id"] == {"column": "id", "types": "int64", "count": 4, "nulls": 0, "missing": 0, "distinct": 4,
                             "min": 1, "max": 4, "mean": 2.5}  # fmt: skip
    assert (summary["city"]["missing"], summary["city"]["min"]) == (1, "")
    with pytest.raises(IndexError):
        result[4]


def test_html_is_escaped_and_bounded(session: fs.Session) -> None:
    result = session.query("SELECT v, '<script>alert(1)</script>' AS s, NULL AS n FROM [1, [1, 2, 3]] AS v")
    html = result._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "<i>null</i>" in html
    assert "http" not in html
    many = fs.Result(Known(values.Bag([values.Struct({"a": ["x" * 99] * 999})] * 1_000)), "reference")
    html = many._repr_html_()
    assert html.count("<tr>") == 51
    assert "there are more" in html
    assert "<details>" in html
    assert len(html) < 200_000
