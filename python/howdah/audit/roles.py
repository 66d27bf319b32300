"""Whom a configuration is for: what only masters read is no fault of a client's, nor of a worker's."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from howdah.model.check import HostRole
from howdah.model.found import FoundConfig

_EVERYBODY = frozenset(HostRole)
_MASTERS = frozenset({HostRole.MASTER})
_WORKERS = frozenset({HostRole.WORKER})
_SERVERS = _MASTERS | _WORKERS

_READ_BY: tuple[tuple[str, frozenset[HostRole]], ...] = (
    # Where daemons are, and who they are, everybody has to know who talks to them.
    (r".*\.(rpc|http|https)-address(\..*)?|.*\.kerberos\.principal", _EVERYBODY),
    (
        r"yarn\.resourcemanager\.(hostname|address|ha\.|cluster-id|connect\.|webapp\.(https\.)?address|principal).*",
        _EVERYBODY,
    ),
    (r"yarn\.nodemanager\.principal|mapreduce\.jobhistory\.(.*address|principal)", _EVERYBODY),
    (r"mapreduce\.jobhistory\.(intermediate-done-dir|done-dir)", _EVERYBODY),
    (r".*(keytab|spnego|signature\.secret|anonymous\.allowed|filter\.initializers).*", _SERVERS),
    (r"ssl\.server\..*|HADOOP_(LOG|PID)_DIR|HBASE_(LOG|PID)_DIR|yarn\.log-aggregation.*", _SERVERS),
    (r"dfs\.namenode\..*|dfs\.journalnode\..*|dfs\.secondary\..*|dfs\.hosts.*|dfs\.permissions.*", _MASTERS),
    (r"dfs\.(qjournal|internal\.nameservices).*|ha\.(health-monitor|failover-controller)\..*", _MASTERS),
    (
        r"dfs\.block\.(replicator|placement).*|dfs\.ha\.(fencing|automatic-failover|standby|log-roll|tail-edits|namenode\.).*",
        _MASTERS,
    ),
    (r"net\.topology\..*|ha\.zookeeper\..*|hadoop\.zk\..*|dfs\.use\.dfs\.network\.topology", _MASTERS),
    (r"yarn\.resourcemanager\..*|yarn\.scheduler\..*|yarn\.nm\.liveness-monitor\..*", _MASTERS),
    (r"yarn\.(acl|admin)\..*|hbase\.master\..*|hbase\.coprocessor\.master\..*", _MASTERS),
    (
        r"(HDFS|YARN|MAPRED|HBASE)_(NAMENODE|SECONDARYNAMENODE|JOURNALNODE|ZKFC|RESOURCEMANAGER)_OPTS",
        _MASTERS,
    ),
    (r"MAPRED_HISTORYSERVER_OPTS|HBASE_MASTER_OPTS|HBASE_MANAGES_ZK|autopurge\..*|tickTime", _MASTERS),
    (
        r"dataDir|dataLogDir|initLimit|syncLimit|clientPort|forceSync|(min|max)SessionTimeout|admin\.serverAddress|server\..*",
        _MASTERS,
    ),
    (r"dfs\.datanode\..*|dfs\.blockreport\..*|dfs\.heartbeat\.interval|yarn\.nodemanager\..*", _WORKERS),
    (r"yarn\.node-attribute\..*|mapreduce\.shuffle\..*|spark\.yarn\.shuffle\..*", _WORKERS),
    (r"hbase\.regionserver\..*|hbase\.bucketcache\..*|hfile\.block\.cache\.size", _WORKERS),
    (
        r"HDFS_DATANODE_OPTS|YARN_NODEMANAGER_OPTS|HBASE_REGIONSERVER_OPTS|banned\.users|min\.user\.id",
        _WORKERS,
    ),
)
"""Keys and variables by who reads them; the first that fits counts, and what fits none everybody reads."""

_COMPILED = tuple((re.compile(form), readers) for form, readers in _READ_BY)
_HERE = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})


def readers(key: str) -> frozenset[HostRole]:
    """Which hosts have a process that reads a key, or anything else that a check is about."""
    return next((readers for form, readers in _COMPILED if form.fullmatch(key)), _EVERYBODY)


def role_of(config: FoundConfig) -> HostRole | None:
    """``client`` where nothing is set that only daemons read, and the file system is another host's.

    None where the files do not tell: a folder that serves all hosts of a cluster is looked at as a whole.
    """
    named = next((entry.text for entry in config.properties if entry.name == "fs.defaultFS"), "")
    address = urlsplit(named)
    if address.scheme != "hdfs" or not address.hostname or address.hostname in _HERE or config.workers:
        return None
    keys = [entry.name for entry in (*config.properties, *config.environment)]
    return None if any(HostRole.CLIENT not in readers(key) for key in keys) else HostRole.CLIENT
