"""Rules about a pair of ResourceManagers: their names and the state that they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from howdah.model.plan import Role, Value
from howdah.planner.conditions import in_pair, is_paired
from howdah.planner.facts import Facts
from howdah.planner.rule import MUST, SHOULD, Decision
from howdah.planner.rules.declare import Condition, Rules, as_number, between, set_at_all
from howdah.planner.rules.ha.settings import ZOOKEEPER_PORT, numbered, quorum
from howdah.releases.catalogue import hadoop

_SOURCES = "D0 74, D1 94, Hadoop 3.5.0"
_RETRY_MS = 2000
_SESSION_MS = 10_000
_MOST_RETRY_MS = 10_000
_CONDITION = "there are two ResourceManagers"
_PAIR = is_paired(Role.RESOURCEMANAGER)
_ELECTORS = "yarn.resourcemanager.zk-address"
_PAGES_SOURCES = "Hadoop 3.5.0: AmFilterInitializer, YARN-8056"
_PAGES_TODAY = (
    "ResourceManagers and clients make the address from yarn.resourcemanager.hostname.<id> if it is not "
    "set. The filter of a MapReduce application master's pages does not: it joins the addresses, and fails "
    "on one that is not set."
)
rules = Rules(file="yarn-site.xml")
pair = rules.under(sources=_SOURCES, severity=MUST, when=Condition(_CONDITION, _PAIR))


def _is_on(value: Value, decision: Decision, facts: Facts) -> bool:
    return value is True


pair.fixed("resourcemanager.pair", "yarn.resourcemanager.ha.enabled", True, accepts=_is_on).text(
    "Of two ResourceManagers the standby takes over automatically.",
    "jobs continue when the host of the active one is lost",
)


@pair.setting("resourcemanager.cluster-id", "yarn.resourcemanager.cluster-id", accepts=set_at_all)
def _cluster_id(facts: Facts) -> Decision:
    """The election has the cluster's name."""
    return Decision(facts.cluster.name, "keeps ResourceManagers of another cluster out of the election")


def _managers(facts: Facts) -> dict[str, str]:
    return numbered("rm", facts.cluster.addresses(Role.RESOURCEMANAGER))


@pair.setting("resourcemanager.ids", "yarn.resourcemanager.ha.rm-ids", accepts=set_at_all)
def _ids(facts: Facts) -> Decision:
    """The ResourceManagers have names."""
    return Decision(tuple(_managers(facts)), "one name for each ResourceManager of the pair")


_PAIR_WHEN = Condition(_CONDITION, _PAIR)


@rules.family(
    "resourcemanager.hosts", "yarn.resourcemanager.hostname.<id>", MUST, sources=_SOURCES, when=_PAIR_WHEN
)
def _hosts(facts: Facts) -> Mapping[str, Decision]:
    """Each ResourceManager is found at its host."""
    return {
        f"yarn.resourcemanager.hostname.{name}": Decision(host, f"{name} is on {host}")
        for name, host in _managers(facts).items()
    }


def _pages(property_name: str, port: int, subject: str) -> Callable[[Facts], Mapping[str, Decision]]:
    def members(facts: Facts) -> Mapping[str, Decision]:
        return {
            f"{property_name}.{name}": Decision(f"{host}:{port}", f"{subject} of {name} on {host}")
            for name, host in _managers(facts).items()
        }

    return members


rules.family(
    "resourcemanager.pages",
    "yarn.resourcemanager.webapp.address.<id>",
    MUST,
    sources=_PAGES_SOURCES,
    when=_PAIR_WHEN,
    today=_PAGES_TODAY,
).by(
    "Each ResourceManager's pages have an address: without one every application master ends.",
    _pages("yarn.resourcemanager.webapp.address", 8088, "the pages"),
)


rules.family(
    "resourcemanager.pages-tls",
    "yarn.resourcemanager.webapp.https.address.<id>",
    MUST,
    sources=_PAGES_SOURCES,
    when=Condition(
        f"{_CONDITION} and the cluster is secure", lambda facts: facts.request.secure and _PAIR(facts)
    ),
    today=_PAGES_TODAY,
).by(
    "In a secure cluster the pages' addresses are those over TLS.",
    _pages("yarn.resourcemanager.webapp.https.address", 8090, "the pages over TLS"),
)


pair.fixed(
    "resourcemanager.retry",
    "yarn.resourcemanager.connect.retry-interval.ms",
    _RETRY_MS,
    SHOULD,
    accepts=lambda value, decision, facts: 0 < as_number(value) <= _MOST_RETRY_MS,
).text(
    "A client that finds neither ResourceManager active retries soon.",
    "NodeManagers, application masters and clients wait half to one and a half times as long; with "
    "the default that is up to 45 s in which a new active ResourceManager has no nodes",
    "Hadoop 3.5.0: RMProxy",
)
pair.fixed("resourcemanager.recovery", "yarn.resourcemanager.recovery.enabled", True, accepts=_is_on).text(
    "Jobs survive a failover.", "without it the standby starts with no jobs"
)

_CONDITION_WHEN = Condition(_CONDITION, in_pair(Role.RESOURCEMANAGER))

pair.fixed(
    "resourcemanager.running-containers",
    "yarn.resourcemanager.work-preserving-recovery.enabled",
    True,
    SHOULD,
    when=_CONDITION_WHEN,
    accepts=_is_on,
    written=False,
).text(
    "Running tasks survive a failover.",
    "without it NodeManagers end all containers when another ResourceManager becomes active; with "
    "it no task attempt failed in a lab when the active one was killed",
    "YARN-556, howdah",
)
pair.fixed(
    "resourcemanager.session",
    "hadoop.zk.timeout-ms",
    _SESSION_MS,
    SHOULD,
    when=_CONDITION_WHEN,
    file="core-site.xml",
    accepts=between(4_000, 30_000),
    written=False,
).text(
    "ZooKeeper detects a lost ResourceManager within seconds, and tolerates pauses.",
    "the other one was active 12.3 s after the active one was killed in a lab; a shorter one "
    "mistakes a garbage collection for a failure",
    "Hadoop 3.5.0: core-default.xml, howdah",
)
pair.fixed(
    "resourcemanager.state-store",
    "yarn.resourcemanager.store.class",
    "org.apache.hadoop.yarn.server.resourcemanager.recovery.ZKRMStateStore",
    accepts=lambda value, decision, facts: value == decision.value,
).text(
    "Only the active ResourceManager can write the state of jobs.",
    "ZooKeeper fences the other ResourceManager; files on HDFS do not",
)


def _keepers(facts: Facts) -> Decision:
    members = quorum(Role.ZOOKEEPER, ZOOKEEPER_PORT, facts)
    return Decision(members, f"the {len(members)} ZooKeepers elect the active one and keep the state of jobs")


pair.setting("resourcemanager.zookeeper", "hadoop.zk.address", accepts=set_at_all, file="core-site.xml").by(
    "ResourceManagers agree through ZooKeeper.", _keepers
)


def _elects_elsewhere(facts: Facts) -> bool:
    """Whether the release has an address for the election apart from that of the state of jobs."""
    release = hadoop(facts.request.hadoop)
    return _PAIR(facts) and release.find(_ELECTORS) is not None and not release.replacement(_ELECTORS)


pair.setting(
    "resourcemanager.election",
    _ELECTORS,
    when=Condition(
        f"{_CONDITION} and the release no longer takes hadoop.zk.address for it", _elects_elsewhere
    ),
    accepts=set_at_all,
    today="In 3.4 hadoop.zk.address does the same; a ResourceManager of 3.5.0 reads both, and does not "
    "start without this one.",
).by("ResourceManagers find the ZooKeepers that elect the active one.", _keepers)
