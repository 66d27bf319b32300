"""How HBase itself says it is: which HMaster is active, and which RegionServers it takes for alive."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from howdah.hadoop.daemons import DAEMONS, OF_HBASE
from howdah.lab.hadoop.daemons import page_url
from howdah.lab.hadoop.redirect import properties
from howdah.lab.kernel.processes import Process
from howdah.lab.state import LabState
from howdah.model.base import Model
from howdah.model.plan import Role
from howdah.services.answer import Object
from howdah.services.errors import ServiceError
from howdah.services.web import JmxReader, Web

_SITE = "hbase-site.xml"
_ACTIVE = "active"
_CLOCK_S = 1.0
"""How exactly the kernel and Java agree on when a process began."""


class HBaseHealth(Model):
    """What HBase's daemons answer, each by its machine's name; those that do not are left out."""

    masters: dict[str, str]
    """What each HMaster is: ``active``, ``active, starting``, ``backup``."""
    regionservers: dict[str, int]
    """The RegionServers that the active HMaster takes for alive since they were started, with how many
    regions each serves."""
    dead: tuple[str, ...]
    """The machines whose RegionServer the active HMaster has given up, and none came back."""


def pages(state: LabState, role: Role) -> dict[str, str]:
    """The web servers of all HMasters, or of all RegionServers, by the machine's name."""
    return {machine.name: page_url(machine, role) for machine in state.machines if role in machine.roles}


def root_directory(state: LabState) -> str:
    """The directory of HDFS that HBase keeps its data in, ``/hbase``."""
    given = properties((state.client_conf / _SITE).read_text())["hbase.rootdir"]
    return "/" + given.partition("://")[2].partition("/")[2]


def hbase_health(state: LabState, web: Web, running: Mapping[tuple[str, str], Process]) -> HBaseHealth | None:
    """Ask the daemons that run; None where the plan has none. Who asks is in the laboratory's network."""
    if not any(role in OF_HBASE for machine in state.machines for role in machine.roles):
        return None
    told = {role: dict(_told(state, web, running, role)) for role in OF_HBASE}
    leading = next((bean for bean in told[Role.HMASTER].values() if _leads(bean)), {})
    live = dict(_servers(leading, "liveRegionServers"))
    regions = {
        name: int(bean.get("regionCount") or 0)
        for name, bean in told[Role.REGIONSERVER].items()
        # One that was killed counts as alive until ZooKeeper gives up its session.
        if live.get(name.lower(), 0) >= _began(running, name) - _CLOCK_S
    }
    dead = {host for host, _ in _servers(leading, "deadRegionServers")} - {name.lower() for name in regions}
    return HBaseHealth(
        masters={name: _master(bean) for name, bean in told[Role.HMASTER].items()},
        regionservers=regions,
        dead=tuple(machine.name for machine in state.machines if machine.name.lower() in dead),
    )


def hbase_missing(
    state: LabState, answers: HBaseHealth, running: Collection[tuple[str, str]]
) -> Iterator[str]:
    """What of the daemons that run is not of use yet, in words."""
    for role, useful in ((Role.HMASTER, answers.masters), (Role.REGIONSERVER, answers.regionservers)):
        if role is Role.REGIONSERVER and not _chosen(answers):
            # Without an active one nobody can tell who serves.
            yield f"an active {Role.HMASTER}"
            return
        left = [
            machine.name
            for machine in state.machines
            if (machine.name, DAEMONS[role].name) in running and machine.name not in useful
        ]
        if left:
            yield f"{role} on {', '.join(left)}"
    if _ACTIVE not in answers.masters.values():
        yield f"the {Role.HMASTER} to finish its start"


def has_active_master(state: LabState, web: Web, running: Mapping[tuple[str, str], Process]) -> bool:
    """Whether an HMaster leads, whom RegionServers can report to."""
    return any(_leads(bean) for _, bean in _told(state, web, running, Role.HMASTER))


def _chosen(answers: HBaseHealth) -> bool:
    return any(said.startswith(_ACTIVE) for said in answers.masters.values())


def _told(
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
    if not _leads(bean):
        return "backup"
    return _ACTIVE if int(bean.get("masterFinishedInitializationTime") or 0) > 0 else f"{_ACTIVE}, starting"


def _leads(bean: Object) -> bool:
    return str(bean.get("tag.isActiveMaster")).lower() == "true"


def _servers(bean: Object, tag: str) -> Iterator[tuple[str, float]]:
    """Each server that a list of the HMaster's has, and when it began: ``h1,16020,1732000000000;…``."""
    for server in str(bean.get(f"tag.{tag}") or "").split(";"):
        host, began_ms = server.partition(",")[0], server.rpartition(",")[2]
        if began_ms.isdigit():
            yield host.lower(), int(began_ms) / 1000


def _began(running: Mapping[tuple[str, str], Process], name: str) -> float:
    return running[name, DAEMONS[Role.REGIONSERVER].name].began_s
