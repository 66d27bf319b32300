"""In which order daemons are restarted, and what waits for what; ``DAEMONS`` has the order of starting."""

from __future__ import annotations

from howdah.hadoop.daemons import DAEMONS, OF_HBASE, WORKERS
from howdah.model.plan import Role

QUORUM = (Role.ZOOKEEPER, Role.JOURNALNODE)
"""What runs before the first NameNode is formatted."""
ON_HDFS = (Role.RESOURCEMANAGER, Role.NODEMANAGER, Role.JOB_HISTORY)
"""What ends at once, or tries in vain, until HDFS takes changes.

Of two ResourceManagers, the active one keeps what is said of nodes there.
"""
HDFS = tuple(role for role in DAEMONS if role not in (*ON_HDFS, *OF_HBASE))

_NAMENODE = (Role.FAILOVER_CONTROLLER, Role.NAMENODE)
"""A NameNode and its failover controller: restarted together, so that one handing over does for both."""
RESTARTING = (
    # Workers first, masters last; of what needs a majority, or stands in for another, one at a time.
    (Role.DATANODE,),
    (Role.NODEMANAGER,),
    (Role.REGIONSERVER,),
    (Role.SECONDARY_NAMENODE,),
    (Role.JOB_HISTORY,),
    (Role.JOURNALNODE,),
    (Role.ZOOKEEPER,),
    (Role.RESOURCEMANAGER,),
    _NAMENODE,
    (Role.HMASTER,),
)
"""What is restarted after what; who goes back to an older release goes this way too."""
UPGRADING = (
    # A master understands workers of an older release; a worker need not understand an older master.
    _NAMENODE,
    (Role.SECONDARY_NAMENODE,),
    (Role.JOURNALNODE,),
    (Role.ZOOKEEPER,),
    (Role.DATANODE,),
    (Role.RESOURCEMANAGER,),
    (Role.NODEMANAGER,),
    (Role.JOB_HISTORY,),
    (Role.HMASTER,),
    (Role.REGIONSERVER,),
)
"""What is restarted after what on a newer release."""


def at_once(role: Role, replication: int) -> int:
    """How many hosts' daemons of a kind may be away at a time."""
    return max(1, replication - 1) if role in WORKERS else 1
