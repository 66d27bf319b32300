"""The machines of a run: which to count, their data disks, and their samples as tracks and series of rates.

A counter is straight between two samples, so what it grew by in adjoining stretches adds up exactly to what
it grew by over all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from howdah.analysis.evidence.use import FloatArray, Gauge, Level, MachineOfRun, Series
from howdah.hadoop.daemons import BY_NAME
from howdah.model.host import FileSystem
from howdah.model.placement import placed_hosts
from howdah.model.plan import Cluster, value_text
from howdah.model.run import RunRecord
from howdah.model.tables import RunData
from howdah.releases import catalogue

MODES = ("user", "system", "iowait", "steal", "idle")  # What the kernel's time of a CPU is divided into.
LEAST_RESOLVED_S = 0.05  # The kernel counts CPU time in steps of 10 ms; fewer than five are mostly rounding.
_APART = frozenset((*BY_NAME, "region", "jvm", "kernel"))  # Sampled at other times than the host.
_EMPTY: FloatArray = np.zeros(0)


class Track(NamedTuple):
    """One metric on one host: times ascending without repeats, and the value at each."""

    times_s: FloatArray
    values: FloatArray

    def at(self, time_s: float | FloatArray) -> FloatArray:
        """The value at a time, straight between samples and level beyond the first and the last."""
        return np.asarray(np.interp(time_s, self.times_s, self.values), dtype=np.float64)

    def growth(self, start_s: float, end_s: float) -> float:
        """How much a counter grew from start to end."""
        return float(self.at(end_s) - self.at(start_s))

    def mean(self, start_s: float, end_s: float) -> float | None:
        """The mean of the samples from start to end; None without any."""
        within = (self.times_s >= start_s) & (self.times_s <= end_s)
        return float(self.values[within].mean()) if within.any() else None

    def uncertainty(self, time_s: float) -> float:
        """How far a counter's true value may lie from the interpolated one: to the farther neighbour."""
        after = int(np.searchsorted(self.times_s, time_s))
        if after == 0 or after == len(self.times_s) or self.times_s[after] == time_s:
            return 0.0
        here = float(self.at(time_s))
        return max(here - float(self.values[after - 1]), float(self.values[after]) - here)


class Timeline:
    """All tracks of a run's samples."""

    def __init__(self, samples: pa.Table) -> None:
        self._tracks = _split(samples)
        self._metrics: dict[str, list[str]] = {}
        for host, metric in self._tracks:
            self._metrics.setdefault(host, []).append(metric)
        self.hosts = tuple(self._metrics)
        # Machines may be sampled apart, those whose samples were imported at minutes: the one in the
        # middle stands for all.
        grids = sorted((self._grid(host) for host in self.hosts), key=len)
        self.times_s: FloatArray = grids[len(grids) // 2] if grids else _EMPTY

    def _grid(self, host: str) -> FloatArray:
        """When a machine was sampled; what has times of its own counts if nothing else was."""
        own = [metric for metric in self._metrics[host] if metric.partition("/")[0] not in _APART]
        return np.unique(
            np.concatenate([self._tracks[host, metric].times_s for metric in own or self._metrics[host]])
        )

    def track(self, host: str, metric: str) -> Track | None:
        """The track of a metric, None where it was never sampled."""
        return self._tracks.get((host, metric))

    def tracks(self, hosts: Iterable[str], metrics: Sequence[str]) -> list[Track]:
        """The tracks of these metrics on these hosts, as far as they were sampled."""
        tracks = (self.track(host, metric) for host in hosts for metric in metrics)
        return [track for track in tracks if track is not None]

    def instances(self, host: str, subject: str) -> tuple[str, ...]:
        """The instances of a subject that were sampled on a host: ``disk`` gives ``vda``, ``vdb``."""
        names = [metric.split("/") for metric in self._metrics.get(host, ())]
        return tuple(dict.fromkeys(parts[1] for parts in names if parts[0] == subject and len(parts) == 3))

    def metrics(self, host: str, subject: str) -> tuple[str, ...]:
        return tuple(metric for metric in self._metrics.get(host, ()) if metric.startswith(f"{subject}/"))

    def growth(self, host: str, metric: str, start_s: float, end_s: float) -> float:
        """How much a counter grew from start to end, 0 where it was never sampled."""
        track = self.track(host, metric)
        return track.growth(start_s, end_s) if track else 0.0

    def total(
        self, hosts: Iterable[str], metrics: Sequence[str], start_s: float, end_s: float
    ) -> float | None:
        """How much counters grew from start to end together; None where none was sampled."""
        tracks = self.tracks(hosts, metrics)
        return sum(track.growth(start_s, end_s) for track in tracks) if tracks else None

    def steps(self, host: str, metrics: Iterable[str], edges_s: FloatArray) -> FloatArray:
        """How much counters together grew in each step; zero where none was sampled."""
        grown = (np.diff(track.at(edges_s)) for track in self.tracks([host], list(metrics)))
        return sum(grown, np.zeros(len(edges_s) - 1))

    def modes(self, host: str, edges_s: FloatArray) -> dict[str, FloatArray]:
        """Seconds that all CPUs spent in each mode, step by step."""
        cpus = self.instances(host, "cpu")
        spent = {mode: self.steps(host, [f"cpu/{cpu}/{mode}_s" for cpu in cpus], edges_s) for mode in MODES}
        return {mode: np.maximum(seconds, 0.0) for mode, seconds in spent.items()}

    def grown(self, metric: str, start_s: float, end_s: float) -> dict[str, float]:
        """How much a counter grew on each machine that was sampled for it."""
        tracks = ((host, self.track(host, metric)) for host in self.hosts)
        return {host: track.growth(start_s, end_s) for host, track in tracks if track is not None}

    def blurred(self, start_s: float, end_s: float) -> bool:
        """Whether a stretch shows mostly what its neighbours did: it is shorter than two sample intervals.

        An end of the stretch that falls on a sample, give or take a twentieth of the stretch, is sharp;
        only the interval around an end that does not is interpolated.
        """
        length = end_s - start_s
        return sum(self._gap_at(moment, length / 20) for moment in (start_s, end_s)) > length

    def _gap_at(self, time_s: float, near_s: float) -> float:
        """The length of the sample interval around a moment, 0 at a sample and beyond the ends."""
        after = int(np.searchsorted(self.times_s, time_s))
        if after == 0 or after == len(self.times_s):
            return 0.0
        before_s, after_s = float(self.times_s[after - 1]), float(self.times_s[after])
        return 0.0 if min(time_s - before_s, after_s - time_s) <= near_s else after_s - before_s

    def intervals(self, start_s: float, end_s: float) -> float:
        """How many sample intervals fit between start and end, by the median interval."""
        if len(self.times_s) < 2:
            return 0.0
        return (end_s - start_s) / float(np.median(np.diff(self.times_s)))

    def covers(self, start_s: float, end_s: float) -> bool:
        """Whether samples were taken from start to end, give or take one interval at each end."""
        if len(self.times_s) < 2:
            return False
        slack = float(np.median(np.diff(self.times_s)))
        return bool(self.times_s[0] <= start_s + slack and self.times_s[-1] >= end_s - slack)


def _split(samples: pa.Table) -> dict[tuple[str, str], Track]:
    if samples.num_rows == 0:
        return {}
    hosts, host_names = _codes(samples, "host")
    metrics, metric_names = _codes(samples, "metric")
    times = samples.column("time_s").to_numpy()
    values = samples.column("value").to_numpy()
    key = hosts * len(metric_names) + metrics
    order = np.lexsort((times, key))
    keys, starts = np.unique(key[order], return_index=True)
    tracks = {}
    for number, rows in zip(keys, np.split(order, starts[1:]), strict=True):
        place, quantity = divmod(int(number), len(metric_names))
        finite = rows[np.isfinite(values[rows]) & np.isfinite(times[rows])]
        moments, first = np.unique(times[finite], return_index=True)
        if len(moments):
            tracks[host_names[place], metric_names[quantity]] = Track(moments, values[finite][first])
    return tracks


def _codes(table: pa.Table, column: str) -> tuple[NDArray[np.int64], list[str]]:
    """A text column as numbers, and the text each number stands for."""
    encoded = table.column(column).combine_chunks().dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), [str(name) for name in encoded.dictionary.to_pylist()]


_DISK = (("read", "read_bytes", "B/s"), ("write", "written_bytes", "B/s"), ("busy", "busy_s", "1"))
_NIC = (("rx", "rx_bytes", "B/s"), ("tx", "tx_bytes", "B/s"))

MOST_MOMENTS = 20_000  # More moments than this are put together before their peak is sought.


def all_series(timeline: Timeline) -> tuple[Series, ...]:
    """Every rate and share over time, host by host; empty with fewer than two samples."""
    if len(timeline.times_s) < 2:
        return ()
    return tuple(series for host in timeline.hosts for series in _host_series(timeline, host))


def gauges(timeline: Timeline) -> tuple[Gauge, ...]:
    """Memory and process gauges as they stood at each sample."""
    return tuple(
        Gauge(host, metric, "B", track.times_s, track.values)
        for host in timeline.hosts
        for subject in ("memory", "process")
        for metric in timeline.metrics(host, subject)
        if (track := timeline.track(host, metric)) is not None
    )


def _host_series(timeline: Timeline, host: str) -> Iterator[Series]:
    yield from _cpu(timeline, host)
    for subject, quantities in (("disk", _DISK), ("nic", _NIC)):
        for instance in timeline.instances(host, subject):
            for quantity, metric, unit in quantities:
                yield from _rates(
                    timeline, host, f"{subject}/{instance}/{metric}", (subject, instance, quantity, unit)
                )
    for metric in timeline.metrics(host, "pressure"):
        quantity = metric.removeprefix("pressure/").removesuffix("_s")
        yield from _rates(timeline, host, metric, ("pressure", "all", quantity, "1"))


def _rates(timeline: Timeline, host: str, metric: str, named: tuple[str, str, str, str]) -> Iterator[Series]:
    track = timeline.track(host, metric)
    if track is not None and len(track.times_s) > 1:
        yield Series(host, *named, track.times_s, np.diff(track.values) / np.diff(track.times_s))


def _cpu(timeline: Timeline, host: str) -> Iterator[Series]:
    """The CPUs of a host together, as shares of the time the kernel accounted for in each interval."""
    names = [f"cpu/{cpu}/{mode}_s" for cpu in timeline.instances(host, "cpu") for mode in MODES]
    tracks = timeline.tracks([host], names)
    edges = np.unique(np.concatenate([track.times_s for track in tracks])) if tracks else _EMPTY
    if len(edges) > 1:
        spent = timeline.modes(host, edges)
        total = sum(spent.values(), np.zeros(len(edges) - 1))
        for mode, seconds in spent.items():
            yield Series(host, "cpu", "all", mode, "1", edges, ratio(seconds, total))


def ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Element by element, zero where the whole is."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def means_within(series: Series, grid: FloatArray) -> FloatArray:
    """The series' mean over each cell of the grid; it is zero where it was not sampled."""
    area = np.concatenate([[0.0], np.cumsum(series.values * np.diff(series.edges_s))])
    return np.asarray(np.diff(np.interp(grid, series.edges_s, area)) / np.diff(grid))


def peaks_within(series: Sequence[Series], grid: FloatArray) -> FloatArray:
    """The highest that the sum of the series reaches in each cell of the grid."""
    fine = np.union1d(moments(series, float(grid[0]), float(grid[-1])), grid)
    together = sum((means_within(values, fine) for values in series), np.zeros(len(fine) - 1))
    return np.asarray(np.maximum.reduceat(together, np.searchsorted(fine, grid[:-1])))


def moments(series: Sequence[Series], start_s: float, end_s: float) -> FloatArray:
    """The moments between two at which any series was sampled, and those two; equal steps if too many."""
    every = np.unique(np.concatenate([values.edges_s for values in series])) if series else np.empty(0)
    within = every[(every > start_s) & (every < end_s)]
    if len(within) > MOST_MOMENTS:
        return np.linspace(start_s, end_s, MOST_MOMENTS)
    edges = [start_s]
    for edge in within:
        # Samples at the ends of phases may lie next to those taken at the interval.
        if min(edge - edges[-1], end_s - edge) >= LEAST_RESOLVED_S:
            edges.append(float(edge))
    return np.array([*edges, end_s])


def setting_text(record: RunRecord, key: str) -> str:
    """A property as the laboratory used it, as planned, or the release's default; empty where none has it."""
    deviations = record.laboratory.deviations if record.laboratory else ()
    used = next((deviation.used for deviation in deviations if deviation.key == key), "")
    planned = (value_text(setting.value).strip() for setting in record.plan.settings if setting.key == key)
    cluster = record.plan.cluster
    hadoop = catalogue.hadoop(cluster.request.hadoop) if cluster else catalogue.hadoop()
    return used or next(planned, "") or catalogue.default_of(key, hadoop, catalogue.hbase()) or ""


def setting_s(record: RunRecord, key: str) -> float:
    """A property that counts milliseconds, in seconds; zero where it is no such number."""
    text = setting_text(record, key)
    return int(text) / 1000 if text.isdigit() else 0.0


def on_cluster(record: RunRecord) -> bool:
    """Whether the run was on a cluster; its record says so, whichever engine made it."""
    return record.cluster is not None or record.plan.cluster is not None


def machines_of(run: RunData, timeline: Timeline) -> tuple[MachineOfRun, ...]:
    """Every machine of the plan, those that joined, then those of tasks or samples; sampled hosts alone."""
    if not on_cluster(run.record):
        return tuple(MachineOfRun(name, "host", name, "") for name in timeline.hosts)
    cluster = run.record.plan.cluster
    machines = {machine.name: machine for machine in (_planned(cluster) if cluster else ())}
    for change in run.record.members:
        if change.level is not None:
            host, rack = change.host or change.machine, change.rack or ""
            machines.setdefault(change.machine, MachineOfRun(change.machine, change.level, host, rack))
    for machine in _named_by_tasks(run):
        machines.setdefault(machine.name, machine)
    lab = run.record.laboratory
    for name in timeline.hosts:
        level: Level = "beneath" if lab is not None and name == lab.machine else "other"
        machines.setdefault(name, MachineOfRun(name, level, name, ""))
    return tuple(machines.values())


def _planned(cluster: Cluster) -> Iterator[MachineOfRun]:
    for host in placed_hosts(cluster):
        workers = {worker.name for worker in host.workers}
        if host.name not in workers:
            # A host that carries nothing but masters does none of the work.
            level: Level = "host" if workers or not host.masters else "master"
            yield MachineOfRun(host.name, level, host.name, host.rack)
        for worker in host.workers:
            yield MachineOfRun(worker.name, "worker", host.name, host.rack)
        for master in host.masters:
            # A master that shares its worker's or host's operating system is no machine of its own.
            if master.address not in workers and master.address != host.name:
                yield MachineOfRun(master.address, "master", host.name, host.rack)


def _named_by_tasks(run: RunData) -> Iterator[MachineOfRun]:
    if run.tasks.num_rows == 0:
        return
    # Tasks may be a hundred thousand on a few hundred machines; unthreaded, the first comes first.
    pairs = run.tasks.select(["worker", "host"]).group_by(["worker", "host"], use_threads=False).aggregate([])
    for worker, host in zip(*(map(str, column.to_pylist()) for column in pairs.columns), strict=True):
        yield MachineOfRun(worker, "worker", host, "")
        if host != worker:
            yield MachineOfRun(host, "host", host, "")


def counted(machines: Iterable[MachineOfRun], timeline: Timeline, subject: str) -> tuple[str, ...]:
    """The machines whose samples of a subject (``cpu``, ``disk`` …) make up the work, each part once.

    Of every host they are its workers, or the host itself where its workers were not sampled.
    """
    planned = tuple(machines)
    sampled = {machine.name for machine in planned if timeline.metrics(machine.name, subject)}
    by_worker = {machine.host for machine in planned if machine.level == "worker" and machine.name in sampled}
    return tuple(
        machine.name
        for machine in planned
        if machine.name in sampled
        and (machine.level == "worker" or (machine.level == "host" and machine.host not in by_worker))
    )


def workers_of(machines: Iterable[MachineOfRun]) -> dict[str, str]:
    return {machine.name: machine.host for machine in machines if machine.level == "worker"}


def data_dirs(record: RunRecord) -> tuple[str, ...]:
    """The data directories of all workers, each once."""
    return tuple(dict.fromkeys(path for worker in record.plan.workers for path in worker.data_dirs))


def data_disks(record: RunRecord, timeline: Timeline, sampled: Iterable[str]) -> tuple[str, ...]:
    """The disks below the data directories of the machines that were ``sampled``.

    On a cluster, or if nothing tells, they are those named after a data directory's mount (``/data/01`` is
    ``01``), else all that were sampled: nothing tells what else a worker's device may carry. They are empty
    where the directories lie on none (tmpfs).
    """
    # The machine that a cluster's run was started on tells nothing about the workers' disks.
    own = None if on_cluster(record) else _own_disks(record)
    if own is not None:
        return own
    names = dict.fromkeys(disk for host in sampled for disk in timeline.instances(host, "disk"))
    mounts = {PurePosixPath(path).name for path in data_dirs(record)}
    return tuple(name for name in names if name in mounts) or tuple(names)


def _own_disks(record: RunRecord) -> tuple[str, ...] | None:
    """The data disks of the machine that a run was started on; None if nothing tells."""
    mounts = [record.host.mount_of(PurePosixPath(path)) for path in data_dirs(record)]
    below = [
        mount.disks or ((mount.disk,) if mount.disk else ())
        for mount in mounts
        if isinstance(mount, FileSystem)
    ]
    if any(below) or (any(mounts) and not below):
        return tuple(dict.fromkeys(disk for disks in below for disk in disks))
    disks = {disk.name for disk in record.host.disks}
    limits = record.limits.devices if record.limits else ()
    devices = (PurePosixPath(limit.device).name for limit in limits)
    return tuple(dict.fromkeys(device for device in devices if device in disks)) or None


def dir_of(dirs: tuple[str, ...], path: str) -> str | None:
    """The data directory that holds a file: the deepest one above it."""
    holding = [name for name in dirs if PurePosixPath(path).is_relative_to(name)]
    return max(holding, key=len, default=None)
