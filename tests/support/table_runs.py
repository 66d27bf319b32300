"""Runs of YCSB on a synthetic HBase cluster, whose slowest requests one thing made slow, or nothing known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from howdah.model.plan import Setting
from howdah.model.reported import LatencyHistogram, OperationCount, ResultMetric, encoded, latency_metrics
from howdah.model.run import Outcome, Sample, WorkloadResult
from howdah.model.tables import (
    LATENCIES_SCHEMA,
    SAMPLES_SCHEMA,
    SERVER_EVENTS_SCHEMA,
    TASKS_SCHEMA,
    RunData,
    ServerEvent,
)
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.ycsb import YcsbA
from support.building import RunBuilder

FIELD_BYTES, KEY_BYTES = 100, 50
RATE = 400
"""Operations of each client in a second."""
LEAD_S = 4
REPLICAS = Setting(
    key="dfs.replication", value=3, reason="one on each of three hosts", source="Hadoop's default"
)
Steps = NDArray[np.bool_]


@dataclass(frozen=True)
class TableScene:
    """What happens: ``cause`` made requests slow in bursts; None is a cause that nobody sampled.

    ``steady`` is the case all along, and makes requests slow at any moment. Without ``logs`` counters tell.
    """

    cause: str | None = None
    steady: str | None = None
    seconds: int = 60
    servers: tuple[str, ...] = ("w1", "w2", "w3")
    clients: tuple[str, ...] = ("c1", "c2")
    logs: bool = True
    seed: int = 3


@dataclass
class _Happening:
    """Everything that is sampled, second by second, and what logs tell."""

    scene: TableScene
    grown: dict[tuple[str, str], NDArray[np.float64]] = field(default_factory=dict)
    gauges: dict[tuple[str, str], NDArray[np.float64]] = field(default_factory=dict)
    events: list[ServerEvent] = field(default_factory=list)

    def grow(self, host: str, metric: str, amount: float | NDArray[np.floating[Any]]) -> None:
        """Let a counter grow by so much in each second."""
        self.grown[host, metric] = np.broadcast_to(
            np.asarray(amount, dtype=float), (self.scene.seconds,)
        ).copy()

    def gauge(self, host: str, metric: str, value: float | NDArray[np.floating[Any]]) -> None:
        """Let a gauge stand at so much at the end of each second."""
        self.gauges[host, metric] = np.broadcast_to(
            np.asarray(value, dtype=float), (self.scene.seconds,)
        ).copy()

    def tell(self, second: float, length_s: float, kind: str, host: str, detail: str) -> None:
        """Let a log tell of an event."""
        daemon = "hmaster" if host == "m1" else "regionserver"
        start_s = LEAD_S + second
        written = 8_000_000 if kind in ("flush", "compaction") else None
        self.events.append(ServerEvent(start_s, start_s + length_s, host, daemon, kind, detail, written))

    def samples(self) -> Iterator[Sample]:
        """What a sampler would have seen once a second, before and after as well."""
        for (host, metric), amounts in self.grown.items():
            values = np.concatenate([[0.0] * (LEAD_S + 1), np.cumsum(amounts)])
            values = np.concatenate([values, [values[-1]] * 3])
            for second, value in enumerate(values):
                yield Sample(float(second), host, metric, float(value))
        for (host, metric), heights in self.gauges.items():
            values = np.concatenate([[heights[0]] * (LEAD_S + 1), heights, [heights[-1]] * 3])
            for second, value in enumerate(values):
                yield Sample(float(second), host, metric, float(value))


def table_run(scene: TableScene) -> RunData:
    """The run: two clients ask three RegionServers for reads and updates."""
    happening = _Happening(scene)
    bursts = np.isin(np.arange(scene.seconds) % 12, (5, 6)) & (np.arange(scene.seconds) > 8)
    # What made them slow where nobody looked comes and goes with nothing else that does.
    if scene.cause is None:
        bursts = np.isin(np.arange(scene.seconds), (11, 23, 24, 37, 52))
    _quiet(happening)
    if scene.cause is not None:
        _INJECTED[scene.cause](happening, bursts)
    if scene.steady is not None:
        _INJECTED[scene.steady](happening, np.ones(scene.seconds, dtype=bool))
    rows = list(_latencies(scene, bursts))
    events = happening.events if scene.logs else []
    made = _record(scene, rows)
    return RunData(
        made.record,
        TASKS_SCHEMA.empty_table(),
        table(sorted(happening.samples()), SAMPLES_SCHEMA),
        table(rows, LATENCIES_SCHEMA),
        table(events, SERVER_EVENTS_SCHEMA),
    )


def _quiet(happening: _Happening) -> None:
    """What every run has: even requests, short pauses, a flush and a compaction now and then."""
    scene = happening.scene
    each = RATE * len(scene.clients) / 2 / len(scene.servers)
    seconds = np.arange(scene.seconds)
    for at, name in enumerate(scene.servers):
        _cpu(happening, name, 0.45)
        _disk(happening, name, 0.2)
        happening.grow(name, "regionserver/get_requests", each)
        happening.grow(name, "regionserver/mutate_requests", each)
        happening.grow(name, "regionserver/scan_requests", 0)
        happening.grow(name, "regionserver/cache_hits", 0.99 * each)
        happening.grow(name, "regionserver/cache_misses", 0.01 * each)
        happening.grow(name, "regionserver/wal_appends", each)
        happening.grow(name, "regionserver/wal_written_bytes", each * (FIELD_BYTES + KEY_BYTES))
        happening.grow(name, "regionserver/wal_syncs", each / 2)
        happening.grow(name, "regionserver/wal_sync_s", each / 2 * 0.001)
        happening.gauge(name, "regionserver/wal_sync_99_s", 0.001)
        happening.grow(name, "regionserver/blocked_s", 0)
        flushed = (seconds % 20 == 4 * at + 1).astype(float)
        happening.grow(name, "regionserver/flushes", flushed)
        happening.grow(name, "regionserver/flushed_bytes", flushed * 20 * each * (FIELD_BYTES + KEY_BYTES))
        happening.grow(name, "regionserver/compactions", 0)
        happening.grow(name, "regionserver/compacted_bytes", 0)
        happening.gauge(name, "regionserver/compaction_queue", 0)
        happening.gauge(name, "regionserver/memstore_bytes", 40_000_000)
        happening.gauge(name, "regionserver/regions", 4)
        happening.gauge(name, "regionserver/local_share", 1.0)
        for region in range(4):
            happening.grow(name, f"region/usertable {name}r{region}/requests", 2 * each / 4)
        happening.grow(name, "datanode/written_bytes", 6 * each * (FIELD_BYTES + KEY_BYTES))
        happening.grow(name, "jvm/regionserver/gc_s", 0.003)
        happening.grow(name, "jvm/regionserver/cpu_s", 0.5)
        for second in range(scene.seconds):
            happening.tell(second + 0.3, 0.003, "collection", name, "Pause Young (Normal)")
            if flushed[second]:
                happening.tell(second + 0.1, 0.4, "flush", name, "region1")
    for name in scene.clients:
        _cpu(happening, name, 0.5)
    happening.grow("m1", "hmaster/moves", 0)
    happening.grow("m1", "hmaster/splits", 0)
    happening.gauge("m1", "hmaster/regions_in_transition", 0)


def _cpu(happening: _Happening, host: str, busy: float | NDArray[np.floating[Any]]) -> None:
    used = np.asarray(busy, dtype=float)
    happening.grow(host, "cpu/all/user_s", 4 * 0.8 * used)
    happening.grow(host, "cpu/all/system_s", 4 * 0.2 * used)
    happening.grow(host, "cpu/all/idle_s", 4 * (1 - used))


def _disk(happening: _Happening, host: str, busy: float | NDArray[np.floating[Any]]) -> None:
    happening.grow(host, "disk/disk1/busy_s", busy)
    happening.grow(host, "disk/disk1/read_bytes", 1e6)
    happening.grow(host, "disk/disk1/written_bytes", 6 * RATE * (FIELD_BYTES + KEY_BYTES) / 3)


def _collector(happening: _Happening, when: Steps) -> None:
    for second in np.flatnonzero(when):
        happening.tell(float(second) + 0.2, 0.12, "collection", "w2", "Pause Full (G1 Compaction Pause)")
    happening.grow("w2", "jvm/regionserver/gc_s", 0.003 + 0.12 * when)


def _compactions(happening: _Happening, when: Steps) -> None:
    for second in np.flatnonzero(when):
        happening.tell(float(second) + 0.05, 0.9, "compaction", "w1", "region2")
    happening.grow("w1", "regionserver/compactions", 1.0 * when)
    happening.grow("w1", "regionserver/compacted_bytes", 8e6 * when)


def _moves(happening: _Happening, when: Steps) -> None:
    for second in np.flatnonzero(when):
        happening.tell(float(second) + 0.1, 0.7, "move", "m1", "region3")
    happening.grow("m1", "hmaster/moves", 1.0 * when)


def _misses(happening: _Happening, when: Steps) -> None:
    each = RATE * len(happening.scene.clients) / 2 / len(happening.scene.servers)
    _disk(happening, "w3", np.where(when, 0.97, 0.2))
    happening.grow("w3", "regionserver/cache_misses", np.where(when, 0.5, 0.01) * each)


def _hot(happening: _Happening, when: Steps) -> None:
    total = RATE * len(happening.scene.clients) / 2
    for name in happening.scene.servers:
        share = 0.8 if name == "w1" else 0.2 / (len(happening.scene.servers) - 1)
        for what in ("get", "mutate"):
            even = total / len(happening.scene.servers)
            happening.grow(name, f"regionserver/{what}_requests", np.where(when, share * total, even))
    happening.grow("w1", "region/usertable w1r2/requests", np.where(when, 1.5 * total, total / 6))


_INJECTED: Mapping[str, Callable[[_Happening, Steps], None]] = {
    "collector": _collector,
    "compactions": _compactions,
    "regions in transition": _moves,
    "WAL sync": lambda happening, when: happening.gauge(
        "w3", "regionserver/wal_sync_99_s", np.where(when, 0.1, 0.001)
    ),
    "blocked writes": lambda happening, when: happening.grow("w1", "regionserver/blocked_s", 0.5 * when),
    "cache misses": _misses,
    "disk": lambda happening, when: _disk(happening, "w2", np.where(when, 0.95, 0.2)),
    "server CPU": lambda happening, when: _cpu(happening, "w1", np.where(when, 0.98, 0.45)),
    "client CPU": lambda happening, when: _cpu(happening, "c2", np.where(when, 0.97, 0.5)),
    "hot server": _hot,
}
CAUSES = tuple(_INJECTED)


def _latencies(scene: TableScene, bursts: Steps) -> Iterator[LatencyHistogram]:
    rng = np.random.default_rng(scene.seed)
    for second in range(scene.seconds):
        for client in scene.clients:
            for operation in ("read", "update"):
                times_s = rng.lognormal(np.log(0.0015), 0.25, RATE // 2)
                slow = rng.random(len(times_s)) < (0.004 if scene.steady else 0.0)
                if bursts[second] and scene.steady is None:
                    slow = rng.random(len(times_s)) < 0.08
                times_s = np.where(slow, rng.uniform(0.03, 0.12, len(times_s)), times_s)
                start_s = LEAD_S + float(second)
                yield LatencyHistogram(
                    "ycsb-a", operation, client, None, start_s, start_s + 1, RATE // 2, encoded(times_s)
                )


def _record(scene: TableScene, rows: list[LatencyHistogram]) -> RunData:
    workload = YcsbA.model_validate(
        {
            "records": 1_000_000,
            "fields": 10,
            "field_bytes": FIELD_BYTES,
            "threads": 1,
            "clients": len(scene.clients),
            "operations": sum(row.operations for row in rows),
            "distribution": "zipfian",
        }
    )
    done = {name: sum(row.operations for row in rows if row.operation == name) for name in ("read", "update")}
    counts = tuple(
        OperationCount(operation=name, done=many, returns={"OK": many}) for name, many in done.items()
    )
    per_s = sum(done.values()) / scene.seconds
    metrics = (
        ResultMetric(name="throughput", value=per_s, unit="1/s", better="higher", over="operations"),
        *latency_metrics(rows, (0.95, 0.99), "operation"),
    )
    result = WorkloadResult(
        workload=workload,
        start_s=float(LEAD_S),
        end_s=float(LEAD_S + scene.seconds),
        outcome=Outcome.SUCCEEDED,
        operations=counts,
        metrics=metrics,
    )
    built = RunBuilder(suite="ycsb", hosts=scene.servers).build()
    record = built.record.model_copy(
        update={
            "engine": "hbase",
            "plan": built.record.plan.model_copy(
                update={"settings": (*built.record.plan.settings, REPLICAS)}
            ),
            "workloads": (result,),
            "suite": Suite(name="ycsb", workloads=(workload,)),
            "elapsed_s": float(LEAD_S + scene.seconds + 3),
        }
    )
    return built._replace(record=record)


def table(rows: Any, schema: pa.Schema) -> pa.Table:
    """Rows as a table of the record."""
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.table(dict(zip(schema.names, columns, strict=True)), schema=schema)
