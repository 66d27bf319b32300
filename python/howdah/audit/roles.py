"""Whom a configuration is for: what only masters read is no fault of a client's, nor of a worker's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from urllib.parse import urlsplit

from howdah.hadoop.daemons import WORKERS
from howdah.hadoop.readers import readers_of
from howdah.model.check import HostRole
from howdah.model.found import FoundConfig
from howdah.model.plan import Role, Value

_LIKE_CLIENTS = frozenset({Role.JOB_HISTORY, Role.HMASTER})

_MASTERS = frozenset(Role) - WORKERS
_OF_SERVERS = re.compile(
    r".*(keytab|spnego|signature\.secret|anonymous\.allowed|filter\.initializers).*|ssl\.server\..*"
    r"|yarn\.log-aggregation.*|[A-Z]+_(LOG|PID)_DIR|HBASE_MANAGES_ZK"
)
"""What clients have no use for although the JobHistoryServer, a client of HDFS and YARN itself, reads it."""
_OF_SERVERS_UNLESS_SET = re.compile(r"yarn\.(acl\.enable|admin\.acl|http\.policy)|hbase\.rootdir")
"""What clients may do without, although they read it: the servers' folders set it."""
_OF_ALL = re.compile(
    r"yarn\.timeline-service\.enabled|mapreduce\.jobhistory\.((intermediate-)?done-dir|.*address)|fs\.trash\..*"
)
"""What jobs and users read as well as the daemon that it is named after."""
_COPIED = re.compile(
    r"ha\.zookeeper\.quorum|hadoop\.zk\.address|yarn\.resourcemanager\.(zk-address|cluster-id)"
    r"|dfs\.namenode\.(https?|servicerpc)-address\..+\..+"
)
"""Addresses of pairs and of those who elect one of them, which clients' folders have as well."""
_HERE = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})


@cache
def readers(key: str) -> frozenset[HostRole]:
    """Which hosts have a process that reads a key, or anything else that a check is about."""
    if _OF_ALL.fullmatch(key):
        return frozenset(HostRole)
    if _OF_SERVERS.fullmatch(key):
        return frozenset({HostRole.MASTER, HostRole.WORKER})
    daemons = readers_of(key, None)
    # A client names what the JobHistoryServer does, and HBase's what both of HBase's daemons do.
    is_clients = not daemons or (len(daemons) > 1 and bool(daemons & _LIKE_CLIENTS))
    return frozenset(
        role
        for role, reads in (
            (HostRole.MASTER, not daemons or bool(daemons & _MASTERS)),
            (HostRole.WORKER, not daemons or bool(daemons & WORKERS)),
            (HostRole.CLIENT, is_clients),
        )
        if reads
    )


def concerns(role: HostRole, key: str, config: FoundConfig | None) -> bool:
    """Whether a check about a key is one of hosts of that role."""
    unset = config is None or all(entry.name != key for entry in config.effective)
    if role is HostRole.CLIENT and unset and _OF_SERVERS_UNLESS_SET.fullmatch(key):
        return False
    return role in readers(key)


class ReadByClients(Mapping[str, Value]):
    """The values that a client's folder gives: of keys that only servers read those that it sets.

    The servers' own folders set them, and may set another value than the release's default.
    """

    def __init__(self, known: Mapping[str, Value], config: FoundConfig) -> None:
        self._known = known
        self._given = frozenset(entry.name for entry in config.effective)

    def _is_unset(self, key: str) -> bool:
        return key not in self._given and HostRole.CLIENT not in readers(key)

    def __getitem__(self, key: str) -> Value:
        if self._is_unset(key):
            raise KeyError(key)
        return self._known[key]

    def __iter__(self) -> Iterator[str]:
        return (key for key in self._known if not self._is_unset(key))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def role_of(config: FoundConfig) -> HostRole | None:
    """``client`` where nothing is set that only daemons read, and the file system is another host's.

    None where the files do not tell: a folder that serves all hosts of a cluster is looked at as a whole.
    """
    named = next((entry.text for entry in config.properties if entry.name == "fs.defaultFS"), "")
    address = urlsplit(named)
    if address.scheme != "hdfs" or not address.hostname or address.hostname in _HERE or config.workers:
        return None
    keys = [entry.name for entry in (*config.properties, *config.environment)]
    of_daemons = (key for key in keys if HostRole.CLIENT not in readers(key))
    return HostRole.CLIENT if all(map(_COPIED.fullmatch, of_daemons)) else None
