"""How long a failover, and a client, wait for a host that does not answer any more.

When a daemon dies, its connections are reset at once. A lost host sends nothing, so every wait for it is as
long as one of several time-outs. With the defaults of Hadoop 3.5.0 clients stood still for 120 s, until the
lost host was back; with what is decided here and in ``connections`` for 14 s (docs/faults.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from howdah.model.plan import Role, Value
from howdah.planner.conditions import in_pair, is_paired
from howdah.planner.facts import Facts
from howdah.planner.reading import (
    Inspected,
    Observation,
    host_of,
)
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import as_number, read_rules
from howdah.planner.rules.ha.services import is_of_servers, own_pairs
from howdah.planner.rules.ha.settings import missed_by_tcp_s
from howdah.units import format_seconds

rules = read_rules("ha/waiting.toml")

_PAUSE_MS, _PAUSE_MOST_MS = 1_000, 2_000
_MINUTES_MS = 100_000
_EXTENSION_S = 30.0
"""dfs.namenode.safemode.extension, which no rule changes: safe mode goes on for it once blocks are known."""
TRANSITION_S = 4.0
"""Without an answer once a NameNode's process has died, as measured."""
_ACTIVE_AFTER_S = 3.0
"""From fencing to a NameNode that answers, at most 2.7 s as measured: edits are finished, then read."""
_PAIR = in_pair(Role.NAMENODE)


class LostHost(NamedTuple):
    """What is waited for once the host of the active NameNode is lost, seconds each."""

    noticed: float
    requested: float
    fenced: float

    @property
    def until_active_s(self) -> float:
        """Until the other NameNode answers."""
        return self.noticed + self.requested + self.fenced + _ACTIVE_AFTER_S


_AUTOMATIC = "dfs.ha.automatic-failover.enabled"
_ID = "dfs.ha.namenode.id"
_SECONDARY = "dfs.namenode.secondary.http-address"
_NOWHERE = ("", "0.0.0.0")


rules.when("a NameNode pair, planned or configured", words="there are two NameNodes")(_PAIR)


def _fences_by_ssh(facts: Facts) -> bool:
    return "sshfence" in str(facts.decided.get("dfs.ha.fencing.methods"))


rules.when("there are two NameNodes and sshfence is among the ways to fence")(
    lambda facts: _PAIR(facts) and _fences_by_ssh(facts)
)


@rules.accepts("outlasts minutes")
def _outlives(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept so many attempts as last for minutes with the longest pauses between them."""
    longest = "dfs.client.failover.sleep.max.millis"
    pause = facts.number(longest) if longest in facts.decided else _PAUSE_MS
    return as_number(value) * pause >= _MINUTES_MS


def lost_host(facts: Facts) -> LostHost:
    """How long each wait is, by the settings; raises MissingFact."""
    tries = 1 + facts.number("ha.failover-controller.graceful-fence.connection.retries")
    fence = facts.number("dfs.ha.fencing.ssh.connect-timeout") if _fences_by_ssh(facts) else 0.0
    return LostHost(
        noticed=facts.number("ha.zookeeper.session-timeout.ms") / 1000,
        requested=tries * facts.number("ipc.client.connect.timeout") / 1000,
        fenced=fence / 1000,
    )


rules.when("there are two NameNodes")(is_paired(Role.NAMENODE))


@rules.advises("ha.expected-outage")
def _whole_outage(facts: Facts) -> str | None:
    lost = lost_host(facts)
    unreachable = min(missed_by_tcp_s(facts), facts.number("ipc.client.rpc-timeout.ms") / 1000 or math.inf)
    pause = facts.number("dfs.client.failover.sleep.max.millis") / 1000
    whole = format_seconds(max(lost.until_active_s, unreachable) + pause)
    ssh = f", {format_seconds(lost.fenced)} for sshfence" if lost.fenced else ""
    return (
        f"If a NameNode's process dies, HDFS is down for about {format_seconds(TRANSITION_S)}; if its "
        f"host is lost, for at most {whole}: {format_seconds(lost.noticed)} until ZooKeeper notices it, "
        f"{format_seconds(lost.requested)} of requests to become standby{ssh}, "
        f"{format_seconds(_ACTIVE_AFTER_S)} until the other one is active; meanwhile the kernels of clients "
        f"drop connections to it after {format_seconds(unreachable)}, and clients retry every "
        f"{format_seconds(pause)}. Clients on hosts without these kernel settings wait for up to "
        f"{format_seconds(facts.number('ipc.client.rpc-timeout.ms') / 1000)}: give gateways the same "
        "sysctl.conf. Jobs wait and continue. "
        '`howdah run terasuite --engine hadoop --fault "lose master:m1 at terasort 30% for 2min"` '
        "shows it in a lab. A standby that was started again has left safe mode some "
        f"{format_seconds(_ready_again_s(facts))} later; one that takes over before refuses writes for up to "
        f"{format_seconds(_EXTENSION_S)} more: wait as long between the restarts of the two."
    )


def _ready_again_s(facts: Facts) -> float:
    """Until a standby has read of every block: in edits whose file is finished, and then its safe mode."""
    return facts.number("dfs.ha.log-roll.period") + _EXTENSION_S


@rules.inspects("ha.by-itself")
def _by_itself(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for pair in own_pairs(reading):
        if not is_of_servers(reading, pair):
            continue
        key = pair.key(reading, _AUTOMATIC)
        yield reading.verdict(
            key,
            reading.truth(key) is True,
            found=reading.text(key) or "false (default)",
            expected="true: otherwise no NameNode is active after the loss of a host until an operator acts",
            fix=f"set {key} to true in hdfs-site.xml, name the ZooKeepers in ha.zookeeper.quorum, then run "
            "hdfs zkfc -formatZK and start a failover controller on each NameNode's host",
            elsewhere="hdfs-site.xml",
        )


@rules.inspects("ha.own-id")
def _own_id(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    text = reading.text(_ID)
    if text and own_pairs(reading):
        yield reading.verdict(
            _ID,
            False,
            found=f"{text}, on every host that has this file",
            expected="no value: a NameNode derives its id from its own address; with this file the other "
            "host would use the wrong id",
            fix=f"remove {_ID} from {reading.where(_ID)}",
        )


@rules.inspects("ha.no-secondary")
def _no_secondary(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for pair in own_pairs(reading):
        key = pair.key(reading, _SECONDARY)
        text = reading.text(key)
        if text and host_of(text) not in _NOWHERE:
            yield reading.verdict(
                key,
                False,
                found=text,
                expected="no value: the standby makes the checkpoints, and a SecondaryNameNode exits as "
                "it starts",
                fix=f"remove {key} from {reading.where(key)}",
            )
