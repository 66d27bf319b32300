"""Masters: their own slots, pairs apart, the loss of a host, shared hosts; NameNodes' heaps."""

from __future__ import annotations

import math

from howdah import units
from howdah.model.hostname import expand_all
from howdah.model.plan import Master, Role, Value, value_text
from howdah.model.request import Protection
from howdah.planner import capacity, heap
from howdah.planner.facts import Facts, required
from howdah.planner.reading import Values
from howdah.planner.rule import Decision, in_study, inputs_of
from howdah.planner.rules.declare import as_number, read_rules
from howdah.planner.rules.jvm import supported
from howdah.releases.values import heap_bytes
from howdah.units import GIB, MIB, listed

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
    cluster, mean = facts.cluster, capacity.file_bytes(facts.request)
    replication = facts.request.replication or capacity.REPLICATION
    blocks = capacity.namespace_blocks(cluster.raw_bytes, replication, mean_file_bytes=mean)
    heap = capacity.namenode_heap_bytes(blocks)
    homes = (master.memory_bytes for master in cluster.masters if Role.NAMENODE in master.roles)
    if heap <= min(capacity.HEAP_MOST, largest := max(homes, default=0)):
        return None
    return {
        "file": units.format_memory(mean),
        "blocks": units.format_count(blocks),
        "heap": units.format_bytes(heap),
        "most": units.format_bytes(capacity.HEAP_MOST),
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
    sharing = required(facts.request.sharing, "the clusters on the same hosts")
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
    sharing = required(facts.request.sharing, "the clusters on the same hosts")
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
    sharing = required(facts.request.sharing, "the clusters on the same hosts")
    differ = [
        f"{key} is {value_text(own)} here and {value} for {neighbour.cluster}"
        for neighbour in sharing.beside
        for key, value in neighbour.host_settings.items()
        if (own := facts.decided.get(key)) is not None and value_text(own) != value
    ]
    return {"settings": "; ".join(differ)} if differ else None


_HANDLERS_LEAST = 10
_HANDLERS_PER_LOG = 20
_HANDLERS_MOST = 1000
_SERVICE_PORT_FROM = 500
_STEP = 64 * MIB
_SPARE_SHARE = 8
"""The part of a separate slot's memory that a NameNode gets beyond its need: no other daemon needs it."""
_HUGE_PAGES_FROM = 8 * GIB
_TERABYTE = 10**12
_MANY_FILES = 50_000_000
_PAUSES_OF_MANY_FILES = "-XX:MaxGCPauseMillis=4000"
"""Shorter goals than that make G1 fall behind in heaps of so many files (Cloudera)."""


rules.when("every NameNode has a disk that no worker uses")(lambda facts: facts.own_disks(Role.NAMENODE) > 0)


@rules.accepts("half to four times")
def _handlers_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    planned = as_number(decision.value)
    return planned / 2 <= as_number(value) <= max(4 * planned, _HANDLERS_LEAST)


@rules.decides("namenode.handlers")
def _handlers(facts: Facts) -> Decision:
    workers = facts.cluster.workers
    inputs = inputs_of(("DataNodes", workers))
    if in_study(facts):
        return Decision(1, inputs=inputs, words="study")
    value = min(_HANDLERS_MOST, max(_HANDLERS_LEAST, round(_HANDLERS_PER_LOG * math.log(max(1, workers)))))
    return Decision(value, inputs=inputs, words="usual", values={"workers": units.format_count(workers)})


def _home(facts: Facts, role: Role = Role.NAMENODE) -> Master:
    """The smallest place that a daemon has; raises MissingFact."""
    places = [master for master in facts.cluster.masters if role in master.roles]
    places = required(places, f"where the {role.value} runs: give a plan")
    return min(places, key=lambda master: master.memory_bytes)


def _blocks(facts: Facts) -> int:
    """Blocks of the file system once the disks are as full as they should be."""
    replicas = max(1, int(facts.number("dfs.replication")))
    block = max(MIB, int(facts.number("dfs.blocksize")))
    raw, mean = facts.cluster.raw_bytes, capacity.file_bytes(facts.request)
    return capacity.namespace_blocks(raw, replicas, block_bytes=block, mean_file_bytes=mean)


def _needed(facts: Facts) -> int:
    """The heap for all blocks of full disks."""
    return heap.whole_heap(capacity.namenode_heap_bytes(_blocks(facts)))


@rules.accepts("heap of a NameNode")
def _heap_will_do(value: Value, decision: Decision, facts: Facts) -> bool:
    have, decided = heap_bytes(str(value)), heap_bytes(str(decision.value))
    if have is None or decided is None:
        return False
    # More than is needed was given only because there is room for it.
    return 0.75 * min(decided, _needed(facts)) <= have <= _home(facts).memory_bytes


def _room(home: Master, facts: Facts) -> int:
    """The heap that a place has for a NameNode once its other daemons have theirs, in steps of 64 MiB."""
    daemons = home.memory_bytes if home.shares else home.memory_bytes - heap.SYSTEM_BYTES
    other_heaps = sum(heap.heaps_in(home, heap.master_heaps(heap.size_of(facts))).values())
    heaps = sum(role in (Role.NAMENODE, Role.SECONDARY_NAMENODE) for role in home.roles)
    # Places are sized in whole bytes, so that three quarters of one may be a byte short.
    return round(daemons * heap.HEAP_OF_MEMORY - other_heaps) // max(1, heaps) // _STEP * _STEP


def _heap_in(home: Master, facts: Facts) -> int:
    """The needed heap, and the spare memory of a separate slot, within the slot's memory."""
    spare = capacity.USUAL_HEAP
    if not home.shares:
        spare = max(spare, min(heap.COMPRESSED_MOST, home.memory_bytes // _SPARE_SHARE // GIB * GIB))
    return max(256 * MIB, min(max(spare, _needed(facts)), _room(home, facts), capacity.HEAP_MOST))


def _java_options(size: int, facts: Facts) -> str:
    stored = facts.cluster.raw_bytes * capacity.FILL_LIMIT / max(1, facts.number("dfs.replication"))
    files = stored / capacity.file_bytes(facts.request)
    pauses = (_PAUSES_OF_MANY_FILES,) if files > _MANY_FILES else ()
    huge = ("-XX:+UseTransparentHugePages",) if size >= _HUGE_PAGES_FROM else ()
    options = (*heap.collector(max(supported(facts))), *pauses, *huge, "-XX:+ExitOnOutOfMemoryError")
    return heap.heap_options(size, *options)


@rules.decides("namenode.heap")
def _heap(facts: Facts) -> Decision:
    home, blocks, needed = _home(facts), _blocks(facts), _needed(facts)
    value = _heap_in(home, facts)
    mean = capacity.file_bytes(facts.request)
    a_terabyte = capacity.blocks_of(_TERABYTE, max(MIB, facts.number("dfs.blocksize")), mean)
    if value < needed:
        words = "most" if value >= capacity.HEAP_MOST else "no_room"
    else:
        words = "room" if value > needed else "within"
    sizes = ("mean file", mean, "B"), (f"memory of {home.name}", home.memory_bytes, "B")
    memory = {"needed": needed, "mean": mean, "heap": value, "memory": home.memory_bytes}
    counts = {"blocks": blocks, "files_a_terabyte": _TERABYTE // mean, "blocks_a_terabyte": a_terabyte}
    values = {name: units.format_memory(size) for name, size in memory.items()} | {"home": home.name}
    values |= {name: units.format_count(count) for name, count in counts.items()}
    inputs = inputs_of(("blocks when full", blocks), *sizes)
    return Decision(_java_options(value, facts), inputs=inputs, words=words, values=values)


@rules.decides("namenode.secondary-heap")
def _secondary_heap(facts: Facts) -> Decision:
    home, role = _home(facts), Role.SECONDARY_NAMENODE
    apart = role not in home.roles and bool(facts.cluster.addresses(role))
    home = _home(facts, role) if apart else home
    size = _heap_in(home, facts)
    values = {
        "heap": units.format_memory(size),
        "needed": units.format_memory(_needed(facts)),
        "home": home.name,
    }
    return Decision(_java_options(size, facts), words="apart" if apart else "together", values=values)


@rules.advises("namenode.service-port")
def _service_port(facts: Facts) -> Values | None:
    workers = facts.cluster.workers
    return {"workers": units.format_count(workers)} if workers >= _SERVICE_PORT_FROM else None
