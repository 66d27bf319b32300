"""What masters report of a cluster: redundancy, workers that are drained, and HBase."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from howdah.hadoop.daemons import DAEMONS, OF_HBASE
from howdah.lab.hadoop import daemons
from howdah.lab.hadoop.daemons import page_url
from howdah.lab.hadoop.files import Installed
from howdah.lab.hadoop.redirect import properties
from howdah.lab.kernel import processes
from howdah.lab.kernel.namespaces import network_of
from howdah.lab.kernel.processes import Key, Process
from howdah.lab.state import LabState, LabSystem
from howdah.model.base import Model
from howdah.model.plan import Role
from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import ResourceManager
from howdah.services.web import JmxReader, Object, Web

_JOURNAL = DAEMONS[Role.JOURNALNODE].bean("Journal-*")
_NAMENODE = DAEMONS[Role.NAMENODE].bean("")
_WRITER = re.compile(r"(\S+):\d+ \(Written txid (\d+)")  # Address and last transaction of a JournalNode.
_EDITS = "dfs.journalnode.edits.dir"
_PERIOD = "dfs.ha.log-roll.period"


class Behind(Model):
    """A daemon that runs and is not redundant yet."""

    what: str  # The daemon, and what it lacks.
    remedy: str


def journal_directory(machine: LabSystem) -> Path:
    directory = ClientConf.read(machine.conf).get(_EDITS)
    assert directory, f"{_EDITS} is redirected for every laboratory"
    return Path(directory)


def journals(web: Web, machines: Sequence[LabSystem]) -> dict[str, Object]:
    """Return each JournalNode's bean by machine if it answers; empty if it has no journal."""
    result: dict[str, Object] = {}
    for machine in machines:
        with suppress(ServiceError):
            result[machine.name] = JmxReader(web, page_url(machine, Role.JOURNALNODE)).bean(_JOURNAL) or {}
    return result


def journals_behind(
    state: LabState, web: Web, active: str, answers: Mapping[str, Object]
) -> Iterator[Behind]:
    """Yield the JournalNodes that the active NameNode does not write to.

    The NameNode writes to a JournalNode that missed an edit or was restarted only from the next segment of
    the edit log on. Its status shows the former after its next write; the latter has written nothing since
    its start.
    """
    try:
        reader = JmxReader(web, active)
        info = reader.bean(f"{_NAMENODE}NameNodeInfo") or {}
        last = int((reader.bean(f"{_NAMENODE}FSNamesystem") or {}).get("LastWrittenTransactionId") or 0)
    except (ServiceError, ValueError):
        return
    by_address = dict(_written_by_address(info))
    for name, journal in answers.items():
        if _lost(state, name, journal):
            yield Behind(
                what=f"JournalNode on {name} has lost its journal", remedy=_copy(state, name, answers)
            )
            continue
        written, sync_status = by_address.get(state.names.get(name, ""), (0, ""))
        if journal.get("TxnsWritten") and "re-sync on next segment" not in sync_status:
            continue
        lag = max(0, last - max(written, int(journal.get("LastWrittenTxId") or 0)))
        lacks = f"is {lag:,} transactions behind" if lag else "is not written to yet"
        period = ClientConf.read(state.client_conf).get(_PERIOD) or ""
        every = f"{period} s" if period.isdigit() else period
        remedy = (
            f"it joins at the next segment of the edit log: a segment begins every {every} ({_PERIOD}), or "
            f"immediately with: howdah lab ssh client --name {state.name} -- hdfs dfsadmin -rollEdits"
        )
        yield Behind(what=f"JournalNode on {name} {lacks}", remedy=remedy)


def _lost(state: LabState, name: str, journal: Object) -> bool:
    """Whether a JournalNode's journal is missing on its disk.

    It reports this after its next request; until then it keeps the files of a wiped disk open.
    """
    epoch = int(journal.get("LastPromisedEpoch") or 0)
    if epoch <= 0:
        return epoch < 0
    return not any(journal_directory(state.machine(name)).glob("*/current/VERSION"))


def _written_by_address(info: Object) -> Iterator[tuple[str, tuple[int, str]]]:
    """Yield each JournalNode's address with its last transaction and the rest of its status in a NameNode."""
    with suppress(TypeError, ValueError, AttributeError):
        streams = [str(load.get("stream")) for load in json.loads(info.get("NameJournalStatus") or "[]")]
        for stream in streams:
            _, *fields = _WRITER.split(stream)
            for address, written, sync_status in zip(fields[::3], fields[1::3], fields[2::3], strict=True):
                yield address, (int(written), sync_status)


def _copy(state: LabState, name: str, answers: Mapping[str, Object]) -> str:
    """Return how to copy a journal to a JournalNode that lost its own, which Hadoop does not do."""
    sources = [
        candidate
        for candidate, journal in answers.items()
        if int(journal.get("LastPromisedEpoch") or 0) > 0 and not _lost(state, candidate, journal)
    ]
    if not sources:
        return "no other JournalNode has it either"
    machines = (state.machine(candidate) for candidate in (sources[0], name))
    source, target = (shlex.quote(str(journal_directory(machine))) for machine in machines)
    return (
        f"it does not recover by itself; copy the journal of {sources[0]}: howdah lab kill {name} "
        f"journalnode --name {state.name} && cp -a {source}/. {target}/ && howdah lab start {name} "
        f"--name {state.name}"
    )


_RELEASED = ("DECOMMISSIONED", "SHUTDOWN", "LOST")
_SILENCE_S = 5.0
_TASKS_S = 3600  # Time limit for tasks on a draining worker before they are restarted elsewhere.


class DrainProgress(NamedTuple):
    with_data: tuple[str, ...]  # Workers with blocks that lack replicas on others.
    with_tasks: tuple[str, ...]  # Workers with running containers.
    behind: int  # Under-replicated blocks of HDFS.


def refresh_members(state: LabState, installations: Installed) -> None:
    """Make the masters read their lists of hosts again; raises RunFailed."""
    gently = ("-g", str(_TASKS_S), "-server") if state.leaving else ()
    commands = {Role.NAMENODE: ("dfsadmin",), Role.RESOURCEMANAGER: ("rmadmin", *gently)}
    running = processes.daemons(state)
    for role, (program, *options) in commands.items():
        masters = [machine for machine in state.machines if (machine.name, DAEMONS[role].name) in running]
        if masters:
            daemons.run(state, masters[0], installations.hadoop, program, "-refreshNodes", *options)


def drain_progress(state: LabState) -> DrainProgress:
    """Return the progress of draining workers; raise ServiceError if a master does not answer."""
    leaving = set(state.leaving)
    conf = ClientConf.read(state.client_conf)
    with network_of(state), Web(state.names, silence_s=_SILENCE_S) as web:
        namenode = NameNode(web, conf)
        datanodes = [node for node in namenode.datanodes() if node.host in leaving and node.live]
        data = [node.host for node in datanodes if node.state != "Decommissioned"]
        tasks: list[str] = []
        if any(Role.RESOURCEMANAGER in machine.roles for machine in state.machines):
            nodes = ResourceManager(web, conf).nodes()
            tasks = [node.host for node in nodes if node.host in leaving and node.state not in _RELEASED]
        blocks = namenode.bean("FSNamesystem").get("UnderReplicatedBlocks")
        if not isinstance(blocks, int):
            raise ServiceError("NameNode", "does not report how many blocks lack replicas", "see its log")
        return DrainProgress(tuple(data), tuple(tasks), blocks)


_ACTIVE = "active"
_CLOCK_S = 1.0  # The largest difference between the kernel's and Java's start time of a process.


class HBaseHealth(Model):
    """The state of HBase's daemons by machine; those that do not answer are left out."""

    masters: dict[str, str]  # The state of each HMaster: ``active``, ``active, starting``, ``backup``.
    regionservers: dict[str, int]  # Regions of those that the active HMaster has listed since their start.
    dead: tuple[str, ...]  # Machines whose RegionServer is dead for the active HMaster, without a new one.


def root_directory(state: LabState) -> str:
    """Return HBase's directory in HDFS, ``/hbase``."""
    root = properties((state.client_conf / "hbase-site.xml").read_text())["hbase.rootdir"]
    return "/" + root.partition("://")[2].partition("/")[2]


def hbase_health(state: LabState, web: Web, running: Mapping[Key, Process]) -> HBaseHealth | None:
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
    masters = {}
    for name, bean in beans[Role.HMASTER].items():
        started = int(bean.get("masterFinishedInitializationTime") or 0) > 0
        masters[name] = (_ACTIVE if started else f"{_ACTIVE}, starting") if _is_active(bean) else "backup"
    lost = tuple(machine.name for machine in state.machines if machine.name.lower() in dead)
    return HBaseHealth(masters=masters, regionservers=regions, dead=lost)


def hbase_missing(state: LabState, answers: HBaseHealth, running: Collection[Key]) -> Iterator[str]:
    """Yield the running daemons that are not ready, in words."""
    yield from unready(state, Role.HMASTER, running, answers.masters)
    if not any(status.startswith(_ACTIVE) for status in answers.masters.values()):
        # Without an active HMaster the serving RegionServers are unknown.
        yield f"an active {Role.HMASTER}"
        return
    yield from unready(state, Role.REGIONSERVER, running, answers.regionservers)
    if _ACTIVE not in answers.masters.values():
        yield f"the {Role.HMASTER} to finish its start"


def unready(state: LabState, role: Role, running: Collection[Key], useful: Collection[str]) -> Iterator[str]:
    """Yield the machines whose daemon runs and is not ready, in words; nothing if there are none."""
    names = [
        machine.name
        for machine in state.machines
        if (machine.name, DAEMONS[role].name) in running and machine.name not in useful
    ]
    if names:
        yield f"{role} on {', '.join(names)}"


def has_active_master(state: LabState, web: Web, running: Mapping[Key, Process]) -> bool:
    """Whether an HMaster is active, so that RegionServers can report to it."""
    return any(_is_active(bean) for _, bean in _beans(state, web, running, Role.HMASTER))


def _beans(
    state: LabState, web: Web, running: Mapping[Key, Process], role: Role
) -> Iterator[tuple[str, Object]]:
    for machine in state.machines:
        if (machine.name, DAEMONS[role].name) in running:
            with suppress(ServiceError):
                if bean := JmxReader(web, page_url(machine, role)).bean(DAEMONS[role].page.bean):
                    yield machine.name, bean


def _is_active(bean: Object) -> bool:
    return str(bean.get("tag.isActiveMaster")).lower() == "true"


def _servers(bean: Object, tag: str) -> Iterator[tuple[str, float]]:
    """Yield host and start time of each server in an HMaster's list: ``h1,16020,1732000000000;…``."""
    for server in str(bean.get(f"tag.{tag}") or "").split(";"):
        host, began_ms = server.partition(",")[0], server.rpartition(",")[2]
        if began_ms.isdigit():
            yield host.lower(), int(began_ms) / 1000
