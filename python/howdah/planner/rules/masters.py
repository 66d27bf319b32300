"""Master daemons: their own slots, pairs apart, the loss of a host; hosts that several clusters share."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.model.hostname import expand_all
from howdah.model.plan import Role, value_text
from howdah.model.request import Protection
from howdah.planner.capacity import HEAP_MOST, REPLICATION, file_bytes, namenode_heap_bytes, namespace_blocks
from howdah.planner.facts import Facts
from howdah.planner.rules.declare import read_rules
from howdah.units import format_bytes, format_count, format_counted, format_memory, format_percent

rules = read_rules("masters.toml")

_QUORUM = 3
MOST_DISKS = 0.1
"""Of the workers' disks, the part that masters may take for places of their own (howdah)."""

OWN_PLACES = rules["masters.own-places"]
OWN_HOST = rules["masters.own-host"]
SHARED = rules["masters.shared"]
GROUP = rules["masters.group"]
FAULT_TOLERANCE = rules["masters.fault-tolerance"]

rules.when("masters are not protected")(lambda facts: facts.request.protection is Protection.NONE)


@rules.advises("masters.isolate-namenode")
def _isolate(facts: Facts) -> str | None:
    namenodes = [master for master in facts.cluster.masters if Role.NAMENODE in master.roles]
    where = namenodes[0].host
    return (
        f"{where} carries the only NameNode: while it is down HDFS is down, and if its disks are "
        f"lost all data are lost. {_instead(facts)} a copy of its directory on another host."
    )


def _instead(facts: Facts) -> str:
    if facts.cluster.hosts < _QUORUM:
        return "Keep"
    return "Plan with --protect-masters ha, or at least keep"


@rules.advises("masters.idle-disks")
def _idle_disks(facts: Facts) -> str | None:
    disks = {kind.name: kind.data_disks or 0 for kind, _ in facts.cluster.kinds}
    idle = sum(
        disks.get(kind, 0) * (2 if master.shadow_host else 1)
        for master in facts.cluster.masters
        for kind in master.takes
    )
    whole = facts.cluster.data_disks + idle
    if idle <= MOST_DISKS * whole:
        return None
    return (
        f"Masters take the places of workers with {idle} of {whole} data disks, "
        f"{format_percent(idle / whole)} of what the hosts could hold and do. Compare with another "
        "--workers-per-host, add hosts, or give masters separate small hosts (`serves: masters`)."
    )


IDLE_DISKS = rules["masters.idle-disks"]


@rules.advises("masters.own-machine")
def _in_a_worker(facts: Facts) -> str | None:
    sharing = [master for master in facts.cluster.masters if Role.NAMENODE in master.roles and master.shares]
    if not sharing or not facts.cluster.virtual:
        return None
    where = " and ".join(master.address for master in sharing)
    return (
        f"The NameNode runs within the virtual machine of a worker, {where}: tasks compete for its memory "
        "and disks, and it ends with that machine. A separate machine costs a hypervisor little: "
        "plan with --workers-per-host 2 or more, so that masters can take worker slots, or give "
        "masters their own hosts (`serves: masters`)."
    )


rules.when("masters are protected by vSphere Fault Tolerance")(
    lambda facts: facts.request.protection is Protection.FT
)


@rules.advises("masters.namespace")
def _federation(facts: Facts) -> str | None:
    cluster = facts.cluster
    blocks = namespace_blocks(
        cluster.raw_bytes, facts.request.replication or REPLICATION, mean_file_bytes=file_bytes(facts.request)
    )
    heap = namenode_heap_bytes(blocks)
    largest = max(
        (master.memory_bytes for master in cluster.masters if Role.NAMENODE in master.roles), default=0
    )
    if heap <= HEAP_MOST and heap <= largest:
        return None
    return (
        f"Full of files of {format_memory(file_bytes(facts.request))}, HDFS holds {format_count(blocks)} "
        f"blocks, for which a NameNode needs a heap of {format_bytes(heap)}. Its heap should not exceed "
        f"{format_bytes(HEAP_MOST)}, and here there is room for {format_bytes(largest)}: store larger files "
        "(--mean-file gives their size), or plan several name services behind a router."
    )


_TOLD_HOSTS = 3
_DIGEST_LETTERS = 12


@rules.when("other clusters have virtual machines on the same hosts")
@rules.when("other clusters have masters on the same hosts")
@rules.when("other clusters are on the same hosts")
def _shares(facts: Facts) -> bool:
    return facts.request.sharing is not None


@rules.advises("sharing.hosts")
def _neighbours(facts: Facts) -> str | None:
    sharing = facts.request.sharing
    if sharing is None:
        return None
    part = "what others leave" if sharing.percent is None else f"{sharing.percent} %"
    clusters = [
        f"{neighbour.cluster} (its plan's SHA-256 {neighbour.digest[:_DIGEST_LETTERS]})"
        for neighbour in sharing.beside
    ]
    texts = [
        f"This cluster was planned for {part} of hosts that it shares"
        + (f" with {' and '.join(clusters)}" if clusters else "")
        + ": no thread, byte of memory or data disk of a host is assigned twice"
    ]
    texts += [
        f"of each host of group {group} it has the data disks {_ranges(numbers)}"
        for group, numbers in sharing.disks.items()
    ]
    if left_out := expand_all(sharing.left_out):
        named = ", ".join(left_out[:_TOLD_HOSTS]) + (", …" if len(left_out) > _TOLD_HOSTS else "")
        texts.append(f"{format_counted(len(left_out), 'host')} had nothing left for it ({named})")
    texts.append(
        "network ports are shared without limits: set each cluster's part in the hypervisor or the switch"
    )
    return "; ".join(texts) + "."


def _ranges(numbers: Sequence[int]) -> str:
    """``1-6, 13-20``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


@rules.advises("sharing.masters-apart")
def _together(facts: Facts) -> str | None:
    sharing = facts.request.sharing
    if sharing is None:
        return None
    of_host: dict[str, list[str]] = {}
    for neighbour in sharing.beside:
        for host in expand_all(neighbour.masters_on):
            of_host.setdefault(host.lower(), []).append(neighbour.cluster)
    both = [
        f"{master.name} on {host} together with those of {' and '.join(neighbours)}"
        for master in facts.cluster.masters
        for host in (master.host, master.shadow_host)
        if host is not None and (neighbours := of_host.get(host.lower()))
    ]
    if not both:
        return None
    return (
        f"Too few hosts are left for masters of different clusters to be apart: {', '.join(both)}. The loss "
        "of such a host takes down masters of several clusters at once."
    )


@rules.advises("sharing.host-settings")
def _differently(facts: Facts) -> str | None:
    sharing = facts.request.sharing
    if sharing is None:
        return None
    differ = [
        f"{key} is {value_text(own)} here and {value} for {neighbour.cluster}"
        for neighbour in sharing.beside
        for key, value in neighbour.host_settings.items()
        if (own := facts.decided.get(key)) is not None and value_text(own) != value
    ]
    if not differ:
        return None
    return (
        "A host has one firmware and one hypervisor, but clusters on it need different "
        f"settings: {'; '.join(differ)}. Choose one value, and set it in the other plan with --set."
    )
