"""Programs on Spark that make their own data and check their own results: words, a join, clusters, TPC-H."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from howdah.errors import UserError
from howdah.model.workloads.base import Amount
from howdah.model.workloads.option import Option, Refusal, StudiedAs, count, share
from howdah.model.workloads.spark import SPARK, OnSpark
from howdah.units import format_counted

SPARK_WORDCOUNT: Final = "spark-wordcount"
SPARK_JOIN: Final = "spark-join"
SPARK_KMEANS: Final = "spark-kmeans"
SPARK_TPCH: Final = "spark-tpch"

_ON: Final = ("hadoop",)
_BYTES_PER_WORD = 7
_BYTES_PER_FACT = 90
_BYTES_PER_POINT = 130
_BYTES_PER_SCALE = 360_000_000
"""TPC-H's tables in Parquet, for each unit of the scale factor."""
_LEAST_SCALE, _MOST_SCALE = 0.001, 100_000.0
_QUERIES = 22


def _scale(text: str, flag: str) -> float:
    if not re.fullmatch(r"\d+(\.\d+)?", text):
        raise UserError(f"{flag} {text}", "is not a scale factor", "give a number, such as 0.1, 1 or 100")
    return float(text)


def _refuse_scale(value: float, engine: str) -> Refusal | None:
    if _LEAST_SCALE <= value <= _MOST_SCALE:
        return None
    return Refusal(f"scale factor {value:g} cannot be run", f"give from {_LEAST_SCALE:g} to {_MOST_SCALE:g}")


WORDS: Final = count("words", "Number of words to count, such as 10M.", metavar="COUNT", engines=_ON)
JOIN_ROWS: Final = count("join_rows", "Number of rows of the larger joined table, such as 10M.",
                         metavar="COUNT", engines=_ON)  # fmt: skip
JOIN_KEYS: Final = count("join_keys", "Number of different keys of the join.", metavar="COUNT", engines=_ON,
                         fact="join keys")  # fmt: skip
SKEW: Final = share("skew", "Fraction of the larger table's rows that have the same key, such as 0.3.",
                    of="the rows", engines=_ON, fact="skew")  # fmt: skip
POINTS: Final = count("points", "Number of points to cluster, such as 1M.", metavar="COUNT", engines=_ON)
CLUSTERS: Final = count("clusters", "Number of clusters to find.", most=10_000, engines=_ON, fact="clusters")
ITERATIONS: Final = count("iterations", "Most iterations of K-means.", most=10_000, engines=_ON,
                          fact="iterations")  # fmt: skip
SCALE: Final = Option[float](
    name="scale",
    field="scale",
    help="Scale factor of TPC-H's tables: 1 is 1 GB of text, 0.36 GB of Parquet.",
    metavar="FACTOR",
    parse=_scale,
    studied=StudiedAs("scale", Annotated[float, Field(ge=_LEAST_SCALE, le=_MOST_SCALE)]),
    engines=_ON,
    refuse=_refuse_scale,
    fact="scale factor",
)


class _Checked(OnSpark):
    """A program whose amount of work is counted in something else than bytes."""

    unit = "operations"

    def in_words(self) -> tuple[str, ...]:
        asked = self.asked
        words = format_counted(asked.number, asked.unit) if asked is not None else ""
        return tuple(filter(None, (words, self.executors_in_words())))


class SparkWordCount(_Checked):
    """Writes a text, counts its words, and adds the counts up again."""

    kind: Literal["spark-wordcount"] = SPARK_WORDCOUNT
    words: int | None = None
    """Words of the text."""

    options = (WORDS, *SPARK)
    programs: ClassVar = {"hadoop": "howdah.engines.hadoop.programs.spark:wordcount"}
    sizes: ClassVar = {"hadoop": "howdah.planner.suite.spark:wordcount"}
    primary_metric = "count"

    @property
    def asked(self) -> Amount | None:
        return None if self.words is None else Amount(self.words, "word")

    @property
    def written_bytes(self) -> int:
        return (self.words or 0) * _BYTES_PER_WORD


class SparkJoin(_Checked):
    """Joins a table in which one key is frequent with a table of all keys, through a shuffle."""

    kind: Literal["spark-join"] = SPARK_JOIN
    join_rows: int | None = None
    """Rows of the larger table."""
    join_keys: int | None = None
    """Rows of the smaller table, one for each key."""
    skew: float | None = None
    """Fraction of the larger table's rows that have the same key."""

    options = (JOIN_ROWS, JOIN_KEYS, SKEW, *SPARK)
    programs: ClassVar = {"hadoop": "howdah.engines.hadoop.programs.spark:join"}
    sizes: ClassVar = {"hadoop": "howdah.planner.suite.spark:join"}
    primary_metric = "join"

    @property
    def asked(self) -> Amount | None:
        return None if self.join_rows is None else Amount(self.join_rows, "row")

    @property
    def written_bytes(self) -> int:
        return 2 * (self.join_rows or 0) * _BYTES_PER_FACT


class SparkKMeans(_Checked):
    """Clusters points that lie around known centres."""

    kind: Literal["spark-kmeans"] = SPARK_KMEANS
    points: int | None = None
    """Points of 16 dimensions."""
    clusters: int | None = None
    """Clusters to find, as many as there are centres."""
    iterations: int | None = None
    """Most iterations."""

    options = (POINTS, CLUSTERS, ITERATIONS, *SPARK)
    programs: ClassVar = {"hadoop": "howdah.engines.hadoop.programs.spark:kmeans"}
    sizes: ClassVar = {"hadoop": "howdah.planner.suite.spark:kmeans"}
    primary_metric = "cluster"

    @property
    def asked(self) -> Amount | None:
        return None if self.points is None else Amount(self.points, "point")

    @property
    def written_bytes(self) -> int:
        return (self.points or 0) * _BYTES_PER_POINT


class SparkTpch(_Checked):
    """Runs TPC-H's 22 queries on Parquet in HDFS, and compares their answers with the reference."""

    kind: Literal["spark-tpch"] = SPARK_TPCH
    scale: float | None = None
    """Scale factor of the tables."""

    options = (SCALE, *SPARK)
    programs: ClassVar = {"hadoop": "howdah.engines.hadoop.programs.spark:tpch"}
    sizes: ClassVar = {"hadoop": "howdah.planner.suite.spark:tpch"}
    extras = ("spark",)
    primary_metric = "all queries"

    @property
    def asked(self) -> Amount | None:
        return Amount(_QUERIES, "query run")

    def in_words(self) -> tuple[str, ...]:
        scale = "" if self.scale is None else f"22 queries at scale factor {self.scale:g}"
        return tuple(filter(None, (scale, self.executors_in_words())))

    @property
    def written_bytes(self) -> int:
        return round((self.scale or 0) * _BYTES_PER_SCALE)


EVERY: Final = (SparkWordCount, SparkJoin, SparkKMeans, SparkTpch)
