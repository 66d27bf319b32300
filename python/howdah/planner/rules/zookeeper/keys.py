"""Names of ZooKeeper's own file: one that it does not know becomes a Java property that no code reads."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.planner.facts import Facts
from howdah.planner.reading import Observation, Reading, entry_verdict
from howdah.planner.rule import MUST
from howdah.planner.rules.declare import Rules
from howdah.releases.similar import similar_text

_KEYS = (
    "dataDir",
    "dataLogDir",
    "clientPort",
    "localSessionsEnabled",
    "localSessionsUpgradingEnabled",
    "clientPortAddress",
    "secureClientPort",
    "secureClientPortAddress",
    "observerMasterPort",
    "tickTime",
    "maxClientCnxns",
    "minSessionTimeout",
    "maxSessionTimeout",
    "initLimit",
    "syncLimit",
    "connectToLearnerMasterLimit",
    "electionAlg",
    "quorumListenOnAllIPs",
    "peerType",
    "syncEnabled",
    "dynamicConfigFile",
    "autopurge.snapRetainCount",
    "autopurge.purgeInterval",
    "standaloneEnabled",
    "reconfigEnabled",
    "sslQuorum",
    "portUnification",
    "sslQuorumReloadCertFiles",
    "quorum.auth.enableSasl",
    "quorum.auth.serverRequireSasl",
    "quorum.auth.learnerRequireSasl",
    "quorum.cnxn.threads.size",
    "metricsProvider.className",
    "multiAddress.enabled",
    "admin.enableServer",
    "admin.serverPort",
    "4lw.commands.whitelist",
    "snapCount",
    "preAllocSize",
    "globalOutstandingLimit",
    "leaderServes",
    "maxCnxns",
    "serverCnxnFactory",
    "authProvider.sasl",
    "jaasLoginRenew",
    "fsync.warningthresholdms",
    "forceSync",
    "extendedTypesEnabled",
    "skipACL",
)
rules = Rules()


@rules.inspection(
    "zookeeper.misspelt",
    MUST,
    sources="ZooKeeper 3.8: QuorumPeerConfig.parseProperties, ZooKeeper 3.8: administrator's guide",
    when="for names that are close to a known one",
)
def _names(reading: Reading, facts: Facts) -> Iterator[Observation]:
    """Names of ZooKeeper's own file are ones that it reads."""
    for entry in reading.config.effective if reading.config else ():
        if entry.base_name != "zoo.cfg" or entry.name in _KEYS or not entry.name.isascii():
            continue
        near = similar_text(entry.name, _KEYS)
        if near is not None and len(entry.name) > 4:
            yield entry_verdict(
                entry,
                False,
                found="a name that ZooKeeper does not read",
                expected=near,
                fix=f"rename {entry.name} to {near} in zoo.cfg on all members",
            )
