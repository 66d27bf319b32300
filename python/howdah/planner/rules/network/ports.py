"""Network ports as they were found on a host."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.network import Nic
from howdah.model.plan import Input
from howdah.planner.block import REPLICATION
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import MAY
from howdah.planner.rules.declare import Rules
from howdah.planner.throughput import LINE_SHARE, replica_bits_per_s
from howdah.units import format_bits_per_s, format_counted

_JUMBO = 9000
_EMULATED = frozenset({"e1000", "e1000e", "8139cp", "8139too", "pcnet32", "ne2k-pci", "vmxnet"})
rules = Rules()


def ports(reading: Reading) -> tuple[Nic, ...]:
    """The ports and bonds that carry traffic: what is up, a bond in its members' stead."""
    if reading.host is None:
        return ()
    return tuple(nic for nic in reading.host.nics if nic.up and nic.member_of is None)


@rules.inspection("network.one-mtu", sources="D0 40")
def _mtu(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Have one MTU on all ports of a host."""
    known = {nic.name: nic.mtu for nic in ports(reading) if nic.mtu is not None}
    if len(known) > 1:
        yield Observation(
            len(set(known.values())) == 1,
            ", ".join(known),
            ", ".join(f"{name} {mtu}" for name, mtu in known.items()),
            "one MTU on all ports",
            fix="set the same MTU on every port, its switch port and the other hosts",
        )


@rules.inspection("network.jumbo", MAY, sources="D0 40, D3 119, D4 133")
def _jumbo(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Have frames of 9,000 bytes on the cluster's ports."""
    for nic in ports(reading):
        if nic.mtu is not None:
            yield Observation(
                nic.mtu >= _JUMBO,
                nic.name,
                f"MTU {nic.mtu}",
                f"MTU {_JUMBO}, where every hop allows it",
                fix=f"set the switches, then ip link set {nic.name} mtu {_JUMBO}; test it with ping -M do",
            )


@rules.inspection("network.disks-and-ports", sources="D0 45, D0 46, D0 48, D4 141")
def _speed(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Have ports that carry the replicas of all that the data disks can write."""
    speeds = {nic.name: nic.speed_bits_per_s for nic in ports(reading)}
    known = [speed for speed in speeds.values() if speed is not None]
    if reading.host is None or not facts.group.data_disks:
        return
    decided = facts.decided.get("dfs.replication", facts.request.replication or REPLICATION)
    if facts.known_cluster is not None and facts.known_cluster.hosts == 1:
        return
    replication = int(decided) if isinstance(decided, int) and decided > 0 else REPLICATION
    needed = replica_bits_per_s(facts.group, replication)
    disks = facts.group.data_disks
    if len(known) < len(speeds) or not known:
        unknown = ", ".join(name for name, speed in speeds.items() if speed is None) or "no port is up"
        yield Observation(None, "network", "speed not known", f"the speed of the ports ({unknown})")
        return
    usable = sum(known) * LINE_SHARE
    yield Observation(
        needed <= usable,
        ", ".join(speeds),
        f"{format_bits_per_s(usable)} each way",
        f"{format_bits_per_s(needed)} for the replicas of what {disks} data disks write",
        fix="add ports to the bond or use faster ones",
        inputs=(
            Input(name="data disks", value=disks),
            Input(name="needed", value=round(needed), unit="bit/s"),
            Input(name="usable", value=round(usable), unit="bit/s"),
        ),
    )


@rules.inspection("network.bond", sources="D0 43, D4 132")
def _bonds(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Spread a bond's traffic over all its ports, by address and port number."""
    for nic in ports(reading):
        if nic.bond is None:
            continue
        spreads = nic.bond.mode in ("802.3ad", "balance-xor")
        by_port = nic.bond.hash_policy in ("layer3+4", "encap3+4")
        yield Observation(
            spreads and by_port,
            nic.name,
            f"{nic.bond.mode}, {nic.bond.hash_policy or 'no hash policy'}",
            "802.3ad or balance-xor with layer3+4",
            fix=f"set mode 802.3ad and xmit_hash_policy layer3+4 on {nic.name}, and LACP on the switch",
        )


@rules.inspection("network.bonded-ports", sources="D0 43, howdah")
def _bonded(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Have every port of a bond up, and as fast as the others."""
    members: dict[str, list[Nic]] = {}
    for nic in reading.host.nics if reading.host else ():
        if nic.member_of is not None:
            members.setdefault(nic.member_of, []).append(nic)
    for bond, nics in members.items():
        down = [nic.name for nic in nics if not nic.up]
        speeds = {nic.speed_bits_per_s for nic in nics if nic.up and nic.speed_bits_per_s}
        yield Observation(
            ok=not down and len(speeds) <= 1,
            about=bond,
            found=", ".join(
                f"{nic.name} {format_bits_per_s(nic.speed_bits_per_s) if nic.speed_bits_per_s else 'up'}"
                if nic.up
                else f"{nic.name} down"
                for nic in nics
            ),
            expected="all ports up, at one speed",
            fix=f"look at cable, transceiver and switch port of {', '.join(down) or 'the slowest port'}; "
            f"see /proc/net/bonding/{bond}",
        )


@rules.inspection("network.guest-card", sources="D0 41, D0 143, D3 119", when="the host is a virtual machine")
def _guest_card(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Give virtual machines paravirtual network cards."""
    if reading.host is None or not reading.host.virtualisation.is_virtual:
        return
    for nic in ports(reading):
        if nic.driver is not None and nic.bond is None:
            yield Observation(
                nic.driver not in _EMULATED,
                nic.name,
                nic.driver,
                "vmxnet3 under vSphere, virtio_net under KVM, or a card that is passed through",
                fix=f"replace the virtual card {nic.name} by a vmxnet3 (vSphere) or virtio (KVM) one",
            )


@rules.inspection(
    "network.guest-queues", MAY, sources="D0 38, D0 41, D3 119", when="the host is a virtual machine"
)
def _queues(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Avoid several queues in a virtual network card."""
    if reading.host is None or not reading.host.virtualisation.is_virtual:
        return
    for nic in ports(reading):
        if nic.rx_queues is not None and nic.driver in ("vmxnet3", "virtio_net"):
            yield Observation(
                nic.rx_queues == 1,
                nic.name,
                format_counted(nic.rx_queues, "receive queue"),
                "1, except perhaps in the largest virtual machines",
                fix=f"ethtool -L {nic.name} combined 1, where the driver allows it; measure before and after",
            )
