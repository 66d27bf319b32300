"""What a standby NameNode is for: to be as far as the active one, to make checkpoints, and to take over."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.plan import Role
from howdah.planner.conditions import in_pair
from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rules.declare import Condition, Rules
from howdah.planner.rules.ha.services import host_of, is_of_servers, own_pairs
from howdah.planner.values import between

_AUTOMATIC = "dfs.ha.automatic-failover.enabled"
_ID = "dfs.ha.namenode.id"
_SECONDARY = "dfs.namenode.secondary.http-address"
_NOWHERE = ("", "0.0.0.0")
_ROLL_S = 120
_LONGEST_ROLL_S = 900
rules = Rules()
standby = rules.under(
    file="hdfs-site.xml", written=False, when=Condition("there are two NameNodes", in_pair(Role.NAMENODE))
)

standby.fixed("ha.standby-checkpoints", "dfs.ha.standby.checkpoints", True).text(
    "The standby makes checkpoints.",
    "nobody else does in a pair, and a NameNode that starts reads all edits since the last one",
    "Hadoop 3.5.0: hdfs-default.xml",
)
standby.fixed("ha.log-roll", "dfs.ha.log-roll.period", _ROLL_S, accepts=between(1, _LONGEST_ROLL_S)).text(
    "The standby is minutes behind the active NameNode, not hours.",
    "a standby reads edits whose file is finished; all that it has not read when it is to take "
    "over, clients wait for",
    "Hadoop 3.5.0: hdfs-default.xml",
)


@rules.inspection(
    "ha.by-itself", sources="Hadoop 3.5.0: HDFSHighAvailabilityWithQJM", when="there are two NameNodes"
)
def _by_itself(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """The standby takes over by itself."""
    for pair in own_pairs(reading):
        if not is_of_servers(reading, pair):
            continue
        key = pair.key(reading, _AUTOMATIC)
        yield Observation(
            ok=reading.truth(key) is True,
            about=key,
            found=reading.text(key) or "false (default)",
            expected="true: until somebody comes, no NameNode is active after the active one's host is lost",
            fix=f"set {key} to true in hdfs-site.xml, name the ZooKeepers in ha.zookeeper.quorum, then run "
            "hdfs zkfc -formatZK and start a failover controller beside each NameNode",
            where=reading.where(key) or "hdfs-site.xml",
        )


@rules.inspection(
    "ha.own-id", sources="Hadoop 3.5.0: hdfs-default.xml", when="a configuration says which NameNode reads it"
)
def _own_id(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """NameNodes that share a configuration find out themselves which of the pair they are."""
    text = reading.text(_ID)
    if text and own_pairs(reading):
        yield reading.verdict(
            _ID,
            False,
            found=f"{text}, on every host that has this file",
            expected="nothing: a NameNode finds by its own address which it is, and with this file of the "
            "other one's host it would take that one's place",
            fix=f"remove {_ID} from {reading.where(_ID)}",
        )


@rules.inspection(
    "ha.no-secondary", sources="Hadoop 3.5.0: SecondaryNameNode", when="a SecondaryNameNode's address is set"
)
def _no_secondary(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """A pair of NameNodes has no SecondaryNameNode."""
    for pair in own_pairs(reading):
        key = pair.key(reading, _SECONDARY)
        text = reading.text(key)
        if text and host_of(text) not in _NOWHERE:
            yield reading.verdict(
                key,
                False,
                found=text,
                expected="nothing: the standby makes the checkpoints, and a SecondaryNameNode that start "
                "scripts start there ends at once",
                fix=f"remove {key} from {reading.where(key)}",
            )
