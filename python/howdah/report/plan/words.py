"""A plan's numbers and places in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from howdah.model import plan as model
from howdah.model.hostname import expand_all
from howdah.model.placement import placed_workers
from howdah.model.request import Demand
from howdah.report.words import sentence
from howdah.units import (
    GIB,
    KIB,
    MIB,
    exact_bytes,
    format_bits_per_s,
    format_bytes,
    format_count,
    format_counted,
    format_gib,
    format_memory,
    format_rate,
    format_seconds,
    listed,
)

PLACEMENTS = {
    model.Placement.DEFAULT: "HDFS's default policy",
    model.Placement.NODE_GROUPS: "node groups",
    model.Placement.UPGRADE_DOMAINS: "upgrade domains",
}  # How replicas are kept on different hosts.

MOST_HOSTS = 1_000_000  # Hosts beyond which a number says nothing but that the need is out of reach.
OF_THE_PLAN = "the plan itself"  # Where settings are listed that belong to no file.
_TOLD_GROUPS = 4


def answer(plan: model.Plan, cluster: model.Cluster) -> str:
    """What to do with the hosts, in one sentence."""
    if many_groups(cluster):
        hosts = format_counted(sum(group.count for group in cluster.inventory.worker_groups), "host")
        groups = format_counted(len(cluster.layouts), "group")
        return f"Divide {hosts} of {groups}, each group in its own way."
    return sentence(", and ".join(_division(plan, cluster, layout) for layout in cluster.layouts))


def result(plan: model.Plan, cluster: model.Cluster) -> str:
    """What the divided cluster runs, in one sentence."""
    counts = Counter(worker.kind for worker in placed_workers(cluster))
    workers = format_counted(counts.total(), "worker")
    maps = sum(kind.map_slots * counts[kind.name] for kind in plan.workers)
    reduces = sum(kind.reduce_slots * counts[kind.name] for kind in plan.workers)
    flag = counts.total() == 1
    if not maps:
        serves = "HBase" if cluster.request.hbase_used else "files"
        return f"{workers} {'serves' if flag else 'serve'} {serves}."
    hbase = " next to HBase" if cluster.request.hbase_used else ""
    verb = "runs" if flag else "run"
    return f"{workers} {verb} {maps:,} map and {reduces:,} reduce tasks at once{hbase}."


def answer_and_result(plan: model.Plan, cluster: model.Cluster) -> str:
    """What to do with the hosts, and what the cluster then runs."""
    return f"{answer(plan, cluster)} {result(plan, cluster)}"


def many_groups(cluster: model.Cluster) -> bool:
    """Whether there are more groups of hosts than can be told one by one."""
    return len(cluster.layouts) > _TOLD_GROUPS


def _division(plan: model.Plan, cluster: model.Cluster, layout: model.Layout) -> str:
    """What becomes of the hosts of one group: ``divide each of 32 hosts into 4 workers of …``."""
    group = next(group for group in cluster.inventory.groups if group.name == layout.group)
    several = len(cluster.layouts) > 1
    hosts = format_counted(group.count, f"{group.name} host" if several else "host")
    kinds = [kind for kind in plan.workers if kind.group in (None, layout.group)]
    alike = len(kinds) == 1
    counted = hosts if group.count == 1 else f"each of {hosts}"
    if len(layout.workers) == 1:
        return f"make {counted} a worker of {size(kinds[0], virtual=layout.virtual)}"
    shares = listed(
        f"{format_counted(kind.per_host, 'worker' if alike else f'{_bare(kind)} worker')} of {size(kind)}"
        for kind in kinds
    )
    return f"divide {counted} into {shares}"


def _bare(kind: model.Worker) -> str:
    """A kind's name without its group's: ``old-small`` is ``small`` among the old hosts' workers."""
    return kind.name.removeprefix(f"{kind.group}-")


def size(kind: model.Worker, *, virtual: bool = True) -> str:
    """A worker's size: ``10 vCPUs, 60.25 GiB and 5 disks``; a host's own CPUs are its threads."""
    cpus = format_counted(kind.vcpus or 0, "vCPU" if virtual else "thread")
    disks = format_counted(kind.data_disks or 0, "disk")
    return f"{cpus}, {format_gib(kind.memory_bytes)} and {disks}"


def master_size(master: model.Master, cluster: model.Cluster | None) -> str:
    """What a master has: its memory, and where hosts are divided the virtual CPUs of its machine."""
    memory = format_gib(master.memory_bytes)
    if cluster is None or not any(layout.virtual for layout in cluster.layouts):
        return memory
    return f"{format_counted(master.vcpus, 'vCPU')}, {memory}"


def masters_line(master: model.Master) -> str:
    """A master with its daemons, its place and its shadow."""
    shadow = f", shadow on {master.shadow_host}" if master.shadow_host else ""
    return f"{', '.join(master.roles)} on {master.host} ({place(master)}{shadow})"


def place(master: model.Master) -> str:
    """What a master has of its host."""
    if master.shares:
        return "with a worker"
    if master.whole_host:
        return "the whole host"
    taken = len(master.takes)
    return "in place of a worker" if taken == 1 else f"in place of {taken} workers"


def work_line(cluster: model.Cluster) -> str:
    """What it was planned for: the work, how much of it, and the release."""
    request = cluster.request
    works = " + ".join(_work(demand) for demand in request.workloads)
    hbase = f", HBase {request.hbase}" if request.hbase_used else ""
    return f"{works}; Hadoop {request.hadoop}{hbase}"


_WORK = {
    "mapreduce": "jobs of MapReduce", "terasuite": "MapReduce, as the TeraSort suite loads it",
    "spark": "Spark", "tez": "Hive on Tez", "storage": "storage alone",
}  # fmt: skip


def _work(demand: Demand) -> str:
    if demand.kind == "ycsb":
        records = f", {format_count(demand.records)} records" if demand.records else ""
        return f"HBase, as YCSB loads it{records}"
    size = f", {format_bytes(demand.dataset_bytes)}" if demand.dataset_bytes else ""
    return f"{_WORK[demand.kind]}{size}"


def topology_line(cluster: model.Cluster) -> str:
    """Racks, those of hosts without workers counted separately, and how replicas are kept apart."""
    if cluster.inventory.host_count == 1:
        return "one host, which is lost with all its replicas"
    topology = cluster.topology
    divided = {layout.group for layout in cluster.layouts}
    hosts = {name for group in cluster.inventory.groups if group.name in divided for name in group.names}
    hosts -= {master.host for master in cluster.masters if master.whole_host}
    racks = [expand_all(rack.hosts) for rack in topology.racks]
    working = [len(names) for names in racks if hosts.intersection(names)]
    idle = [len(names) for names in racks if not hosts.intersection(names)]
    kind = "rack" if topology.real_racks else "virtual rack"
    text = f"{format_counted(len(working), kind)} of {_sizes(working)}"
    if idle:
        text += (
            f" with workers, and {'one' if len(idle) == 1 else f'{len(idle):,}'} of {_sizes(idle)} without"
        )
    return f"{text}; replicas placed by {PLACEMENTS[topology.placement]}"


def _sizes(racks: Sequence[int]) -> str:
    """How many hosts such racks have: ``2 hosts``, ``1 to 11 hosts``."""
    least, most = min(racks), max(racks)
    return format_counted(most, "host") if least == most else f"{least:,} to {most:,} hosts"


def capacity_line(capacity: model.Capacity) -> str:
    """What it holds, and how many hosts the last year needs."""
    line = (
        f"{format_bytes(capacity.usable_bytes)} of data on {format_bytes(capacity.raw_bytes)} of disks, "
        "after replicas and reserves"
    )
    if capacity.hosts_needed is None or not capacity.years:
        return line
    last = capacity.years[-1]
    when = "today" if last.year == 0 else f"in {format_counted(last.year, 'year')}"
    if capacity.hosts_needed > MOST_HOSTS:
        return f"{line}; what is needed {when} is more than {MOST_HOSTS:,} hosts hold"
    return (
        f"{line}; {format_bytes(last.need_bytes)} {when} need "
        f"{format_counted(capacity.hosts_needed, 'host')} in all; first full: {last.first_full}"
    )


def verdict(candidate: model.Candidate) -> str:
    """What becomes of a platform and the main reason."""
    side = {"recommended": "for", "possible": "against", "refused": "refused"}[candidate.verdict]
    ours = [judgement for judgement in candidate.judgements if judgement.verdict == side] or list(
        candidate.judgements
    )
    main = max(ours, key=lambda judgement: abs(judgement.weight), default=None)
    word = "" if candidate.verdict == "possible" else str(candidate.verdict)
    if main is not None and word == "recommended" and main.verdict == "against":
        word = "recommended; drawback"
    return ": ".join(part for part in (word, main.text if main else "") if part)


def by_weight(candidate: model.Candidate) -> list[model.Judgement]:
    """The pros of a platform, then its cons, the weightiest first."""
    return sorted(
        candidate.judgements, key=lambda judgement: (judgement.verdict != "for", -abs(judgement.weight))
    )


def against(candidate: model.Candidate) -> list[model.Judgement]:
    """What speaks against a platform and costs time, the weightiest first."""
    ours = [
        judgement
        for judgement in candidate.judgements
        if judgement.verdict == "against" and is_cost(judgement)
    ]
    return sorted(ours, key=lambda judgement: -abs(judgement.weight))


_BROKEN = {"must": "fatal", "should": "doubtful", "may": "not the best choice"}


def weight_of(breach: model.Breach) -> str:
    """How much it matters that a value of the user's breaks a rule."""
    return _BROKEN[breach.severity]


def by_severity(advice: Iterable[model.Advice]) -> list[model.Advice]:
    """Advice with what matters most first."""
    return sorted(advice, key=lambda advice: ("must", "should", "may").index(advice.severity))


_MAIN = (
    "dfs.blocksize", "dfs.replication", "mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb",
    "mapreduce.task.io.sort.mb", "yarn.nodemanager.resource.memory-mb", "HBASE_REGIONSERVER_OPTS",
)  # fmt: skip
"""The settings an administrator looks for first."""


def settings_line(plan: model.Plan) -> str:
    """How many settings there are, and the main ones."""
    main = [
        f"{setting.key} {size_note(setting) or model.value_text(setting.value)}"
        for key in _MAIN
        for setting in plan.settings
        if setting.key == key and setting.worker is None
    ]
    total = format_counted(len(plan.settings), "value")
    return f"{total}: {', '.join(main)}" if main else total


def figures(candidate: model.Candidate) -> tuple[str, ...]:
    """Workers, CPUs, memory, data disks and tasks at once; one line for each kind of worker."""
    kinds = candidate.kinds
    if not kinds:
        return ("–",) * 5
    return (
        f"{candidate.workers:,}",
        "\n".join(str(kind.vcpus) for kind in kinds),
        "\n".join(format_gib(kind.memory_bytes) for kind in kinds),
        "\n".join(str(kind.data_disks) for kind in kinds),
        "\n".join(at_once(kind) for kind in kinds),
    )


def at_once(kind: model.Worker) -> str:
    """Map and reduce tasks at once, as the papers write them: ``6 + 6``."""
    return f"{kind.map_slots} + {kind.reduce_slots}" if kind.map_slots or kind.reduce_slots else "–"


def is_cost(judgement: model.Judgement) -> bool:
    """Whether its weight is a share of the work's time; a whole one only rules a platform out."""
    return 0 < abs(judgement.weight) < 1


def weight_text(judgement: model.Judgement) -> str:
    """How much a reason counts: ``1.4 %`` of the work's time; nothing where it is no cost."""
    return f"{100 * abs(judgement.weight):.1f} %" if is_cost(judgement) else ""


def input_text(fact: model.Input) -> str:
    """A number that went in, with its unit."""
    value = fact.value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    write = _UNITS.get(fact.unit)
    return write(value) if write else f"{value:,.12g} {fact.unit}".rstrip()


def _bytes_text(value: float) -> str:
    if value >= GIB and value % MIB == 0:
        return format_gib(int(value))
    # A number of single bytes is a share of something: nobody reads its last digits.
    return format_memory(value) if value >= MIB and value % 1000 else exact_bytes(int(value))


_UNITS: dict[str, Callable[[float], str]] = {
    "B": _bytes_text,
    "B/s": format_rate,
    "bit/s": format_bits_per_s,
    "s": format_seconds,
}


def size_note(setting: model.Setting) -> str:
    """A size in bytes with its unit, where the number alone is hard to read; nothing otherwise."""
    value = setting.value
    return _size_in_words(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def setting_value(setting: model.Setting) -> str:
    """A value as Hadoop reads it, with its unit if the number alone is hard to read."""
    note = size_note(setting)
    return f"{model.value_text(setting.value)} ({note})" if note else model.value_text(setting.value)


def default_text(default: str) -> str:
    """A release's default, a size with its unit beside it."""
    note = _size_in_words(int(default)) if default.isdecimal() else ""
    return f"{default} ({note})" if note else default or "(empty)"


def _size_in_words(value: int) -> str:
    if value < MIB or value % KIB:
        return ""
    return format_gib(value) if value >= GIB and value * 100 % GIB == 0 else exact_bytes(value)
