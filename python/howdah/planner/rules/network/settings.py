"""Bonds, frames and offloads of a host's ports."""

from __future__ import annotations

from howdah.model.plan import Input, Value
from howdah.model.request import Hypervisor, Profile
from howdah.planner.conditions import several_ports
from howdah.planner.facts import Facts
from howdah.planner.rule import MAY, Decision, Scope
from howdah.planner.rules.declare import Condition, Rules
from howdah.planner.values import at_least

_FILE = "network"
_JUMBO = 9000
rules = Rules(file=_FILE)


def bonded(facts: Facts) -> bool:
    """Whether the hosts' own system bonds their ports: under vSphere the virtual switch does it."""
    return several_ports(facts) and facts.request.dividing is not Hypervisor.VSPHERE


def _mode_accepts(value: Value, decision: Decision, facts: Facts) -> bool:
    return value in ("802.3ad", "balance-xor")


_BONDED = Condition("hosts have more than one port and bond them themselves", bonded)


@rules.setting(
    "network.bond-mode",
    "bond.mode",
    sources="D0 43, D4 132",
    when=_BONDED,
    scope=Scope.HOST,
    accepts=_mode_accepts,
)
def _mode(facts: Facts) -> Decision:
    """Bond equal ports so that they share the load and survive the loss of one."""
    ports = Input(name="ports", value=sum(nic.count for nic in facts.group.nics))
    if facts.request.profile is Profile.PAPER:
        return Decision("balance-xor", "as the study had it; the switch needs a static group", (ports,))
    return Decision(
        "802.3ad",
        "host and switch agree on the ports, and a wrong cable is noticed instead of losing packets",
        (ports,),
    )


@rules.setting("network.bond-hash", "bond.xmit_hash_policy", sources="D0 43", when=_BONDED, scope=Scope.HOST)
def _hash(facts: Facts) -> Decision:
    """Choose a bond's port by address and port number."""
    return Decision("layer3+4", "the many connections between two hosts spread over all ports, not over one")


def _monitor_accepts(value: Value, decision: Decision, facts: Facts) -> bool:
    return isinstance(value, int) and 0 < value <= 1000


@rules.setting(
    "network.bond-monitor",
    "bond.miimon",
    sources="D4 132, Linux",
    when=_BONDED,
    scope=Scope.HOST,
    accepts=_monitor_accepts,
)
def _monitor(facts: Facts) -> Decision:
    """Watch the links of a bond ten times a second."""
    return Decision(100, "a dead port is left within a tenth of a second; 0, the default, never notices")


@rules.setting(
    "network.jumbo-frames",
    "mtu",
    MAY,
    sources="D0 40, D3 119, D4 133",
    scope=Scope.HOST,
    accepts=at_least,
    today="Cards now cut and join packets themselves (TSO, LRO), so the gain is smaller than it was.",
)
def _mtu(facts: Facts) -> Decision:
    """Send frames of 9,000 bytes between the cluster's hosts."""
    return Decision(_JUMBO, "a sixth of the packets, and of the work for each, on every stream of blocks")


@rules.setting(
    "network.offloads",
    "nic.offloads",
    MAY,
    sources="D0 39, D0 41, D4 133",
    scope=Scope.HOST,
    today="Linux 3.x and later turn all of these on; this is for cards where someone turned them off.",
)
def _offloads(facts: Facts) -> Decision:
    """Let cards compute checksums and cut and join packets."""
    return Decision(
        ("rx", "tx", "sg", "tso", "gso", "gro"),
        "cutting streams into packets costs a core or more at 10 Gb/s",
    )
