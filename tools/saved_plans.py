"""Run the plans that real producers wrote, and compare the answers with DuckDB's on the same data.

    python -m tools.saved_plans [--scale 0.1] [--filter isthmus] [--engine spark]

The table has a row for every plan: was it read, checked and run, and is its answer the same as DuckDB's answer to the
query that the plan was made from? The plans of the 99 queries of TPC-DS are not saved: DataFusion makes them
(`tools/tpcds.py`), over data of DuckDB's generator. If that cannot be installed, they are left out, with one line.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import firesteel as fs
from firesteel import values
from tools import tpcds, tpch
from tools.tpch import CONFORMANCE

PLANS = CONFORMANCE / "substrait-plans"
DATA = Path("build")

#: The reason for plans that are known not to answer the query that they were made from.
_BY_NOTES = "wrong as a plan, by the notes that come with the data"
WRONG = {
    "cases/relation/fetch/fetch_with_offset-datafusion": "the plan has lost its count: it says -1, which is all rows",
    "cases/relation/aggregate/aggregate_with_group_by_cube-duckdb": "the plan has lost its grouping sets",
    "cases/relation/aggregate/aggregate_with_grouping_set-duckdb": "the plan has lost its grouping sets",
    "cases/relation/set/union_distinct-duckdb": "the plan says UNION ALL",
    "cases/function/arithmetic_decimal/divide-duckdb": "a quotient by zero: infinite here, NULL in DuckDB",
    **{f"tpch/ibis/{query}": _BY_NOTES for query in ("q02", "q04", "q07", "q08", "q11", "q17", "q20", "q21", "q22")},
}


@dataclass(frozen=True)
class Saved:
    """A saved plan, the query that it was made from, and that query's tables, if they are not TPC-H's: files, or the
    names of saved ones."""

    name: str
    path: Path
    sql: str
    tables: dict[str, str] = field(default_factory=dict)
    #: Why the producer has made no plan of the query, if it has not.
    unmade: str = ""

    @property
    def group(self) -> str:
        """The producer of the plan."""
        kind, producer, *_ = self.name.split("/")
        return f"{kind}/{producer}" if kind != "cases" else f"cases/{self.path.stem.rpartition('-')[2]}"

    @property
    def wrong(self) -> str | None:
        return WRONG.get(self.name.rpartition(".")[0])


@dataclass
class Outcome:
    """How far a plan got: read, checked, run, compared."""

    plan: Saved
    steps: list[str] = field(default_factory=list)
    problem: str = ""
    repairs: int = 0
    native: bool = False
    seconds: float = 0.0

    @property
    def equal(self) -> bool:
        return "equal" in self.steps

    def __str__(self) -> str:
        said = "equal" if self.equal else f"{(self.steps or ['not read'])[-1]}: {self.problem[:300]}"
        return f"{self.plan.name}  {said}  {self.seconds:.1f} s{'  (known)' if self.plan.wrong else ''}"


#: Functions that have another name in DuckDB. Approximate functions are compared with exact ones.
_DIALECT = (
    (r"\bapprox(_count)?_distinct\s*\(", "count(DISTINCT "),
    (r"\bnegate\s*\(", "-("),
)
_APPROXIMATE = 0.1
#: How much two sums of the same floats may differ, because the order of additions differs.
_FLOATS = 1e-11
#: The producer whose plans have the same types as the answers. In other plans a decimal may stand for a float.
_SAME_TYPES = "duckdb"
#: The plans whose means and quotients of decimals leave out the digits behind the last, and do not round.
_CUT = "tpcds/datafusion"

#: Parameters of plans that were made with other parameters than the query texts have.
_PARAMETERS = {
    "duckdb/q01": (("1998-09-02", "1998-08-03"),),
    "isthmus/q01": (("1998-09-02", "1998-08-03"),),
    "duckdb/q11": (("GERMANY", "JAPAN"),),
    "isthmus/q11": (("GERMANY", "JAPAN"),),
    "ibis/q09": (("green", "GREEN"),),
    "ibis/q10": (("1993-10-01", "1993-01-01"), ("1994-01-01", "1993-04-01")),
}


def _query(path: Path, text: str) -> str:
    """The query of a plan, with its parameters."""
    for given, meant in _PARAMETERS.get(f"{path.parent.name}/{path.stem}", ()):
        text = text.replace(given, meant)
    return text


def saved(wanted: str = "") -> list[Saved]:
    """All saved plans: those of TPC-H and the small ones."""
    queries = tpch.queries()
    found = [
        Saved(str(path.relative_to(PLANS)), path, _query(path, queries[path.stem]))
        for path in sorted(PLANS.glob("tpch/*/*"))
        if path.stem in queries
    ]
    manifest = PLANS / "cases" / "manifest.json"
    for entry in json.loads(manifest.read_text()) if manifest.exists() else []:
        path = PLANS / "cases" / entry["plan"]
        found.append(Saved(f"cases/{entry['plan']}", path, entry["sql"], entry["tables"]))
    return [plan for plan in found if re.search(wanted, plan.name)]


def made(folder: Path, wanted: str = "", largest: float = max(tpcds.SCALES)) -> list[Saved]:
    """The plans that DataFusion makes of the queries of TPC-DS, over data of at most this scale."""
    names = {f"q{number:02}": f"tpcds/datafusion/q{number:02}.proto" for number in range(1, tpcds.COUNT + 1)}
    if not any(re.search(wanted, name) for name in names.values()):
        return []
    queries = tpcds.prepared(folder, tuple(scale for scale in tpcds.SCALES if scale <= largest))
    return [_made(query, names[query.name], folder) for query in queries if re.search(wanted, names[query.name])]


def _made(query: tpcds.Query, name: str, folder: Path) -> Saved:
    files = {table: str(path) for table, path in tpcds.tables(folder, query.scale).items()}
    path, unmade = folder / "plans" / f"{query.name}-{query.scale:g}.proto", ""
    path.parent.mkdir(exist_ok=True)
    try:
        path.write_bytes(tpcds.plan(query, folder))
    except Exception as error:
        unmade = f"DataFusion makes no plan: {error}"
    return Saved(name, path, query.text, files, unmade)


class Runner:
    """A Firesteel session and a DuckDB connection over the same files."""

    def __init__(self, session: fs.Session, folder: Path, scale: float) -> None:
        import duckdb

        self.session = session
        self.duckdb = duckdb.connect()
        self.duckdb.execute("SET error_on_division_by_zero = false")
        self.duckdb.execute("SET default_null_order = 'postgres'")
        self.large = dict(tpch.data(folder, scale))
        self.small = {path.stem: path for path in (PLANS / "cases" / "data").glob("*.parquet")}
        self.registered: dict[str, Path] = {}

    def run(self, plan: Saved) -> Outcome:
        """Read, check, run and compare a plan, up to the first step that fails."""
        outcome = Outcome(plan)
        start = time.monotonic()
        if plan.unmade:
            outcome.problem = plan.unmade
            return outcome
        try:
            self._register(plan)
            read = fs.read_plan(plan.path)
            outcome.steps.append("read")
            read.lowered(self.session)
            outcome.steps.append("checked")
            result = self.session.run(read)
            names, rows = _rows(result.value())
            outcome.steps.append("ran")
            outcome.repairs = len(result.repairs)
            outcome.native = result.plan_report().native
            outcome.problem = self._differs(plan, names, rows)
            if not outcome.problem:
                outcome.steps.append("equal")
        except fs.FiresteelError as error:
            outcome.problem = " ".join(str(error).split())
        outcome.seconds = time.monotonic() - start
        return outcome

    def _register(self, plan: Saved) -> None:
        wanted = self.large | self.small
        for name, file in plan.tables.items():
            wanted[name] = self.large.get(file) or self.small.get(file) or Path(file)
        for name, path in wanted.items():
            if self.registered.get(name) != path:
                self.session.register(name, str(path), replace=True)
                self.duckdb.execute(f"CREATE OR REPLACE VIEW {name} AS SELECT * FROM '{path}'")
                self.registered[name] = path

    def _differs(self, plan: Saved, names: list[str], rows: list[tuple[Any, ...]]) -> str:
        """The difference to DuckDB's answer; an empty string if there is none. Columns may be in another order, if they
        have the same names."""
        sql = plan.sql.rstrip().rstrip(";")
        loose = _APPROXIMATE if "approx" in sql else None
        precision = Precision(loose, plan.group.endswith(_SAME_TYPES), cut=plan.group == _CUT)
        for pattern, meant in _DIALECT:
            sql = re.sub(pattern, meant, sql)
        if not sql.lstrip().lower().startswith(("select", "with")):
            return ""
        try:
            answer = self.duckdb.execute(sql)
            theirs = [column[0].lower() for column in answer.description]
            expected = answer.fetchall()
        except Exception as error:  # the query uses a function that DuckDB does not have
            return f"DuckDB cannot say: {str(error).splitlines()[0]}"
        if names != theirs and sorted(names) == sorted(theirs):
            rows = [tuple(row[names.index(name)] for name in theirs) for row in rows]
        if len(rows) != len(expected):
            return f"{len(rows)} rows, DuckDB has {len(expected)}"
        whole = re.sub(r"\s+limit\s+\d+(\s+offset\s+\d+)?\s*$", "", sql, flags=re.IGNORECASE)
        if whole != sql and "order by" not in sql.lower():  # LIMIT without ORDER BY: any rows will do
            return _contained(rows, self.duckdb.execute(whole).fetchall(), precision)
        return compared(rows, expected, precision)


@dataclass(frozen=True)
class Precision:
    """How exactly numbers are compared: decimals by the digits of their type, floats by those of a double."""

    #: The relative error that an approximate function may have.
    loose: float | None = None
    #: Does the plan have the same types as the answer? If not, a decimal may stand for a float.
    same_types: bool = False
    #: Are the digits behind the last one of a decimal left out, and not rounded?
    cut: bool = False

    def same(self, mine: bool | int | float | Decimal, other: bool | int | float | Decimal) -> bool:
        if not (math.isfinite(mine) and math.isfinite(other)):
            return float(mine) == float(other) or (math.isnan(mine) and math.isnan(other))
        a, b = Fraction(mine), Fraction(other)
        if self.loose is not None:
            return abs(a - b) <= Fraction(self.loose) * max(abs(a), abs(b))
        room = Fraction(0)
        if isinstance(mine, float) or isinstance(other, float):
            room += Fraction(_FLOATS) * max(abs(a), abs(b), Fraction(1, 10**6))
        if isinstance(mine, Decimal) and not (self.same_types and isinstance(other, float)):
            exponent = mine.as_tuple().exponent
            assert isinstance(exponent, int)
            room += Fraction(10) ** exponent / (1 if self.cut else 2)  # the error of rounding to so many digits
        return abs(a - b) <= room


def _rows(value: Any) -> tuple[list[str], list[tuple[Any, ...]]]:
    found = value.items if isinstance(value, values.Bag) else value
    names = [name.lower() for name, _ in found[0].pairs] if found else []
    return names, [tuple(item for _, item in row.pairs) for row in found]


def compared(rows: list[tuple[Any, ...]], expected: list[tuple[Any, ...]], precision: Precision) -> str:
    """What is different between rows and DuckDB's, in any order; nothing if they are the same."""
    for mine, other in zip(sorted(rows, key=_sortable), sorted(expected, key=_sortable), strict=True):
        if len(mine) != len(other):
            return f"{len(mine)} columns, DuckDB has {len(other)}"
        if not _same_row(mine, other, precision):
            return f"{str(mine)[:140]}, DuckDB has {str(other)[:140]}"
    return ""


def _contained(rows: list[tuple[Any, ...]], everything: list[tuple[Any, ...]], precision: Precision) -> str:
    known: dict[Any, list[tuple[Any, ...]]] = {}
    for row in everything:
        known.setdefault(_sortable(row), []).append(row)
    for row in rows:
        alike = known.get(_sortable(row)) or everything
        if not any(len(row) == len(other) and _same_row(row, other, precision) for other in alike):
            return f"{str(row)[:200]} is no row of DuckDB's"
    return ""


def _same_row(mine: Sequence[Any], other: Sequence[Any], precision: Precision) -> bool:
    return all(_same(a, b, precision) for a, b in zip(mine, other, strict=True))


def _plain(value: Any) -> Any:
    if isinstance(value, values.Timestamp):
        whole = int(value.second)
        micro = int((value.second - whole) * 1_000_000)
        return datetime.datetime(value.year, value.month, value.day, value.hour, value.minute, whole, micro)
    return value.replace(tzinfo=None) if isinstance(value, datetime.datetime) else value


_NUMBER = bool | int | float | Decimal


def _sortable(row: Sequence[Any]) -> tuple[Any, ...]:
    """A sort key by which rows that differ only in the last digits come in the same order."""
    out: list[tuple[int, float, str]] = []
    for value in map(_plain, row):
        if value is None:
            out.append((0, 0.0, ""))
        elif isinstance(value, _NUMBER):
            number = float(value)
            out.append((1, float(f"{number:.4g}") if math.isfinite(number) else number, ""))
        else:
            out.append((2, 0.0, str(value).rstrip()))
    return tuple(out)


def _same(mine: Any, other: Any, precision: Precision) -> bool:
    """Are two values equal, numbers within the precision?"""
    mine, other = _plain(mine), _plain(other)
    if isinstance(mine, _NUMBER) and isinstance(other, _NUMBER):
        return precision.same(mine, other)
    if isinstance(mine, datetime.datetime) is not isinstance(other, datetime.datetime):
        mine, other = (one.date() if isinstance(one, datetime.datetime) else one for one in (mine, other))
    if isinstance(mine, str) and isinstance(other, str):
        return mine.rstrip() == other.rstrip()  # some engines pad CHAR(n) with spaces
    return bool(mine == other)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="run saved Substrait plans against DuckDB's answers")
    parser.add_argument("--scale", type=float, default=0.01, help="TPC-H scale factor (0.01)")
    parser.add_argument("--largest", type=float, default=max(tpcds.SCALES), help="largest TPC-DS scale factor (1)")
    parser.add_argument("--filter", default="", help="only plans whose names match this pattern")
    parser.add_argument("--engine", default="spark", choices=("spark", "reference"))
    parser.add_argument("--quiet", action="store_true", help="only what is not equal, and the sums")
    given = parser.parse_args(argv)
    if not PLANS.exists():
        print("the saved plans are not here: FIRESTEEL_CONFORMANCE says where", file=sys.stderr)
        return 0
    found: list[Outcome] = []
    plans = saved(given.filter)
    try:
        plans += made(DATA / "tpcds", given.filter, given.largest)
    except tpcds.Absent as absent:
        print(absent, file=sys.stderr)
    with fs.connect(engine=given.engine, in_process=False) as session:
        runner = Runner(session, DATA / "tpch", given.scale)
        for plan in plans:
            found.append(runner.run(plan))
            if not given.quiet or not found[-1].equal:
                print(found[-1], flush=True)
    print(f"\n{'':32}{'read':>8}{'checked':>8}{'ran':>8}{'equal':>8}{'native':>8}{'repairs':>8}{'of':>8}")
    for group in sorted({outcome.plan.group for outcome in found}):
        here = [outcome for outcome in found if outcome.plan.group == group]
        steps = [sum(step in outcome.steps for outcome in here) for step in ("read", "checked", "ran", "equal")]
        counts = [*steps, sum(o.native for o in here), sum(o.repairs > 0 for o in here), len(here)]
        print(f"{group:32}" + "".join(f"{count:>8}" for count in counts))
    return 1 if any(not outcome.equal and not outcome.plan.wrong for outcome in found) else 0


if __name__ == "__main__":
    sys.exit(main())
