"""HBase's own state: the active HMaster, and its live and dead RegionServers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from howdah.hadoop.daemons import DAEMONS, OF_HBASE
from howdah.lab.hadoop.daemons import page_url
from howdah.lab.hadoop.redirect import properties
from howdah.lab.kernel.processes import Process
from howdah.lab.state import LabState
from howdah.model.base import Model
from howdah.model.plan import Role
from howdah.services.errors import ServiceError
from howdah.services.web import JmxReader, Object, Web

_SITE = "hbase-site.xml"
_ACTIVE = "active"
_CLOCK_S = 1.0
"""The largest difference between the kernel's and Java's start time of a process."""


class HBaseHealth(Model):
    """The state of HBase's daemons by machine; those that do not answer are left out."""

    masters: dict[str, str]
    """The state of each HMaster: ``active``, ``active, starting``, ``backup``."""
    regionservers: dict[str, int]
    """The regions of each RegionServer that the active HMaster has listed as live since its start."""
    dead: tuple[str, ...]
    """The machines whose RegionServer is dead for the active HMaster, without a new one."""


def pages(state: LabState, role: Role) -> dict[str, str]:
    """Return the web servers of all HMasters, or of all RegionServers, by machine."""
    return {machine.name: page_url(machine, role) for machine in state.machines if role in machine.roles}


def root_directory(state: LabState) -> str:
    """Return HBase's directory in HDFS, ``/hbase``."""
    root = properties((state.client_conf / _SITE).read_text())["hbase.rootdir"]
    return "/" + root.partition("://")[2].partition("/")[2]


def hbase_health(state: LabState, web: Web, running: Mapping[tuple[str, str], Process]) -> HBaseHealth | None:
    """Query the running daemons from the lab's network; return None if the plan has no HBase."""
    if not any(role in OF_HBASE for machine in state.machines for role in machine.roles):
        return None
    beans = {role: dict(_beans(state, web, running, role)) for role in OF_HBASE}
    active = next((bean for bean in beans[Role.HMASTER].values() if _is_active(bean)), {})
    live = dict(_servers(active, "liveRegionServers"))
    regions = {
        name: int(bean.get("regionCount") or 0)
        for name, bean in beans[Role.REGIONSERVER].items()
        # A killed RegionServer stays in the list until its ZooKeeper session expires.
        if live.get(name.lower(), 0) >= running[name, DAEMONS[Role.REGIONSERVER].name].began_s - _CLOCK_S
    }
    dead = {host for host, _ in _servers(active, "deadRegionServers")} - {name.lower() for name in regions}
    return HBaseHealth(
        masters={name: _master(bean) for name, bean in beans[Role.HMASTER].items()},
        regionservers=regions,
        dead=tuple(machine.name for machine in state.machines if machine.name.lower() in dead),
    )


def hbase_missing(
    state: LabState, answers: HBaseHealth, running: Collection[tuple[str, str]]
) -> Iterator[str]:
    """Yield the running daemons that are not ready, in words."""
    for role, useful in ((Role.HMASTER, answers.masters), (Role.REGIONSERVER, answers.regionservers)):
        if role is Role.REGIONSERVER and not any(
            status.startswith(_ACTIVE) for status in answers.masters.values()
        ):
            # Without an active HMaster the serving RegionServers are unknown.
            yield f"an active {Role.HMASTER}"
            return
        unready = [
            machine.name
            for machine in state.machines
            if (machine.name, DAEMONS[role].name) in running and machine.name not in useful
        ]
        if unready:
            yield f"{role} on {', '.join(unready)}"
    if _ACTIVE not in answers.masters.values():
        yield f"the {Role.HMASTER} to finish its start"


def has_active_master(state: LabState, web: Web, running: Mapping[tuple[str, str], Process]) -> bool:
    """Whether an HMaster is active, so that RegionServers can report to it."""
    return any(_is_active(bean) for _, bean in _beans(state, web, running, Role.HMASTER))


def _beans(
    state: LabState, web: Web, running: Mapping[tuple[str, str], Process], role: Role
) -> Iterator[tuple[str, Object]]:
    for machine in state.machines:
        if (machine.name, DAEMONS[role].name) not in running:
            continue
        try:
            bean = JmxReader(web, page_url(machine, role)).bean(DAEMONS[role].page.bean)
        except ServiceError:
            continue
        if bean:
            yield machine.name, bean


def _master(bean: Object) -> str:
    if not _is_active(bean):
        return "backup"
    return _ACTIVE if int(bean.get("masterFinishedInitializationTime") or 0) > 0 else f"{_ACTIVE}, starting"


def _is_active(bean: Object) -> bool:
    return str(bean.get("tag.isActiveMaster")).lower() == "true"


def _servers(bean: Object, tag: str) -> Iterator[tuple[str, float]]:
    """Yield host and start time of each server in an HMaster's list: ``h1,16020,1732000000000;…``."""
    for server in str(bean.get(f"tag.{tag}") or "").split(";"):
        host, began_ms = server.partition(",")[0], server.rpartition(",")[2]
        if began_ms.isdigit():
            yield host.lower(), int(began_ms) / 1000
