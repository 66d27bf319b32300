"""The wait until HDFS is redundant again, and what DataNodes did for it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from howdah.engines.hadoop.work import Conclusion, HadoopWork
from howdah.engines.under_way import PartialResult
from howdah.model.reported import ResultMetric
from howdah.model.run import Phase
from howdah.model.tables import Progress
from howdah.model.workloads.hadoop_programs import REBUILD_TIME, Redundancy
from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError
from howdah.services.namenode import NameNode, datanode_url
from howdah.services.web import JmxReader, Web
from howdah.units import format_counted

_POLL_S = 0.5
_SETTLES_S = 20.0
"""Time that HDFS must stay redundant: the NameNode detects a missing heartbeat only later."""
_STANDS_S = 120.0
"""Time without any progress after which the wait for rebuilt blocks is given up."""
_SILENT_S = 12.0
_WRITTEN = 20
"""One block of so many that were to be rebuilt may be one that a client of the cluster has just written."""
_METRICS_S = 11.0
"""DataNodes compute their metrics every ten seconds (*.period)."""
_ACTIVITY = "Hadoop:service=DataNode,name=DataNodeActivity-*"
_COUNTED = {
    "written": "BytesWritten",
    "copied_blocks": "BlocksReplicated",
    "units": "EcReconstructionTasks",
    "failed": "EcFailedReconstructionTasks",
    "unit_bytes": "EcReconstructionBytesWritten",
    "unit_read": "EcReconstructionBytesRead",
    "unit_remote": "EcReconstructionRemoteBytesRead",
    "decoding_ns": "EcDecodingTimeNanos",
}


class _State(NamedTuple):
    """Progress of HDFS in rebuilding blocks."""

    low: int
    """Blocks with too few replicas or units, and those under way."""
    silent: tuple[str, ...]
    """DataNodes that the NameNode has not given up yet."""
    draining: tuple[str, ...]
    dead: tuple[str, ...]

    @property
    def busy(self) -> bool:
        """Whether blocks remain to be rebuilt."""
        return bool(self.low or self.silent or self.draining)

    def quiet(self, most: int) -> bool:
        """Whether only blocks that clients are writing remain; ``most`` were to be rebuilt."""
        return not self.silent and not self.draining and self.low * _WRITTEN <= most


class _Rebuild(NamedTuple):
    """The result of the wait; times are seconds since the start of the run."""

    begun_s: float
    rebuild_s: float | None
    """Time at which blocks were missing first."""
    whole_s: float
    lost: tuple[str, ...]
    drained: tuple[str, ...]
    unrebuilt: int
    """Blocks that were not rebuilt."""


class _Counters:
    """The counters of all DataNodes that answer, by address."""

    def __init__(self, web: Web, conf: ClientConf, namenode: NameNode) -> None:
        self._web, self._conf, self._namenode = web, conf, namenode

    def read(self) -> dict[str, dict[str, int]]:
        """Every counter of each DataNode that is live."""
        return dict(self._read())

    def _read(self) -> Iterator[tuple[str, dict[str, int]]]:
        for datanode in self._namenode.datanodes():
            url = datanode_url(self._conf, datanode)
            if not datanode.live or url is None:
                continue
            try:
                bean = JmxReader(self._web, url).bean(_ACTIVITY) or {}
            except ServiceError:
                continue
            yield datanode.address, {name: int(bean.get(key) or 0) for name, key in _COUNTED.items()}


def redundancy(work: HadoopWork[Redundancy]) -> Conclusion:
    """Wait until HDFS is redundant, or until nothing more is rebuilt."""
    target = work.context.target
    counters = _Counters(target.web, target.conf, work.context.namenode)
    work.context.afterwards.do()
    # Until then they may not have what was written before.
    time.sleep(_METRICS_S)
    before = counters.read()
    seen = _wait(work)
    # Before the next job writes anything.
    time.sleep(max(0.0, seen.whole_s + _METRICS_S - work.context.clock.now_s()))
    return partial(_result, work, _grown(before, counters.read()), seen)


def _wait(work: HadoopWork[Redundancy]) -> _Rebuild:
    clock = work.context.clock
    begun_s = work.begin()
    first_s: float | None = None
    quiet_s: float | None = None
    lost: dict[str, None] = {}
    drained: dict[str, None] = {}
    most, low, changed_s = 0, -1, begun_s
    while True:
        state = _state(work.context.namenode)
        now_s = clock.now_s()
        lost.update(dict.fromkeys((*state.silent, *state.dead)))
        drained.update(dict.fromkeys(state.draining))
        if state.low != low or state.silent:
            low, changed_s = state.low, now_s
        if state.low and first_s is None and not state.silent:
            first_s = now_s
        most = max(most, state.low)
        if not state.busy or (quiet_s is not None and state.quiet(most)):
            quiet_s = now_s if quiet_s is None else quiet_s
            if now_s - quiet_s > _SETTLES_S:
                break
        else:
            quiet_s = None
            if now_s - changed_s > _STANDS_S:
                quiet_s = changed_s
                break
        done = most - state.low if most else 0
        tasks = f"{format_counted(state.low, 'block')} to rebuild" if most else "waiting for a loss"
        phase = "rebuild" if first_s is not None else "unnoticed"
        work.context.sink.progress(
            Progress(work.workload.kind, phase, done, most, "operations", now_s - begun_s, tasks)
        )
        time.sleep(_POLL_S)
    work.finish(quiet_s)
    return _Rebuild(begun_s, first_s, quiet_s, tuple(lost), tuple(drained), 0 if state.quiet(most) else low)


def _state(namenode: NameNode) -> _State:
    # This bean is computed when it is read; the metrics of FSNamesystem may be ten seconds old.
    names = namenode.bean("FSNamesystemState")
    low = int(names.get("UnderReplicatedBlocks") or 0) + int(names.get("PendingReplicationBlocks") or 0)
    datanodes = namenode.datanodes()
    return _State(
        low=low,
        silent=tuple(node.host for node in datanodes if node.live and node.silent_s > _SILENT_S),
        draining=tuple(
            node.host for node in datanodes if node.live and node.state == "Decommission In Progress"
        ),
        dead=tuple(node.host for node in datanodes if not node.live),
    )


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
    return PartialResult(
        phases=phases if seen.rebuild_s is not None else (),
        metrics=tuple(_metrics(seen, grown)),
    )


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
    yield ResultMetric(name="bytes read to rebuild units", value=grown["unit_read"], unit="B", better="lower")
    yield ResultMetric(
        name="of them from other workers", value=grown["unit_remote"], unit="B", better="lower"
    )
    yield ResultMetric(name="decoding time", value=grown["decoding_ns"] / 1e9, unit="s", better="lower")
    if elapsed_s > 0:
        rate = (copied + grown["unit_bytes"]) / elapsed_s
        yield ResultMetric(name="rebuild rate", value=rate, unit="B/s", better="higher", over="the rebuild")
