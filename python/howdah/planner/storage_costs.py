"""Policies of storage compared on a plan: what replicas and erasure coding cost, and what they survive.

A closed form with the limits of disks, links, cores and the NameNode's settings. Its rebuild of a lost host
was compared with labs (docs/erasure-coding.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from howdah.model.erasure import POLICIES, ErasurePolicy
from howdah.model.plan import ClusterPlan, Placement, Value
from howdah.model.storage_cost import HostMove, PolicyCost, StorageComparison, StoredData
from howdah.planner.block import BLOCK_BYTES, FILL_LIMIT, REPLICATION
from howdah.planner.facts import ClusterFacts, Facts, cluster_facts
from howdah.planner.throughput import LINE_SHARE, block_bytes_per_s
from howdah.planner.topology import MASTERS_RACK
from howdah.units import format_bytes, format_counted

SHARE = 0.25
"""Of disks, network and cores, the part that rebuilding takes from jobs, as recovery.work plans."""
HOT_DAYS = 30.0
"""Younger data is hot: jobs still read it, and read replicas on their own workers (howdah)."""
_TB = 10**12
_RECHECK_MS, _HEARTBEAT_S, _INTERVAL_S = 300_000.0, 3.0, 3.0
_WORK, _STREAMS = 2.0, 2.0
_XMITS = 0.5
"""Hadoop's defaults: heartbeat.recheck-interval, heartbeat.interval, redundancy.interval.seconds,
replication.work.multiplier.per.iteration, replication.max-streams, ec.reconstruction.xmits.weight."""


class _Site(NamedTuple):
    """What the limits of a plan come to."""

    facts: ClusterFacts
    settings: dict[str, float]
    racks: int
    block_bytes: float
    host_disk_bytes_per_s: float
    """What one host's disks move, of the slowest group."""
    host_link_bytes_per_s: float
    host_cores: float
    capacity_bytes: float
    """What all data disks hold when they are as full as they should be."""

    def number(self, key: str, default: float) -> float:
        return self.settings.get(key, default)

    @property
    def hosts(self) -> int:
        return self.facts.worker_hosts

    @property
    def workers(self) -> int:
        return self.facts.workers

    @property
    def most_per_host(self) -> int:
        """The most workers on one host."""
        return math.ceil(self.workers / max(1, self.hosts))


class _Scheme(NamedTuple):
    """Replicas or a code, in one form: replicas are one data unit, and each copy a parity unit."""

    name: str
    data: int
    parity: int
    code: ErasurePolicy | None

    @property
    def units(self) -> int:
        return self.data + self.parity

    def stored_bytes(self, file_bytes: float) -> float:
        return self.code.stored_bytes(file_bytes) if self.code else self.units * file_bytes

    def groups(self, file_bytes: float, block_bytes: float) -> int:
        if self.code:
            return self.code.group_count(file_bytes, block_bytes)
        return math.ceil(file_bytes / block_bytes)

    def blocks(self, file_bytes: float, block_bytes: float) -> int:
        if self.code:
            return self.code.unit_count(file_bytes, block_bytes)
        return self.units * math.ceil(file_bytes / block_bytes)

    def data_units(self, file_bytes: float) -> int:
        """Data units that a file of this size fills."""
        return min(self.data, math.ceil(file_bytes / self.code.cell_bytes)) if self.code else 1


def compare_storage(plan: ClusterPlan, data: StoredData) -> StorageComparison:
    """Every policy for this data on a plan; the cheapest one that fits is recommended."""
    cluster = plan.cluster
    facts = cluster_facts(cluster.inventory, cluster.layouts, plan.workers, cluster.masters, cluster.topology)
    site = _site(facts, {setting.key: setting.value for setting in plan.settings})
    replicas = round(site.number("dfs.replication", REPLICATION))
    schemes = [
        *(_Scheme(_copies(count), 1, count - 1, None) for count in sorted({replicas, 3})),
        *(_Scheme(code.name, code.data, code.parity, code) for code in POLICIES.values()),
    ]
    costs = [_cost(scheme, site, data) for scheme in schemes]
    recheck_s = site.number("dfs.namenode.heartbeat.recheck-interval", _RECHECK_MS) / 1000
    return StorageComparison(
        data=data,
        hosts=site.hosts,
        workers=site.workers,
        racks=site.racks,
        real_racks=site.facts.topology.real_racks,
        noticed_s=2 * recheck_s + 10 * site.number("dfs.heartbeat.interval", _HEARTBEAT_S),
        share=SHARE,
        policies=tuple(_recommended(costs)),
    )


def _copies(count: int) -> str:
    return format_counted(count, "replica")


def _site(facts: ClusterFacts, values: Mapping[str, Value]) -> _Site:
    settings = {
        key: float(value)
        for key, value in values.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    groups = facts.worker_groups
    return _Site(
        facts=facts,
        settings=settings,
        racks=sum(rack.name != MASTERS_RACK for rack in facts.topology.racks),
        block_bytes=settings.get("dfs.blocksize", BLOCK_BYTES),
        host_disk_bytes_per_s=min(block_bytes_per_s(group) for group in groups),
        host_link_bytes_per_s=min(group.network_bits_per_s / 8 * LINE_SHARE for group in groups),
        host_cores=min(group.cpu.cores for group in groups),
        capacity_bytes=facts.raw_bytes * FILL_LIMIT,
    )


class PolicyVerdict(NamedTuple):
    """What a cluster is for a policy: too small, unsafe, or what else to know."""

    impossible: tuple[str, ...]
    unsafe: tuple[str, ...]
    remarks: tuple[str, ...]


def judge_policy(policy: str, facts: Facts, file_bytes: int) -> PolicyVerdict:
    """Whether a planned cluster can keep files of this size by a policy; raises MissingFact."""
    code = POLICIES[policy]
    scheme = _Scheme(code.name, code.data, code.parity, code)
    site = _site(facts.cluster, facts.decided)
    data = StoredData(data_bytes=file_bytes, file_bytes=file_bytes)
    impossible, unsafe, remarks = _reasons(scheme, site, data, scheme.stored_bytes(file_bytes) / file_bytes)
    return PolicyVerdict(tuple(impossible), tuple(unsafe), tuple(remarks))


def _cost(scheme: _Scheme, site: _Site, data: StoredData) -> PolicyCost:
    file_bytes, code = data.file_bytes, scheme.code
    files = max(1, round(data.data_bytes / file_bytes))
    per_byte = scheme.stored_bytes(file_bytes) / file_bytes
    filled = scheme.data_units(file_bytes)
    read_network = 1 - 1 / filled
    impossible, unsafe, remarks = _reasons(scheme, site, data, per_byte)
    return PolicyCost(
        policy=scheme.name,
        verdict="impossible" if impossible else "unsafe" if unsafe else "possible",
        reasons=(*impossible, *unsafe, *remarks),
        least_hosts=scheme.units + 1,
        least_racks=math.ceil(scheme.units / scheme.parity) if scheme.parity else 0,
        hosts_lost=0 if impossible else scheme.parity // _on_a_host(scheme, site),
        survives_rack=None if site.racks < 2 else _on_a_rack(scheme, site) <= scheme.parity,
        raw_bytes=round(per_byte * data.data_bytes),
        raw_per_byte=per_byte,
        # The first unit or replica stays on the worker that writes.
        write_network_per_byte=per_byte * (1 - 1 / (filled + scheme.parity)),
        read_network_per_byte=read_network,
        read_network_per_month=round(read_network * data.reads_per_month * data.data_bytes),
        encode_core_s_per_tb=_TB / code.java.encoded_bytes_per_s if code else 0.0,
        objects=files * (1 + scheme.groups(file_bytes, site.block_bytes)),
        blocks=files * scheme.blocks(file_bytes, site.block_bytes),
        rebuild=_rebuild(scheme, site, data, per_byte),
        drain=_drain(scheme, site, data, per_byte),
    )


def _on_a_host(scheme: _Scheme, site: _Site) -> int:
    """The most units of one block group that a host may get.

    HDFS spreads units over racks, and chooses workers within a rack at random. Node groups and upgrade
    domains keep replicas on different hosts, but not units.
    """
    if scheme.code is None and site.facts.topology.placement is not Placement.DEFAULT:
        return 1
    by_chance = min(site.most_per_host, math.ceil(scheme.units / max(1, site.racks)))
    return max(1, by_chance, math.ceil(scheme.units / max(1, site.hosts)))


def _on_a_rack(scheme: _Scheme, site: _Site) -> int:
    if scheme.code is None:
        # HDFS's own policies put replicas on two racks.
        return max(1, scheme.units - 1) if scheme.units > 1 else 1
    return math.ceil(scheme.units / site.racks)


def _reasons(
    scheme: _Scheme, site: _Site, data: StoredData, per_byte: float
) -> tuple[list[str], list[str], list[str]]:
    """Why a policy is impossible, why it is unsafe, and what else to know."""
    impossible: list[str] = []
    unsafe: list[str] = []
    remarks: list[str] = []
    if site.workers < scheme.units:
        impossible.append(f"needs {scheme.units} DataNodes; there are {site.workers}")
    if per_byte * data.data_bytes > site.capacity_bytes:
        impossible.append(
            f"needs {format_bytes(per_byte * data.data_bytes)} on disks; "
            f"{format_bytes(site.capacity_bytes)} are available at {FILL_LIMIT:.0%} full"
        )
    if not impossible:
        together = _on_a_host(scheme, site)
        if scheme.parity < 1:
            unsafe.append("loses data with a disk")
        elif together > scheme.parity:
            unsafe.append(
                f"loses data with a host: up to {together} of its {scheme.units} units are on one host, "
                f"and it survives the loss of {scheme.parity}"
            )
        if site.racks > 1 and site.facts.topology.real_racks and not unsafe:
            on_a_rack = _on_a_rack(scheme, site)
            if on_a_rack > scheme.parity:
                unsafe.append(
                    f"loses data with a rack: {on_a_rack} of its {scheme.units} units are on one rack; "
                    f"it needs {math.ceil(scheme.units / scheme.parity)} racks, and there are {site.racks}"
                )
    remarks.extend(_remarks(scheme, site, data, per_byte))
    return impossible, unsafe, remarks


def _remarks(scheme: _Scheme, site: _Site, data: StoredData, per_byte: float) -> Iterator[str]:
    code = scheme.code
    if site.workers >= scheme.units and site.hosts <= scheme.units and scheme.units > 1:
        yield f"no host is left on which a lost one could be rebuilt: that takes {scheme.units + 1} hosts"
    if code is None:
        return
    if per_byte >= REPLICATION:
        size = format_bytes(data.file_bytes)
        yield f"files of {size} take {per_byte:.3g} bytes for each, as many as replicas"
    elif data.file_bytes < code.data * code.cell_bytes:
        yield (
            f"files of {format_bytes(data.file_bytes)} take {per_byte:.3g} bytes for each instead of "
            f"{code.overhead:.3g}: they do not fill a row of {code.data} cells"
        )
    if data.age_days is not None and data.age_days < HOT_DAYS:
        yield f"hot: data younger than {HOT_DAYS:.0f} days is still read, and coded files are read remotely"


def _recommended(costs: list[PolicyCost]) -> Iterator[PolicyCost]:
    """The costs, with the cheapest policy that is safe and fits the data marked."""
    fitting = [cost for cost in costs if cost.verdict == "possible" and not _warned(cost)]
    # Replicas may be all that is left, however small or hot the data is.
    fitting = fitting or [cost for cost in costs if cost.verdict == "possible" and "replica" in cost.policy]
    best = min(fitting, key=lambda cost: (cost.raw_per_byte, -cost.hosts_lost), default=None)
    for cost in costs:
        yield cost.model_copy(update={"verdict": "recommended"}) if cost is best else cost


def _warned(cost: PolicyCost) -> bool:
    """Whether this data or these hosts speak against a policy that would be safe."""
    return cost.hosts_lost < 2 or bool(cost.reasons)


def _of_a_host(site: _Site, data: StoredData, per_byte: float) -> float:
    return per_byte * data.data_bytes / max(1, site.hosts)


def _rebuild(scheme: _Scheme, site: _Site, data: StoredData, per_byte: float) -> HostMove:
    """A lost host: replicas are copied, units are computed from others, as many as there are data units."""
    lost = _of_a_host(site, data, per_byte)
    filled = scheme.data_units(data.file_bytes)
    read = lost * filled
    others = max(1, site.hosts - 1)
    core_s = lost / scheme.code.java.rebuilt_bytes_per_s if scheme.code else 0.0
    count = _blocks_of_a_host(scheme, site, data)
    times = {
        # The worker that computes a unit keeps it, so all that is read crosses the network.
        "network": read / others / (SHARE * site.host_link_bytes_per_s),
        "disks": (read + lost) / others / (SHARE * site.host_disk_bytes_per_s),
        "CPU": core_s / others / (SHARE * site.host_cores),
        "settings": count
        / min(_handed_out_per_s(site), _accepted_per_s(site, others, _weight(scheme, site))),
    }
    return _move(lost, read, read, core_s, times)


def _drain(scheme: _Scheme, site: _Site, data: StoredData, per_byte: float) -> HostMove:
    """A drained host is read itself: units are copied from it, replicas from any host that has one."""
    lost = _of_a_host(site, data, per_byte)
    others = max(1, site.hosts - 1)
    sources = 1 if scheme.code else others
    times = {
        "network": lost / sources / (SHARE * site.host_link_bytes_per_s),
        "disks": max(lost / sources, 2 * lost / others) / (SHARE * site.host_disk_bytes_per_s),
        "CPU": 0.0,
        "settings": _blocks_of_a_host(scheme, site, data)
        / min(_handed_out_per_s(site), _accepted_per_s(site, sources, 1.0)),
    }
    return _move(lost, lost, lost, 0.0, times)


def _move(lost: float, read: float, network: float, core_s: float, times: dict[str, float]) -> HostMove:
    limit = max(times, key=times.__getitem__)
    return HostMove.model_validate(
        {
            "host_bytes": round(lost),
            "read_bytes": round(read),
            "network_bytes": round(network),
            "core_s": core_s,
            "elapsed_s": times[limit],
            "limit": limit,
        }
    )


def _blocks_of_a_host(scheme: _Scheme, site: _Site, data: StoredData) -> float:
    files = max(1, data.data_bytes / data.file_bytes)
    return files * scheme.blocks(data.file_bytes, site.block_bytes) / max(1, site.hosts)


def _handed_out_per_s(site: _Site) -> float:
    """Blocks a second that the NameNode hands out."""
    interval_s = site.number("dfs.namenode.redundancy.interval.seconds", _INTERVAL_S)
    work = site.number("dfs.namenode.replication.work.multiplier.per.iteration", _WORK)
    return work * site.workers / interval_s


def _accepted_per_s(site: _Site, hosts: int, weight: float) -> float:
    """Blocks a second that the DataNodes of so many hosts take: with each heartbeat one for each stream."""
    heartbeat_s = site.number("dfs.heartbeat.interval", _HEARTBEAT_S)
    streams = site.number("dfs.namenode.replication.max-streams", _STREAMS)
    return site.workers * hosts / max(1, site.hosts) * max(1.0, streams / weight) / heartbeat_s


def _weight(scheme: _Scheme, site: _Site) -> float:
    """Streams that the rebuild of one block counts as."""
    if scheme.code is None:
        return 1.0
    return max(1.0, scheme.data * site.number("dfs.datanode.ec.reconstruction.xmits.weight", _XMITS))
