"""Hostile identifiers: columns, tables and aliases whose names hold quotes, backquotes, dots, line ends, words of SQL,
`${env.X}`, or odd Unicode. Each answers as its harmless twin does."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

import firesteel as fs
from firesteel.partiql.parse.keywords import RESERVED

#: Pieces of names that mean something to some language on the way.
PIECES = [
    *(
        '"',
        "'",
        "`",
        "``",
        ".",
        "..",
        "\n",
        "\r",
        "\t",
        " ",
        ";",
        "--",
        "/*",
        "*/",
        "\\",
        "\\n",
        "\\u0041",
        "$",
        "${env.HOME}",
    ),
    *(
        "${spark.app.id}",
        "{",
        "}",
        "{{x}}",
        "%s",
        "%n",
        "(",
        ")",
        "[0]",
        "[*]",
        "*",
        "?",
        ":a",
        "@",
        "#",
        "&",
        "|",
        "<<",
        ">>",
    ),
    *(
        "=",
        "<",
        "'; DROP TABLE t; --",
        "' OR '1'='1",
        "é",
        "e\u0301",
        "😀",
        "\u200b",
        "\u202e",
        "\u00a0",
        "\ufeff",
        "ﬀ",
        "İ",
    ),
    *(
        "ß",
        "日本語",
        "\u0001",
        "\u007f",
        "__firesteel__",
        "_1",
        "c0",
        "value",
        "key",
        "null",
        "true",
        "1",
        "-1",
        "1e5",
        "$bag",
    ),
    *("$missing", "$1", "col", "array<int>", "struct<a:int>", "variant", "element", "A", "a"),
]


def names(count: int) -> list[str]:
    """So many different names: words of the language, single pieces, and mixtures."""
    draw = random.Random(18)
    found = dict.fromkeys([*sorted(RESERVED), *PIECES])
    while len(found) < count:
        found["".join(draw.choices(PIECES, k=draw.randint(2, 4)))] = None
    return list(found)[:count]


NAMES = names(500)


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def rows(name: str) -> list[dict[str, Any]]:
    return [{"k": 1, name: 2}, {"k": 2, name: 5}, {"k": 1, name: 3}]


def query(column: str, alias: str, output: str) -> str:
    """The name as a column, an alias of a table and one of a column, in every clause."""
    return (
        f"SELECT {alias}.k AS k, SUM({alias}.{column}) AS {output} FROM t AS {alias}"
        f" WHERE {alias}.{column} > 1 GROUP BY {alias}.k ORDER BY k"
    )


def test_columns_and_aliases() -> None:
    """On the reference engine, each by itself."""
    wrong = []
    for name in NAMES:
        if name in ("k", ""):
            continue
        session = fs.connect(engine="reference")
        session.register("t", rows(name))
        made = session.query(query(quoted(name), quoted(name), quoted(name))).to_python()
        if made != [{"k": 1, name: 5}, {"k": 2, name: 5}]:
            wrong.append((name, made))
    assert not wrong, wrong[:5]


def test_tables() -> None:
    """A name of a table, whose parts dots separate."""
    for name in NAMES:
        if "." in name:
            continue
        session = fs.connect(engine="reference")
        session.register(name, [{"k": 1}])
        assert session.query(f"SELECT x.k FROM {quoted(name)} AS x").to_python() == [{"k": 1}], name


def test_a_name_does_not_leave_its_quotes() -> None:
    """What is named in a query is neither run nor resolved: an unknown name is MISSING, whatever it says."""
    session = fs.connect(engine="reference")
    session.register("t", [{"k": 1}])
    for name in NAMES:
        if name.lower() not in ("k", "t"):
            assert session.query(f"SELECT VALUE t.{quoted(name)} FROM t").to_python() == [fs.MISSING], name


def batches(size: int) -> Iterator[list[str]]:
    """Names that differ more than in case: a table of Spark's has them side by side."""
    by_case: dict[str, str] = {}
    for name in NAMES:
        by_case.setdefault(name.casefold().lower(), name)
    distinct = list(by_case.values())
    for i in range(0, len(distinct), size):
        yield distinct[i : i + size]


@pytest.mark.spark
def test_on_spark(spark: Any) -> None:
    """Many columns of one table at once, as what is read, computed with, and given out."""
    reference = fs.connect(engine="reference")
    native = fs.connect(spark=spark, in_process=False, fallback="refuse")
    for batch in batches(125):
        table = [{name: i * row for i, name in enumerate(batch)} for row in (1, 2)]
        columns = ", ".join(f"t.{quoted(name)} + 1 AS {quoted(name)}" for name in batch)
        first = f"t.{quoted(batch[0])}"
        asked = f"SELECT {columns} FROM t AS t WHERE t.{quoted(batch[-1])} > 0 ORDER BY {first}, t.{quoted(batch[-1])}"
        answers = []
        for session in (reference, native):
            session.register("t", table, replace=True)
            answers.append(session.query(asked).to_python())
        assert answers[0] == answers[1]
        assert [list(row) for row in answers[1]] == [batch, batch]
