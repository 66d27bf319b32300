"""The network: fast enough for the disks, ports bonded, packets large, one queue for a virtual card."""

from __future__ import annotations

from howdah.model.inventory import HostGroup
from howdah.model.plan import Input, Value
from howdah.model.request import Hypervisor, Profile
from howdah.planner.facts import Facts
from howdah.planner.inspecting import network as found_network
from howdah.planner.rule import Counsel, Decision, Rule, Scope, SettingRule, Severity
from howdah.planner.throughput import LINE_SHARE, data_bytes_per_s, replica_bits_per_s
from howdah.planner.values import at_least
from howdah.units import format_bits_per_s, format_rate

_FILE = "network"
_JUMBO = 9000
_GIGABIT = 10**9


def bonded(facts: Facts) -> bool:
    """Whether the hosts' own system bonds their ports: under vSphere the virtual switch does it."""
    return _ports(facts.group) > 1 and facts.request.hypervisor is not Hypervisor.VSPHERE


def _ports(group: HostGroup) -> int:
    return sum(nic.count for nic in group.nics)


def _mode(facts: Facts) -> Decision:
    ports = Input(name="ports", value=_ports(facts.group))
    if facts.request.profile is Profile.PAPER:
        return Decision("balance-xor", "as the study had it; the switch needs a static group", (ports,))
    return Decision(
        "802.3ad",
        "host and switch agree on the ports, and a wrong cable is noticed instead of losing packets",
        (ports,),
    )


def _mode_accepts(found: Value, decision: Decision, facts: Facts) -> bool:
    return found in ("802.3ad", "balance-xor")


def _hash(facts: Facts) -> Decision:
    return Decision("layer3+4", "the many connections between two hosts spread over all ports, not over one")


def _monitor(facts: Facts) -> Decision:
    return Decision(100, "a dead port is left within a tenth of a second; 0, the default, never notices")


def _monitor_accepts(found: Value, decision: Decision, facts: Facts) -> bool:
    return isinstance(found, int) and 0 < found <= 1000


def _mtu(facts: Facts) -> Decision:
    return Decision(_JUMBO, "a sixth of the packets, and of the work for each, on every stream of blocks")


def _offloads(facts: Facts) -> Decision:
    return Decision(
        ("rx", "tx", "sg", "tso", "gso", "gro"),
        "cutting streams into packets costs a core or more at 10 Gb/s",
    )


def _speed(facts: Facts) -> str | None:
    group = facts.group
    needed = replica_bits_per_s(group, facts.request.replication or 3)
    usable = group.network_bits_per_s * LINE_SHARE
    if not usable or needed <= usable:
        return None
    return (
        f"The data disks of a host of {group.name} write {format_rate(data_bytes_per_s(group))}; with "
        f"{facts.request.replication or 3} replicas {format_bits_per_s(needed)} of it crosses the network "
        f"each way, and its ports carry {format_bits_per_s(usable)}. Loading data will be bound by the "
        "network: add ports, which also survive the loss of one, or faster ones."
    )


def _grouped_gigabit(facts: Facts) -> str | None:
    slow = [nic for nic in facts.group.nics if nic.speed_bits_per_s <= _GIGABIT]
    if not slow:
        return None
    return (
        f"{facts.group.name} has ports of 1 Gb/s. A port of 10 Gb/s made loading and reading three to six "
        "times as fast; grouped gigabit ports grow less well with the data, so prefer faster ones."
    )


def _end_to_end(facts: Facts) -> str:
    return (
        "Jumbo frames hold end to end or not at all: set MTU 9000 on switches, virtual switches and cards, "
        "then prove it between two hosts with `ping -M do -s 8972 HOST`."
    )


def _switch(facts: Facts) -> str | None:
    if _ports(facts.group) < 2:
        return None
    if facts.request.hypervisor is Hypervisor.VSPHERE:
        return (
            "Give each physical port a virtual switch and each worker a vmxnet3 card on every one, bonded in "
            "the guest (balance-xor, layer3+4), or use LACP on a distributed switch, hashing layers 3 and 4."
        )
    return (
        "Set the switch's side of every bond as well: LACP with layer 3+4 hashing on both switches of a pair "
        "(MLAG); Cisco's PAgP does not speak with Linux."
    )


def _interrupts(facts: Facts) -> str:
    return (
        "Leave interrupts to irqbalance, and look into /proc/interrupts under load: one CPU that serves a "
        "card alone and is full is the sign to spread its queues, or to pin them away from the tasks."
    )


RULES: tuple[Rule, ...] = (
    SettingRule(
        id="network.bond-mode",
        says="Bond equal ports so that they share the load and survive the loss of one.",
        sources=("D0 43", "D4 132"),
        condition="hosts have more than one port and bond them themselves",
        applies=bonded,
        key="bond.mode",
        file=_FILE,
        scope=Scope.HOST,
        decide=_mode,
        accepts=_mode_accepts,
    ),
    SettingRule(
        id="network.bond-hash",
        says="Choose a bond's port by address and port number.",
        sources=("D0 43",),
        condition="hosts have more than one port and bond them themselves",
        applies=bonded,
        key="bond.xmit_hash_policy",
        file=_FILE,
        scope=Scope.HOST,
        decide=_hash,
    ),
    SettingRule(
        id="network.bond-monitor",
        says="Watch the links of a bond ten times a second.",
        sources=("D4 132", "Linux"),
        condition="hosts have more than one port and bond them themselves",
        applies=bonded,
        key="bond.miimon",
        file=_FILE,
        scope=Scope.HOST,
        decide=_monitor,
        accepts=_monitor_accepts,
    ),
    SettingRule(
        id="network.jumbo-frames",
        says="Send frames of 9,000 bytes between the cluster's hosts.",
        sources=("D0 40", "D3 119", "D4 133"),
        severity=Severity.MAY,
        key="mtu",
        file=_FILE,
        scope=Scope.HOST,
        decide=_mtu,
        accepts=at_least,
        today="Cards now cut and join packets themselves (TSO, LRO), so the gain is smaller than it was.",
    ),
    SettingRule(
        id="network.offloads",
        says="Let cards compute checksums and cut and join packets.",
        sources=("D0 39", "D0 41", "D4 133"),
        severity=Severity.MAY,
        key="nic.offloads",
        file=_FILE,
        scope=Scope.HOST,
        decide=_offloads,
        today="Linux 3.x and later turn all of these on; this is for cards where someone turned them off.",
    ),
    *found_network.RULES,
    Counsel(
        id="network.speed",
        says="Have a network that carries the replicas of all that the disks can write.",
        sources=("D0 45", "D0 46", "D0 48", "D0 47", "D2 159"),
        tell=_speed,
    ),
    Counsel(
        id="network.gigabit",
        says="Prefer 10GbE or faster to grouped 1GbE.",
        sources=("D4 141", "D4 135", "D0 46"),
        tell=_grouped_gigabit,
    ),
    Counsel(
        id="network.end-to-end",
        says="Prove jumbo frames end to end.",
        sources=("D0 40",),
        tell=_end_to_end,
    ),
    Counsel(
        id="network.switch",
        says="Set up both ends of a bond.",
        sources=("D0 43", "D4 132"),
        tell=_switch,
    ),
    Counsel(
        id="network.interrupts",
        says="Let irqbalance spread interrupts, and check that no CPU drowns in them.",
        sources=("D0 38", "D0 42", "D0 44"),
        severity=Severity.MAY,
        tell=_interrupts,
        today="The papers pinned interrupts by hand; irqbalance knows NUMA nodes, drivers pace themselves.",
    ),
)
