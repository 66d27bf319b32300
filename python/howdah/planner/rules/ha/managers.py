"""Whether two ResourceManagers that exist have all that failover and the jobs need."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.found import Found
from howdah.planner.facts import Facts
from howdah.planner.reading import ConfigurationReading
from howdah.planner.rule import Inspection, Observation, Rule, Severity

_IDS = "yarn.resourcemanager.ha.rm-ids"
_NEEDED = (
    (_IDS, "a name for each of two ResourceManagers at least: none starts otherwise", "rm1,rm2"),
    ("yarn.resourcemanager.cluster-id", "the name under which they elect one", "the cluster's name"),
    ("yarn.resourcemanager.zk-address", "the ZooKeepers that elect one", "h1:2181,h2:2181,h3:2181"),
)
_OTHER_NAMES = {"yarn.resourcemanager.zk-address": "hadoop.zk.address"}
_RECOVERY = "yarn.resourcemanager.recovery.enabled"
_HOST = "yarn.resourcemanager.hostname"
_RPC = "yarn.resourcemanager.address"
_PAGES = ("yarn.resourcemanager.webapp.address", 8088)
_PAGES_TLS = ("yarn.resourcemanager.webapp.https.address", 8090)


def _complete_managers(found: Found, facts: Facts) -> Iterator[Observation]:
    """Names of the cluster and of both, ZooKeepers, addresses, and recovery of what runs."""
    reading = ConfigurationReading(found)
    if not reading.truth("yarn.resourcemanager.ha.enabled"):
        return
    for key, what, example in _NEEDED:
        text = reading.text(key) or reading.text(_OTHER_NAMES.get(key, key))
        yield Observation(
            ok=bool(text),
            about=key,
            found=text or "not set",
            expected=what,
            fix=f"set {key} to {example} in yarn-site.xml",
            where=reading.where(key) or "yarn-site.xml",
        )
    for name in _ids(reading):
        yield _address(reading, name)
        yield _pages(reading, name)
    yield Observation(
        ok=reading.truth(_RECOVERY) is True,
        about=_RECOVERY,
        found=reading.text(_RECOVERY) or "false (default)",
        expected="true: jobs that run are lost when the other ResourceManager takes over",
        fix=f"set {_RECOVERY} to true in yarn-site.xml",
        where=reading.where(_RECOVERY) or "yarn-site.xml",
    )


def _ids(reading: ConfigurationReading) -> list[str]:
    return [name.strip() for name in (reading.text(_IDS) or "").split(",") if name.strip()]


def _address(reading: ConfigurationReading, name: str) -> Observation:
    """Where a ResourceManager is: its host, from which Hadoop makes its addresses, or its address itself."""
    key = f"{_HOST}.{name}"
    text = reading.text(key) or reading.text(f"{_RPC}.{name}")
    return Observation(
        ok=bool(text),
        about=key,
        found=text or "not set",
        expected=f"the host of {name}: no ResourceManager, NodeManager or client starts otherwise",
        fix=f"set {key} to its host in yarn-site.xml",
        where=reading.where(key) or reading.where(_IDS),
    )


def _pages(reading: ConfigurationReading, name: str) -> Observation:
    """Where a ResourceManager's pages are: one address that Hadoop does not make from the host everywhere."""
    prefix, port = _PAGES_TLS if reading.text("yarn.http.policy") == "HTTPS_ONLY" else _PAGES
    key = f"{prefix}.{name}"
    text = reading.text(key)
    host = reading.text(f"{_HOST}.{name}") or "HOST"
    return Observation(
        ok=bool(text),
        about=key,
        found=text or "not set",
        expected="the address of its pages: MapReduce's application masters read this key alone and end "
        "without it, though everything else makes it from the host",
        fix=f"set {key} to {host}:{port} in yarn-site.xml on every worker and client",
        where=reading.where(key) or reading.where(_IDS),
    )


RULES: tuple[Rule, ...] = (
    Inspection(
        id="ha.complete-managers",
        says="A pair of ResourceManagers has a name, a quorum and recovery.",
        sources=("Hadoop 3.5.0: ResourceManagerHA",),
        severity=Severity.MUST,
        condition="ResourceManagers are highly available",
        inspect=_complete_managers,
    ),
)
