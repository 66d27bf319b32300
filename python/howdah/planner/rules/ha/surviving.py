"""Whether a configuration that exists survives the loss of a host: pairs, apart, with all that they need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules
from howdah.planner.rules.ha.fencing import FENCING
from howdah.planner.rules.ha.quorums import QUORUM
from howdah.planner.rules.ha.services import (
    PROVIDER,
    SHARED,
    NamedPair,
    all_named,
    host_of,
    is_of_servers,
    is_own,
    known_services,
    listed,
    own_pairs,
    pairs,
)

_SOURCES = "D0 74, D2 100, Hadoop 3.5.0"
_AUTOMATIC = "dfs.ha.automatic-failover.enabled"
_FENCING_KEY = "dfs.ha.fencing.ssh.private-key-files"
_MANAGERS = "yarn.resourcemanager.ha.rm-ids"
rules = Rules()


@rules.inspection("ha.pairs-apart", MUST, sources=_SOURCES, when="a pair is configured")
def _pairs_apart(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Two NameNodes, or two ResourceManagers, are on different hosts."""
    for pair in own_pairs(reading):
        yield from _apart(reading, pair.addresses(), "NameNodes")
    managers = [f"yarn.resourcemanager.hostname.{name}" for name in listed(reading.text(_MANAGERS))]
    yield from _apart(reading, managers, "ResourceManagers")


def _apart(reading: Reading, keys: Sequence[str], what: str) -> Iterator[Observation]:
    hosts = [host_of(text) for key in keys if (text := reading.text(key))]
    if len(hosts) < 2:
        return
    yield reading.verdict(
        keys[-1],
        len(set(hosts)) == len(hosts),
        found=", ".join(hosts),
        expected=f"{what} on different hosts",
        fix=f"move one of the {what} to another host and set {keys[-1]} to it",
    )


@rules.inspection("ha.complete", MUST, sources=_SOURCES, when="a name service lists two NameNodes")
def _complete_pair(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """A pair of NameNodes has shared edits, fencing, a failover proxy and a quorum."""
    known = known_services(reading)
    own = own_pairs(reading)
    for alone in all_named(reading):
        if alone.service in known and len(alone.namenodes) < 2 and is_own(reading, alone):
            yield from _alone(reading, alone)
    for pair in pairs(reading):
        yield _needed(
            reading,
            f"{PROVIDER}.{pair.service}",
            "how clients find the active NameNode",
            "ConfiguredFailoverProxyProvider",
        )
        for name, key in zip(pair.namenodes, pair.addresses(), strict=True):
            yield _needed(reading, key, f"the address of {name}", "host:8020")
        if pair in own and is_of_servers(reading, pair):
            yield from _failover(reading, pair)


def _failover(reading: Reading, pair: NamedPair) -> Iterator[Observation]:
    """What NameNodes of this cluster need besides, and those of another one have there."""
    yield _needed(
        reading,
        pair.key(reading, SHARED),
        "where the standby reads the edits",
        "qjournal://h1:8485;h2:8485;h3:8485/ns",
    )
    fencing = pair.key(reading, FENCING)
    yield _needed(reading, fencing, "how a NameNode that is no longer active is stopped", "shell(/bin/true)")
    if reading.truth(pair.key(reading, _AUTOMATIC)):
        yield _needed(
            reading, QUORUM, "the ZooKeepers that elect the active NameNode", "h1:2181,h2:2181,h3:2181"
        )
    if "sshfence" in (reading.text(fencing) or ""):
        yield _needed(reading, _FENCING_KEY, "the key with which sshfence logs in", "/etc/hadoop/ssh/fencing")


def _alone(reading: Reading, alone: NamedPair) -> Iterator[Observation]:
    """A service of one NameNode, where edits are shared as only a pair needs them."""
    if reading.text(alone.key(reading, SHARED)):
        key = f"dfs.ha.namenodes.{alone.service}"
        yield reading.verdict(
            key,
            False,
            found=", ".join(alone.namenodes) or "nothing",
            expected="two NameNodes: none follows the shared edits",
            fix=f"set {key} to nn1,nn2 and give each its dfs.namenode.rpc-address.{alone.service}.ID",
        )


def _needed(reading: Reading, key: str, what: str, example: str) -> Observation:
    text = reading.text(key)
    return reading.verdict(
        key, bool(text), found=text or "not set", expected=what, fix=f"set {key}, for instance to {example}"
    )
