"""Rows to statistics: DataFrame to DataFrame, all of it in Spark.

Long on the way, one row a run and metric: the plans stay small however many metrics there are, and Spark is quick
to make them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.sweeps.student import TABLE, t95

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

QUANTILES = tuple(k / 100 for k in range(101))
LEAST_FOR_QUANTILES = 5
"""Fewer values have no quantiles worth a picture."""
BETTER_HIGH = ("delivery_ratio", "delivered")
ENDLESS = ("stabilised_s.", "stabilised_rounds.", "legitimate_s.")
"""Where a run without error has no value, it never got there: worse than any value."""
OF_POINT = ("n", "mean", "sd", "ci95_low", "ci95_high", "min", "max", "q", "median_run", "worst_run")
OF_PAIR = ("n", "mean", "ci95_low", "ci95_high")


def column(name: str) -> Column:
    """A column whose name may have dots."""
    from pyspark.sql import functions as f

    return f.col(f"`{name}`")


def long(rows: DataFrame, metrics: Sequence[str], *keys: str) -> DataFrame:
    """`keys`, `metric` (its place in `metrics`) and `value` (null: the run has none) of every run."""
    from pyspark.sql import functions as f

    values = f.array(*(column(name).cast("double") for name in metrics))
    return rows.select(*map(column, keys), f.posexplode(values).alias("metric", "value"))


def by_point(
    rows: DataFrame, metrics: Sequence[str], axes: Sequence[str] = (), *, one: bool = False
) -> DataFrame:
    """One row a point and metric: `point`, the axes, `metric` (its name) and OF_POINT.

    one: `rows` are few and lie in one partition, where all can be done without another exchange.
    """
    from pyspark.sql import functions as f

    values = long(rows, metrics, "run", "point", "error", *axes)
    metric, value = f.col("metric"), f.col("value")
    high = [k for k, name in enumerate(metrics) if name in BETTER_HIGH]
    endless = [k for k, name in enumerate(metrics) if name.startswith(ENDLESS)]
    never = f.when(f.col("error").isNull() & metric.isin(endless), f.lit(float("inf")))
    bad = f.coalesce(f.when(metric.isin(high), -value).otherwise(value), never)
    spread = f.percentile(value, f.array(*map(f.lit, QUANTILES)))
    points = values.groupBy("point", "metric").agg(
        *(f.first(column(axis)).alias(axis) for axis in axes),
        f.count(value).alias("n"),
        f.avg(value).alias("mean"),
        f.stddev_samp(value).alias("sd"),
        f.min(value).alias("min"),
        f.max(value).alias("max"),
        spread.alias("spread"),
        f.max_by("run", f.when(bad.isNotNull(), f.struct(bad, -f.col("run")))).alias("worst_run"),
    )
    middle = points.select("point", "metric", f.col("spread")[50].alias("median"))
    off = f.abs(value - f.col("median"))
    near = (
        values.join(_beside(middle, one), ["point", "metric"])
        .groupBy("point", "metric")
        .agg(f.min_by("run", f.when(off.isNotNull(), f.struct(off, f.col("run")))).alias("median_run"))
    )
    found = _with_interval(points.join(_beside(near, one), ["point", "metric"], "left"))
    found = found.withColumn("q", f.when(f.col("n") >= LEAST_FOR_QUANTILES, f.col("spread")))
    named = f.element_at(f.array(*map(f.lit, metrics)), metric + 1).alias("metric")
    return found.orderBy("point", "metric").select("point", *map(column, axes), named, *OF_POINT)


def differences(
    rows: DataFrame, metrics: Sequence[str], stride: int, size: int, *, one: bool = False
) -> DataFrame:
    """Paired differences b - a between points that differ on the compared axis only, run by run with the same seed.

    One row a pair of points with a < b and metric: `point_a`, `point_b`, `metric` (its name) and OF_PAIR.
    one: as in `by_point`.
    """
    from pyspark.sql import functions as f

    values, metric = long(rows, metrics, "point", "seed").where("value is not null"), f.col("metric")
    place = f.floor(f.col("point") / stride) % size
    keyed = values.withColumn("rest", f.col("point") - place * stride)
    a = keyed.select("seed", "rest", "metric", f.col("point").alias("point_a"), f.col("value").alias("a"))
    b = keyed.select("seed", "rest", "metric", f.col("point").alias("point_b"), f.col("value").alias("b"))
    off = f.col("b") - f.col("a")
    found = (
        a.join(_beside(b, one), ["rest", "seed", "metric"])
        .where("point_a < point_b")
        .groupBy("point_a", "point_b", "metric")
        .agg(f.count(off).alias("n"), f.avg(off).alias("mean"), f.stddev_samp(off).alias("sd"))
    )
    named = f.element_at(f.array(*map(f.lit, metrics)), metric + 1).alias("metric")
    ordered = _with_interval(found).orderBy("point_a", "point_b", "metric")
    return ordered.select("point_a", "point_b", named, *OF_PAIR)


def _beside(table: DataFrame, one: bool) -> DataFrame:
    """To be joined to another: where both are one partition, in their task. Spark does not always see that it is one."""
    return table.coalesce(1).hint("merge") if one else table


def _with_interval(found: DataFrame) -> DataFrame:
    """Student's 95 % confidence interval of the mean, from n, mean and sd; null for one value."""
    from pyspark.sql import functions as f

    free = (f.col("n") - 1).cast("int")
    exact = f.element_at(f.array(*map(f.lit, TABLE)), f.greatest(f.lit(1), f.least(free, f.lit(len(TABLE)))))
    limit = t95(10**9)
    beyond = limit + (t95(len(TABLE) + 1) - limit) * (len(TABLE) + 1) / free
    half = f.when(free >= 1, f.when(free <= len(TABLE), exact).otherwise(beyond) * f.col("sd") / f.sqrt("n"))
    return found.withColumns({"ci95_low": f.col("mean") - half, "ci95_high": f.col("mean") + half})
