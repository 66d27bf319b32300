"""How soon the kernel gives up a connection to a host that is lost, while Hadoop waits for an answer.

A call that a lost host had received has nothing more to send: only TCP's keepalive misses the other end,
which Hadoop's clients switch on for every connection. A call on a connection of before is sent again as
often as net.ipv4.tcp_retries2 says. A host that lives answers both in its kernel, however long its NameNode
collects garbage, so that none of this gives up a NameNode that is slow.
"""

from __future__ import annotations

import math

from howdah.model.plan import Role
from howdah.planner.conditions import in_pair
from howdah.planner.facts import Facts
from howdah.planner.rule import MAY
from howdah.planner.rules.declare import Condition, Rules
from howdah.planner.values import between

_RETRIES = "net.ipv4.tcp_retries2"
_KEEPALIVE = "net.ipv4.tcp_keepalive_time"
_INTERVAL = "net.ipv4.tcp_keepalive_intvl"
_PROBES = "net.ipv4.tcp_keepalive_probes"
_LEAST_TIMEOUT_S, _MOST_TIMEOUT_S = 0.2, 120.0
_DOUBLINGS = 9
"""After so many retransmissions TCP's pauses are as long as they get."""


def retransmission_s(retries: int) -> float:
    """How long Linux sends what a lost host does not acknowledge, as it reckons itself (tcp_retries2)."""
    doubled = min(retries, _DOUBLINGS)
    return _LEAST_TIMEOUT_S * (math.pow(2, doubled + 1) - 1) + _MOST_TIMEOUT_S * (retries - doubled)


def missed_by_tcp_s(facts: Facts) -> float:
    """How long the kernel keeps a connection to a lost host, whether something was to be sent or not."""
    kept = facts.number(_KEEPALIVE) + facts.number(_INTERVAL) * facts.number(_PROBES)
    return max(kept, retransmission_s(int(facts.number(_RETRIES))))


rules = Rules()
kernel = rules.under(
    file="sysctl.conf", severity=MAY, when=Condition("there are two NameNodes", in_pair(Role.NAMENODE))
)

kernel.fixed("ha.retransmissions", _RETRIES, 5, accepts=between(3, 15)).text(
    "Linux gives up what a lost host does not acknowledge within a quarter of a minute.",
    "a call to a host that was lost before failed after 13.4 s, as measured; by itself it is 15, "
    "and a quarter of an hour. An interruption of the network that is longer ends connections, "
    "which HDFS and YARN make again",
    "Linux: ip-sysctl, Elasticsearch: TCP retransmission timeout, howdah",
)
kernel.fixed("ha.keepalive", _KEEPALIVE, 5, accepts=between(1, 7200)).text(
    "A connection on which nothing comes is probed after seconds.",
    "a call that a host received before it was lost has nothing to send again: with these probes it"
    " fails after 13 s, without them after ipc.client.rpc-timeout.ms. By itself it is two hours; a "
    "NameNode that is slow is probed too, and its kernel answers",
    "Linux: ip-sysctl, Hadoop 3.5.0: ipc.Client, howdah",
)
kernel.fixed("ha.keepalive-interval", _INTERVAL, 2, accepts=between(1, 75)).text(
    "Probes follow one another every two seconds.",
    "several fit into the time that a call that is sent again has",
    "Linux: ip-sysctl, howdah",
)
kernel.fixed("ha.keepalive-probes", _PROBES, 4, accepts=between(3, 20)).text(
    "A connection is given up once four probes had no answer.",
    "8 s of silence: a switch that starts its ports again is not taken for a lost host",
    "Linux: ip-sysctl, howdah",
)
