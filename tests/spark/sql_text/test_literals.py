"""Names and literals as Spark SQL text: every one comes back as it was given, under every setting of the parser."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import types as s

from firesteel.spark.sql_text.columns import column
from firesteel.spark.sql_text.literals import NoTextError, identifier, literal, string, type_name
from tests.hostile.test_identifiers import PIECES
from tools.spark_batch import configured

#: Settings that change what a literal or an identifier means.
SETTINGS: tuple[dict[str, str | None], ...] = (
    {},
    {"spark.sql.parser.escapedStringLiterals": "true", "spark.sql.ansi.enabled": "false"},
    {"spark.sql.ansi.enabled": "true", "spark.sql.ansi.doubleQuotedIdentifiers": "true"},
    {"spark.sql.ansi.enabled": "true", "spark.sql.ansi.enforceReservedKeywords": "true"},
    {"spark.sql.legacy.consecutiveStringLiterals.enabled": "true", "spark.sql.caseSensitive": "true"},
    {"spark.sql.legacy.setopsPrecedence.enabled": "true", "spark.sql.variable.substitute": "false"},
)
ODD = ["\x00", "\x01", "\u2028", "\ud7ff", "é", "漢", "\U0001f600", "\U0010ffff", "''", '""', "\\'", "x'", "c1", "t2"]
VALUES: list[Any] = [
    *(None, True, False, 0, -1, 2**31 - 1, -(2**31), 2**31, 2**63 - 1, -(2**63)),
    *(0.0, -0.0, 1.5, -1e300, 5e-324, 1e-7, 123456789012345680.0, float("inf"), float("-inf")),
    *(Decimal("0"), Decimal("-1.50"), Decimal("1E+3"), Decimal("1E-10"), Decimal("9" * 38)),
    *(b"", b"\x00\xff'", datetime.date(1, 1, 1), datetime.date(9999, 12, 31), datetime.date(2024, 2, 29)),
]


def texts(count: int, seed: int) -> Iterator[str]:
    """Hostile texts: each piece alone, and mixtures."""
    pieces = [*PIECES, *ODD]
    yield from pieces
    draw = random.Random(seed)
    for _ in range(count - len(pieces)):
        yield "".join(draw.choices(pieces, k=draw.randint(2, 6)))


def test_what_is_plain_stays_readable() -> None:
    assert string("BUILDING $5 100%") == "'BUILDING $5 100%'"
    assert string("it's") == "decode(X'69742773', 'UTF-8')"
    assert string("${x}").startswith("decode(")
    assert identifier("c12") == "c12"
    assert identifier("C12") == "`C12`"
    assert identifier("a`b") == "`a``b`"
    assert literal(2**40) == "1099511627776L"
    assert column("0.05").cast("decimal(2,2)").sql == "0.05BD"
    assert column("0.05").cast("decimal(3,2)").sql == "CAST('0.05' AS DECIMAL(3,2))"
    assert column(5).cast("bigint").sql == "5L"
    assert column(True).cast("bigint").sql == "CAST(TRUE AS BIGINT)"


@pytest.mark.parametrize("name", ["", "${x}", "\ud800"])
def test_names_that_cannot_be_written(name: str) -> None:
    with pytest.raises(NoTextError):
        identifier(name)


@pytest.mark.parametrize("value", [2**63, Decimal("NaN"), "\udfff", [1], object()])
def test_literals_that_cannot_be_written(value: Any) -> None:
    with pytest.raises(NoTextError):
        literal(value)


def test_operators_keep_their_shape() -> None:
    a, b, c = column(1), column(2), column(3)
    assert (a - (b - c)).sql == "1 - (2 - 3)"
    assert (a - b - c).sql == "1 - 2 - 3"
    assert ((a + b) * c).sql == "(1 + 2) * 3"
    assert (1 - a).sql == "1 - 1"
    assert (a - column(-1)).sql == "1 - -1"
    assert ((a == b) == c).sql == "(1 = 2) = 3"
    assert (~((a == b) | (b == c)) & (a < b)).sql == "NOT (1 = 2 OR 2 = 3) AND 1 < 2"
    assert (~(a == b)).isNull().sql == "(NOT 1 = 2) IS NULL"
    assert (a == b).isNotNull().sql == "(1 = 2) IS NOT NULL"


@pytest.mark.spark
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda one: " ".join(one) or "as they are")
def test_every_text_comes_back(settings: dict[str, str | None], spark: Any) -> None:
    strings = list(texts(600, seed=17))
    with configured(spark, settings):
        row = spark.sql(f"SELECT array({', '.join(map(string, strings))}) AS a").collect()[0]
    assert row["a"] == strings


@pytest.mark.spark
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda one: " ".join(one) or "as they are")
def test_every_name_comes_back(settings: dict[str, str | None], spark: Any) -> None:
    names = [name for name in dict.fromkeys(texts(600, seed=23)) if "${" not in name]
    assert len(names) > 500
    picked = ", ".join(f"{i} AS {identifier(name)}" for i, name in enumerate(names))
    with configured(spark, {**settings, "spark.sql.caseSensitive": "true"}):
        frame = spark.sql(f"SELECT * FROM (SELECT {picked})")
        assert frame.columns == names
        again = spark.sql(f"SELECT {', '.join(map(identifier, names))} FROM (SELECT {picked})")
        assert list(again.collect()[0]) == list(range(len(names)))


@pytest.mark.spark
def test_every_literal_comes_back(spark: Any) -> None:
    row = spark.sql(f"SELECT {', '.join(f'{literal(value)} AS c{i}' for i, value in enumerate(VALUES))}").collect()[0]
    for value, found in zip(VALUES, row, strict=True):
        assert (found, str(found)) == (value, str(value)) or (found == value and isinstance(value, bytes | Decimal))
    nan = spark.sql(f"SELECT {literal(float('nan'))} AS n").collect()[0]["n"]
    assert nan != nan


@pytest.mark.spark
def test_types(spark: Any) -> None:
    types = [s.ArrayType(s.VariantType()), s.MapType(s.StringType(), s.DecimalType(10, 2)), s.TimestampNTZType()]
    types.append(s.StructType([s.StructField("a`b c", s.LongType()), s.StructField("x", types[0])]))
    frame = spark.sql(f"SELECT {', '.join(f'CAST(NULL AS {type_name(one)}) AS c{i}' for i, one in enumerate(types))}")
    assert [field.dataType for field in frame.schema.fields] == types
