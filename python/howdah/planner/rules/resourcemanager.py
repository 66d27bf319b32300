"""Rules about a pair of ResourceManagers: their names and the state that they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from howdah.model.plan import Role
from howdah.planner.conditions import in_pair, is_paired
from howdah.planner.facts import Facts
from howdah.planner.rule import Decision
from howdah.planner.rules.declare import as_number, read_rules
from howdah.planner.rules.ha.settings import ZOOKEEPER_PORT, numbered, quorum
from howdah.releases.catalogue import hadoop

rules = read_rules("resourcemanager.toml")

_MOST_RETRY_MS = 10_000
_PAIR = is_paired(Role.RESOURCEMANAGER)
_ELECTORS = "yarn.resourcemanager.zk-address"
rules.when("there are two ResourceManagers")(_PAIR)


@rules.decides("resourcemanager.cluster-id")
def _cluster_id(facts: Facts) -> Decision:
    return Decision(facts.cluster.name, "keeps ResourceManagers of another cluster out of the election")


def _managers(facts: Facts) -> dict[str, str]:
    return numbered("rm", facts.cluster.addresses(Role.RESOURCEMANAGER))


@rules.decides("resourcemanager.ids")
def _ids(facts: Facts) -> Decision:
    return Decision(tuple(_managers(facts)), "one name for each ResourceManager of the pair")


@rules.members("resourcemanager.hosts")
def _hosts(facts: Facts) -> Mapping[str, Decision]:
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


rules.members("resourcemanager.pages")(_pages("yarn.resourcemanager.webapp.address", 8088, "the pages"))


rules.when("there are two ResourceManagers and the cluster is secure")(
    lambda facts: facts.request.secure and _PAIR(facts)
)
rules.members("resourcemanager.pages-tls")(
    _pages("yarn.resourcemanager.webapp.https.address", 8090, "the pages over TLS")
)


rules.accepts("up to the patience of clients")(
    lambda value, decision, facts: 0 < as_number(value) <= _MOST_RETRY_MS
)

rules.when("a ResourceManager pair, planned or configured", words="there are two ResourceManagers")(
    in_pair(Role.RESOURCEMANAGER)
)


@rules.decides("resourcemanager.zookeeper", "resourcemanager.election")
def _keepers(facts: Facts) -> Decision:
    members = quorum(Role.ZOOKEEPER, ZOOKEEPER_PORT, facts)
    return Decision(members, f"the {len(members)} ZooKeepers elect the active one and keep the state of jobs")


@rules.when("there are two ResourceManagers and the release no longer takes hadoop.zk.address for it")
def _elects_elsewhere(facts: Facts) -> bool:
    """Whether the release has an address for the election apart from that of the state of jobs."""
    release = hadoop(facts.request.hadoop)
    return _PAIR(facts) and release.find(_ELECTORS) is not None and not release.replacement(_ELECTORS)
