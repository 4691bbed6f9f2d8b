"""PySpark jobs: each is a function of the tables, the functions and the windows of an API, so that one text is run on
Spark and is read as a plan."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa

D = Decimal

ORDERS = pa.table(
    {
        "id": pa.array([1, 2, 3, 4, 5, 6, 7], pa.int32()),
        "who": pa.array([10, 20, 10, None, 30, 20, 10], pa.int64()),
        "total": pa.array(["12.50", "7.25", None, "0.00", "-3.10", "99.99", "12.50"]).cast(pa.decimal128(10, 2)),
        "weight": pa.array([1.5, math.nan, None, 0.0, -2.25, 1e300, 1.5], pa.float64()),
        "day": pa.array([datetime.date(2024, m, m * 3) if m != 4 else None for m in range(1, 8)], pa.date32()),
        "note": pa.array(["gift", "", None, "Gift wrap", "  spaced ", "ümlaut", "gift"], pa.string()),
        "tags": pa.array([["a", "b"], [], None, ["b"], ["c", None], ["a", "a"], ["a", "b"]], pa.list_(pa.string())),
    }
)
PEOPLE = pa.table(
    {
        "who": pa.array([10, 20, 40, None], pa.int64()),
        "name": pa.array(["Ann", "Bob", "Cid", "nobody"], pa.string()),
        "home": pa.array(
            [{"city": "Rome", "zip": 1}, {"city": None, "zip": 2}, None, {"city": "Oslo", "zip": 4}],
            pa.struct([("city", pa.string()), ("zip", pa.int32())]),
        ),
        "ok": pa.array([True, False, None, True], pa.bool_()),
    }
)
TABLES = {"orders": ORDERS, "people": PEOPLE}
#: The schemas as Spark's types have them.
SCHEMAS = {
    "orders": "id INT, who BIGINT, total DECIMAL(10,2), weight DOUBLE, day DATE, note STRING, tags ARRAY<STRING>",
    "people": "who BIGINT, name STRING, home STRUCT<city: STRING, zip: INT>, ok BOOLEAN",
}

#: A job: of the tables by name, the functions, the class `Window`.
Job = Callable[[Callable[[str], Any], Any, Any], Any]
JOBS: dict[str, Job] = {}


def job(made: Job) -> Job:
    JOBS[made.__name__] = made
    return made


@job
def columns(t: Any, F: Any, W: Any) -> Any:
    return t("orders").select("id", F.col("total").alias("sum"), (F.col("id") + 1).alias("next"), F.lit("x").alias("x"))


@job
def arithmetic(t: Any, F: Any, W: Any) -> Any:
    o = t("orders")
    return o.select(
        (F.col("id") * 2 - 1).alias("a"),
        (F.col("id") + F.col("who")).alias("b"),
        (F.col("total") * F.col("total")).alias("c"),
        (F.col("total") + F.col("id")).alias("d"),
        (F.col("total") / F.lit(Decimal("3.0"))).alias("e"),
        (F.col("id") / 4).alias("f"),
        (F.col("id") % 3).alias("g"),
        (-F.col("id") % 3).alias("h"),
        (F.col("total") * 0.5).alias("i"),
        (F.col("total") - 1).alias("j"),
        F.abs("total").alias("k"),
        (-F.col("weight")).alias("l"),
    )


@job
def rounding(t: Any, F: Any, W: Any) -> Any:
    return t("orders").select(
        F.round("total", 1).alias("a"),
        F.round("total").alias("b"),
        F.round(F.lit(2.675), 2).alias("c"),
        F.floor(F.col("total")).alias("d"),
        F.ceil(F.lit(1.2)).alias("e"),
        F.floor(F.lit(-1.2)).alias("f"),
        F.ceil("id").alias("g"),
        F.sqrt(F.col("id")).alias("h"),
        F.pow("id", F.lit(2)).alias("i"),
        F.ln(F.col("id") - 1).alias("j"),
        F.exp(F.lit(1)).alias("k"),
        F.signum("total").alias("l"),
    )


@job
def comparisons(t: Any, F: Any, W: Any) -> Any:
    w = F.col("weight")
    return t("orders").select(
        "id",
        (w > 1.0).alias("a"),
        (w < 1.0).alias("b"),
        (w == w).alias("c"),
        (F.lit(2.0) < w).alias("d"),
        (F.col("note") >= "gift").alias("e"),
        F.col("total").between(0, 13).alias("f"),
        F.col("who").isin(10, 30).alias("g"),
        F.col("note").isin("gift", "").alias("h"),
        F.col("who").eqNullSafe(20).alias("i"),
        (F.col("day") <= "2024-03-31").alias("j"),
        (F.col("id") != F.col("who")).alias("k"),
        (F.col("total") == 12.5).alias("l"),
    )


@job
def logic(t: Any, F: Any, W: Any) -> Any:
    big, known = F.col("total") > 10, F.col("who").isNotNull()
    return t("orders").select(
        "id",
        (big & known).alias("a"),
        (big | known).alias("b"),
        (~big).alias("c"),
        F.when(big, "big").when(known, "known").otherwise("?").alias("d"),
        F.when(big, F.col("id")).alias("e"),
        F.coalesce("total", F.lit(0)).alias("f"),
        F.nullif(F.col("note"), F.lit("")).alias("g"),
        F.isnan("weight").alias("h"),
        F.nanvl("weight", F.lit(0.0)).alias("i"),
        F.greatest("id", "who").alias("j"),
        F.least(F.col("weight"), F.lit(1.0)).alias("k"),
        F.nvl2("who", F.lit("yes"), F.lit("no")).alias("l"),
    )


@job
def text(t: Any, F: Any, W: Any) -> Any:
    note = F.col("note")
    return t("orders").select(
        F.upper(note).alias("a"),
        F.length(note).alias("b"),
        F.concat(note, F.lit("!"), F.col("id")).alias("c"),
        F.concat_ws("-", note, F.col("id").cast("string")).alias("d"),
        F.substring(note, 2, 3).alias("e"),
        F.trim(note).alias("f"),
        note.like("%ift%").alias("g"),
        note.startswith("g").alias("h"),
        note.contains("a").alias("i"),
        F.replace(note, F.lit("i"), F.lit("I")).alias("j"),
        F.lpad(note, 6, "*").alias("k"),
        F.instr(note, "f").alias("l"),
        F.reverse(note).alias("m"),
        F.repeat(note, 2).alias("n"),
        F.translate(note, "gf", "GF").alias("o"),
        note.endswith("t").alias("p"),
        F.substring(note, 0, 2).alias("q"),
        F.ltrim(note).alias("r"),
        F.ascii(note).alias("s"),
    )


@job
def days(t: Any, F: Any, W: Any) -> Any:
    d = F.col("day")
    return t("orders").select(
        F.year(d).alias("a"),
        F.month(d).alias("b"),
        F.dayofmonth(d).alias("c"),
        F.quarter(d).alias("d"),
        F.dayofyear(d).alias("e"),
        F.date_add(d, 40).alias("f"),
        F.date_sub(d, 1).alias("g"),
        F.datediff(d, F.lit("2024-01-01").cast("date")).alias("h"),
        F.add_months(d, 2).alias("i"),
        F.last_day(d).alias("j"),
        F.trunc(d, "month").alias("k"),
        F.to_date(F.lit("2024-02-29")).alias("l"),
        F.weekofyear(d).alias("m"),
        F.make_date(F.year(d), F.lit(1), F.lit(1)).alias("n"),
    )


@job
def casts(t: Any, F: Any, W: Any) -> Any:
    return t("orders").select(
        F.col("id").cast("bigint").alias("a"),
        F.col("id").cast("string").alias("b"),
        F.col("total").cast("double").alias("c"),
        F.col("total").cast("int").alias("d"),
        F.col("total").cast("decimal(12,4)").alias("e"),
        F.col("day").cast("string").alias("f"),
        F.lit("12").cast("int").alias("g"),
        F.lit(-1.7).cast("int").alias("h"),
        F.lit("2024-05-06").cast("date").alias("i"),
        F.col("total").cast("string").alias("j"),
        F.lit(True).cast("string").alias("k"),
        F.lit("zwölf").try_cast("int").alias("l"),
        F.col("total").cast("decimal(10,1)").alias("m"),
    )


@job
def nested(t: Any, F: Any, W: Any) -> Any:
    return t("people").select(
        "home.city",
        F.col("home")["zip"].alias("zip"),
        F.struct("name", F.col("who").alias("w")).alias("s"),
        F.array("who", F.lit(1)).alias("a"),
        F.named_struct(F.lit("x"), F.col("name")).alias("n"),
    )


@job
def arrays(t: Any, F: Any, W: Any) -> Any:
    tags = F.col("tags")
    return t("orders").select(
        F.array_size(tags).alias("a"),
        F.array_contains(tags, "a").alias("b"),
        F.transform(tags, lambda x: F.concat(x, F.lit("!"))).alias("c"),
        F.filter(tags, lambda x: x != "a").alias("d"),
        F.array_distinct(tags).alias("e"),
    )


@job
def exploded(t: Any, F: Any, W: Any) -> Any:
    return t("orders").select("id", F.explode("tags").alias("tag"))


@job
def exploded_outer(t: Any, F: Any, W: Any) -> Any:
    return t("orders").select("id", F.explode_outer("tags"), "note")


@job
def filters(t: Any, F: Any, W: Any) -> Any:
    o = t("orders")
    return o.filter(o["total"] > 5).where(F.col("note") != "").select(o["id"], "note")


@job
def new_columns(t: Any, F: Any, W: Any) -> Any:
    o = t("orders").withColumn("double", F.col("total") * 2).withColumn("id", F.col("id") + 100)
    o = o.withColumnRenamed("note", "remark").drop("tags", "weight")
    return o.withColumns({"a": F.lit(1), "b": F.col("double") + 1}).select("*", F.lit(None).cast("int").alias("n"))


@job
def renamed(t: Any, F: Any, W: Any) -> Any:
    return t("people").select("who", "name").toDF("x", "y").filter(F.col("x") > 10)


@job
def inner_join(t: Any, F: Any, W: Any) -> Any:
    o, c = t("orders"), t("people")
    return o.join(c, o["who"] == c["who"]).select(o["id"], c["name"], o["who"])


@job
def join_using(t: Any, F: Any, W: Any) -> Any:
    return t("orders").join(t("people"), "who", "left").select("who", "id", "name")


@job
def join_using_right(t: Any, F: Any, W: Any) -> Any:
    return t("orders").join(t("people"), ["who"], "right").select("who", "id", "name")


@job
def join_using_full(t: Any, F: Any, W: Any) -> Any:
    return t("orders").select("id", "who").join(t("people"), "who", "full")


@job
def join_semi(t: Any, F: Any, W: Any) -> Any:
    o, c = t("orders").alias("o"), t("people").alias("c")
    return o.join(c, F.col("o.who") == F.col("c.who"), "left_semi").select("o.id")


@job
def join_anti(t: Any, F: Any, W: Any) -> Any:
    o, c = t("orders").alias("o"), t("people").alias("c")
    return o.join(c, (F.col("o.who") == F.col("c.who")) & F.col("c.ok"), "left_anti").select("id")


@job
def join_itself(t: Any, F: Any, W: Any) -> Any:
    a, b = t("orders").alias("a"), t("orders").alias("b")
    return a.join(b, (F.col("a.who") == F.col("b.who")) & (F.col("a.id") < F.col("b.id"))).select("a.id", "b.id")


@job
def cross_join(t: Any, F: Any, W: Any) -> Any:
    return t("people").select("name").crossJoin(t("orders").select("id").limit(100))


@job
def groups(t: Any, F: Any, W: Any) -> Any:
    return (
        t("orders")
        .groupBy("who")
        .agg(
            F.count("*").alias("n"),
            F.count("total").alias("c"),
            F.sum("total").alias("s"),
            F.avg("total").alias("a"),
            F.min("day").alias("first"),
            F.max("weight").alias("m"),
            F.sum("id").alias("ids"),
            F.avg("id").alias("mean"),
            F.countDistinct("note").alias("d"),
            (F.sum("total") / F.count("*")).alias("q"),
            F.max("note").alias("x"),
            F.min("weight").alias("w"),
        )
    )


@job
def whole(t: Any, F: Any, W: Any) -> Any:
    return (
        t("orders")
        .filter(F.col("id") < 7)
        .agg(
            F.sum("id").alias("s"),
            F.stddev(F.col("id")).alias("sd"),
            F.var_pop("id").alias("v"),
            F.sum_distinct("who").alias("who"),
            F.median("id").alias("m"),
            F.bool_and(F.col("id") > 0).alias("all"),
            F.covar_samp("id", "who").alias("cov"),
            F.countDistinct("who", "note").alias("pairs"),
        )
    )


@job
def group_expressions(t: Any, F: Any, W: Any) -> Any:
    month = F.month("day")
    return (
        t("orders")
        .groupBy((F.col("id") % 2).alias("odd"), month)
        .agg((F.max("id") - F.min("id") + 1).alias("span"), F.first("id").alias("f"))
        .select("odd", "span", "f")
    )


@job
def rollup(t: Any, F: Any, W: Any) -> Any:
    return t("orders").rollup("who", "note").agg(F.sum("id").alias("s"), F.count("who").alias("n"))


@job
def cube(t: Any, F: Any, W: Any) -> Any:
    return t("orders").cube("who", "note").count()


@job
def grouping_sets(t: Any, F: Any, W: Any) -> Any:
    return t("orders").groupingSets([["who"], ["note"], []], "who", "note").agg(F.sum("id").alias("s"))


@job
def pivot(t: Any, F: Any, W: Any) -> Any:
    return t("orders").groupBy("note").pivot("who", [10, 20, 99]).agg(F.sum("id").alias("s"), F.count("id").alias("n"))


@job
def distinct_rows(t: Any, F: Any, W: Any) -> Any:
    return t("orders").select("who", "note").distinct()


@job
def dropped_duplicates(t: Any, F: Any, W: Any) -> Any:
    return t("orders").select("who", "note", "total").filter(F.col("id") > 0).dropDuplicates(["who", "note", "total"])


@job
def sorted_rows(t: Any, F: Any, W: Any) -> Any:
    return t("orders").orderBy(F.col("weight").desc(), F.col("id")).select("id", "weight").limit(4)


@job
def sorted_with_nulls(t: Any, F: Any, W: Any) -> Any:
    return t("orders").orderBy(F.col("weight").asc_nulls_last(), F.desc("id")).select("id").offset(2)


@job
def unions(t: Any, F: Any, W: Any) -> Any:
    return (
        t("orders")
        .select("id", "note")
        .union(t("people").select("who", "name"))
        .union(t("orders").select("id", "note"))
    )


@job
def union_by_name(t: Any, F: Any, W: Any) -> Any:
    return t("orders").select("id", "who").unionByName(t("people").select("who", "ok"), allowMissingColumns=True)


@job
def intersections(t: Any, F: Any, W: Any) -> Any:
    return t("orders").select("who").intersect(t("people").select("who"))


@job
def differences(t: Any, F: Any, W: Any) -> Any:
    return t("orders").select("who").exceptAll(t("people").select("who"))


@job
def subtracted(t: Any, F: Any, W: Any) -> Any:
    return t("orders").select("who").subtract(t("people").select("who"))


@job
def filled(t: Any, F: Any, W: Any) -> Any:
    return t("orders").select("id", "who", "weight", "note").fillna(0).fillna({"note": "none"})


@job
def dropped_nulls(t: Any, F: Any, W: Any) -> Any:
    return t("orders").dropna(subset=["who", "weight"]).select("id")


@job
def dropped_all_nulls(t: Any, F: Any, W: Any) -> Any:
    return t("orders").select("id", "who", "total").dropna("all", subset=["who", "total"])


@job
def ranks(t: Any, F: Any, W: Any) -> Any:
    w = W.partitionBy("who").orderBy(F.col("id").desc())
    return t("orders").select(
        "id",
        F.row_number().over(w).alias("n"),
        F.rank().over(W.orderBy("note")).alias("r"),
        F.dense_rank().over(W.orderBy("note")).alias("d"),
        F.lag("id").over(w).alias("lag"),
        F.lead("id", 2, -1).over(w).alias("lead"),
        F.percent_rank().over(W.orderBy("note")).alias("p"),
        F.cume_dist().over(W.orderBy("note")).alias("c"),
        F.ntile(3).over(W.orderBy("id")).alias("t"),
    )


@job
def running(t: Any, F: Any, W: Any) -> Any:
    w = W.partitionBy("who").orderBy("id")
    return (
        t("orders")
        .withColumn("sum", F.sum("id").over(w))
        .select(
            "id",
            "sum",
            F.sum("total").over(w.rowsBetween(-1, W.currentRow)).alias("s"),
            F.avg("id").over(W.partitionBy("who")).alias("a"),
            F.count("*").over(w.rangeBetween(-2, 2)).alias("c"),
            F.first("note").over(w).alias("f"),
            (F.max("id").over(W.partitionBy("who")) - F.col("id")).alias("left"),
            F.last("id").over(w.rowsBetween(W.unboundedPreceding, W.unboundedFollowing)).alias("l"),
        )
    )


@job
def melted(t: Any, F: Any, W: Any) -> Any:
    return t("orders").unpivot(["note"], ["id", "who"], "what", "value")


@job
def hints(t: Any, F: Any, W: Any) -> Any:
    people = t("people").hint("broadcast").repartition(3)
    return t("orders").join(people, "who").coalesce(1).select("name", "id")


@job
def counted(t: Any, F: Any, W: Any) -> Any:
    return t("people").groupBy().count()
