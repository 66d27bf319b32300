"""Settings of pairs: two NameNodes, two ResourceManagers, and how long all wait for one that is lost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from howdah.hadoop.daemons import DAEMONS, default_port
from howdah.model.hostname import ANY_HOST, host_of
from howdah.model.plan import Role, Value
from howdah.planner.facts import Facts
from howdah.planner.heap import small_heap
from howdah.planner.reading import Inspected, Observation, Values
from howdah.planner.rule import Decision, in_pair, is_paired
from howdah.planner.rules.declare import as_number, read_rules
from howdah.planner.rules.ha.quorums import USUAL_DIR
from howdah.planner.rules.ha.services import is_of_servers, own_pairs
from howdah.planner.rules.security import login
from howdah.releases.catalogue import hadoop
from howdah.units import format_seconds

rules = read_rules("ha.toml")

_PAIR = is_paired(Role.NAMENODE)
JOURNAL_DISK = 2  # After that of names, which the same hosts may have.
_INTERVAL = "net.ipv4.tcp_keepalive_intvl"
_PROBES = "net.ipv4.tcp_keepalive_probes"
_LEAST_TIMEOUT_S, _MOST_TIMEOUT_S = 0.2, 120.0
_DOUBLINGS = 9  # After so many retransmissions TCP's pauses are as long as they get.

rules.when("there are two NameNodes")(_PAIR)
rules.decides("ha.name-service")(lambda facts: Decision(facts.cluster.name))


def numbered(prefix: str, addresses: tuple[str, ...]) -> dict[str, str]:
    """Ids of daemons with their hosts: ``nn1``, ``nn2``."""
    return {f"{prefix}{number}": host for number, host in enumerate(addresses, start=1)}


def _namenodes(facts: Facts) -> dict[str, str]:
    return numbered("nn", facts.cluster.addresses(Role.NAMENODE))


rules.members("ha.namenodes")(
    lambda facts: {f"dfs.ha.namenodes.{facts.cluster.name}": Decision(tuple(_namenodes(facts)))}
)


def _managers(facts: Facts) -> dict[str, str]:
    return numbered("rm", facts.cluster.addresses(Role.RESOURCEMANAGER))


def _addresses(property_name: str) -> Callable[[Facts], Mapping[str, Decision]]:
    """An address of each NameNode, with the name service in its key, or of each ResourceManager."""

    def members(facts: Facts) -> Mapping[str, Decision]:
        of_namenodes = property_name.startswith("dfs.")
        prefix = f"{property_name}.{facts.cluster.name}" if of_namenodes else property_name
        daemons = _namenodes(facts) if of_namenodes else _managers(facts)
        rows = [{"name": name, "host": host} for name, host in daemons.items()]
        port = default_port(property_name)
        suffix = f":{port}" if port else ""
        return {f"{prefix}.{row['name']}": Decision(f"{row['host']}{suffix}", values=row) for row in rows}

    return members


rules.members("ha.rpc-addresses")(_addresses("dfs.namenode.rpc-address"))
rules.members("ha.http-addresses")(_addresses(DAEMONS[Role.NAMENODE].page.key))
rules.members("ha.https-addresses")(_addresses(DAEMONS[Role.NAMENODE].page.encrypted_key))


def _quorum(role: Role, key: str, facts: Facts) -> tuple[str, ...]:
    """Every member of a quorum with the usual port of an address."""
    return tuple(f"{host}:{default_port(key)}" for host in facts.cluster.addresses(role))


@rules.decides("ha.shared-edits")
def _journal(facts: Facts) -> Decision:
    members = _quorum(Role.JOURNALNODE, "dfs.journalnode.rpc-address", facts)
    return Decision(f"qjournal://{';'.join(members)}/{facts.cluster.name}", values={"members": len(members)})


@rules.decides("ha.journal-dir")
def _journal_dir(facts: Facts) -> Decision:
    if facts.own_disks(Role.JOURNALNODE) < JOURNAL_DISK:
        return Decision(USUAL_DIR, words="shared")
    return Decision(f"/data/{JOURNAL_DISK:02d}/journal", words="apart")


@rules.members("ha.proxy-provider")
def _provider(facts: Facts) -> Mapping[str, Decision]:
    provider = Decision("org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider")
    return {f"dfs.client.failover.proxy.provider.{facts.cluster.name}": provider}


@rules.decides("ha.zookeeper-quorum", "resourcemanager.zookeeper", "resourcemanager.election")
def _keepers(facts: Facts) -> Decision:
    members = _quorum(Role.ZOOKEEPER, DAEMONS[Role.ZOOKEEPER].page.key, facts)
    return Decision(members, values={"members": len(members)})


rules.decides("ha.journal-heap")(lambda facts: small_heap(Role.JOURNALNODE))
rules.decides("ha.controller-heap")(
    lambda facts: small_heap(Role.FAILOVER_CONTROLLER, *login(Role.FAILOVER_CONTROLLER, facts))
)


def retransmission_s(retries: int) -> float:
    """How long Linux sends what a lost host does not acknowledge, as it reckons itself (tcp_retries2)."""
    doubled = min(retries, _DOUBLINGS)
    return _LEAST_TIMEOUT_S * (math.pow(2, doubled + 1) - 1) + _MOST_TIMEOUT_S * (retries - doubled)


def missed_by_tcp_s(facts: Facts) -> float:
    """How long the kernel keeps a connection to a lost host, whether something was to be sent or not."""
    kept = facts.number("net.ipv4.tcp_keepalive_time") + facts.number(_INTERVAL) * facts.number(_PROBES)
    return max(kept, retransmission_s(int(facts.number("net.ipv4.tcp_retries2"))))


_KNOWN_PAIR = in_pair(Role.NAMENODE)
rules.when("a NameNode pair, planned or configured", words="there are two NameNodes")(_KNOWN_PAIR)

_MANAGER_PAIR = is_paired(Role.RESOURCEMANAGER)
_ELECTORS = "yarn.resourcemanager.zk-address"
rules.when("there are two ResourceManagers")(_MANAGER_PAIR)


rules.decides("resourcemanager.cluster-id")(lambda facts: Decision(facts.cluster.name))
rules.decides("resourcemanager.ids")(lambda facts: Decision(tuple(_managers(facts))))


_MANAGER_PAGES = DAEMONS[Role.RESOURCEMANAGER].page
rules.members("resourcemanager.hosts")(_addresses("yarn.resourcemanager.hostname"))
rules.members("resourcemanager.pages")(_addresses(_MANAGER_PAGES.key))
rules.members("resourcemanager.pages-tls")(_addresses(_MANAGER_PAGES.encrypted_key))
rules.when("a ResourceManager pair, planned or configured", words="there are two ResourceManagers")(
    in_pair(Role.RESOURCEMANAGER)
)


@rules.when("there are two ResourceManagers and the release no longer takes hadoop.zk.address for it")
def _elects_elsewhere(facts: Facts) -> bool:
    """Whether the release has an address for the election apart from that of the state of jobs."""
    release = hadoop(facts.request.hadoop)
    return _MANAGER_PAIR(facts) and release.find(_ELECTORS) is not None and not release.replacement(_ELECTORS)


_PAUSE_MS = 1_000
_MINUTES_MS = 100_000
_EXTENSION_S = 30.0
"""dfs.namenode.safemode.extension, which no rule changes: safe mode goes on for it once blocks are known."""
TRANSITION_S = 4.0  # Without an answer once a NameNode's process has died, as measured.
_ACTIVE_AFTER_S = 3.0
"""From fencing to a NameNode that answers, at most 2.7 s as measured: edits are finished, then read."""


class LostHost(NamedTuple):
    """What is waited for once the host of the active NameNode is lost, seconds each."""

    noticed: float
    requested: float
    fenced: float

    @property
    def until_active_s(self) -> float:
        """Until the other NameNode answers."""
        return self.noticed + self.requested + self.fenced + _ACTIVE_AFTER_S


_ID = "dfs.ha.namenode.id"


def _fences_by_ssh(facts: Facts) -> bool:
    return "sshfence" in str(facts.decided.get("dfs.ha.fencing.methods"))


rules.when("there are two NameNodes and sshfence is among the ways to fence")(
    lambda facts: _KNOWN_PAIR(facts) and _fences_by_ssh(facts)
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


@rules.advises("ha.expected-outage")
def _whole_outage(facts: Facts) -> Values:
    lost = lost_host(facts)
    timeout = facts.number("ipc.client.rpc-timeout.ms") / 1000
    unreachable = min(missed_by_tcp_s(facts), timeout or math.inf)
    pause = facts.number("dfs.client.failover.sleep.max.millis") / 1000
    ssh = f", {format_seconds(lost.fenced)} for sshfence" if lost.fenced else ""
    times_s = {
        "transition": TRANSITION_S,
        "whole": max(lost.until_active_s, unreachable) + pause,
        "noticed": lost.noticed,
        "requested": lost.requested,
        "active": _ACTIVE_AFTER_S,
        "unreachable": unreachable,
        "pause": pause,
        "timeout": timeout,
        # A standby reads of every block in edits whose file is finished, and then has its safe mode.
        "ready": facts.number("dfs.ha.log-roll.period") + _EXTENSION_S,
        "extension": _EXTENSION_S,
    }
    return {"ssh": ssh, **{name: format_seconds(time_s) for name, time_s in times_s.items()}}


@rules.inspects("ha.by-itself")
def _by_itself(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for pair in own_pairs(reading):
        if is_of_servers(reading, pair):
            key = pair.key(reading, "dfs.ha.automatic-failover.enabled")
            ok = reading.truth(key) is True
            yield reading.verdict(key, ok, default="false", elsewhere="hdfs-site.xml")


@rules.inspects("ha.own-id")
def _own_id(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    text = reading.text(_ID)
    if text and own_pairs(reading):
        yield reading.verdict(_ID, False, found=f"{text}, on every host that has this file")


@rules.inspects("ha.no-secondary")
def _no_secondary(reading: Inspected, facts: Facts) -> Iterator[Observation]:
    for pair in own_pairs(reading):
        key = pair.key(reading, "dfs.namenode.secondary.http-address")
        text = reading.text(key)
        if text and host_of(text) not in ANY_HOST:
            yield reading.verdict(key, False)
