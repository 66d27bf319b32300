"""A plan's numbers and places in words."""

from __future__ import annotations

from collections import Counter

from howdah.model.hostname import expand_all
from howdah.model.placement import placed_workers
from howdah.model.plan import (
    Candidate,
    Capacity,
    Cluster,
    Judgement,
    Master,
    Placement,
    Plan,
    Setting,
    Worker,
)
from howdah.units import GIB, exact_bytes, format_bytes, format_counted

_PLACEMENTS = {
    Placement.DEFAULT: "HDFS's default placement",
    Placement.NODE_GROUPS: "node groups",
    Placement.UPGRADE_DOMAINS: "upgrade domains",
}


def answer(plan: Plan, cluster: Cluster) -> str:
    """What to do, in one sentence."""
    counts = Counter(worker.kind for worker in placed_workers(cluster))
    hosts = format_counted(cluster.inventory.host_count, "host")
    kinds = " and ".join(_share(kind) for kind in plan.workers)
    divided = any(len(layout.workers) > 1 for layout in cluster.layouts)
    how = f"Divide each of {hosts} into" if divided else f"Make each of {hosts}"
    workers = format_counted(counts.total(), "worker")
    maps = sum(kind.map_slots * counts[kind.name] for kind in plan.workers)
    reduces = sum(kind.reduce_slots * counts[kind.name] for kind in plan.workers)
    verb = "run" if counts.total() != 1 else "runs"
    does = (
        f"{workers} {verb} {maps:,} map and {reduces:,} reduce tasks at once" if maps else f"{workers} in all"
    )
    return f"{how} {kinds}: {does}."


def _share(kind: Worker) -> str:
    name = kind.name if kind.name.endswith("worker") else f"{kind.name} worker"
    return f"{format_counted(kind.per_host, name)} of {size(kind)}"


def size(kind: Worker) -> str:
    """A worker's size: ``10 vCPUs, 60.25 GiB and 5 disks``."""
    disks = format_counted(kind.data_disks or 0, "disk")
    return f"{format_counted(kind.vcpus or 0, 'vCPU')}, {gib(kind.memory_bytes)} and {disks}"


def gib(size_bytes: int) -> str:
    """Memory in GiB with as many digits as it needs: ``60.25 GiB``, ``256 GiB``."""
    return f"{size_bytes / GIB:.2f}".rstrip("0").rstrip(".") + " GiB"


def masters_line(master: Master) -> str:
    """A master with its daemons, its place and its shadow."""
    place = "beside a worker" if master.shares else "the whole host" if master.whole_host else _places(master)
    shadow = f", shadow on {master.shadow_host}" if master.shadow_host else ""
    return f"{', '.join(master.roles)} on {master.host} ({place}{shadow})"


def _places(master: Master) -> str:
    return f"{format_counted(len(master.takes), 'place')} of a worker"


def topology_line(cluster: Cluster) -> str:
    """Racks and how replicas are kept apart."""
    topology = cluster.topology
    sizes = sorted({len(expand_all(rack.hosts)) for rack in topology.racks})
    kind = "rack" if topology.real_racks else "virtual rack"
    spread = " or ".join(str(number) for number in sizes)
    racks = f"{format_counted(len(topology.racks), kind)} of {spread} hosts"
    return f"{racks}; replicas are kept on different hosts by {_PLACEMENTS[topology.placement]}"


def capacity_line(capacity: Capacity) -> str:
    """What it holds, and how many hosts the last year needs."""
    line = f"{format_bytes(capacity.usable_bytes)} of data on {format_bytes(capacity.raw_bytes)} of disks"
    if capacity.hosts_needed is None or not capacity.years:
        return line
    last = capacity.years[-1]
    when = "today" if last.year == 0 else f"in {format_counted(last.year, 'year')}"
    return (
        f"{line}; {format_bytes(last.need_bytes)} {when} need "
        f"{format_counted(capacity.hosts_needed, 'host')}; first full: {last.first_full}"
    )


def verdict(candidate: Candidate) -> str:
    """What becomes of a platform and the main reason."""
    main = main_reason(candidate)
    word = "" if candidate.verdict == "possible" else candidate.verdict
    return ": ".join(part for part in (word, main.text if main else "") if part)


def main_reason(candidate: Candidate) -> Judgement | None:
    """The weightiest judgement that explains the verdict."""
    side = {"recommended": "for", "possible": "against", "refused": "refused"}[candidate.verdict]
    ours = [one for one in candidate.judgements if one.verdict == side] or list(candidate.judgements)
    return max(ours, key=lambda one: abs(one.weight), default=None)


def value_text(setting: Setting) -> str:
    """A setting's value as an administrator reads it: sizes with their unit, lists with commas."""
    value = setting.value
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def size_note(setting: Setting) -> str:
    """A size in bytes with its unit, where the number alone is hard to read; nothing otherwise."""
    value = setting.value
    if isinstance(value, int) and not isinstance(value, bool) and value >= 2**20 and value % 1024 == 0:
        return exact_bytes(value)
    return ""
