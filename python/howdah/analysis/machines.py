"""The machines of a run, the devices that carry their data, which to count, and properties of its cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from howdah.analysis.evidence.use import Level, MachineOfRun
from howdah.analysis.timeline import Timeline
from howdah.model.host import FileSystem
from howdah.model.placement import placed_hosts
from howdah.model.plan import Cluster, value_text
from howdah.model.run import RunRecord
from howdah.model.tables import RunData
from howdah.releases import catalogue


def setting_text(record: RunRecord, key: str) -> str:
    """A property as the laboratory used it, as planned, or the release's default; empty where none has it."""
    laboratory = record.laboratory
    used = next((each.used for each in (laboratory.deviations if laboratory else ()) if each.key == key), "")
    planned = (value_text(each.value).strip() for each in record.plan.settings if each.key == key)
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
    """Every machine of the plan and those that joined; those that only tasks or samples name after them.

    Without a cluster there is nothing but the hosts that were sampled.
    """
    if not on_cluster(run.record):
        return tuple(MachineOfRun(name, "host", name, "") for name in timeline.hosts)
    cluster = run.record.plan.cluster
    known = {machine.name: machine for machine in (_planned(cluster) if cluster else ())}
    for change in run.record.members:
        if change.level is not None:
            host, rack = change.host or change.machine, change.rack or ""
            known.setdefault(change.machine, MachineOfRun(change.machine, change.level, host, rack))
    for machine in _named_by_tasks(run):
        known.setdefault(machine.name, machine)
    lab = run.record.laboratory
    for name in timeline.hosts:
        level: Level = "beneath" if lab is not None and name == lab.machine else "other"
        known.setdefault(name, MachineOfRun(name, level, name, ""))
    return tuple(known.values())


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
    known = tuple(machines)
    sampled = {machine.name for machine in known if timeline.metrics(machine.name, subject)}
    by_worker = {machine.host for machine in known if machine.level == "worker" and machine.name in sampled}
    return tuple(
        machine.name
        for machine in known
        if machine.name in sampled
        and (machine.level == "worker" or (machine.level == "host" and machine.host not in by_worker))
    )


def workers_of(machines: Iterable[MachineOfRun]) -> dict[str, str]:
    """The host of every worker, by the worker's name."""
    return {machine.name: machine.host for machine in machines if machine.level == "worker"}


def data_dirs(record: RunRecord) -> tuple[str, ...]:
    """The data directories of all workers, each once."""
    return tuple(dict.fromkeys(path for worker in record.plan.workers for path in worker.data_dirs))


def data_disks(record: RunRecord) -> tuple[str, ...] | None:
    """The disks below the data directories; empty where they lie on none (tmpfs), None if nothing tells."""
    mounts = [record.host.mount_of(PurePosixPath(path)) for path in data_dirs(record)]
    below = [_disks_of(mount) for mount in mounts if isinstance(mount, FileSystem)]
    if any(below) or (any(mounts) and not below):
        return tuple(dict.fromkeys(disk for disks in below for disk in disks))
    known = {disk.name for disk in record.host.disks}
    limits = record.limits.devices if record.limits else ()
    devices = (PurePosixPath(limit.device).name for limit in limits)
    return tuple(dict.fromkeys(device for device in devices if device in known)) or None


def cluster_disks(record: RunRecord, sampled: Iterable[str]) -> tuple[str, ...]:
    """The data disks of a cluster's workers by the names they were sampled under.

    They are those named after a data directory's mount (``/data/01`` is ``01``), else all of them: nothing
    tells what else a worker's device may carry.
    """
    names = tuple(dict.fromkeys(sampled))
    mounts = {PurePosixPath(path).name for path in data_dirs(record)}
    return tuple(name for name in names if name in mounts) or names


def _disks_of(mount: FileSystem) -> tuple[str, ...]:
    return mount.disks or ((mount.disk,) if mount.disk else ())


def dir_of(dirs: tuple[str, ...], path: str) -> str | None:
    """The data directory that holds a file: the deepest one above it."""
    holding = [name for name in dirs if PurePosixPath(path).is_relative_to(name)]
    return max(holding, key=len, default=None)
