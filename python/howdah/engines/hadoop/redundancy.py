"""The wait until HDFS is redundant again, and what DataNodes did for it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from howdah.engines.base import PartialResult
from howdah.engines.hadoop.target import TABLES, HadoopTarget
from howdah.engines.hadoop.work import Conclusion, HadoopWork
from howdah.hadoop.daemons import DAEMONS
from howdah.model.plan import Role
from howdah.model.reported import ResultMetric
from howdah.model.run import Phase
from howdah.model.tables import Progress
from howdah.model.workloads.hadoop_programs import REBUILD_TIME, Redundancy
from howdah.services.errors import ServiceError
from howdah.services.namenode import NameNode, datanode_url
from howdah.services.web import JmxReader
from howdah.units import format_counted

_POLL_S = 0.5
_SETTLES_S = 20.0  # Time that HDFS must stay redundant: the NameNode detects a missing heartbeat only later.
_STANDS_S = 120.0  # Time without any progress after which the wait for rebuilt blocks is given up.
_SILENT_S = 12.0
_WRITTEN = 20  # One rebuilt block of so many may be one that a client has just written.
_METRICS_S = 11.0  # DataNodes compute their metrics every ten seconds (*.period).
_ACTIVITY = DAEMONS[Role.DATANODE].bean("DataNodeActivity-*")
_COUNTED: Mapping[str, str] = TABLES["rebuild"]


class _Rebuild(NamedTuple):
    """The result of the wait; times are seconds since the start of the run."""

    begun_s: float
    rebuild_s: float | None  # Time at which blocks were missing first.
    whole_s: float
    lost: tuple[str, ...]
    drained: tuple[str, ...]
    unrebuilt: int  # Blocks that were not rebuilt.


def _counters(target: HadoopTarget, namenode: NameNode) -> dict[str, dict[str, int]]:
    """Every counter of each DataNode that is live and answers, by address."""
    counters = {}
    for datanode in namenode.datanodes():
        url = datanode_url(target.conf, datanode)
        if datanode.live and url is not None:
            with suppress(ServiceError):
                bean = JmxReader(target.web, url).bean(_ACTIVITY) or {}
                counters[datanode.address] = {name: int(bean.get(key) or 0) for name, key in _COUNTED.items()}
    return counters


def redundancy(work: HadoopWork[Redundancy]) -> Conclusion:
    """Wait until HDFS is redundant, or until nothing more is rebuilt."""
    target, namenode = work.context.target, work.context.namenode
    work.context.afterwards.close()
    # Until then they may not have what was written before.
    time.sleep(_METRICS_S)
    before = _counters(target, namenode)
    seen = _wait(work)
    # Before the next job writes anything.
    time.sleep(max(0.0, seen.whole_s + _METRICS_S - work.context.clock.now_s()))
    return partial(_result, work, _grown(before, _counters(target, namenode)), seen)


def _wait(work: HadoopWork[Redundancy]) -> _Rebuild:
    namenode, clock = work.context.namenode, work.context.clock
    begun_s = work.begin()
    first_s: float | None = None
    quiet_s: float | None = None
    lost: dict[str, None] = {}
    drained: dict[str, None] = {}
    most, before, changed_s = 0, -1, begun_s
    while True:
        # This bean is computed when it is read; the metrics of FSNamesystem may be ten seconds old.
        names = namenode.bean("FSNamesystemState")
        # Blocks with too few replicas or units, and those under way.
        low = int(names.get("UnderReplicatedBlocks") or 0) + int(names.get("PendingReplicationBlocks") or 0)
        datanodes = namenode.datanodes()
        live = [node for node in datanodes if node.live]
        # The NameNode has not given these up yet.
        silent = [node.host for node in live if node.silent_s > _SILENT_S]
        draining = [node.host for node in live if node.state == "Decommission In Progress"]
        now_s = clock.now_s()
        lost.update(dict.fromkeys((*silent, *(node.host for node in datanodes if not node.live))))
        drained.update(dict.fromkeys(draining))
        if low != before or silent:
            before, changed_s = low, now_s
        if low and first_s is None and not silent:
            first_s = now_s
        most = max(most, low)
        # Only blocks that clients are writing remain.
        quiet = not silent and not draining and low * _WRITTEN <= most
        if not (low or silent or draining) or (quiet_s is not None and quiet):
            quiet_s = now_s if quiet_s is None else quiet_s
            if now_s - quiet_s > _SETTLES_S:
                break
        else:
            quiet_s = None
            if now_s - changed_s > _STANDS_S:
                quiet_s = changed_s
                break
        done = most - low if most else 0
        tasks = f"{format_counted(low, 'block')} to rebuild" if most else "waiting for a loss"
        phase = "rebuild" if first_s is not None else "unnoticed"
        step = Progress(work.workload.kind, phase, done, most, "operations", now_s - begun_s, tasks)
        work.context.sink.progress(step)
        time.sleep(_POLL_S)
    work.finish(quiet_s)
    return _Rebuild(begun_s, first_s, quiet_s, tuple(lost), tuple(drained), 0 if quiet else low)


def _result(work: HadoopWork[Redundancy], grown: dict[str, int], seen: _Rebuild) -> PartialResult:
    if not seen.lost and not seen.drained:
        work.context.warn(
            "nothing-lost",
            "redundancy: no DataNode was lost or drained; give, for example, "
            "--fault 'lose worker:NAME at redundancy 0s'",
        )
    if seen.unrebuilt:
        work.context.warn(
            "not-redundant",
            f"redundancy: {format_counted(seen.unrebuilt, 'block')} were not rebuilt within "
            f"{_STANDS_S:.0f} s: the remaining DataNodes are too few or full",
        )
    rebuild_s = seen.begun_s if seen.rebuild_s is None else seen.rebuild_s
    phases = (
        Phase(name="unnoticed", start_s=seen.begun_s, end_s=rebuild_s),
        Phase(name="rebuild", start_s=rebuild_s, end_s=seen.whole_s),
    )
    metrics = tuple(_metrics(seen, grown))
    return PartialResult(phases=phases if seen.rebuild_s is not None else (), metrics=metrics)


def _grown(before: dict[str, dict[str, int]], after: dict[str, dict[str, int]]) -> dict[str, int]:
    """Increase of all DataNodes' counters; a restarted DataNode counts from zero."""
    sums = dict.fromkeys(_COUNTED, 0)
    for address, counted in after.items():
        first = before.get(address, {})
        again = any(value < first.get(name, 0) for name, value in counted.items())
        for name, value in counted.items():
            sums[name] += value if again else value - first.get(name, 0)
    return sums


def _metrics(seen: _Rebuild, grown: dict[str, int]) -> Iterator[ResultMetric]:
    """The work of the rebuild; copies are the DataNodes' writes beyond reconstructed units."""
    elapsed_s = 0.0 if seen.rebuild_s is None else seen.whole_s - seen.rebuild_s
    copied = max(0, grown["written"] - grown["unit_bytes"])
    yield ResultMetric(name=REBUILD_TIME, value=elapsed_s, unit="s", better="lower")
    if seen.rebuild_s is not None:
        noticed_s = seen.rebuild_s - seen.begun_s
        yield ResultMetric(name="time until noticed", value=noticed_s, unit="s", better="lower")
    yield ResultMetric(name="blocks not rebuilt", value=seen.unrebuilt, unit="1", better="lower")
    yield ResultMetric(name="copied blocks", value=grown["copied_blocks"], unit="1")
    yield ResultMetric(name="copied bytes", value=copied, unit="B")
    yield ResultMetric(name="rebuilt units", value=grown["units"], unit="1")
    yield ResultMetric(name="failed rebuilds of units", value=grown["failed"], unit="1", better="lower")
    yield ResultMetric(name="rebuilt bytes of units", value=grown["unit_bytes"], unit="B")
    remote = grown["unit_remote"]
    yield ResultMetric(name="bytes read to rebuild units", value=grown["unit_read"], unit="B", better="lower")
    yield ResultMetric(name="of them from other workers", value=remote, unit="B", better="lower")
    yield ResultMetric(name="decoding time", value=grown["decoding_ns"] / 1e9, unit="s", better="lower")
    if elapsed_s > 0:
        rate = (copied + grown["unit_bytes"]) / elapsed_s
        yield ResultMetric(name="rebuild rate", value=rate, unit="B/s", better="higher", over="the rebuild")
