"""Whether HBase has a second HMaster where HDFS has a second NameNode."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading
from howdah.planner.rules.declare import Rules
from howdah.planner.rules.ha.services import pairs

_SERVERS, _MASTERS = "regionservers", "backup-masters"
rules = Rules()


@rules.inspection(
    "ha.second-hmaster",
    sources="HBASE-2870, HBase 2.6.4: reference guide",
    when="HBase's start scripts have a list of RegionServers",
)
def _second(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """HBase on a pair of NameNodes has a pair of HMasters."""
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
