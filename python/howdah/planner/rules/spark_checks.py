"""Checks of Spark's configuration: sizes that fit YARN, values that Spark reads, features that agree."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.existing import FoundProperty
from howdah.planner.budget import CORES, LEAST_OVERHEAD_MB, OVERHEAD
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, entry_verdict, has_several_hosts, worker_hosts
from howdah.planner.rules.declare import read_rules
from howdah.releases.catalogue import SparkKey, intended_spark_key, spark_keys
from howdah.releases.similar import similar_text
from howdah.units import GIB, MIB, format_memory

rules = read_rules("spark.toml")

_FORMER = {
    f"spark.yarn.{process}.memoryOverhead": f"spark.{process}.memoryOverhead"
    for process in ("executor", "driver")
}
_ADAPTIVE, _PARTITIONS = "spark.sql.adaptive.enabled", "spark.sql.shuffle.partitions"
_MANY = 5000
_FACTORS = (60.0, 3600.0, 86400.0, 1e3, 1024.0, 1024.0**2, 1024.0**3)
_CLOSE = 0.03
_MILD = ("spark.locality.wait", "spark.sql.autoBroadcastJoinThreshold")
"""Where as little as one asks for by mistake costs time only."""
_LEAST_HEAP = 450 * MIB
"""What UnifiedMemoryManager asks of a heap: one and a half times the 300 MiB that it reserves."""
_HEAPS = ("spark.executor.memory", "spark.driver.memory")
_LEAST_OVERHEAD = 64 * MIB
_FORMER_MASTERS = ("yarn-client", "yarn-cluster")
"""Masters of Spark 1, with which no application of a later one starts."""
_OVERHEADS = ("spark.executor.memoryOverhead", "spark.driver.memoryOverhead", "spark.yarn.am.memoryOverhead")
_TIMEOUT, _HEARTBEAT = "spark.network.timeout", "spark.executor.heartbeatInterval"
_LEAST_HEARTBEATS = 4
_DYNAMIC = "spark.dynamicAllocation."
_LOGS, _DIRECTORY, _READ = "spark.eventLog.enabled", "spark.eventLog.dir", "spark.history.fs.logDirectory"


@rules.inspects("spark.adaptive")
def _adaptive(reading: Inspected, facts: Facts) -> Iterator[Observation]:
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
        most=_MANY,
        fix=f"remove {_ADAPTIVE} from {reading.where(_ADAPTIVE)}"
        + (f", and set {_PARTITIONS} to 200 to {_MANY} in {reading.where(_PARTITIONS)}" if many else "")
        if off
        else f"set {_PARTITIONS} to 200 to {_MANY} in {reading.where(_PARTITIONS)}",
    )


@rules.inspects("spark.container-fits")
def _container_fits(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    heap = reading.size("spark.executor.memory")
    if heap is not None:
        overhead = reading.size("spark.executor.memoryOverhead") or max(
            LEAST_OVERHEAD_MB * MIB, int(heap * OVERHEAD)
        )
        most = int(facts.number("yarn.scheduler.maximum-allocation-mb")) * MIB
        yield reading.verdict(
            "spark.executor.memory",
            heap + overhead <= most,
            found=f"{format_memory(heap)} and {format_memory(overhead)} of overhead",
            expected=f"{format_memory(most)} together, the largest container: otherwise applications "
            "are refused",
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
            fix=f"set spark.executor.cores to {min(CORES[0], int(limit))} in "
            f"{reading.where('spark.executor.cores')}, or raise yarn.scheduler.maximum-allocation-vcores",
        )


@rules.inspects("spark.former-names")
def _former(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for name, today in _FORMER.items():
        if reading.text(name) is not None:
            yield reading.verdict(name, False, found="a former name", today=today)


def _entries(reading: Inspected) -> Iterator[FoundProperty]:
    for entry in reading.effective:
        if entry.base_name == "spark-defaults.conf" and "${" not in entry.text:
            yield entry


@rules.inspects("spark.misspelt")
def _names(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in _entries(reading):
        near = intended_spark_key(entry.name) if entry.name.isascii() else None
        if near is not None:
            yield entry_verdict(
                entry,
                False,
                found="a name that no code of Spark reads",
                expected=near,
                fix=f"rename {entry.name} to {near} in {entry.place}",
            )


@rules.inspects("spark.kinds")
def _kinds(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in _entries(reading):
        definition = spark_keys().get(entry.name)
        misfit = definition.misfit(entry.text) if definition and entry.text else None
        if entry.name == "spark.master" and entry.text in _FORMER_MASTERS:
            yield entry_verdict(
                entry,
                False,
                found=f"{entry.text}, a master of Spark 1",
                words="master",
                mode=entry.text.removeprefix("yarn-"),
            )
        if definition is not None and misfit is not None:
            near = similar_text(entry.text, definition.words) or definition.default
            yield entry_verdict(
                entry,
                False,
                found=f"{entry.text!r} {misfit}",
                words="near" if near else "kind",
                near=near,
                definition=definition,
            )


def _off(definition: SparkKey, text: str) -> tuple[float, float] | None:
    """How many times a bare number is off its default, if by a unit's factor, and the default."""
    value, usual = definition.quantity(text), definition.quantity(definition.default)
    if not text.strip().isdigit() or not value or not usual or value < 0:
        return None
    ratio = max(value / usual, usual / value)
    near = any(abs(ratio / factor - 1) <= _CLOSE for factor in _FACTORS)
    return (value / usual, usual) if near else None


def _units(reading: Inspected) -> Iterator[tuple[bool, Observation]]:
    """Every number whose unit is another one than its writer meant, with whether work is lost by it."""
    for entry in _entries(reading):
        spark_key = spark_keys().get(entry.name)
        off = _off(spark_key, entry.text) if spark_key is not None else None
        if spark_key is None or off is None:
            continue
        ratio, _ = off
        times = f"{1 / ratio:,.0f} times less" if ratio < 1 else f"{ratio:,.0f} times more"
        yield (
            ratio < 1 and entry.name not in _MILD,
            entry_verdict(
                entry,
                False,
                found=f"{entry.text}, {spark_key.kind} without a unit: {times} than the default "
                f"{spark_key.default}",
                expected=f"a number with its unit, such as {spark_key.default}",
                fix=f"set {entry.name} to {spark_key.default} in {entry.place}, or write the intended unit",
            ),
        )


@rules.inspects("spark.units-too-small")
def _lost(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    return (observation for fatal, observation in _units(reading) if fatal)


@rules.inspects("spark.units")
def _doubtful(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    return (observation for fatal, observation in _units(reading) if not fatal)


@rules.inspects("spark.heap-units")
def _heaps(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for entry in _entries(reading):
        least = _LEAST_HEAP if entry.name in _HEAPS else _LEAST_OVERHEAD if entry.name in _OVERHEADS else None
        size = spark_keys()[entry.name].quantity(entry.text) if least is not None else None
        if least is None or size is None:
            continue
        yield entry_verdict(
            entry,
            size >= least,
            found=f"{entry.text}, which is {size / MIB:,.0f} MiB",
            expected=f"at least {least // MIB} MiB: "
            + (
                "Spark exits with less"
                if entry.name in _HEAPS
                else "YARN kills executors that outgrow their containers"
            ),
            fix=f"write the unit in {entry.place}, {entry.text.strip()}g for instance: a number without one "
            "counts MiB",
        )


def _quantity(reading: Inspected, key: str) -> float | None:
    definition = spark_keys()[key]
    return definition.quantity(reading.text(key) or definition.default)


@rules.inspects("spark.heartbeats")
def _heartbeats(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    return _times(reading, least=1)


def _times(reading: Inspected, least: int) -> Iterator[Observation]:
    keys = [key for key in (_TIMEOUT, _HEARTBEAT) if reading.text(key)]
    timeout, heartbeat = (_quantity(reading, key) for key in (_TIMEOUT, _HEARTBEAT))
    if not keys or not timeout or not heartbeat:
        return
    if least > 1 and timeout <= heartbeat:
        # Which fails by itself.
        return
    yield reading.verdict(
        keys[0],
        timeout > heartbeat * least,
        found=f"{_TIMEOUT} {reading.text(_TIMEOUT) or '120s (default)'}, {_HEARTBEAT} "
        f"{reading.text(_HEARTBEAT) or '10s (default)'}",
        expected=f"a time-out of many heartbeats, 12 by default: {_refusal(timeout, heartbeat)}",
        fix=f"set {_TIMEOUT} to 120s and {_HEARTBEAT} to 10s in {reading.where(keys[0])}",
    )


def _refusal(timeout: float, heartbeat: float) -> str:
    if timeout <= heartbeat:
        return "otherwise no application starts"
    return "otherwise one long garbage collection loses executors, and their tasks run again"


@rules.inspects("spark.several-heartbeats")
def _few_heartbeats(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    return _times(reading, least=_LEAST_HEARTBEATS)


@rules.inspects("spark.executors")
def _executors(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    dynamic = reading.truth(f"{_DYNAMIC}enabled") is True
    least, first, most = (
        reading.number(f"{_DYNAMIC}{bound}Executors") for bound in ("min", "initial", "max")
    )
    if dynamic and most is not None:
        for bound, count in (("min", least), ("initial", first)):
            if count is not None:
                key = f"{_DYNAMIC}{bound}Executors"
                yield reading.verdict(
                    key,
                    count <= most,
                    found=f"{count:g}, and {_DYNAMIC}maxExecutors is {most:g}",
                    expected="at most as many: no application starts with more",
                    fix=f"set {key} to {most:g} at most in {reading.where(key)}",
                )
    key = f"{_DYNAMIC}minExecutors" if dynamic else "spark.executor.instances"
    executors = reading.number(key)
    memory = reading.number("yarn.nodemanager.resource.memory-mb")
    workers = len(worker_hosts(reading))
    heap = _quantity(reading, "spark.executor.memory")
    if not executors or not memory or not workers or not heap:
        return
    overhead = _quantity(reading, "spark.executor.memoryOverhead")
    container = heap + (overhead or max(LEAST_OVERHEAD_MB * MIB, heap * OVERHEAD))
    room = int(memory * MIB // container) * workers
    yield reading.verdict(
        key,
        executors <= room,
        found=f"{executors:g} executors of {format_memory(int(container))}; {workers} workers have "
        f"room for {room}",
        expected=f"at most {room}: every application takes the whole cluster and waits for more",
        fix=f"lower {key} in {reading.where(key)}",
    )


@rules.inspects("spark.history-written")
def _history(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    present = next((key for key in (_DIRECTORY, _READ) if reading.text(key)), None)
    if present is not None:
        yield reading.verdict(
            _LOGS,
            reading.truth(_LOGS) is True,
            found=f"{reading.text(_LOGS) or 'false (default)'}, and {present} is {reading.text(present)}",
            elsewhere=reading.where(present),
        )


@rules.inspects("spark.own-driver")
def _own_driver(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if not has_several_hosts(reading):
        return
    for key in ("spark.driver.host", "spark.driver.bindAddress"):
        host = reading.text(key) or ""
        if host and host not in ("0.0.0.0", "::", "127.0.0.1") and "$" not in host:
            yield reading.verdict(key, False)
