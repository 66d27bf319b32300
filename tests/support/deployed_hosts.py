"""Hosts as a deployment finds them, without any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from howdah.session.deploy_project import DeployedHost

OLD, NEW = "hadoop-3.4.2", "hadoop-3.5.0"


def found_host(
    name: str,
    applied: str,
    wanted: str,
    *daemons: str,
    leads: bool = False,
    origin: str = "",
    upgrade: bool = False,
    fresh: bool = False,
    active: str = "active",
) -> DeployedHost:
    """A host on which these daemons run, ``leads`` being said of all of them; ``applied`` may be empty."""
    told: list[Mapping[str, Any]] = [
        {"name": daemon, "active": active, "fresh": fresh, "leads": leads, "lacks": "", "restarts": 0}
        for daemon in daemons
    ]
    return DeployedHost(
        host=name,
        changes=(),
        daemons=tuple(told),
        revision="a" if applied else "",
        previous="",
        cluster="lab",
        trees=(applied,) if applied else (),
        planned=(wanted,),
        upgrade={"startTime": 1_764_000_000_000, "createdRollbackImages": True} if upgrade else None,
        upgraded_from=origin,
        holds=(),
        diffs=(),
    )
