"""A plan's numbers and places in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from howdah.model.hostname import expand_all
from howdah.model.placement import placed_workers
from howdah.model.plan import (
    Candidate,
    Capacity,
    Cluster,
    Input,
    Judgement,
    Master,
    Placement,
    Plan,
    Setting,
    Worker,
)
from howdah.units import (
    GIB,
    MIB,
    exact_bytes,
    format_bits_per_s,
    format_bytes,
    format_counted,
    format_rate,
    format_seconds,
)

PLACEMENTS = {
    Placement.DEFAULT: "HDFS's default placement",
    Placement.NODE_GROUPS: "node groups",
    Placement.UPGRADE_DOMAINS: "upgrade domains",
}
"""How replicas are kept on different hosts."""


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
    shadow = f", shadow on {master.shadow_host}" if master.shadow_host else ""
    return f"{', '.join(master.roles)} on {master.host} ({place(master)}{shadow})"


def place(master: Master) -> str:
    """What a master has of its host."""
    if master.shares:
        return "beside a worker"
    if master.whole_host:
        return "the whole host"
    taken = len(master.takes)
    return "in place of a worker" if taken == 1 else f"in place of {taken} workers"


def topology_line(cluster: Cluster) -> str:
    """Racks and how replicas are kept apart."""
    topology = cluster.topology
    sizes = sorted({len(expand_all(rack.hosts)) for rack in topology.racks})
    kind = "rack" if topology.real_racks else "virtual rack"
    spread = " or ".join(str(number) for number in sizes)
    racks = f"{format_counted(len(topology.racks), kind)} of {spread} hosts"
    return f"{racks}; replicas are kept on different hosts by {PLACEMENTS[topology.placement]}"


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


def figures(candidate: Candidate) -> tuple[str, ...]:
    """Workers, vCPUs, memory, data disks and tasks at once; one line for each kind of worker."""
    kinds = candidate.kinds
    if not kinds:
        return ("–",) * 5
    return (
        f"{candidate.workers:,}",
        "\n".join(str(kind.vcpus) for kind in kinds),
        "\n".join(gib(kind.memory_bytes) for kind in kinds),
        "\n".join(str(kind.data_disks) for kind in kinds),
        "\n".join(at_once(kind) for kind in kinds),
    )


def at_once(kind: Worker) -> str:
    """Map and reduce tasks at once, as the papers write them: ``6 + 6``."""
    return f"{kind.map_slots} + {kind.reduce_slots}" if kind.map_slots or kind.reduce_slots else "–"


def weight_text(judgement: Judgement) -> str:
    """How much a reason counts: ``1.4 %`` of the work's time; nothing where it has no weight."""
    return f"{100 * abs(judgement.weight):.1f} %" if judgement.weight else ""


def input_text(given: Input) -> str:
    """A number that went in, with its unit."""
    value = given.value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    write = _UNITS.get(given.unit)
    return write(value) if write else f"{value:,.12g} {given.unit}".rstrip()


def _bytes_text(value: float) -> str:
    return gib(int(value)) if value >= GIB and value % MIB == 0 else exact_bytes(int(value))


_UNITS: dict[str, Callable[[float], str]] = {
    "B": _bytes_text,
    "B/s": format_rate,
    "bit/s": format_bits_per_s,
    "s": format_seconds,
}


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
        return gib(value) if value >= GIB and value * 100 % GIB == 0 else exact_bytes(value)
    return ""
