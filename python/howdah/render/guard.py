"""What a plan's names may be before any of them becomes a path, a line of a list or a word in a script."""

from __future__ import annotations

import re
from collections.abc import Iterator

from howdah.errors import UserError
from howdah.model.hostname import is_hostname
from howdah.model.plan import Cluster, Plan, Role
from howdah.render.files import KNOWN

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,62}[A-Za-z0-9])?")


def guard(plan: Plan) -> Cluster:
    """The plan's cluster; raise UserError if it has none, or a name is not one."""
    cluster = plan.cluster
    if cluster is None:
        raise UserError(
            "the plan", "is for one machine without Hadoop", "make one with `howdah plan hosts.yaml`"
        )
    for where, host in _hosts(cluster):
        if not is_hostname(host):
            raise UserError(where, f"{host!r} is not a host name", "letters, digits, hyphens and dots")
    for where, name in _names(plan, cluster):
        if not _NAME.fullmatch(name):
            raise UserError(where, f"{name!r} is not a name", "letters, digits, hyphens and dots, at most 64")
    for setting in plan.settings:
        if setting.file is not None and setting.file not in KNOWN:
            raise UserError(
                f"settings: {setting.key}",
                f"{setting.file!r} is not a file that is rendered",
                f"one of {', '.join(sorted(KNOWN))}",
            )
    if not any(Role.NAMENODE in master.roles for master in cluster.masters):
        raise UserError("masters", "none of them is a NameNode", "give one of them this role")
    return cluster


def _hosts(cluster: Cluster) -> Iterator[tuple[str, str]]:
    for master in cluster.masters:
        yield f"masters: {master.name}", master.address
        yield f"masters: {master.name}", master.host
        if master.shadow_host is not None:
            yield f"masters: {master.name}", master.shadow_host


def _names(plan: Plan, cluster: Cluster) -> Iterator[tuple[str, str]]:
    for worker in plan.workers:
        yield "workers", worker.name
    for master in cluster.masters:
        yield "masters", master.name
    for rack in cluster.topology.racks:
        yield "racks", rack.name
    yield from (("layouts", kind) for layout in cluster.layouts for kind in layout.workers)
