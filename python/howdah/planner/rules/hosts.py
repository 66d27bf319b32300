"""Linux on hosts: memory, limits, NUMA nodes; the network: bonds, large packets, ports as fast as disks."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from howdah.model.host import Host, Nic
from howdah.model.plan import Role
from howdah.model.request import Hypervisor, PlanRequest, Profile
from howdah.planner.capacity import LINE_SHARE, REPLICATION, data_bytes_per_s, replica_bits_per_s
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, Values
from howdah.planner.rule import Decision, inputs_of, several_ports
from howdah.planner.rules.declare import read_rules
from howdah.units import format_bits_per_s, format_counted, format_memory, format_rate

rules = read_rules("hosts.toml")

_OLDEST_KERNEL = (2, 6, 30)


@rules.inspects_hosts("os.kernel")
def _kernel(host: Host, facts: Facts) -> Iterator[Observation]:
    release = host.software.kernel
    parts = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", release)
    version = tuple(int(part or 0) for part in parts.groups()) if parts is not None else None
    yield Observation(None if version is None else version >= _OLDEST_KERNEL, "kernel", release)


@rules.inspects_hosts("os.swap")
def _swap(host: Host, facts: Facts) -> Iterator[Observation]:
    size = host.memory.swap_total_bytes
    shown = format_memory(size) if size else "none"
    yield Observation(size > 0, "swap", shown, inputs=inputs_of(("swap", size, "B")))


@rules.inspects_hosts("os.clock")
def _clock(host: Host, facts: Facts) -> Iterator[Observation]:
    kept = host.software.clock_synchronised
    shown = {True: "kept in step", False: "runs free", None: "not known"}[kept]
    yield Observation(kept, "clock", shown, words="unknown" if kept is None else "known")


@rules.inspects_hosts("os.governor", virtual=False)
def _governor(host: Host, facts: Facts) -> Iterator[Observation]:
    governor = host.cpu.governor
    ok = None if governor is None else governor == "performance"
    words = "known" if governor else "unknown"
    yield Observation(ok, "CPU frequency governor", governor or "not known", words=words)


@rules.advises("os.clocks")
def _keep_clocks(facts: Facts) -> Values:
    return {"words": "hbase" if facts.request.hbase_used else "kerberos" if facts.request.secure else "usual"}


AWARE = "yarn.nodemanager.numa-awareness.enabled"
READ_TOPOLOGY = "yarn.nodemanager.numa-awareness.read-topology"
NODE_IDS = "yarn.nodemanager.numa-awareness.node-ids"
_DEFAULT_EXECUTOR_FROM = (3, 4)
_EXECUTOR = "yarn.nodemanager.container-executor.class"


def spans_nodes(facts: Facts) -> bool:
    """Whether hosts are their own workers and have several NUMA nodes."""
    return not facts.cluster.virtual and (facts.worker.numa_nodes or 1) > 1


def _can_bind(request: PlanRequest) -> bool:
    """Whether the executor of containers knows NUMA nodes: before 3.4 the secure one alone did."""
    major, minor = (int(number) for number in request.hadoop.split(".")[:2])
    return request.secure or (major, minor) >= _DEFAULT_EXECUTOR_FROM


rules.when("native workers with several NUMA nodes that run MapReduce, on Hadoop 3.4 or with --secure")(
    lambda facts: facts.request.mapreduce and spans_nodes(facts) and _can_bind(facts.request)
)


@rules.decides("numa.containers")
def _aware(facts: Facts) -> Decision:
    nodes = facts.worker.numa_nodes or 1
    return Decision(True, inputs=inputs_of(("NUMA nodes of a worker", nodes)), values={"nodes": nodes})


@rules.inspects("numa.nodes-known")
def _unknown_nodes(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.truth(AWARE):
        ok = reading.truth(READ_TOPOLOGY) is True or bool((reading.text(NODE_IDS) or "").strip())
        yield reading.verdict(AWARE, ok, found="true, but the nodes are neither read nor listed")


@rules.inspects("numa.executor")
def _unable(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    if reading.truth(AWARE) is not True:
        return
    executor = reading.text(_EXECUTOR) or "DefaultContainerExecutor (default)"
    shown = f"true, with {executor.rpartition('.')[2]} of Hadoop {facts.request.hadoop}"
    ok = "LinuxContainerExecutor" in executor or _can_bind(facts.request)
    yield reading.verdict(AWARE, ok, found=shown)


@rules.advises("numa.daemons")
def _daemons(facts: Facts) -> Values:
    words = "hbase" if Role.REGIONSERVER in facts.worker.roles else "usual"
    return {"nodes": facts.worker.numa_nodes or 1, "words": words}


_JUMBO = 9000
_EMULATED = frozenset({"e1000", "e1000e", "8139cp", "8139too", "pcnet32", "ne2k-pci", "vmxnet"})
_GIGABIT = 10**9


@rules.when("hosts have more than one port and bond them")
def bonded(facts: Facts) -> bool:
    """Whether the hosts' own system bonds their ports: under vSphere the virtual switch does it."""
    return several_ports(facts) and facts.request.dividing is not Hypervisor.VSPHERE


@rules.decides("network.bond-mode")
def _mode(facts: Facts) -> Decision:
    inputs = inputs_of(("ports", sum(nic.count for nic in facts.group.nics)))
    if facts.request.profile is Profile.PAPER:
        return Decision("balance-xor", inputs=inputs, words="study")
    return Decision("802.3ad", inputs=inputs, words="usual")


def ports(host: Host) -> tuple[Nic, ...]:
    """The ports and bonds that carry traffic: what is up, a bond in its members' stead."""
    return tuple(nic for nic in host.nics if nic.up and nic.member_of is None)


@rules.inspects_hosts("network.one-mtu")
def _inspect_mtu(host: Host, facts: Facts) -> Iterator[Observation]:
    mtus = {nic.name: nic.mtu for nic in ports(host) if nic.mtu is not None}
    if len(mtus) > 1:
        shown = ", ".join(f"{name} {mtu}" for name, mtu in mtus.items())
        yield Observation(len(set(mtus.values())) == 1, ", ".join(mtus), shown)


@rules.inspects_hosts("network.jumbo")
def _jumbo(host: Host, facts: Facts) -> Iterator[Observation]:
    for nic in ports(host):
        if nic.mtu is not None:
            yield Observation(nic.mtu >= _JUMBO, nic.name, f"MTU {nic.mtu}")


@rules.inspects_hosts("network.disks-and-ports")
def _speed(host: Host, facts: Facts) -> Iterator[Observation]:
    speeds = {nic.name: nic.speed_bits_per_s for nic in ports(host)}
    known_speeds = [speed for speed in speeds.values() if speed is not None]
    if not facts.group.data_disks:
        return
    decided = facts.decided.get("dfs.replication", facts.request.replication or REPLICATION)
    if facts.planned and facts.cluster.hosts == 1:
        return
    replication = int(decided) if isinstance(decided, int) and decided > 0 else REPLICATION
    needed = replica_bits_per_s(facts.group, replication)
    disks = facts.group.data_disks
    if len(known_speeds) < len(speeds) or not known_speeds:
        unknown = ", ".join(name for name, speed in speeds.items() if speed is None) or "no port is up"
        yield Observation(None, "network", "speed not known", f"the speed of the ports ({unknown})")
        return
    usable = sum(known_speeds) * LINE_SHARE
    shown = f"{format_bits_per_s(usable)} each way"
    rates = ("needed", round(needed), "bit/s"), ("usable", round(usable), "bit/s")
    inputs = inputs_of(("data disks", disks), *rates)
    values = {"needed": format_bits_per_s(needed), "disks": disks}
    yield Observation(needed <= usable, ", ".join(speeds), shown, inputs=inputs, values=values, words="known")


@rules.inspects_hosts("network.bond")
def _bonds(host: Host, facts: Facts) -> Iterator[Observation]:
    for nic in ports(host):
        if nic.bond is None:
            continue
        mode, policy = nic.bond.mode, nic.bond.hash_policy
        spreads = mode in ("802.3ad", "balance-xor") and policy in ("layer3+4", "encap3+4")
        yield Observation(spreads, nic.name, f"{mode}, {policy or 'no hash policy'}")


@rules.inspects_hosts("network.bonded-ports")
def _bonded(host: Host, facts: Facts) -> Iterator[Observation]:
    members: dict[str, list[Nic]] = {}
    for nic in host.nics:
        if nic.member_of is not None:
            members.setdefault(nic.member_of, []).append(nic)
    for bond, nics in members.items():
        down = [nic.name for nic in nics if not nic.up]
        speeds = {nic.name: nic.speed_bits_per_s for nic in nics if nic.up}
        states = {name: format_bits_per_s(speed) if speed else "up" for name, speed in speeds.items()}
        seen = ", ".join(f"{nic.name} {states.get(nic.name, 'down')}" for nic in nics)
        ok = not down and len({*speeds.values()} - {None, 0}) <= 1
        yield Observation(ok, bond, seen, values={"ports": ", ".join(down) or "the slowest port"})


@rules.inspects_hosts("network.guest-card", virtual=True)
def _guest_card(host: Host, facts: Facts) -> Iterator[Observation]:
    for nic in ports(host):
        if nic.driver is not None and nic.bond is None:
            yield Observation(nic.driver not in _EMULATED, nic.name, nic.driver)


@rules.inspects_hosts("network.guest-queues", virtual=True)
def _queues(host: Host, facts: Facts) -> Iterator[Observation]:
    for nic in ports(host):
        if nic.rx_queues is not None and nic.driver in ("vmxnet3", "virtio_net"):
            yield Observation(nic.rx_queues == 1, nic.name, format_counted(nic.rx_queues, "receive queue"))


@rules.inspects("network.own-name")
def _own_name(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    address = reading.host.network.own_address if reading.host is not None else None
    if address is None or len(reading.config.workers) < 2:
        # A cluster of one host finds itself on the loopback as well as anywhere.
        return
    try:
        ok = not ipaddress.ip_address(address).is_loopback
    except ValueError:
        ok = True
    yield Observation(ok, "/etc/hosts", f"{address} for the host's own name")


@rules.advises("network.speed")
def _advise_speed(facts: Facts) -> Values | None:
    group, replication = facts.group, max(1, int(facts.number("dfs.replication")))
    if facts.cluster.hosts == 1:
        return None
    needed = replica_bits_per_s(group, replication)
    usable = group.network_bits_per_s * LINE_SHARE
    if not usable or needed <= usable:
        return None
    return {
        "group": group,
        "rate": format_rate(data_bytes_per_s(group)),
        "replicas": format_counted(replication, "replica"),
        "needed": format_bits_per_s(needed),
        "usable": format_bits_per_s(usable),
    }


@rules.advises("network.gigabit")
def _grouped_gigabit(facts: Facts) -> Values | None:
    slow = any(nic.speed_bits_per_s <= _GIGABIT for nic in facts.group.nics)
    return {"facts": facts} if slow and facts.cluster.hosts > 1 else None


@rules.advises("network.switch")
def _switch(facts: Facts) -> Values | None:
    if not several_ports(facts) or facts.cluster.hosts == 1:
        return None
    return {"words": "virtual" if facts.request.dividing is Hypervisor.VSPHERE else "physical"}


rules.advises("network.end-to-end", "network.interrupts")(
    lambda facts: {} if facts.cluster.hosts > 1 else None
)
