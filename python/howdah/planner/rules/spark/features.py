"""What one key of Spark needs of another."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.planner.executor import CONFIGURATION, LEAST_OVERHEAD_MB, OVERHEAD, YARN
from howdah.planner.facts import Facts
from howdah.planner.named_hosts import has_several_hosts, worker_hosts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules
from howdah.releases.spark import spark_keys
from howdah.units import MIB, format_memory

_FILE = "spark-defaults.conf"
_TIMEOUT, _HEARTBEAT = "spark.network.timeout", "spark.executor.heartbeatInterval"
_LEAST_HEARTBEATS = 4
_DYNAMIC = "spark.dynamicAllocation."
_LOGS, _DIRECTORY, _READ = "spark.eventLog.enabled", "spark.eventLog.dir", "spark.history.fs.logDirectory"
rules = Rules()


def _quantity(reading: Reading, key: str) -> float | None:
    known = spark_keys()[key]
    return known.quantity(reading.text(key) or known.default)


@rules.inspection(
    "spark.heartbeats",
    MUST,
    sources=f"Spark 4.3.0: SparkConf.validateSettings, {CONFIGURATION}",
    when="where either time is set",
)
def _heartbeats(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Executors are given up after more than one heartbeat."""
    return _times(reading, least=1)


def _times(reading: Reading, least: int) -> Iterator[Observation]:
    given = [key for key in (_TIMEOUT, _HEARTBEAT) if reading.text(key)]
    timeout, heartbeat = (_quantity(reading, key) for key in (_TIMEOUT, _HEARTBEAT))
    if not given or not timeout or not heartbeat:
        return
    if least > 1 and timeout <= heartbeat:
        # Which fails by itself.
        return
    yield reading.verdict(
        given[0],
        timeout > heartbeat * least,
        found=f"{_TIMEOUT} {reading.text(_TIMEOUT) or '120s (default)'}, {_HEARTBEAT} "
        f"{reading.text(_HEARTBEAT) or '10s (default)'}",
        expected=f"a time-out of many heartbeats, 12 by default: {_refusal(timeout, heartbeat)}",
        fix=f"set {_TIMEOUT} to 120s and {_HEARTBEAT} to 10s in {reading.where(given[0])}",
    )


def _refusal(timeout: float, heartbeat: float) -> str:
    if timeout <= heartbeat:
        return "no application starts as it is"
    return "executors are given up, and their tasks run again, after one long collection"


@rules.inspection("spark.several-heartbeats", sources=CONFIGURATION, when="where either time is set")
def _few_heartbeats(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Executors have time for several heartbeats before they are given up."""
    return _times(reading, least=_LEAST_HEARTBEATS)


@rules.inspection(
    "spark.executors",
    MUST,
    sources=f"Spark 4.3.0: ExecutorAllocationManager, {YARN}",
    when="where numbers of executors are set",
)
def _executors(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Applications begin with no more executors than they may have, and the cluster has room for."""
    dynamic = reading.truth(f"{_DYNAMIC}enabled") is True
    least, first, most = (reading.number(f"{_DYNAMIC}{what}Executors") for what in ("min", "initial", "max"))
    if dynamic and most is not None:
        for what, given in (("min", least), ("initial", first)):
            if given is not None:
                key = f"{_DYNAMIC}{what}Executors"
                yield reading.verdict(
                    key,
                    given <= most,
                    found=f"{given:g}, and {_DYNAMIC}maxExecutors is {most:g}",
                    expected="at most as many: no application starts with more",
                    fix=f"set {key} to {most:g} at most in {reading.where(key)}",
                )
    key = f"{_DYNAMIC}minExecutors" if dynamic else "spark.executor.instances"
    wanted = reading.number(key)
    memory = reading.number("yarn.nodemanager.resource.memory-mb")
    workers = len(worker_hosts(reading))
    heap = _quantity(reading, "spark.executor.memory")
    if not wanted or not memory or not workers or not heap:
        return
    overhead = _quantity(reading, "spark.executor.memoryOverhead")
    each = heap + (overhead or max(LEAST_OVERHEAD_MB * MIB, heap * OVERHEAD))
    room = int(memory * MIB // each) * workers
    yield reading.verdict(
        key,
        wanted <= room,
        found=f"{wanted:g} executors of {format_memory(int(each))}; {workers} workers have room for {room}",
        expected=f"at most {room}: every application takes the whole cluster and waits for more",
        fix=f"lower {key} in {reading.where(key)}",
    )


@rules.inspection("spark.history-written", sources="Spark: monitoring", when="where such a folder is set")
def _history(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Where a folder of applications' history is named, applications write it."""
    given = next((key for key in (_DIRECTORY, _READ) if reading.text(key)), None)
    if given is not None:
        yield Observation(
            ok=reading.truth(_LOGS) is True,
            about=_LOGS,
            found=f"{reading.text(_LOGS) or 'false (default)'}, and {given} is {reading.text(given)}",
            expected="true: no application writes what the history server reads",
            fix=f"set {_LOGS} to true in {_FILE}",
            where=reading.where(_LOGS) or reading.where(given),
        )


@rules.inspection(
    "spark.own-driver", MUST, sources=CONFIGURATION, when="where the files show that several hosts read them"
)
def _own_driver(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """No driver is bound to one host's address in a file that all hosts have."""
    if not has_several_hosts(reading):
        return
    for key in ("spark.driver.host", "spark.driver.bindAddress"):
        host = reading.text(key) or ""
        if host and host not in ("0.0.0.0", "::", "127.0.0.1") and "$" not in host:
            yield reading.verdict(
                key,
                False,
                found=host,
                expected="nothing in a file that all hosts have: a driver on another host cannot listen "
                "there, or its executors look for it on this one",
                fix=f"remove {key} from {reading.where(key)}",
            )
