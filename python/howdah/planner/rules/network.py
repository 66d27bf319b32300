"""The network: fast enough for the disks, ports bonded, packets large, one queue for a virtual card."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from howdah.model.host import Host, Nic
from howdah.model.request import Hypervisor, Profile
from howdah.planner.capacity import LINE_SHARE, REPLICATION, data_bytes_per_s, replica_bits_per_s
from howdah.planner.facts import Facts
from howdah.planner.reading import Inspected, Observation, Values
from howdah.planner.rule import Decision, inputs_of, several_ports
from howdah.planner.rules.declare import read_rules
from howdah.units import format_bits_per_s, format_counted, format_rate

rules = read_rules("network.toml")

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
