"""Policies of storage compared on a plan: what replicas and erasure coding cost, and what they survive.

A plan's advice on erasure coding follows from it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

from howdah.errors import UserError
from howdah.model.plan import Advice, ClusterPlan, Placement
from howdah.model.storage_policy import POLICIES, ErasurePolicy, PolicyCost, StorageComparison, StoredData
from howdah.planner.capacity import BLOCK_BYTES, FILL_LIMIT, REPLICATION, file_bytes
from howdah.planner.facts import Facts, cluster_facts
from howdah.planner.host_moves import Loss, Scheme, StorageLimits, drain, limits_of, rebuild
from howdah.planner.rules.declare import read_rules
from howdah.units import format_bytes, format_counted, format_percent

_RULES = read_rules("recovery.toml")
_ERASURE_CODING, _ERASURE_DOMAINS = "capacity.erasure-coding", "capacity.erasure-domains"
_LOSSES, _FILES = "capacity.coded-losses", "capacity.coded-files"
SHARE = 0.25  # Of disks, network and cores, the part that rebuilding takes from jobs, as recovery.work plans.
HOT_DAYS = 30.0  # Younger data is hot: jobs still read it, and read replicas on their own workers (howdah).
_HOST = Loss("host", SHARE)
_TB = 10**12


def compare_storage(plan: ClusterPlan, data: StoredData, loss: Loss = _HOST) -> StorageComparison:
    """Every policy for this data on a plan; the cheapest one that fits is recommended."""
    limits = plan_limits(plan)
    costs = [_cost(scheme, limits, data, loss) for scheme in compared_schemes(limits)]
    recheck_s = limits.number("dfs.namenode.heartbeat.recheck-interval") / 1000
    return StorageComparison(
        data=data,
        hosts=limits.hosts,
        workers=limits.workers,
        racks=limits.racks,
        real_racks=limits.facts.topology.real_racks,
        noticed_s=2 * recheck_s + 10 * limits.number("dfs.heartbeat.interval"),
        share=loss.share,
        lost=loss.unit,
        policies=tuple(_recommended(costs)),
    )


def plan_limits(plan: ClusterPlan) -> StorageLimits:
    """The limits of a plan."""
    cluster = plan.cluster
    facts = cluster_facts(cluster.inventory, cluster.layouts, plan.workers, cluster.masters, cluster.topology)
    return limits_of(facts, {setting.key: setting.value for setting in plan.settings})


def compared_schemes(limits: StorageLimits) -> tuple[Scheme, ...]:
    """The planned replicas, three replicas, and every erasure coding policy, in the order of a comparison."""
    counts = sorted({round(limits.number("dfs.replication")), 3})
    return (
        *(Scheme(format_counted(count, "replica"), 1, count - 1, None) for count in counts),
        *(Scheme(code.name, code.data, code.parity, code) for code in POLICIES.values()),
    )


class PolicyVerdict(NamedTuple):
    """Why a cluster is too small or unsafe for a policy, and remarks."""

    impossible: tuple[str, ...]
    unsafe: tuple[str, ...]
    remarks: tuple[str, ...]


def _judge_coded(policy: str, facts: Facts) -> PolicyVerdict:
    """Whether a planned cluster can keep files of the mean size by a policy; raises MissingFact."""
    code, mean = POLICIES[policy], file_bytes(facts.request)
    scheme = Scheme(code.name, code.data, code.parity, code)
    data = StoredData(data_bytes=mean, file_bytes=mean)
    return _judge(scheme, limits_of(facts.cluster, facts.decided), data)


def _cost(scheme: Scheme, limits: StorageLimits, data: StoredData, loss: Loss) -> PolicyCost:
    file_bytes, code = data.file_bytes, scheme.code
    files = max(1, round(data.data_bytes / file_bytes))
    per_byte = scheme.per_byte(file_bytes)
    filled = scheme.data_units(file_bytes)
    read_network = 1 - 1 / filled
    impossible, unsafe, remarks = _judge(scheme, limits, data)
    return PolicyCost(
        policy=scheme.name,
        verdict="impossible" if impossible else "unsafe" if unsafe else "possible",
        reasons=(*impossible, *unsafe, *remarks),
        least_hosts=scheme.units + 1,
        least_racks=math.ceil(scheme.units / scheme.parity) if scheme.parity else 0,
        hosts_lost=0 if impossible else scheme.parity // _on_a_host(scheme, limits),
        survives_rack=None if limits.racks < 2 else _on_a_rack(scheme, limits) <= scheme.parity,
        raw_bytes=round(per_byte * data.data_bytes),
        raw_per_byte=per_byte,
        # The first unit or replica stays on the worker that writes.
        write_network_per_byte=per_byte * (1 - 1 / (filled + scheme.parity)),
        read_network_per_byte=read_network,
        read_network_per_month=round(read_network * data.reads_per_month * data.data_bytes),
        encode_core_s_per_tb=_TB / code.java.encoded_bytes_per_s if code else 0.0,
        objects=files * (1 + scheme.groups(file_bytes, limits.block_bytes)),
        blocks=files * scheme.blocks(file_bytes, limits.block_bytes),
        rebuild=rebuild(scheme, limits, data, loss),
        drain=drain(scheme, limits, data, loss),
    )


def _on_a_host(scheme: Scheme, limits: StorageLimits) -> int:
    """The most units of one block group that a host may get.

    HDFS spreads units over racks, and chooses workers within a rack at random. Node groups and upgrade
    domains keep replicas on different hosts, but not units.
    """
    if scheme.code is None and limits.facts.topology.placement is not Placement.DEFAULT:
        return 1
    by_chance = min(limits.most_per_host, math.ceil(scheme.units / max(1, limits.racks)))
    return max(1, by_chance, math.ceil(scheme.units / max(1, limits.hosts)))


def _on_a_rack(scheme: Scheme, limits: StorageLimits) -> int:
    if scheme.code is None:
        # HDFS's own policies put replicas on two racks.
        return max(1, scheme.units - 1) if scheme.units > 1 else 1
    return _most_together(scheme.units, limits.rack_hosts)


def _most_together(units: int, rack_hosts: Sequence[int]) -> int:
    """The most units of a block group on one rack: HDFS spreads them evenly, but a small rack takes few."""
    evenly = range(math.ceil(units / len(rack_hosts)), units)
    return next((most for most in evenly if sum(min(most, hosts) for hosts in rack_hosts) >= units), units)


def _judge(scheme: Scheme, limits: StorageLimits, data: StoredData) -> PolicyVerdict:
    impossible: list[str] = []
    need, units, parity = scheme.per_byte(data.file_bytes) * data.data_bytes, scheme.units, scheme.parity
    if limits.workers < units:
        impossible.append(_RULES.text(_LOSSES, "workers", units=units, workers=limits.workers))
    if need > limits.capacity_bytes:
        room, full = format_bytes(limits.capacity_bytes), format_percent(FILL_LIMIT)
        impossible.append(_RULES.text(_LOSSES, "room", need=format_bytes(need), room=room, full=full))
    unsafe = () if impossible else tuple(_losses(scheme, limits, units, parity))
    return PolicyVerdict(tuple(impossible), unsafe, tuple(_remarks(scheme, limits, data)))


def _losses(scheme: Scheme, limits: StorageLimits, units: int, parity: int) -> Iterator[str]:
    """The disk, the host or the rack with which data are lost; one at most."""
    several_racks = limits.racks > 1 and limits.facts.topology.real_racks
    if parity < 1:
        yield _RULES.text(_LOSSES, "disk")
    elif (together := _on_a_host(scheme, limits)) > parity:
        yield _RULES.text(_LOSSES, "host", together=together, units=units, parity=parity)
    elif several_racks and (together := _on_a_rack(scheme, limits)) > parity:
        least, racks = math.ceil(units / parity), limits.racks
        hosts = format_counted(min(limits.rack_hosts), "host")
        values = {"together": together, "units": units, "least": least, "racks": racks, "hosts": hosts}
        yield _RULES.text(_LOSSES, "rack" if racks < least else "rack-small", **values)


def _remarks(scheme: Scheme, limits: StorageLimits, data: StoredData) -> Iterator[str]:
    code = scheme.code
    if limits.workers >= scheme.units and limits.hosts <= scheme.units and scheme.units > 1:
        yield _RULES.text(_FILES, "no-host", least=scheme.units + 1)
    if code is None:
        return
    size, taken = format_bytes(data.file_bytes), scheme.per_byte(data.file_bytes)
    if taken >= REPLICATION:
        yield _RULES.text(_FILES, "as-replicas", size=size, taken=taken)
    elif data.file_bytes < code.data * code.cell_bytes:
        yield _RULES.text(_FILES, "small", size=size, taken=taken, code=code)
    if data.age_days is not None and data.age_days < HOT_DAYS:
        yield _RULES.text(_FILES, "hot", days=HOT_DAYS)


def _recommended(costs: list[PolicyCost]) -> Iterator[PolicyCost]:
    """The costs, with the cheapest policy that is safe and fits the data marked."""
    possible = [cost for cost in costs if cost.verdict == "possible"]
    fitting = [cost for cost in possible if cost.hosts_lost >= 2 and not cost.reasons]
    # Replicas may be all that is left, however small or hot the data is.
    fitting = fitting or [cost for cost in possible if "replica" in cost.policy]
    best = min(fitting, key=lambda cost: (cost.raw_per_byte, -cost.hosts_lost), default=None)
    for cost in costs:
        yield cost.model_copy(update={"verdict": "recommended"}) if cost is best else cost


_REPLICATED = ("hbase.rootdir", "hbase.wal.dir", "yarn.nodemanager.remote-app-log-dir")
"""Keys of directories with files that are synced or appended to, which coded files cannot be."""
CODES = tuple(POLICIES[name] for name in ("RS-3-2-1024k", "RS-6-3-1024k", "RS-10-4-1024k"))
"""The policies that advice compares: XOR-2-1 survives the loss of one unit only."""


def check_coded(facts: Facts) -> None:
    """Raise UserError for coded directories that this cluster cannot write, or that must have replicas."""
    kept = [str(facts.decided[key]) for key in _REPLICATED if key in facts.decided]
    for directory in facts.request.coded:
        where = f"--erasure-coding {directory.path}={directory.policy}"
        for path in (urlsplit(text).path for text in kept):
            inner, outer = f"{path}/", f"{directory.path}/"
            if inner.startswith(outer) or outer.startswith(inner):
                problem = f"{path} needs replicas: its files are synced"
                raise UserError(where, problem, "code another directory")
        verdict = _judge_coded(directory.policy, facts)
        if verdict.impossible:
            fitting = [name for name, code in POLICIES.items() if code.units <= facts.cluster.workers]
            hint = f"one of {', '.join(fitting)}" if fitting else "keep replicas"
            raise UserError(where, "; ".join(verdict.impossible), hint)


def coded_advice(facts: Facts) -> Iterator[Advice]:
    """The losses that coded directories cannot survive here, and other cons of their policy."""
    for directory in facts.request.coded:
        verdict = _judge_coded(directory.policy, facts)
        where = f"{directory.path} ({directory.policy})"
        for reason in verdict.unsafe:
            yield _RULES[_LOSSES].advice(f"{where}: {reason}.")
        for reason in verdict.remarks:
            yield _RULES[_FILES].advice(f"{where}: {reason}.")


def weigh_erasure(facts: Facts, usable_bytes: int) -> tuple[Advice, ...]:
    """What erasure coding would hold where replication holds ``usable_bytes``, and where units would land."""
    hosts = facts.cluster.worker_hosts
    # Each unit has a host, and so has a lost unit that is rebuilt.
    possible = [code for code in CODES if hosts > code.units]
    if not possible:
        code = CODES[0]
        return (_RULES.advice(_ERASURE_CODING, "none", code=code, least=code.units + 1, hosts=hosts),)
    copies = facts.number("dfs.replication")
    text = partial(_RULES.text, _ERASURE_CODING)
    sizes = [(code, format_bytes(usable_bytes * copies / code.overhead)) for code in possible]
    offers = ", ".join(text("offer", code=code, holds=size) for code, size in sizes)
    too_large = (code for code in CODES if code not in possible)
    refused = [text("refused", code=code, least=code.units + 1, hosts=hosts) for code in too_large]
    file = format_bytes(min(code.data for code in possible) * BLOCK_BYTES)
    values = {"usable": format_bytes(usable_bytes), "refused": f"{'; '.join(refused)}. " if refused else ""}
    gain = _RULES.advice(_ERASURE_CODING, "gain", copies=copies, offers=offers, file=file, **values)
    topology = facts.cluster.topology
    rack_hosts = facts.cluster.rack_hosts
    racks = len(rack_hosts)
    shared = topology.placement is not Placement.DEFAULT
    survived = " ".join(f"{code.name} {_survives(code, rack_hosts, shared=shared)}." for code in possible)
    words = "one-rack" if racks == 1 else "racks"
    return (gain, _RULES.advice(_ERASURE_DOMAINS, words, survived=survived, racks=racks))


def _survives(code: ErasurePolicy, rack_hosts: Sequence[int], *, shared: bool) -> str:
    on_a_rack = _most_together(code.units, rack_hosts)
    if shared:
        words = "host-lost" if on_a_rack > 1 else "hosts-apart"
    elif len(rack_hosts) == 1:
        words = "hosts"
    else:
        words = "rack-lost" if on_a_rack > code.parity else "rack"
    return _RULES.text(_ERASURE_DOMAINS, words, code=code, together=on_a_rack)
