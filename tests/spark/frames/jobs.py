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
def columns(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").select(
        "id", fn.col("total").alias("sum"), (fn.col("id") + 1).alias("next"), fn.lit("x").alias("x")
    )


@job
def arithmetic(t: Any, fn: Any, over: Any) -> Any:
    o = t("orders")
    return o.select(
        (fn.col("id") * 2 - 1).alias("a"),
        (fn.col("id") + fn.col("who")).alias("b"),
        (fn.col("total") * fn.col("total")).alias("c"),
        (fn.col("total") + fn.col("id")).alias("d"),
        (fn.col("total") / fn.lit("3.0").cast("decimal(2,1)")).alias("e"),
        (fn.col("id") / 4).alias("f"),
        (fn.col("id") % 3).alias("g"),
        (-fn.col("id") % 3).alias("h"),
        (fn.col("total") * 0.5).alias("i"),
        (fn.col("total") - 1).alias("j"),
        fn.abs("total").alias("k"),
        (-fn.col("weight")).alias("l"),
    )


@job
def rounding(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").select(
        fn.round("total", 1).alias("a"),
        fn.round("total").alias("b"),
        fn.round(fn.lit(2.675), 2).alias("c"),
        fn.floor(fn.col("total")).alias("d"),
        fn.ceil(fn.lit(1.2)).alias("e"),
        fn.floor(fn.lit(-1.2)).alias("f"),
        fn.ceil("id").alias("g"),
        fn.sqrt(fn.col("id")).alias("h"),
        fn.pow("id", fn.lit(2)).alias("i"),
        fn.ln(fn.col("id") - 1).alias("j"),
        fn.exp(fn.lit(1)).alias("k"),
        fn.signum("total").alias("l"),
    )


@job
def comparisons(t: Any, fn: Any, over: Any) -> Any:
    w = fn.col("weight")
    return t("orders").select(
        "id",
        (w > 1.0).alias("a"),
        (w < 1.0).alias("b"),
        (w == w).alias("c"),
        (fn.lit(2.0) < w).alias("d"),
        (fn.col("note") >= "gift").alias("e"),
        fn.col("total").between(0, 13).alias("f"),
        fn.col("who").isin(10, 30).alias("g"),
        fn.col("note").isin("gift", "").alias("h"),
        fn.col("who").eqNullSafe(20).alias("i"),
        (fn.col("day") <= "2024-03-31").alias("j"),
        (fn.col("id") != fn.col("who")).alias("k"),
        (fn.col("total") == 12.5).alias("l"),
    )


@job
def logic(t: Any, fn: Any, over: Any) -> Any:
    big, known = fn.col("total") > 10, fn.col("who").isNotNull()
    return t("orders").select(
        "id",
        (big & known).alias("a"),
        (big | known).alias("b"),
        (~big).alias("c"),
        fn.when(big, "big").when(known, "known").otherwise("?").alias("d"),
        fn.when(big, fn.col("id")).alias("e"),
        fn.coalesce("total", fn.lit(0)).alias("f"),
        fn.nullif(fn.col("note"), fn.lit("")).alias("g"),
        fn.isnan("weight").alias("h"),
        fn.nanvl("weight", fn.lit(0.0)).alias("i"),
        fn.greatest("id", "who").alias("j"),
        fn.least(fn.col("weight"), fn.lit(1.0)).alias("k"),
        fn.nvl2("who", fn.lit("yes"), fn.lit("no")).alias("l"),
    )


@job
def text(t: Any, fn: Any, over: Any) -> Any:
    note = fn.col("note")
    return t("orders").select(
        fn.upper(note).alias("a"),
        fn.length(note).alias("b"),
        fn.concat(note, fn.lit("!"), fn.col("id")).alias("c"),
        fn.concat_ws("-", note, fn.col("id").cast("string")).alias("d"),
        fn.substring(note, 2, 3).alias("e"),
        fn.trim(note).alias("f"),
        note.like("%ift%").alias("g"),
        note.startswith("g").alias("h"),
        note.contains("a").alias("i"),
        fn.replace(note, fn.lit("i"), fn.lit("I")).alias("j"),
        fn.lpad(note, 6, "*").alias("k"),
        fn.instr(note, "f").alias("l"),
        fn.reverse(note).alias("m"),
        fn.repeat(note, 2).alias("n"),
        fn.translate(note, "gf", "GF").alias("o"),
        note.endswith("t").alias("p"),
        fn.substring(note, 0, 2).alias("q"),
        fn.ltrim(note).alias("r"),
        fn.ascii(note).alias("s"),
    )


@job
def days(t: Any, fn: Any, over: Any) -> Any:
    d = fn.col("day")
    return t("orders").select(
        fn.year(d).alias("a"),
        fn.month(d).alias("b"),
        fn.dayofmonth(d).alias("c"),
        fn.quarter(d).alias("d"),
        fn.dayofyear(d).alias("e"),
        fn.date_add(d, 40).alias("f"),
        fn.date_sub(d, 1).alias("g"),
        fn.datediff(d, fn.lit("2024-01-01").cast("date")).alias("h"),
        fn.add_months(d, 2).alias("i"),
        fn.last_day(d).alias("j"),
        fn.trunc(d, "month").alias("k"),
        fn.to_date(fn.lit("2024-02-29")).alias("l"),
        fn.weekofyear(d).alias("m"),
        fn.make_date(fn.year(d), fn.lit(1), fn.lit(1)).alias("n"),
    )


@job
def casts(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").select(
        fn.col("id").cast("bigint").alias("a"),
        fn.col("id").cast("string").alias("b"),
        fn.col("total").cast("double").alias("c"),
        fn.col("total").cast("int").alias("d"),
        fn.col("total").cast("decimal(12,4)").alias("e"),
        fn.col("day").cast("string").alias("f"),
        fn.lit("12").cast("int").alias("g"),
        fn.lit(-1.7).cast("int").alias("h"),
        fn.lit("2024-05-06").cast("date").alias("i"),
        fn.col("total").cast("string").alias("j"),
        fn.lit(True).cast("string").alias("k"),
        fn.lit("zwölf").try_cast("int").alias("l"),
        fn.col("total").cast("decimal(10,1)").alias("m"),
    )


@job
def nested(t: Any, fn: Any, over: Any) -> Any:
    return t("people").select(
        "home.city",
        fn.col("home")["zip"].alias("zip"),
        fn.struct("name", fn.col("who").alias("w")).alias("s"),
        fn.array("who", fn.lit(1)).alias("a"),
        fn.named_struct(fn.lit("x"), fn.col("name")).alias("n"),
    )


@job
def arrays(t: Any, fn: Any, over: Any) -> Any:
    tags = fn.col("tags")
    return t("orders").select(
        fn.array_size(tags).alias("a"),
        fn.array_contains(tags, "a").alias("b"),
        fn.transform(tags, lambda x: fn.concat(x, fn.lit("!"))).alias("c"),
        fn.filter(tags, lambda x: x != "a").alias("d"),
        fn.array_distinct(tags).alias("e"),
    )


@job
def exploded(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").select("id", fn.explode("tags").alias("tag"))


@job
def exploded_outer(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").select("id", fn.explode_outer("tags"), "note")


@job
def filters(t: Any, fn: Any, over: Any) -> Any:
    o = t("orders")
    return o.filter(o["total"] > 5).where(fn.col("note") != "").select(o["id"], "note")


@job
def new_columns(t: Any, fn: Any, over: Any) -> Any:
    o = t("orders").withColumn("double", fn.col("total") * 2).withColumn("id", fn.col("id") + 100)
    o = o.withColumnRenamed("note", "remark").drop("tags", "weight")
    return o.withColumns({"a": fn.lit(1), "b": fn.col("double") + 1}).select("*", fn.lit(None).cast("int").alias("n"))


@job
def renamed(t: Any, fn: Any, over: Any) -> Any:
    return t("people").select("who", "name").toDF("x", "y").filter(fn.col("x") > 10)


@job
def inner_join(t: Any, fn: Any, over: Any) -> Any:
    o, c = t("orders"), t("people")
    return o.join(c, o["who"] == c["who"]).select(o["id"], c["name"], o["who"])


@job
def join_using(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").join(t("people"), "who", "left").select("who", "id", "name")


@job
def join_using_right(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").join(t("people"), ["who"], "right").select("who", "id", "name")


@job
def join_using_full(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").select("id", "who").join(t("people"), "who", "full")


@job
def join_semi(t: Any, fn: Any, over: Any) -> Any:
    o, c = t("orders").alias("o"), t("people").alias("c")
    return o.join(c, fn.col("o.who") == fn.col("c.who"), "left_semi").select("o.id")


@job
def join_anti(t: Any, fn: Any, over: Any) -> Any:
    o, c = t("orders").alias("o"), t("people").alias("c")
    return o.join(c, (fn.col("o.who") == fn.col("c.who")) & fn.col("c.ok"), "left_anti").select("id")


@job
def join_itself(t: Any, fn: Any, over: Any) -> Any:
    a, b = t("orders").alias("a"), t("orders").alias("b")
    return a.join(b, (fn.col("a.who") == fn.col("b.who")) & (fn.col("a.id") < fn.col("b.id"))).select("a.id", "b.id")


@job
def cross_join(t: Any, fn: Any, over: Any) -> Any:
    return t("people").select("name").crossJoin(t("orders").select("id").limit(100))


@job
def groups(t: Any, fn: Any, over: Any) -> Any:
    return (
        t("orders")
        .groupBy("who")
        .agg(
            fn.count("*").alias("n"),
            fn.count("total").alias("c"),
            fn.sum("total").alias("s"),
            fn.avg("total").alias("a"),
            fn.min("day").alias("first"),
            fn.max("weight").alias("m"),
            fn.sum("id").alias("ids"),
            fn.avg("id").alias("mean"),
            fn.countDistinct("note").alias("d"),
            (fn.sum("total") / fn.count("*")).alias("q"),
            fn.max("note").alias("x"),
            fn.min("weight").alias("w"),
        )
    )


@job
def whole(t: Any, fn: Any, over: Any) -> Any:
    return (
        t("orders")
        .filter(fn.col("id") < 7)
        .agg(
            fn.sum("id").alias("s"),
            fn.stddev(fn.col("id")).alias("sd"),
            fn.var_pop("id").alias("v"),
            fn.sum_distinct("who").alias("who"),
            fn.median("id").alias("m"),
            fn.bool_and(fn.col("id") > 0).alias("all"),
            fn.covar_samp("id", "who").alias("cov"),
            fn.countDistinct("who", "note").alias("pairs"),
        )
    )


@job
def group_expressions(t: Any, fn: Any, over: Any) -> Any:
    month = fn.month("day")
    return (
        t("orders")
        .groupBy((fn.col("id") % 2).alias("odd"), month)
        .agg((fn.max("id") - fn.min("id") + 1).alias("span"), fn.first("id").alias("f"))
        .select("odd", "span", "f")
    )


@job
def rollup(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").rollup("who", "note").agg(fn.sum("id").alias("s"), fn.count("who").alias("n"))


@job
def cube(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").cube("who", "note").count()


@job
def grouping_sets(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").groupingSets([["who"], ["note"], []], "who", "note").agg(fn.sum("id").alias("s"))


@job
def pivot(t: Any, fn: Any, over: Any) -> Any:
    return (
        t("orders").groupBy("note").pivot("who", [10, 20, 99]).agg(fn.sum("id").alias("s"), fn.count("id").alias("n"))
    )


@job
def distinct_rows(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").select("who", "note").distinct()


@job
def dropped_duplicates(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").select("who", "note", "total").filter(fn.col("id") > 0).dropDuplicates(["who", "note", "total"])


@job
def sorted_rows(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").orderBy(fn.col("weight").desc(), fn.col("id")).select("id", "weight").limit(4)


@job
def sorted_with_nulls(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").orderBy(fn.col("weight").asc_nulls_last(), fn.desc("id")).select("id").offset(2)


@job
def unions(t: Any, fn: Any, over: Any) -> Any:
    return (
        t("orders")
        .select("id", "note")
        .union(t("people").select("who", "name"))
        .union(t("orders").select("id", "note"))
    )


@job
def union_by_name(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").select("id", "who").unionByName(t("people").select("who", "ok"), allowMissingColumns=True)


@job
def intersections(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").select("who").intersect(t("people").select("who"))


@job
def differences(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").select("who").exceptAll(t("people").select("who"))


@job
def subtracted(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").select("who").subtract(t("people").select("who"))


@job
def filled(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").select("id", "who", "weight", "note").fillna(0).fillna({"note": "none"})


@job
def dropped_nulls(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").dropna(subset=["who", "weight"]).select("id")


@job
def dropped_all_nulls(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").select("id", "who", "total").dropna("all", subset=["who", "total"])


@job
def ranks(t: Any, fn: Any, over: Any) -> Any:
    w = over.partitionBy("who").orderBy(fn.col("id").desc())
    return t("orders").select(
        "id",
        fn.row_number().over(w).alias("n"),
        fn.rank().over(over.orderBy("note")).alias("r"),
        fn.dense_rank().over(over.orderBy("note")).alias("d"),
        fn.lag("id").over(w).alias("lag"),
        fn.lead("id", 2, -1).over(w).alias("lead"),
        fn.percent_rank().over(over.orderBy("note")).alias("p"),
        fn.cume_dist().over(over.orderBy("note")).alias("c"),
        fn.ntile(3).over(over.orderBy("id")).alias("t"),
    )


@job
def running(t: Any, fn: Any, over: Any) -> Any:
    w = over.partitionBy("who").orderBy("id")
    return (
        t("orders")
        .withColumn("sum", fn.sum("id").over(w))
        .select(
            "id",
            "sum",
            fn.sum("total").over(w.rowsBetween(-1, over.currentRow)).alias("s"),
            fn.avg("id").over(over.partitionBy("who")).alias("a"),
            fn.count("*").over(w.rangeBetween(-2, 2)).alias("c"),
            fn.first("note").over(w).alias("f"),
            (fn.max("id").over(over.partitionBy("who")) - fn.col("id")).alias("left"),
            fn.last("id").over(w.rowsBetween(over.unboundedPreceding, over.unboundedFollowing)).alias("l"),
        )
    )


@job
def melted(t: Any, fn: Any, over: Any) -> Any:
    return t("orders").unpivot(["note"], ["id", "who"], "what", "value")


@job
def hints(t: Any, fn: Any, over: Any) -> Any:
    people = t("people").hint("broadcast").repartition(3)
    return t("orders").join(people, "who").coalesce(1).select("name", "id")


@job
def counted(t: Any, fn: Any, over: Any) -> Any:
    return t("people").groupBy().count()
