"""Restarts of daemons: their order, and which settings cannot be changed a few daemons at a time.

``DAEMONS`` has the order of starting.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

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
"""The order of restarts, also of a rollback to an older release."""
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
"""The order of restarts on a newer release."""


def at_once(role: Role, replication: int) -> int:
    """How many hosts' daemons of a kind may be away at a time."""
    return max(1, replication - 1) if role in WORKERS else 1


class Unrollable(NamedTuple):
    """One kind of settings that a rolling restart may not change."""

    form: re.Pattern[str]
    """The keys, as a whole."""
    reason: str
    """What happens to daemons that have different values of it, after the key."""
    moves_data: bool = False
    """Whether stopping and starting is not enough, because what the daemon keeps is at the former place."""
    unless: Callable[[str, str], bool] = lambda before, after: False
    """Former and later values that are compatible nevertheless."""


def _share(before: str, after: str) -> bool:
    """Whether two lists have an entry in common."""
    first, second = (set(re.split(r"[\s,]+", text.strip())) - {""} for text in (before, after))
    return bool(first & second)


def _has_both(before: str, after: str) -> bool:
    return "HTTP_AND_HTTPS" in (before, after)


def _is_new(before: str, after: str) -> bool:
    """Whether one of both is nothing, so that no daemon looks at a former place."""
    return not before or not after


def _unrollable(
    form: str,
    reason: str,
    unless: Callable[[str, str], bool] = lambda before, after: False,
    *,
    moves_data: bool = False,
) -> Unrollable:
    return Unrollable(re.compile(form), reason, moves_data, unless)


_DAEMONS = r"dfs\.(namenode|journalnode|datanode|secondary|ha\.zkfc)|yarn\.(resourcemanager|nodemanager)"
UNROLLABLE: tuple[Unrollable, ...] = (
    _unrollable(
        r"dfs\.block\.access\.token\.enable",
        "a DataNode exits if its NameNode has another value",
    ),
    _unrollable(
        r"dfs\.encrypt\.data\.transfer(\.algorithm)?",
        "DataNodes that encrypt blocks exchange none with those that do not",
    ),
    _unrollable(
        r"dfs\.data\.transfer\.protection|hadoop\.rpc\.protection|hbase\.rpc\.protection",
        "daemons without a common level of protection reject each other",
        _share,
    ),
    _unrollable(
        r"(hadoop|hbase)\.security\.authentication|hadoop\.http\.authentication\.type|.*\.principal",
        "daemons with different ways of authentication reject each other",
    ),
    _unrollable(
        r"quorum\.auth\..*", "ZooKeepers that require authentication reject servers that do not authenticate"
    ),
    _unrollable(
        r"dfs\.http\.policy|yarn\.http\.policy|mapreduce\.jobhistory\.http\.policy",
        "daemons fetch images and edits from one another's pages, by one protocol",
        _has_both,
    ),
    _unrollable(
        r"fs\.defaultFS|dfs\.(internal\.)?nameservices|dfs\.ha\.namenodes\..*|dfs\.nameservice\.id|dfs\.ha\.namenode\.id",
        "daemons with different names of HDFS no longer share a file system",
    ),
    _unrollable(
        r"dfs\.ha\.automatic-failover\.enabled",
        "NameNodes and their failover controllers must agree who elects the active one",
    ),
    _unrollable(
        r"yarn\.resourcemanager\.(ha\.(enabled|rm-ids)|cluster-id|zk-state-store\.parent-path|store\.class)",
        "ResourceManagers that differ in it are both active, or lose each other's applications",
    ),
    _unrollable(
        rf"({_DAEMONS}|mapreduce\.jobhistory|hbase\.(master|regionserver))\.(?!.*bind)(.*[.-])?(address|hostname|port)(\..*)?",
        "other daemons use the former address until they are restarted",
        _is_new,
    ),
    _unrollable(
        r"clientPort|secureClientPort|server\.\d+|.*\.zookeeper\.(quorum|property\.clientPort)|ha\.zookeeper\.(quorum|parent-znode)"
        r"|hadoop\.zk\.address|yarn\.resourcemanager\.zk-address|zookeeper\.znode\.parent",
        "daemons that use different ZooKeepers elect separate leaders",
        _is_new,
    ),
    _unrollable(
        r"dfs\.namenode\.shared\.edits\.dir(\..*)?",
        "NameNodes that write edits to different JournalNodes lose each other's",
    ),
    _unrollable(
        r"dfs\.namenode\.(name|edits)\.dir|dfs\.journalnode\.edits\.dir(\..*)?|dfs\.datanode\.data\.dir",
        "HDFS's data is in the former directories",
        _share,
        moves_data=True,
    ),
    _unrollable(
        r"dataDir|dataLogDir|hbase\.rootdir|hbase\.wal\.dir|yarn\.resourcemanager\.leveldb-state-store\.path",
        "its data is in the former directory",
        moves_data=True,
    ),
)
"""What cannot roll; a key's first entry counts."""
_ALL_NEED = frozenset({Role.ZOOKEEPER, Role.JOURNALNODE, Role.NAMENODE, Role.DATANODE})
"""The daemons that all others need, directly or not: with them, all are stopped."""


def unrollable(key: str, before: str, after: str) -> Unrollable | None:
    """Why a change of a value cannot be made while its daemons run; None if it can."""
    entry = next((entry for entry in UNROLLABLE if entry.form.fullmatch(key)), None)
    return None if entry is None or entry.unless(before, after) else entry


def stopped_for(roles: Iterable[Role]) -> frozenset[Role]:
    """The daemons that are stopped and started together so that these change; with HDFS, all its users."""
    concerned = frozenset(roles)
    return frozenset(Role) if concerned & _ALL_NEED else concerned
