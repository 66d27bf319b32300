"""Whether what Spark was told fits YARN, and is told by the names of today."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.planner.executor import (
    CONFIGURATION,
    CORES,
    LEAST_OVERHEAD_MB,
    OVERHEAD,
    YARN,
    memory_bytes,
)
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules
from howdah.units import GIB, MIB, format_memory

_FORMER = {
    f"spark.yarn.{who}.memoryOverhead": f"spark.{who}.memoryOverhead" for who in ("executor", "driver")
}
_ADAPTIVE, _PARTITIONS = "spark.sql.adaptive.enabled", "spark.sql.shuffle.partitions"
_MANY = 5000
rules = Rules()


@rules.inspection(
    "spark.adaptive",
    sources="Spark: SQL performance tuning",
    when="where adaptive execution or the number of partitions is set",
)
def _adaptive(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Spark makes the number of partitions fit the data."""
    partitions = reading.number(_PARTITIONS)
    off = reading.truth(_ADAPTIVE) is False
    many = partitions is not None and partitions > _MANY
    if reading.text(_ADAPTIVE) is None and partitions is None:
        return
    key = _ADAPTIVE if off or not many else _PARTITIONS
    yield reading.verdict(
        key,
        not (off or many),
        found=f"{reading.text(_ADAPTIVE) or 'true (default)'}, with {partitions or 200:.15g} partitions",
        expected=f"true, with at most {_MANY} partitions: adaptive execution joins partitions that turn "
        "out small and "
        "splits large ones; without it every shuffle has as many tasks and small files, whatever its data",
        fix=f"remove {_ADAPTIVE} from {reading.where(_ADAPTIVE)}"
        + (f", and set {_PARTITIONS} to 200 to {_MANY} in {reading.where(_PARTITIONS)}" if many else "")
        if off
        else f"set {_PARTITIONS} to 200 to {_MANY} in {reading.where(_PARTITIONS)}",
    )


@rules.inspection(
    "spark.container-fits",
    MUST,
    sources=f"{YARN}, howdah",
    when="where Spark's defaults say how large executors are",
)
def _container_fits(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """An executor and what it has outside of its heap fit the largest container."""
    heap = memory_bytes(reading.text("spark.executor.memory") or "")
    if heap is not None:
        overhead = memory_bytes(reading.text("spark.executor.memoryOverhead") or "") or max(
            LEAST_OVERHEAD_MB * MIB, int(heap * OVERHEAD)
        )
        most = int(facts.number("yarn.scheduler.maximum-allocation-mb")) * MIB
        yield reading.verdict(
            "spark.executor.memory",
            heap + overhead <= most,
            found=f"{format_memory(heap)} and {format_memory(overhead)} beside it",
            expected=f"{format_memory(most)} together, the largest container: applications are refused "
            "otherwise",
            fix=f"lower spark.executor.memory in {reading.where('spark.executor.memory')}, to "
            f"{int(most / (1 + OVERHEAD)) // GIB}g at the most",
        )
    cores = reading.number("spark.executor.cores")
    if cores is not None:
        limit = facts.number("yarn.scheduler.maximum-allocation-vcores")
        yield reading.verdict(
            "spark.executor.cores",
            cores <= limit,
            found=f"{cores:g}",
            expected=f"{limit:g}, the largest container's vcores: applications are refused otherwise",
            fix=f"set spark.executor.cores to {CORES[0]} in {reading.where('spark.executor.cores')}",
        )


@rules.inspection("spark.former-names", sources=CONFIGURATION)
def _former(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Spark is told with the names that it has today."""
    for name, today in _FORMER.items():
        if reading.text(name) is not None:
            yield reading.verdict(
                name,
                False,
                found="a former name",
                expected=f"{today}, as Spark has called it since 2.3",
                fix=f"rename {name} to {today} in {reading.where(name)}",
            )
