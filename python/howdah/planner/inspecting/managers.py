"""Whether two ResourceManagers that exist have all that failover needs."""

from __future__ import annotations

from collections.abc import Iterator

from howdah.model.found import Found
from howdah.planner.facts import Facts
from howdah.planner.inspecting.reading import Reading
from howdah.planner.rule import Observation

_NEEDED = (
    ("yarn.resourcemanager.cluster-id", "the name under which they elect one", "the cluster's name"),
    ("yarn.resourcemanager.zk-address", "the ZooKeepers that elect one", "h1:2181,h2:2181,h3:2181"),
)
_OTHER_NAMES = {"yarn.resourcemanager.zk-address": "hadoop.zk.address"}
_RECOVERY = "yarn.resourcemanager.recovery.enabled"


def complete_managers(found: Found, facts: Facts) -> Iterator[Observation]:
    """A name for the cluster, ZooKeepers, and recovery of what runs."""
    reading = Reading(found)
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
    yield Observation(
        ok=reading.truth(_RECOVERY) is True,
        about=_RECOVERY,
        found=reading.text(_RECOVERY) or "false (default)",
        expected="true: jobs that run are lost when the other ResourceManager takes over",
        fix=f"set {_RECOVERY} to true in yarn-site.xml",
        where=reading.where(_RECOVERY) or "yarn-site.xml",
    )
