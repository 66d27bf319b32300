"""Whether HBase has a second HMaster where HDFS has a second NameNode."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rule import Inspection, Rule
from howdah.planner.rules.ha.services import pairs

_SERVERS, _MASTERS = "regionservers", "backup-masters"


def _second(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Asked only where HBase's own scripts start its daemons: others keep elsewhere who is an HMaster."""
    if reading.config is None or not reading.has(_SERVERS) or not pairs(reading):
        return
    waiting = reading.config.backup_masters
    yield Observation(
        ok=bool(waiting),
        about=_MASTERS,
        found=", ".join(waiting) or "no such file, or an empty one",
        expected="a host whose HMaster waits for the first one to end: without any no region moves, splits "
        "or comes back from a lost RegionServer until somebody starts one",
        fix=f"write the host of a second HMaster, such as the other NameNode's, into {_MASTERS} beside "
        f"{_SERVERS}, and start it with hbase-daemon.sh start master --backup; where something else starts "
        "HMasters, let it start two",
        where=_MASTERS,
    )


RULES: tuple[Rule, ...] = (
    Inspection(
        id="ha.second-hmaster",
        says="HBase on a pair of NameNodes has a pair of HMasters.",
        sources=("HBASE-2870", "HBase 2.6.4: reference guide"),
        condition="HBase's start scripts have a list of RegionServers",
        inspect=_second,
    ),
)
