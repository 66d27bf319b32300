"""What ports and switches to buy, and what to look after that no file sets."""

from __future__ import annotations

from howdah.model.request import Hypervisor
from howdah.planner.conditions import several_ports
from howdah.planner.facts import Facts
from howdah.planner.rule import MAY
from howdah.planner.rules.declare import Rules
from howdah.planner.throughput import LINE_SHARE, data_bytes_per_s, replica_bits_per_s
from howdah.units import format_bits_per_s, format_counted, format_rate

_GIGABIT = 10**9
rules = Rules()


def _replication(facts: Facts) -> int:
    """The plan's own."""
    return max(1, int(facts.number("dfs.replication")))


@rules.advice("network.speed", sources="D0 45, D0 46, D0 48, D0 47, D2 159")
def _speed(facts: Facts) -> str | None:
    """Have a network that carries the replicas of all that the disks can write."""
    group, replication = facts.group, _replication(facts)
    if facts.cluster.hosts == 1:
        return None
    needed = replica_bits_per_s(group, replication)
    usable = group.network_bits_per_s * LINE_SHARE
    if not usable or needed <= usable:
        return None
    return (
        f"The data disks of a host of {group.name} write {format_rate(data_bytes_per_s(group))}; with "
        f"{format_counted(replication, 'replica')} {format_bits_per_s(needed)} of it crosses the network "
        f"each way, and its ports carry {format_bits_per_s(usable)}. Loading data will be bound by the "
        "network: add ports, which also survive the loss of one, or faster ones."
    )


@rules.advice("network.gigabit", sources="D4 141, D4 135, D0 46")
def _grouped_gigabit(facts: Facts) -> str | None:
    """Prefer 10GbE or faster to grouped 1GbE."""
    if facts.cluster.hosts == 1:
        return None
    slow = [nic for nic in facts.group.nics if nic.speed_bits_per_s <= _GIGABIT]
    if not slow:
        return None
    return (
        f"{facts.group.name} has ports of 1 Gb/s. A port of 10 Gb/s made loading and reading three to six "
        "times as fast; grouped gigabit ports grow less well with the data, so prefer faster ones."
    )


@rules.advice("network.end-to-end", sources="D0 40")
def _end_to_end(facts: Facts) -> str | None:
    """Test jumbo frames end to end."""
    if facts.cluster.hosts == 1:
        return None
    return (
        "Jumbo frames work end to end or not at all: set MTU 9000 on switches, virtual switches and cards, "
        "then test it between two hosts with `ping -M do -s 8972 HOST`."
    )


@rules.advice("network.switch", sources="D0 43, D4 132")
def _switch(facts: Facts) -> str | None:
    """Set up both ends of a bond."""
    if not several_ports(facts) or facts.cluster.hosts == 1:
        return None
    if facts.request.dividing is Hypervisor.VSPHERE:
        return (
            "Give each physical port a virtual switch and each worker a vmxnet3 card on every one, bonded in "
            "the guest (balance-xor, layer3+4), or use LACP on a distributed switch, hashing layers 3 and 4."
        )
    return (
        "Set the switch's side of every bond as well: LACP with layer 3+4 hashing on both switches of a pair "
        "(MLAG); Cisco's PAgP does not speak with Linux."
    )


@rules.advice(
    "network.interrupts",
    MAY,
    sources="D0 38, D0 42, D0 44",
    today="The papers pinned interrupts by hand; irqbalance knows NUMA nodes, drivers pace themselves.",
)
def _interrupts(facts: Facts) -> str | None:
    """Let irqbalance spread interrupts, and check that no CPU is overloaded by them."""
    if facts.cluster.hosts == 1:
        return None
    return (
        "Leave interrupts to irqbalance, and look into /proc/interrupts under load: one CPU that serves a "
        "card alone and is full is the sign to spread its queues, or to pin them away from the tasks."
    )
