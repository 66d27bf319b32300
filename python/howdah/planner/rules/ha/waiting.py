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
from howdah.planner.rule import MAY, Decision
from howdah.planner.rules.declare import Condition, Rules, as_number, at_most, between
from howdah.planner.rules.ha.services import is_of_servers, own_pairs
from howdah.planner.rules.ha.settings import missed_by_tcp_s
from howdah.units import format_seconds

_SOURCES = "Hadoop 3.5.0, howdah"
_SESSION_MS = 10_000
_CONNECT_MS = 3_000
_FENCING_MS = 2_000
_ANSWER_MS = 120_000
_ANSWER_LEAST_MS, _ANSWER_MOST_MS = 60_000, 600_000
_PAUSE_MS, _PAUSE_MOST_MS = 1_000, 2_000
_ATTEMPTS = 180
_MINUTES_MS = 100_000
_EXTENSION_S = 30.0
"""dfs.namenode.safemode.extension, which no rule changes: safe mode goes on for it once blocks are known."""
TRANSITION_S = 4.0
"""Without an answer once a NameNode's process has died, as measured."""
_ACTIVE_AFTER_S = 3.0
"""From fencing to a NameNode that answers, at most 2.7 s as measured: edits are finished, then read."""
_PAIR = in_pair(Role.NAMENODE)
_CONDITION = "there are two NameNodes"


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
_ROLL_S = 120
_LONGEST_ROLL_S = 900


rules = Rules(file="hdfs-site.xml")
waiting = rules.under(sources=_SOURCES, file="core-site.xml", when=Condition(_CONDITION, _PAIR))
waiting.fixed(
    "ha.session", "ha.zookeeper.session-timeout.ms", _SESSION_MS, accepts=between(4_000, 30_000)
).text(
    "ZooKeeper notices a lost failover controller within seconds.",
    "a lost host is noticed only after this time, but a switch that pauses, or a ZooKeeper that waits "
    "for its disk, causes no failover; with half of it, the default of older releases, it would",
)
waiting.fixed(
    "ha.connect-timeout", "ipc.client.connect.timeout", _CONNECT_MS, accepts=between(2_000, 20_000)
).text(
    "A client that connects to a silent host soon gives up.",
    "two TCP attempts fit into it, after 0 and 1 s; the default of 20 s delays the fencing of a lost host",
)
waiting.fixed(
    "ha.graceful-retries", "ha.failover-controller.graceful-fence.connection.retries", 0, accepts=at_most
).text(
    "An unreachable NameNode gets one request to become standby.",
    "each further attempt costs ipc.client.connect.timeout, and fencing comes after it anyway",
)


def _fences_by_ssh(facts: Facts) -> bool:
    return "sshfence" in str(facts.decided.get("dfs.ha.fencing.methods"))


waiting.fixed(
    "ha.fencing-timeout",
    "dfs.ha.fencing.ssh.connect-timeout",
    _FENCING_MS,
    when=Condition(
        f"{_CONDITION} and sshfence is among the ways to fence",
        lambda facts: _PAIR(facts) and _fences_by_ssh(facts),
    ),
    accepts=between(1_000, 10_000),
).text(
    "sshfence does not wait long for a host that is lost.",
    "the default is 30 s, for which clients wait until the other NameNode is active",
)
waiting.fixed(
    "ha.answer-timeout",
    "ipc.client.rpc-timeout.ms",
    _ANSWER_MS,
    accepts=between(_ANSWER_LEAST_MS, _ANSWER_MOST_MS),
    today="Before 3.4 it was 0: never.",
).text(
    "A live NameNode has two minutes to answer: a repeated call makes it start again.",
    "du and content summaries of large trees, checkpoints and collections of large heaps take "
    "longer than seconds; a client that gives up sooner repeats the call, and a slow NameNode does "
    "the same work many times. TCP detects a lost host sooner: "
    "net.ipv4.tcp_keepalive_time and tcp_retries2",
    "HADOOP-17552, HDFS-16703, Hadoop 3.5.0: core-default.xml",
)
waiting.fixed(
    "ha.client-pause",
    "dfs.client.failover.sleep.max.millis",
    _PAUSE_MS,
    accepts=between(1, _PAUSE_MOST_MS),
    file="hdfs-site.xml",
).text(
    "A client that finds no active NameNode retries soon.",
    "pauses double up to this; with the default of 15 s a writer was served 15.0 s after a "
    "NameNode's process had died, 10 s after the other one was active",
)


def _outlives(value: Value, decision: Decision, facts: Facts) -> bool:
    """Accept so many attempts as last for minutes with the longest pauses between them."""
    longest = "dfs.client.failover.sleep.max.millis"
    pause = facts.number(longest) if longest in facts.decided else _PAUSE_MS
    return as_number(value) * pause >= _MINUTES_MS


waiting.fixed(
    "ha.client-attempts",
    "dfs.client.failover.max.attempts",
    _ATTEMPTS,
    accepts=_outlives,
    file="hdfs-site.xml",
).text(
    "A client outlives a failover that takes minutes.",
    f"with pauses of {_PAUSE_MS / 1000:.0f} s about three minutes, as with the defaults",
)
waiting.fixed(
    "ha.client-retries", "dfs.client.retry.max.attempts", _ATTEMPTS, accepts=_outlives, file="hdfs-site.xml"
).text(
    "A client outlives a NameNode's safe mode after a start, as long as a failover.",
    "an active NameNode in safe mode after its start makes clients retry; by default "
    f"a client does so ten times, with pauses of {_PAUSE_MS / 1000:.0f} s for ten seconds",
    "Hadoop 3.5.0: RetryPolicies",
)
waiting.fixed(
    "ha.connection-retries",
    "dfs.client.failover.connection.retries.on.timeouts",
    0,
    accepts=at_most,
    file="hdfs-site.xml",
    written=False,
).text(
    "A client tries to connect to a lost host once, then the other NameNode.",
    "each further attempt costs ipc.client.connect.timeout before the client tries the other NameNode",
    "HADOOP-7397, Hadoop 3.5.0: hdfs-default.xml",
)
waiting.fixed(
    "ha.health-timeout",
    "ha.health-monitor.rpc-timeout.ms",
    45_000,
    accepts=between(15_000, 120_000),
    written=False,
).text(
    "A pause of a NameNode causes no failover; a hang does, within minutes.",
    "longer than any pause of a well-sized heap; a dead process is noticed without it, after 1.0 s in a lab",
    "Hadoop 3.5.0: core-default.xml, howdah",
)
waiting.fixed(
    "ha.journal-timeout",
    "dfs.qjournal.write-txns.timeout.ms",
    20_000,
    accepts=between(10_000, 120_000),
    file="hdfs-site.xml",
    written=False,
).text(
    "The active NameNode waits for JournalNodes that pause.",
    "if most of them do not answer for so long, it exits and the other one takes over",
    "Hadoop 3.5.0: QuorumJournalManager",
)


def lost_host(facts: Facts) -> LostHost:
    """How long each wait is, by the settings; raises MissingFact."""
    tries = 1 + facts.number("ha.failover-controller.graceful-fence.connection.retries")
    fence = facts.number("dfs.ha.fencing.ssh.connect-timeout") if _fences_by_ssh(facts) else 0.0
    return LostHost(
        noticed=facts.number("ha.zookeeper.session-timeout.ms") / 1000,
        requested=tries * facts.number("ipc.client.connect.timeout") / 1000,
        fenced=fence / 1000,
    )


@rules.advice(
    "ha.expected-outage",
    MAY,
    sources=_SOURCES,
    when=Condition("there are two NameNodes", is_paired(Role.NAMENODE)),
)
def _whole_outage(facts: Facts) -> str | None:
    """Two NameNodes are worth as much as the time in which neither answers is short."""
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


standby = rules.under(
    file="hdfs-site.xml", written=False, when=Condition("there are two NameNodes", in_pair(Role.NAMENODE))
)
standby.fixed("ha.standby-checkpoints", "dfs.ha.standby.checkpoints", True).text(
    "The standby makes checkpoints.",
    "no other daemon of a pair makes them, and a NameNode that starts reads all edits since the last one",
    "Hadoop 3.5.0: hdfs-default.xml",
)
standby.fixed("ha.log-roll", "dfs.ha.log-roll.period", _ROLL_S, accepts=between(1, _LONGEST_ROLL_S)).text(
    "The standby is minutes behind the active NameNode, not hours.",
    "a standby reads edits only from finished files; clients wait for it to read the rest when it takes over",
    "Hadoop 3.5.0: hdfs-default.xml",
)


@rules.inspection(
    "ha.by-itself", sources="Hadoop 3.5.0: HDFSHighAvailabilityWithQJM", when="there are two NameNodes"
)
def _by_itself(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """The standby takes over by itself."""
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


@rules.inspection(
    "ha.own-id", sources="Hadoop 3.5.0: hdfs-default.xml", when="a configuration is for one NameNode"
)
def _own_id(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """NameNodes that share a configuration find out themselves which of the pair they are."""
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


@rules.inspection(
    "ha.no-secondary", sources="Hadoop 3.5.0: SecondaryNameNode", when="a SecondaryNameNode's address is set"
)
def _no_secondary(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    """A pair of NameNodes has no SecondaryNameNode."""
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
