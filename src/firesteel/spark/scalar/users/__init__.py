"""Functions of users and of Spark's own, as columns. A plain Python function has no column: it runs in the workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column
from pyspark.sql import functions as spark_functions

from firesteel import functions
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.functions import users
from firesteel.spark.core.expr import Depth, Expr, StructParts, Variant, derive
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.core.worker_package import ship
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants, versions
from firesteel.spark.encoding.column_types import to_spark
from firesteel.spark.scalar.arguments import call

LoweredUser = Callable[[Scope, functions.Function, Sequence[Expr], Where], Expr]


def lowered(name: str) -> LoweredUser | None:
    """How a call of the function is compiled; None if it is not a user's, or has no form on Spark."""
    user = users.find(name)
    if user is None:
        return None
    if user.spark is not None:
        return _of_spark(user.spark)
    return _of_columns(user) if user.kind == "scalar" and (user.udf is not None or user.vectorized) else None


def _of_spark(name: str) -> LoweredUser:
    """A function of Spark's own. Its type is not known, so the result is a variant; arguments need a certain type."""

    def build(scope: Scope, row: functions.Function, args: Sequence[Expr], where: Where) -> Expr:
        for arg in args:
            if isinstance(arg, Variant | StructParts) and not isinstance(arg.type, t.Null | t.Missing):
                raise UnsupportedError(
                    f"an argument of '{row.title}' has no certain type", where=where, help="CAST it: CAST(x AS STRING)"
                )
        column = F.call_function(name, *(_plain(arg) for arg in args))
        value = F.coalesce(column.cast("variant"), variants.null())
        return derive(t.ANY, value, *args, throws=True, cost=Depth.MEDIUM)

    return build


def _plain(arg: Expr) -> Column:
    return F.lit(None) if isinstance(arg.type, t.Null | t.Missing) else arg.plain


def _of_columns(user: users.UserFunction) -> LoweredUser:
    """A UDF of Spark's, or a function of Arrow arrays, of which one is made. NULL goes in as Spark has it."""

    def build(scope: Scope, row: functions.Function, args: Sequence[Expr], where: Where) -> Expr:
        form = next(signature for signature in row.signatures if signature.takes(len(args)))
        families = [_FAMILIES.get(form.param(i), form.param(i)) for i in range(len(args))]
        type_ = t.proper(form.result([arg.type for arg in args]))
        if not row.propagates or not set(families) <= _PLAIN or not isinstance(type_, _RESULTS):
            raise UnsupportedError(f"'{user.name}' as a column: only scalars have columns of one type", where=where)
        udf = user.udf or _arrow_udf(scope, user, type_, where)
        made = t.absent(type_, nullable=True)
        return call(
            scope,
            row.title,
            args,
            families,
            lambda *columns: udf(*columns).cast(to_spark(type_)),
            made,
            where,
            throws=True,
            cost=Depth.MEDIUM,
        )

    return build


#: A number goes in as a float: a column has one type.
_FAMILIES = {"number": "float"}
_PLAIN = {"bool", "int", "float", "text", "date"}
_RESULTS = (t.Bool, t.Int64, t.Float64, t.String, t.Date)


def _arrow_udf(scope: Scope, user: users.UserFunction, type_: t.Type, where: Where) -> Callable[..., Column]:
    if not versions.has_feature(scope.run.spark, "arrow_udf"):
        raise UnsupportedError(f"'{user.name}': this Spark has no functions of Arrow arrays", where=where)
    ship(scope.run.spark)
    made: Callable[..., Column] = spark_functions.arrow_udf(user.function, to_spark(type_))  # type: ignore[attr-defined]
    return made
