"""Master daemons: their own slots, pairs apart, the loss of a host; hosts that several clusters share."""

from __future__ import annotations

from howdah import units
from howdah.model.hostname import expand_all
from howdah.model.plan import Role, value_text
from howdah.model.request import Protection
from howdah.planner.capacity import HEAP_MOST, REPLICATION, file_bytes, namenode_heap_bytes, namespace_blocks
from howdah.planner.facts import Facts
from howdah.planner.reading import Values
from howdah.planner.rules.declare import read_rules
from howdah.units import listed

rules = read_rules("masters.toml")

_QUORUM = 3
MOST_DISKS = 0.1  # Of the workers' disks, the part that masters may take for places of their own (howdah).

rules.when("masters are not protected")(lambda facts: facts.request.protection is Protection.NONE)


@rules.advises("masters.isolate-namenode")
def _isolate(facts: Facts) -> Values:
    host = next(master.host for master in facts.cluster.masters if Role.NAMENODE in master.roles)
    few = facts.cluster.hosts < _QUORUM
    return {"host": host, "keep": "Keep" if few else "Plan with --protect-masters ha, or at least keep"}


@rules.advises("masters.idle-disks")
def _idle_disks(facts: Facts) -> Values | None:
    disks = {kind.name: kind.data_disks or 0 for kind, _ in facts.cluster.kinds}
    masters = facts.cluster.masters
    takes = [kind for master in masters for kind in master.takes * (2 if master.shadow_host else 1)]
    idle = sum(disks.get(kind, 0) for kind in takes)
    whole = facts.cluster.data_disks + idle
    if idle <= MOST_DISKS * whole:
        return None
    return {"idle": idle, "whole": whole, "share": units.format_percent(idle / whole)}


IDLE_DISKS = rules["masters.idle-disks"]


@rules.advises("masters.own-machine")
def _in_a_worker(facts: Facts) -> Values | None:
    sharing = [master for master in facts.cluster.masters if Role.NAMENODE in master.roles and master.shares]
    if not sharing or not facts.cluster.virtual:
        return None
    return {"machines": listed(master.address for master in sharing)}


rules.when("masters are protected by vSphere Fault Tolerance")(
    lambda facts: facts.request.protection is Protection.FT
)


@rules.advises("masters.namespace")
def _federation(facts: Facts) -> Values | None:
    cluster, mean = facts.cluster, file_bytes(facts.request)
    replication = facts.request.replication or REPLICATION
    blocks = namespace_blocks(cluster.raw_bytes, replication, mean_file_bytes=mean)
    heap = namenode_heap_bytes(blocks)
    homes = (master.memory_bytes for master in cluster.masters if Role.NAMENODE in master.roles)
    if heap <= min(HEAP_MOST, largest := max(homes, default=0)):
        return None
    return {
        "file": units.format_memory(mean),
        "blocks": units.format_count(blocks),
        "heap": units.format_bytes(heap),
        "most": units.format_bytes(HEAP_MOST),
        "room": units.format_bytes(largest),
    }


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
    digests = {neighbour.cluster: neighbour.digest[:_DIGEST_LETTERS] for neighbour in sharing.beside}
    clusters = listed(f"{name} (its plan's SHA-256 {digest})" for name, digest in digests.items())
    shared = f"hosts that it shares with {clusters}" if clusters else "hosts that it shares"
    once = "no thread, byte of memory or data disk of a host is assigned twice"
    texts = [f"This cluster was planned for {part} of {shared}: {once}"]
    texts += [
        f"of each host of group {group} it has the data disks {units.format_ranges(numbers)}"
        for group, numbers in sharing.disks.items()
    ]
    if left_out := expand_all(sharing.left_out):
        named = ", ".join(left_out[:_TOLD_HOSTS]) + (", …" if len(left_out) > _TOLD_HOSTS else "")
        texts.append(f"{units.format_counted(len(left_out), 'host')} had nothing left for it ({named})")
    texts.append(
        "network ports are shared without limits: set each cluster's part in the hypervisor or the switch"
    )
    return "; ".join(texts) + "."


@rules.advises("sharing.masters-apart")
def _together(facts: Facts) -> Values | None:
    sharing = facts.request.sharing
    if sharing is None:
        return None
    of_host: dict[str, list[str]] = {}
    for neighbour in sharing.beside:
        for host in expand_all(neighbour.masters_on):
            of_host.setdefault(host.lower(), []).append(neighbour.cluster)
    masters = facts.cluster.masters
    places = [(master.name, host) for master in masters for host in (master.host, master.shadow_host) if host]
    both = [
        f"{name} on {host} together with those of {listed(of_host[host.lower()])}"
        for name, host in places
        if host.lower() in of_host
    ]
    return {"both": ", ".join(both)} if both else None


@rules.advises("sharing.host-settings")
def _differently(facts: Facts) -> Values | None:
    sharing = facts.request.sharing
    if sharing is None:
        return None
    differ = [
        f"{key} is {value_text(own)} here and {value} for {neighbour.cluster}"
        for neighbour in sharing.beside
        for key, value in neighbour.host_settings.items()
        if (own := facts.decided.get(key)) is not None and value_text(own) != value
    ]
    return {"settings": "; ".join(differ)} if differ else None
