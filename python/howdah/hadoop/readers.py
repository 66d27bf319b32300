"""Which daemons read a configuration key, and which changes of keys daemons cannot read one after another.

The releases' jars show which daemons' code names a key (``releases/data/*.json``, made by hadoop/catalogue).
This module adds the keys that no code names as they are written. A misspelt key was meant to be a close one
that the same daemons read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import NamedTuple

from howdah.hadoop.daemons import DAEMONS
from howdah.model.plan import ClusterPlan, Role, Setting
from howdah.model.request import DEFAULT_HADOOP, DEFAULT_HBASE
from howdah.releases.catalogue import Release, hadoop, hbase
from howdah.releases.values import variables

_NO_DAEMONS: tuple[tuple[str, str], ...] = (
    (r".*_PID_DIR", "systemd starts daemons in the foreground, so they write no such file"),
    (r".*_CLIENT_OPTS|HBASE_MANAGES_ZK", "read by scripts that users start"),
)
"""Names that no daemon reads although it loads the file, and why."""
_ALL_LOADING: tuple[tuple[str, str], ...] = (
    (r".*\.principal", "named in annotations of protocols, for all their clients"),
    (r".*_LOG_DIR|HADOOP_OPTS|HBASE_OPTS", "read by the scripts that start daemons"),
)
"""Names that every daemon reads that loads the file, which its code does not show, and why."""
_WITHOUT_FILE: tuple[tuple[str, str], ...] = (
    (r"(dataDir|dataLogDir|tickTime|initLimit|syncLimit|clientPort|forceSync|(min|max)SessionTimeout|admin|server"
     r"|autopurge|quorum|authProvider)(\..*)?", "zoo.cfg"),
    (r"banned\.users|min\.user\.id", "container-executor.cfg"),
    (r"HDFS_.*_OPTS", "hadoop-env.sh"),
    (r"YARN_.*_OPTS", "yarn-env.sh"),
    (r"MAPRED_.*_OPTS", "mapred-env.sh"),
    (r"HBASE_.*_OPTS", "hbase-env.sh"),
    (r"SERVER_JVMFLAGS", "zookeeper-env.sh"),
)  # fmt: skip
"""The file of names that no catalogue lists."""
_READ_AS: tuple[tuple[str, str, str], ...] = (
    (r"dfs\.ha\.fencing\.ssh\..*", "dfs.ha.fencing.methods", "loaded by the class that the methods name"),
    (r"dfs\.client\.read\.shortcircuit(\..*)?", "dfs.client.retry.max.attempts",
     "composed when a class is loaded that all of HDFS loads, and read by its client"),
    (r"dfs\.web\.authentication\..*", "dfs.web.authentication.kerberos.keytab",
     "read with all keys of that beginning, by what serves WebHDFS"),
)  # fmt: skip
"""Names without readers in the code: the key with the same readers, and why."""
_LEAST_PARTS = 3  # Words of a beginning with readers of all its keys: ``yarn.nodemanager.`` has too few.
_LEAST_RELATED = 2
"""Words that a misspelt key's beginning needs to show which daemons read its keys: ``dfs`` alone does not."""


def readers(setting: Setting, plan: ClusterPlan) -> frozenset[Role]:
    """The daemons that read a plan's setting when they start; none if only clients and jobs do."""
    request = plan.cluster.request
    return readers_of(setting.key, setting.file, request.hadoop, request.hbase)


def present_roles(plan: ClusterPlan) -> frozenset[Role]:
    """The daemons that a plan has anywhere."""
    systems = [*(master.roles for master in plan.cluster.masters), *(worker.roles for worker in plan.workers)]
    return frozenset(role for roles in systems for role in roles)


@cache
def readers_of(
    key: str, file: str | None, hadoop_version: str = DEFAULT_HADOOP, hbase_version: str = DEFAULT_HBASE
) -> frozenset[Role]:
    """The daemons that read a key of a file; if that is unknown, all that load the file.

    Without a file, every file counts.
    """
    if file is None:
        file = next((named for form, named in _WITHOUT_FILE if re.fullmatch(form, key)), None)
    loading = frozenset(role for role, kind in DAEMONS.items() if file is None or file in kind.files)
    if _matches(key, _NO_DAEMONS):
        return frozenset()
    if _matches(key, _ALL_LOADING):
        return loading
    if file is not None and not file.endswith(".xml"):
        return frozenset(role for role, kind in DAEMONS.items() if kind.options == key) or loading
    name = next((same_as for form, same_as, _ in _READ_AS if re.fullmatch(form, key)), key)
    named = [_named(name, release) for release in (hadoop(hadoop_version), hbase(hbase_version))]
    if named == [None, None]:
        return loading
    roles = {Role(daemon) for daemons in named for daemon in daemons or ()}
    for expanding in _expanding(hadoop_version, hbase_version).get(name, ()):
        roles |= readers_of(expanding, None, hadoop_version, hbase_version)
    return frozenset(roles) & loading


def _matches(key: str, forms: tuple[tuple[str, str], ...]) -> bool:
    return any(re.fullmatch(form, key) for form, _ in forms)


def _named(key: str, release: Release) -> frozenset[str] | None:
    """The daemons of a release with a key in their code, or with its parts; None if no code has it."""
    parts = key.split(".")
    named: frozenset[str] | None = None
    for count in range(len(parts), 1, -1):
        text = ".".join(parts[:count])
        exact, beginning = release.readers.get(text), release.readers.get(f"{text}.")
        if named is not None and count < _LEAST_PARTS:
            break
        if count == len(parts) or named is None:
            both = [daemons for daemons in (exact, beginning) if daemons is not None]
            named = frozenset[str]().union(*both) if both else named
        elif beginning:
            # Some code reads all keys of a beginning: hadoop.http.authentication.type.
            return named | beginning
    return named


@cache
def _expanding(hadoop_version: str, hbase_version: str) -> Mapping[str, tuple[str, ...]]:
    """The keys that expand another key in their defaults, by this other key."""
    expanding: dict[str, dict[str, None]] = {}
    for release in (hadoop(hadoop_version), hbase(hbase_version)):
        for entry in release.properties.values():
            for variable in variables(entry.default or ""):
                if variable != entry.name:
                    expanding.setdefault(variable, {})[entry.name] = None
    return {variable: tuple(names) for variable, names in expanding.items()}


def intended_key(name: str, release: Release) -> str | None:
    """The release's key that a misspelt one was meant to be; None if no close one has its readers."""
    letters = _letters(name)
    same = [key for key in release.properties if len(key) == len(name) and _letters(key) == letters]
    if len(same) == 1 and same[0].lower() != name.lower():
        # A dot for a hyphen: the same words in the same order are meant.
        return same[0]
    return next((key for key in release.close_names(name) if _share_readers(name, key, release)), None)


def _letters(name: str) -> str:
    return re.sub(r"[._-]", "", name)


def _share_readers(name: str, candidate: str, release: Release) -> bool:
    """Whether a daemon reads both, or only clients and jobs do.

    No code names a misspelt key, so that its readers are those of the keys that begin as it does.
    """
    parts = name.split(".")
    for count in range(len(parts) - 1, _LEAST_RELATED - 1, -1):
        beginning = ".".join(parts[:count]) + "."
        if candidate.startswith(beginning):
            return True
        relatives = [key for key in release.properties if key.startswith(beginning)]
        if relatives:
            own = _readers(candidate, release)
            return any(own & those or own == those for those in (_readers(key, release) for key in relatives))
    return True


def _readers(key: str, release: Release) -> frozenset[Role]:
    if release.product == "hbase":
        return readers_of(key, None, DEFAULT_HADOOP, release.version)
    return readers_of(key, None, release.version, DEFAULT_HBASE)


class Unrollable(NamedTuple):
    """One kind of settings that a rolling restart may not change."""

    form: str  # A regular expression for the whole key.
    reason: str  # What happens to daemons that have different values of it, after the key.
    unless: Callable[[str, str], bool] = lambda before, after: False
    """Former and later values that are compatible nevertheless."""
    moves_data: bool = False
    """Whether stopping and starting is not enough, because the daemon's data is at the former place."""


def _share(before: str, after: str) -> bool:
    """Whether two lists have an entry in common."""
    first, second = (set(re.split(r"[\s,]+", text.strip())) - {""} for text in (before, after))
    return bool(first & second)


def _is_new(before: str, after: str) -> bool:
    """Whether one of both is nothing, so that no daemon uses a former place."""
    return not before or not after


_DAEMONS = r"dfs\.(namenode|journalnode|datanode|secondary|ha\.zkfc)|yarn\.(resourcemanager|nodemanager)"
UNROLLABLE: tuple[Unrollable, ...] = (
    Unrollable(r"dfs\.block\.access\.token\.enable", "a DataNode exits if its NameNode has another value"),
    Unrollable(r"dfs\.encrypt\.data\.transfer(\.algorithm)?",
               "DataNodes that encrypt blocks exchange none with those that do not"),
    Unrollable(r"dfs\.data\.transfer\.protection|hadoop\.rpc\.protection|hbase\.rpc\.protection",
               "daemons without a common level of protection reject each other", _share),
    Unrollable(r"(hadoop|hbase)\.security\.authentication|hadoop\.http\.authentication\.type|.*\.principal",
               "daemons with different ways of authentication reject each other"),
    Unrollable(r"quorum\.auth\..*",
               "ZooKeepers that require authentication reject servers that do not authenticate"),
    Unrollable(r"dfs\.http\.policy|yarn\.http\.policy|mapreduce\.jobhistory\.http\.policy",
               "daemons fetch images and edits from one another's pages, by one protocol",
               lambda before, after: "HTTP_AND_HTTPS" in (before, after)),
    Unrollable(r"fs\.defaultFS|dfs\.(internal\.)?nameservices|dfs\.ha\.namenodes\..*|dfs\.nameservice\.id"
               r"|dfs\.ha\.namenode\.id",
               "daemons with different names of HDFS no longer share a file system"),
    Unrollable(r"dfs\.ha\.automatic-failover\.enabled",
               "NameNodes and their failover controllers must agree who elects the active one"),
    Unrollable(r"yarn\.resourcemanager\.(ha\.(enabled|rm-ids)|cluster-id|zk-state-store\.parent-path"
               r"|store\.class)",
               "ResourceManagers that differ in it are both active, or lose each other's applications"),
    Unrollable(rf"({_DAEMONS}|mapreduce\.jobhistory|hbase\.(master|regionserver))"
               r"\.(?!.*bind)(.*[.-])?(address|hostname|port)(\..*)?",
               "other daemons use the former address until they are restarted", _is_new),
    Unrollable(r"clientPort|secureClientPort|server\.\d+|.*\.zookeeper\.(quorum|property\.clientPort)"
               r"|ha\.zookeeper\.(quorum|parent-znode)|hadoop\.zk\.address"
               r"|yarn\.resourcemanager\.zk-address|zookeeper\.znode\.parent",
               "daemons that use different ZooKeepers elect separate leaders", _is_new),
    Unrollable(r"dfs\.namenode\.shared\.edits\.dir(\..*)?",
               "NameNodes that write edits to different JournalNodes lose each other's"),
    Unrollable(r"dfs\.namenode\.(name|edits)\.dir|dfs\.journalnode\.edits\.dir(\..*)?|dfs\.datanode\.data\.dir",
               "HDFS's data is in the former directories", _share, moves_data=True),
    Unrollable(r"dataDir|dataLogDir|hbase\.rootdir|hbase\.wal\.dir|yarn\.resourcemanager\.leveldb-state-store\.path",
               "its data is in the former directory", moves_data=True),
)  # fmt: skip
"""What cannot roll; a key's first entry counts."""
_ALL_NEED = frozenset({Role.ZOOKEEPER, Role.JOURNALNODE, Role.NAMENODE, Role.DATANODE})
"""The daemons that all others need, directly or not: with them, all are stopped."""


def unrollable(key: str, before: str, after: str) -> Unrollable | None:
    """Why a change of a value cannot be made while its daemons run; None if it can."""
    entry = next((entry for entry in UNROLLABLE if re.fullmatch(entry.form, key)), None)
    return None if entry is None or entry.unless(before, after) else entry


def stopped_for(roles: Iterable[Role]) -> frozenset[Role]:
    """The daemons that are stopped and started together so that these change; with HDFS, all its users."""
    concerned = frozenset(roles)
    return frozenset(Role) if concerned & _ALL_NEED else concerned
