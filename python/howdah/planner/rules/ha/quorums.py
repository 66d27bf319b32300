"""ZooKeepers that elect one of two, as those name them whom they elect, and in which racks quorums lie."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules
from howdah.planner.rules.ha.journals import journals, members, odd_number
from howdah.planner.rules.ha.services import host_of, listed

QUORUM = "ha.zookeeper.quorum"
_HBASE_QUORUM = "hbase.zookeeper.quorum"
CLIENTS = (QUORUM, "hadoop.zk.address", "yarn.resourcemanager.zk-address")
"""Keys that list ZooKeepers with their ports."""
_PARENT = "ha.zookeeper.parent-znode"
_MEMBER = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?")
_NO_RACK = "/default-rack"
rules = Rules()


def keepers(text: str) -> tuple[str, ...]:
    """The ZooKeepers of a list, without the path below which a client sees them."""
    return listed(text.partition("/")[0])


def _well_formed(text: str) -> bool:
    return all(_MEMBER.fullmatch(member) for member in keepers(text))


@rules.inspection(
    "ha.zookeeper-list",
    MUST,
    sources="ZooKeeper 3.8: ConnectStringParser",
    when="ZooKeepers that elect are named",
)
def _strings(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """ZooKeepers are listed with commas, each with its port."""
    for key in CLIENTS:
        text = reading.text(key)
        if text and "${" not in text and "://" not in text:
            hosts = re.findall(_MEMBER, text.partition("/")[0])
            yield reading.verdict(
                key,
                _well_formed(text),
                found=text,
                expected="host:port of each ZooKeeper, with commas: nobody can be elected otherwise",
                fix=f"set {key} to {','.join(map(''.join, hosts))} in {reading.where(key)}",
            )


@rules.inspection(
    "ha.zookeeper-members",
    sources="D0 74, D2 100, Hadoop 3.5.0",
    when="a ZooKeeper quorum is configured for failover or HBase",
)
def _odd(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """ZooKeepers are an odd number, at least three, on different hosts."""
    if any(
        entry.name.startswith("server.") for entry in (reading.config.effective if reading.config else ())
    ):
        # ZooKeeper's own file says how many there are.
        return
    text = reading.text(QUORUM)
    if text and _well_formed(text):
        yield odd_number(reading, QUORUM, keepers(text), "ZooKeepers")
    asked = listed(reading.text(_HBASE_QUORUM))
    if len(asked) > 1:
        # One will do for a small HBase that may stand still; two stand still twice as often.
        yield odd_number(reading, _HBASE_QUORUM, asked, "ZooKeepers")


@rules.inspection(
    "ha.election-path",
    MUST,
    sources="ZooKeeper 3.8: PathUtils, Hadoop 3.5.0: ZKFailoverController",
    when="another path than the release's is set",
)
def _paths(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """The election has a path in ZooKeeper."""
    text = reading.text(_PARENT)
    if text and "${" not in text:
        yield reading.verdict(
            _PARENT,
            text.startswith("/"),
            found=text,
            expected="a path from ZooKeeper's root: the failover controller ends otherwise",
            fix=f"set {_PARENT} to /{text} in {reading.where(_PARENT)}, then hdfs zkfc -formatZK",
        )


@rules.inspection(
    "ha.quorum-racks",
    sources="ZooKeeper 3.8: administrator's guide, Hadoop 3.5.0: HDFSHighAvailabilityWithQJM",
    when="topology.data lies with the configuration, names real racks and knows every member",
)
def _racks(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """A quorum outlasts the loss of a rack, as far as there are racks."""
    mapped = reading.config.mapped if reading.config is not None else None
    if not mapped or "NodeGroup" in (reading.text("net.topology.impl") or ""):
        # Racks of node groups may be virtual ones, which nothing takes down as a whole.
        return
    racks = {host.lower(): place for host, place in mapped.items() if place != _NO_RACK}
    most = len(set(racks.values()))
    for key, addresses, what in _quorums(reading):
        places = [racks.get(host_of(address)) for address in addresses]
        if most < 2 or len(places) < 3 or None in places:
            continue
        rack, held = Counter(places).most_common(1)[0]
        needed = len(places) // 2 + 1
        # In two racks one of them has the majority in any case.
        ok = held < len(places) if most == 2 else len(places) - held >= needed
        yield reading.verdict(
            key,
            ok,
            found=f"{held} of {len(places)} {what} in {rack}",
            expected=f"{what} in {'two' if most == 2 else 'three'} racks: of {len(places)}, {needed} must "
            "answer, and a rack loses its switch or its power as a whole",
            fix=f"move {what} to hosts of other racks, one after the other, and set {key} to them",
        )


def _quorums(reading: Reading) -> Iterator[tuple[str, tuple[str, ...], str]]:
    for key, text, _ in journals(reading):
        yield key, members(text), "JournalNodes"
    for key in (*CLIENTS, _HBASE_QUORUM):
        yield key, keepers(reading.text(key) or ""), "ZooKeepers"
