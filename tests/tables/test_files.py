"""Files that a plan names: formats, several as one table, slices, text; on both engines, with one answer."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest

import firesteel as fs
from firesteel.tables import Delimited, Part, row_groups
from firesteel.tables.text.delimited import delimited_rows
from tests.tables.file_plans import AB, I32, I64, STRING, Json, column, files, item, plan, root, schema

COUNT, GROUP = 1_000, 100
ROWS = pa.table({"a": pa.array(range(COUNT), pa.int64()), "b": [f"x{i}" for i in range(COUNT)]})


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    (folder / "many" / "k=1").mkdir(parents=True)
    (folder / "mixed").mkdir()
    pq.write_table(ROWS, folder / "t.parquet", row_group_size=GROUP)
    pq.write_table(ROWS.slice(0, 10), folder / "many" / "1.parquet")
    pq.write_table(ROWS.slice(10, 5).select(["b", "a"]), folder / "many" / "k=1" / "2.parquet")
    pq.write_table(ROWS.slice(0, 3), folder / "_low.parquet")
    pq.write_table(ROWS.rename_columns(["_metadata", "b"]), folder / "named.parquet", row_group_size=GROUP)
    pq.write_table(ROWS.slice(0, 2), folder / "odd [*] %20#?.parquet")
    pq.write_table(ROWS.slice(0, 2), folder / "mixed" / "1.parquet")
    pq.write_table(pa.table({"a": ["x"], "b": ["y"]}), folder / "mixed" / "2.parquet")
    orc.write_table(ROWS, folder / "t.orc")
    with pa.ipc.new_file(str(folder / "file.arrow"), ROWS.schema) as out:
        out.write_table(ROWS)
    with pa.ipc.new_stream(str(folder / "stream.arrow"), ROWS.schema) as out:
        out.write_table(ROWS.slice(0, 7))
    (folder / "t.txt").write_text('a|b\n1|"x|y"\n2|NA\n3|\n\n4|"q""r\ns"\n')
    (folder / "t.txt.gz").write_bytes(gzip.compress((folder / "t.txt").read_bytes()))
    (folder / "bad.txt").write_text("1|x\nnothing|y\n")
    (folder / "ragged.txt").write_text("1|x\n2\n")
    return folder


def asked(folder: Path, *items: Json, columns: Json = AB) -> bytes:
    """A plan over files in the folder."""
    moved = [{k: f"{folder}/{v}" if k.startswith("uri") else v for k, v in one.items()} for one in items]
    return plan(root(files(*moved, columns=columns), "a", "b"))


def outcome(session: fs.Session, asked_: bytes) -> Any:
    """The rows, in some order; or the class of the error."""
    try:
        rows = session.run(asked_).to_python()
    except fs.FiresteelError as error:
        return type(error)
    return sorted(([row.get("a"), row.get("b")] for row in rows), key=str)


def rows(*numbers: int) -> Any:
    return sorted(([n, f"x{n}"] for n in numbers), key=str)


ALL = rows(*range(COUNT))
TEXT: Json = {"fieldDelimiter": "|", "quote": '"', "headerLinesToSkip": 1}
TEXTS = schema(a=STRING, b=STRING)
TEXT_ROWS = [["1", "x|y"], ["2", "NA"], ["3", ""], ["4", 'q"r\ns']]


def slices(*cuts: int) -> list[Json]:
    """Slices of the large file, one behind the other."""
    return [item("t.parquet", start=first, length=last - first) for first, last in pairwise(cuts)]


def cases(folder: Path) -> dict[str, tuple[bytes, Any]]:
    """Plans by name, and what they give."""
    size = (folder / "t.parquet").stat().st_size
    half = row_groups(Part(folder / "t.parquet", 0, size // 2))
    first_half = rows(*(n for n in range(COUNT) if n // GROUP in half))
    ask: Callable[..., bytes] = lambda *items, columns=AB: asked(folder, *items, columns=columns)  # noqa: E731
    null = lambda text: {**TEXT, "valueTreatedAsNull": text}  # noqa: E731
    return {
        "a file": (ask(item("t.parquet")), ALL),
        "orc": (ask(item("t.orc", format_="orc")), ALL),
        "arrow": (ask(item("file.arrow", format_="arrow")), ALL),
        "an arrow stream": (ask(item("stream.arrow", "uriPath", format_="arrow")), rows(*range(7))),
        "a folder": (ask(item("many", "uriFolder")), rows(*range(15))),
        "a folder as a path": (ask(item("many", "uriPath")), rows(*range(15))),
        "a pattern": (ask(item("many/*.parquet", "uriPathGlob")), rows(*range(10))),
        "a deep pattern": (ask(item("many/**/[12].parquet", "uriPathGlob")), rows(*range(15))),
        "several items": (ask(item("t.parquet"), item("many/1.parquet")), rows(*range(COUNT), *range(10))),
        "two formats": (
            ask(item("many/1.parquet"), item("stream.arrow", format_="arrow"), item("_low.parquet")),
            rows(*range(10), *range(7), *range(3)),
        ),
        "text in two ways, and no text": (
            ask(item("t.txt", text=null("NA")), item("t.txt", text=null("")), item("_low.parquet")),
            sorted(
                [[0, "x0"], [1, "x1"], [1, "x|y"], [1, "x|y"], [2, "NA"], [2, None], [2, "x2"], [3, ""], [3, None]]
                + [[4, 'q"r\ns']] * 2,
                key=str,
            ),
        ),
        "the same twice": (ask(item("many/1.parquet"), item("many/1.parquet")), rows(*range(10), *range(10))),
        "a name that Spark takes for no data": (ask(item("_low.parquet")), rows(0, 1, 2)),
        "a name with signs": (ask(item("odd [*] %20#?.parquet")), rows(0, 1)),
        "half a file": (ask(*slices(0, size // 2)), first_half),
        "all slices": (ask(*slices(0, 10, size // 3, 2 * size // 3, size)), ALL),
        "a slice without a midpoint": (ask(*slices(0, 5)), []),
        "slices over each other": (
            ask(*slices(0, size // 2), *slices(0, size // 2), item("t.parquet")),
            sorted([*ALL, *first_half, *first_half], key=str),
        ),
        "to the end": (ask(item("t.parquet", start=size // 2)), [row for row in ALL if row not in first_half]),
        "a slice of data with a column named as Spark's own": (
            ask(item("named.parquet", length=size // 2), columns=schema(_metadata=I64, b=STRING)),
            first_half,
        ),
        "a slice of orc": (ask(item("t.orc", format_="orc", start=5, length=10)), fs.UnsupportedError),
        "a slice of text": (ask(item("t.txt", text=TEXT, start=5), columns=TEXTS), fs.UnsupportedError),
        "all of a text as a slice": (ask(item("t.txt", text=TEXT, length=1 << 20), columns=TEXTS), TEXT_ROWS),
        "dwrf": (ask(item("t.parquet", format_="dwrf")), fs.UnsupportedError),
        "not that format": (ask(item("t.orc")), fs.PlanError),
        "files that differ": (ask(item("mixed", "uriFolder")), fs.UnsupportedError),
        "no such column": (ask(item("t.parquet"), columns=schema(a=I64, c=STRING)), fs.PlanError),
        "a narrower type": (ask(item("many/1.parquet"), columns=schema(a=I32, b=STRING)), rows(*range(10))),
        "another type": (ask(item("t.parquet"), columns=schema(a=column("date"), b=STRING)), fs.PlanError),
        "text": (ask(item("t.txt", text=TEXT), columns=TEXTS), TEXT_ROWS),
        "compressed text": (ask(item("t.txt.gz", text=TEXT), columns=TEXTS), TEXT_ROWS),
        "text twice": (ask(*[item("t.txt", text=TEXT)] * 2, columns=TEXTS), sorted([*TEXT_ROWS, *TEXT_ROWS])),
        "text with NULL": (ask(item("t.txt", text=null("NA"))), [[1, "x|y"], [2, None], [3, ""], [4, 'q"r\ns']]),
        "empty is NULL": (ask(item("t.txt", text=null(""))), [[1, "x|y"], [2, "NA"], [3, None], [4, 'q"r\ns']]),
        "lines to skip": (ask(item("t.txt", text={**TEXT, "headerLinesToSkip": 2}), columns=TEXTS), TEXT_ROWS[1:]),
        "no number": (ask(item("bad.txt", text={"fieldDelimiter": "|"})), fs.EvaluationError),
        "a row too short": (ask(item("ragged.txt", text={"fieldDelimiter": "|"}), columns=TEXTS), fs.EvaluationError),
        "a long quote": (ask(item("t.txt", text={"quote": "''"}), columns=TEXTS), fs.UnsupportedError),
    }


#: Those that tell the engines apart: each costs Spark some jobs. The others run there with the slow tests.
TELLING = (
    "orc",
    "an arrow stream",
    "a folder",
    "text in two ways, and no text",
    "the same twice",
    "a name that Spark takes for no data",
    "a name with signs",
    "slices over each other",
    "a slice without a midpoint",
    "a slice of data with a column named as Spark's own",
    "text twice",
    "text with NULL",
    "empty is NULL",
    "lines to skip",
    "no number",
    "a row too short",
)


def wrong(session: fs.Session, folder: Path, only: Sequence[str] = ()) -> dict[str, Any]:
    """What does not come out as it should."""
    chosen = {name: case for name, case in cases(folder).items() if name in only or not only}
    found = {name: (outcome(session, asked_), wanted) for name, (asked_, wanted) in chosen.items()}
    return {name: both for name, both in found.items() if both[0] != both[1]}


def test_files_in_process(data: Path) -> None:
    assert wrong(fs.connect(engine="reference", policy=fs.Policy(allow_read=data)), data) == {}


@pytest.mark.spark
def test_files_on_spark(data: Path, spark: Any) -> None:
    assert wrong(fs.connect(spark=spark, policy=fs.Policy(allow_read=data)), data, TELLING) == {}


@pytest.mark.spark
@pytest.mark.slow
def test_all_files_on_spark(data: Path, spark: Any) -> None:
    assert wrong(fs.connect(spark=spark, policy=fs.Policy(allow_read=data)), data) == {}


def test_every_row_group_is_in_one_slice(data: Path) -> None:
    file = data / "t.parquet"
    size = file.stat().st_size
    for step in (7, 100, size // 3, size // 2, size, 2 * size):
        found = [group for start in range(0, size, step) for group in row_groups(Part(file, start, step))]
        assert found == list(range(COUNT // GROUP))


def test_a_repair_says_that_text_is_cast(data: Path) -> None:
    session = fs.connect(engine="reference", policy=fs.Policy(allow_read=data))
    result = session.run(asked(data, item("t.txt", text=TEXT)))
    assert [repair.message for repair in result.repairs] == ["a column of a text file is text: 'a' is cast to int64?"]


TEXTS_AND_ROWS: list[tuple[str, Delimited, Any]] = [
    ("a,b\r\nc,d", Delimited(), [["a", "b"], ["c", "d"]]),
    ("a,b\rc,d\r", Delimited(), [["a", "b"], ["c", "d"]]),
    ("\ufeffa,b\n", Delimited(), [["a", "b"]]),
    ('"x\r\ny",b\r\n', Delimited(), [["x\ny", "b"]]),
    ('"""x""",""\n', Delimited(), [['"x"', ""]]),
    ('x"y,"z"\n', Delimited(), [['x"y', "z"]]),
    (" a , b \n", Delimited(), [[" a ", " b "]]),
    ('"a\\"b","c\\\\"\n"d\\n",e\\f\n', Delimited(escape="\\"), [['a"b', "c\\"], ["d\\n", "e\\f"]]),
    ('"a","b"\n', Delimited(quote=""), [['"a"', '"b"']]),
    ("a||b\nc||d|e\n", Delimited(delimiter="||"), [["a", "b"], ["c", "d|e"]]),
    ('"a"b,c\n', Delimited(), None),
    ('"a,b\n', Delimited(), None),
]


@pytest.mark.parametrize(
    ("text", "how", "wanted"), [*TEXTS_AND_ROWS, ("a,b\r\nc,d\n", Delimited(), None), ("a,b\nc\n", Delimited(), None)]
)
def test_text_with_delimiters(tmp_path: Path, text: str, how: Delimited, wanted: Any) -> None:
    (tmp_path / "t").write_bytes(text.encode())
    if wanted is None:
        with pytest.raises(fs.EvaluationError, match="row "):
            list(delimited_rows(tmp_path / "t", how, ("a", "b")))
    else:
        assert [[v for _, v in row.pairs] for row in delimited_rows(tmp_path / "t", how, ("a", "b"))] == wanted


@pytest.mark.spark
def test_text_with_delimiters_on_spark(tmp_path: Path, spark: Any) -> None:
    session = fs.connect(spark=spark, policy=fs.Policy(allow_read=tmp_path))
    found = []
    for i, (text, how, _) in enumerate(TEXTS_AND_ROWS):
        (tmp_path / str(i)).write_bytes(text.encode())
        options = {"fieldDelimiter": how.delimiter, "quote": how.quote, "escape": how.escape}
        rows_ = outcome(session, asked(tmp_path, item(str(i), text=options), columns=TEXTS))
        found.append(None if rows_ is fs.EvaluationError else rows_)
    assert found == [wanted for _, _, wanted in TEXTS_AND_ROWS]
