"""Rules about a pair of ResourceManagers: their names, and where they keep what the other must know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from howdah.model.plan import Role, Value
from howdah.planner.conditions import in_pair, is_paired
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision, FamilyRule, Rule, SettingRule, Severity
from howdah.planner.rules.ha.settings import ZOOKEEPER_PORT, numbered, quorum
from howdah.planner.values import as_number, between, fixed, set_at_all
from howdah.releases.catalogue import hadoop

_SOURCES = ("D0 74", "D1 94", "Hadoop 3.5.0")
_RETRY_MS = 2000
_SESSION_MS = 10_000
_MOST_RETRY_MS = 10_000
_CONDITION = "there are two ResourceManagers"
_PAIR = is_paired(Role.RESOURCEMANAGER)
_ELECTORS = "yarn.resourcemanager.zk-address"
_PAGES_SOURCES = ("Hadoop 3.5.0: AmFilterInitializer", "YARN-8056")
_PAGES_TODAY = (
    "ResourceManagers and clients make the address from yarn.resourcemanager.hostname.<id> where it is not "
    "set. The filter of a MapReduce application master's pages does not: it joins what is set, and ends at "
    "what is not."
)


def _managers(facts: Facts) -> dict[str, str]:
    return numbered("rm", facts.cluster.addresses(Role.RESOURCEMANAGER))


def _cluster_id(facts: Facts) -> Decision:
    return Decision(facts.cluster.name, "keeps ResourceManagers of another cluster out of the election")


def _ids(facts: Facts) -> Decision:
    return Decision(tuple(_managers(facts)), "one name for each ResourceManager of the pair")


def _hosts(facts: Facts) -> Mapping[str, Decision]:
    return {
        f"yarn.resourcemanager.hostname.{name}": Decision(host, f"{name} is on {host}")
        for name, host in _managers(facts).items()
    }


def _pages(property_name: str, port: int, what: str) -> Callable[[Facts], Mapping[str, Decision]]:
    def members(facts: Facts) -> Mapping[str, Decision]:
        return {
            f"{property_name}.{name}": Decision(f"{host}:{port}", f"{what} of {name} on {host}")
            for name, host in _managers(facts).items()
        }

    return members


def _secure_pair(facts: Facts) -> bool:
    return facts.request.secure and _PAIR(facts)


def _keepers(facts: Facts) -> Decision:
    members = quorum(Role.ZOOKEEPER, ZOOKEEPER_PORT, facts)
    return Decision(members, f"the {len(members)} ZooKeepers elect the active one and keep the state of jobs")


def _elects_elsewhere(facts: Facts) -> bool:
    """Whether the release has an address for the election apart from that of the state of jobs."""
    release = hadoop(facts.request.hadoop)
    return _PAIR(facts) and release.find(_ELECTORS) is not None and not release.replacement(_ELECTORS)


def _comes_back_soon(value: Value, decision: Decision, facts: Facts) -> bool:
    return 0 < as_number(value) <= _MOST_RETRY_MS


def _is_on(value: Value, decision: Decision, facts: Facts) -> bool:
    return value is True


_pair_rule = partial(
    SettingRule,
    sources=_SOURCES,
    severity=Severity.MUST,
    applies=_PAIR,
    condition=_CONDITION,
    file="yarn-site.xml",
)

RULES: tuple[Rule, ...] = (
    _pair_rule(
        id="resourcemanager.pair",
        key="yarn.resourcemanager.ha.enabled",
        says="Of two ResourceManagers the standby takes over by itself.",
        decide=fixed(True, "jobs go on when the host of the active one is lost"),
        accepts=_is_on,
    ),
    _pair_rule(
        id="resourcemanager.cluster-id",
        key="yarn.resourcemanager.cluster-id",
        says="The election has the cluster's name.",
        decide=_cluster_id,
        accepts=set_at_all,
    ),
    _pair_rule(
        id="resourcemanager.ids",
        key="yarn.resourcemanager.ha.rm-ids",
        says="The ResourceManagers have names.",
        decide=_ids,
        accepts=set_at_all,
    ),
    FamilyRule(
        id="resourcemanager.hosts",
        says="Each ResourceManager is found at its host.",
        sources=_SOURCES,
        severity=Severity.MUST,
        condition=_CONDITION,
        applies=_PAIR,
        family="yarn.resourcemanager.hostname.<id>",
        file="yarn-site.xml",
        members=_hosts,
    ),
    FamilyRule(
        id="resourcemanager.pages",
        says="Each ResourceManager's pages have an address: without one every application master ends.",
        sources=_PAGES_SOURCES,
        severity=Severity.MUST,
        condition=_CONDITION,
        applies=_PAIR,
        family="yarn.resourcemanager.webapp.address.<id>",
        file="yarn-site.xml",
        members=_pages("yarn.resourcemanager.webapp.address", 8088, "the pages"),
        today=_PAGES_TODAY,
    ),
    FamilyRule(
        id="resourcemanager.pages-tls",
        says="In a secure cluster the pages' addresses are those over TLS.",
        sources=_PAGES_SOURCES,
        severity=Severity.MUST,
        condition=f"{_CONDITION} and the cluster is secure",
        applies=_secure_pair,
        family="yarn.resourcemanager.webapp.https.address.<id>",
        file="yarn-site.xml",
        members=_pages("yarn.resourcemanager.webapp.https.address", 8090, "the pages over TLS"),
        today=_PAGES_TODAY,
    ),
    _pair_rule(
        id="resourcemanager.retry",
        key="yarn.resourcemanager.connect.retry-interval.ms",
        says="Who finds neither ResourceManager active soon asks again.",
        sources=("Hadoop 3.5.0: RMProxy",),
        severity=Severity.SHOULD,
        decide=fixed(
            _RETRY_MS,
            "NodeManagers, application masters and clients that found neither active wait half to one and "
            "a half times as long; by itself that is up to 45 s in which a new active one has no nodes",
        ),
        accepts=_comes_back_soon,
    ),
    _pair_rule(
        id="resourcemanager.recovery",
        key="yarn.resourcemanager.recovery.enabled",
        says="Jobs survive a failover.",
        decide=fixed(True, "without it the standby starts with no jobs"),
        accepts=_is_on,
    ),
    _pair_rule(
        id="resourcemanager.running-containers",
        key="yarn.resourcemanager.work-preserving-recovery.enabled",
        says="Tasks that run go on through a failover.",
        sources=("YARN-556", "howdah"),
        severity=Severity.SHOULD,
        applies=in_pair(Role.RESOURCEMANAGER),
        decide=fixed(
            True,
            "without it NodeManagers end all containers when another ResourceManager becomes active; with it "
            "no task attempt of a laboratory failed when the active one was killed",
        ),
        accepts=_is_on,
        written=False,
    ),
    _pair_rule(
        id="resourcemanager.session",
        key="hadoop.zk.timeout-ms",
        says="ZooKeeper misses a lost ResourceManager within seconds, and none that pauses.",
        sources=("Hadoop 3.5.0: core-default.xml", "howdah"),
        severity=Severity.SHOULD,
        applies=in_pair(Role.RESOURCEMANAGER),
        file="core-site.xml",
        decide=fixed(
            _SESSION_MS,
            "the other one was active 12.3 s after the active one was killed on a laboratory; a shorter one "
            "takes a pause of Java's for the end",
        ),
        accepts=between(4_000, 30_000),
        written=False,
    ),
    _pair_rule(
        id="resourcemanager.state-store",
        key="yarn.resourcemanager.store.class",
        says="The state of jobs is kept where only the active ResourceManager can write it.",
        decide=fixed(
            "org.apache.hadoop.yarn.server.resourcemanager.recovery.ZKRMStateStore",
            "ZooKeeper fences the other ResourceManager; files on HDFS do not",
        ),
        accepts=lambda value, decision, facts: value == decision.value,
    ),
    _pair_rule(
        id="resourcemanager.zookeeper",
        key="hadoop.zk.address",
        says="ResourceManagers agree through ZooKeeper.",
        decide=_keepers,
        accepts=set_at_all,
        file="core-site.xml",
    ),
    _pair_rule(
        id="resourcemanager.election",
        key=_ELECTORS,
        says="ResourceManagers find the ZooKeepers that elect the active one.",
        decide=_keepers,
        accepts=set_at_all,
        applies=_elects_elsewhere,
        condition=f"{_CONDITION} and the release no longer takes hadoop.zk.address for it",
        today="In 3.4 hadoop.zk.address does the same; a ResourceManager of 3.5.0 reads both, and does not "
        "start without this one.",
    ),
)
