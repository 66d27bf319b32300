"""How evenly bytes fell on partitions, disks, data directories and hosts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from howdah.analysis.evidence import Balance, Evidence, StretchUse, WorkloadTime
from howdah.analysis.machines import data_dirs, dir_of, on_cluster
from howdah.analysis.poles import succeeded, tasks_of
from howdah.analysis.wording import number, percent
from howdah.model.finding import Finding
from howdah.model.run import RunRecord
from howdah.model.tables import RunData
from howdah.units import format_bytes

# D0's best platform had 4 % more blocks on its fullest DataNode than on the mean one, its
# worst 9 % (RULES 152).
EVEN = 1.04
UNEVEN = 1.09


def balances(
    run: RunData, workloads: tuple[WorkloadTime, ...], uses: Iterable[StretchUse]
) -> tuple[Balance, ...]:
    """The balance of every workload over whatever it has at least two of."""
    whole = {use.workload: use for use in uses if use.phase is None}
    uneven: list[Balance | None] = []
    for time in workloads:
        result = run.record.workloads[time.index]
        tasks = succeeded(tasks_of(run.tasks, result.workload.kind, time))
        uneven.append(balance(time.workload, "partitions", _partitions(tasks)))
        uneven.append(balance(time.workload, "hosts", _places(tasks, "host")))
        if on_cluster(run.record):
            uneven.append(balance(time.workload, "workers", _places(tasks, "worker")))
        dirs = data_dirs(run.record)
        placed = dict.fromkeys(dirs, 0.0) if result.files else {}
        for file in result.files:
            home = dir_of(dirs, file.path)
            if home is not None:
                placed[home] += file.bytes
        uneven.append(balance(time.workload, "data directories", placed))
        if time.workload in whole:
            uneven += _disks(whole[time.workload])
    return tuple(item for item in uneven if item is not None)


def _partitions(tasks: pa.Table) -> dict[str, float]:
    """The bytes of each reduce task's output, by its number."""
    reduces = tasks.filter(pc.equal(tasks.column("kind"), pa.scalar("reduce"))).sort_by("task")
    names = (f"{number:05d}" for number in reduces.column("task").to_numpy())
    return dict(zip(names, reduces.column("output_bytes").to_numpy().astype(float), strict=True))


def _places(tasks: pa.Table, level: str) -> dict[str, float]:
    """The bytes all tasks on a host or worker moved: work done, which the like should share evenly."""
    moved: defaultdict[str, float] = defaultdict(float)
    sizes = tasks.column("input_bytes").to_numpy() + tasks.column("output_bytes").to_numpy()
    for host, size in zip(tasks.column(level).to_pylist(), sizes, strict=True):
        moved[str(host)] += float(size)
    return dict(moved)


def balance(workload: str, of: str, places: Mapping[str, float]) -> Balance | None:
    """How even the bytes are; None where there is nothing to compare, not as much as a byte."""
    sizes = np.array(list(places.values()))
    if len(sizes) < 2 or sizes.sum() < 1:
        return None
    mean = float(sizes.mean())
    return Balance(
        workload=workload,
        of=of,
        names=tuple(places),
        bytes=tuple(float(size) for size in sizes),
        max_over_mean=float(sizes.max()) / mean,
        variation=float(sizes.std()) / mean,
    )


def _disks(use: StretchUse) -> Iterator[Balance | None]:
    for of, attribute in (("disks read", "read_bytes"), ("disks written", "written_bytes")):
        # A disk's name is told apart by its host only where there are several hosts.
        yield balance(
            use.workload,
            of,
            {
                f"{host.host}:{disk.disk}" if len(use.working) > 1 else disk.disk: getattr(disk, attribute)
                for host in use.working
                for disk in host.disks
                if disk.data
            },
        )


def _was_hit(record: RunRecord, evidence: Evidence, workload: str) -> bool:
    """Whether a fault was done while a workload ran, or before it and not undone."""
    time = evidence.time_of(workload)
    return any(
        fault.begun_s is not None
        and fault.begun_s <= time.end_s
        and (fault.ended_s is None or fault.ended_s >= time.start_s)
        for fault in record.faults
    )


def find_imbalance(record: RunRecord, evidence: Evidence) -> Iterator[Finding]:
    """Places that got noticeably more than their share, and whose end everything else waits for."""
    cluster = on_cluster(record)
    for item in evidence.balances:
        # What a cluster's disks read is what its page caches did not have, which nobody spreads evenly.
        if cluster and item.of == "disks read":
            continue
        account = next((each for each in evidence.accounts if each.workload == item.workload), None)
        said = account.read.said if account and item.of == "disks read" else None
        said = account.write.said if account and item.of == "disks written" else said
        # Others do the work of a machine that a fault hit, as they must.
        if item.of != "partitions" and _was_hit(record, evidence, item.workload):
            continue
        # What little a disk does besides the workload's own bytes need not be even.
        if item.max_over_mean <= EVEN or (said is not None and said < 0.5 * sum(item.bytes)):
            continue
        fullest = int(np.argmax(item.bytes))
        yield Finding(
            id="imbalance",
            # A cluster's tasks and blocks are few and fall where there is room: only partitions are cut even.
            severity="warning"
            if item.max_over_mean > UNEVEN and (item.of == "partitions" or not cluster)
            else "note",
            workload=item.workload,
            text=f"{item.workload}: {item.of} are uneven: {item.names[fullest]} has "
            f"{format_bytes(item.bytes[fullest])}, {percent(item.max_over_mean - 1)} above the mean of "
            f"{len(item.names)} (coefficient of variation {percent(item.variation)})",
            sure="measured",
            origin=record.origin,
            numbers=(
                number("max over mean", item.max_over_mean, "1"),
                number("coefficient of variation", item.variation, "1"),
            ),
        )
