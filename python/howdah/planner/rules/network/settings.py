"""Bonds, frames and offloads of a host's ports."""

from __future__ import annotations

from howdah.model.plan import Input, Value
from howdah.model.request import Hypervisor, Profile
from howdah.planner.conditions import several_ports
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision, Rule, Scope, SettingRule, Severity
from howdah.planner.values import at_least

_FILE = "network"
_JUMBO = 9000


def bonded(facts: Facts) -> bool:
    """Whether the hosts' own system bonds their ports: under vSphere the virtual switch does it."""
    return several_ports(facts) and facts.request.dividing is not Hypervisor.VSPHERE


def _mode(facts: Facts) -> Decision:
    ports = Input(name="ports", value=sum(nic.count for nic in facts.group.nics))
    if facts.request.profile is Profile.PAPER:
        return Decision("balance-xor", "as the study had it; the switch needs a static group", (ports,))
    return Decision(
        "802.3ad",
        "host and switch agree on the ports, and a wrong cable is noticed instead of losing packets",
        (ports,),
    )


def _mode_accepts(value: Value, decision: Decision, facts: Facts) -> bool:
    return value in ("802.3ad", "balance-xor")


def _hash(facts: Facts) -> Decision:
    return Decision("layer3+4", "the many connections between two hosts spread over all ports, not over one")


def _monitor(facts: Facts) -> Decision:
    return Decision(100, "a dead port is left within a tenth of a second; 0, the default, never notices")


def _monitor_accepts(value: Value, decision: Decision, facts: Facts) -> bool:
    return isinstance(value, int) and 0 < value <= 1000


def _mtu(facts: Facts) -> Decision:
    return Decision(_JUMBO, "a sixth of the packets, and of the work for each, on every stream of blocks")


def _offloads(facts: Facts) -> Decision:
    return Decision(
        ("rx", "tx", "sg", "tso", "gso", "gro"),
        "cutting streams into packets costs a core or more at 10 Gb/s",
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
)
