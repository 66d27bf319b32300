"""An HBase that can be asked: a laboratory's, or a user's own; only howdah's tables are changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from howdah.engines.hadoop.reached import open_telemetry
from howdah.engines.hbase.admin import HBaseAdmin, check_status, opened
from howdah.engines.hbase.target import ClientPlace, HBaseTarget, places_here
from howdah.engines.on_lab.members import LabMembers, beneath, lab_telemetry, laboratory_of
from howdah.errors import UserError
from howdah.hadoop.daemons import OF_HBASE
from howdah.installation.compiled import with_ycsb
from howdah.installation.find import find_hbase
from howdah.lab.hadoop import daemons
from howdah.lab.hadoop.files import name_options
from howdah.lab.installed import installed
from howdah.lab.kernel.enter import client_prefix, join_network
from howdah.lab.registry import CLIENT
from howdah.lab.state import LabState
from howdah.model.hbase import HBaseStatus
from howdah.model.placement import placed_workers
from howdah.model.plan import ClusterPlan, Plan, Role, Worker, WorkerPlan
from howdah.services.conf import ClientConf
from howdah.services.web import Web
from howdah.telemetry.daemons import server_sources
from howdah.telemetry.server_logs import ServerLogs
from howdah.telemetry.source import Source, this_machine
from howdah.units import format_counted

_SITE = "hbase-site.xml"


@dataclass(frozen=True)
class ReachedHBase:
    """An HBase, what it is, and how it is asked."""

    target: HBaseTarget
    admin: HBaseAdmin
    status: HBaseStatus
    plan: Plan
    """What it is, planned or as found."""
    line: str
    """What it is, for the terminal."""
    close: ExitStack
    """Ends what was opened to ask it."""
    state: LabState | None = None


def reach_lab_hbase(state: LabState) -> ReachedHBase:
    """Join a laboratory's network with the whole process, and ask its HBase; before any thread starts."""
    installation = installed(state).hbase
    if installation is None:
        raise UserError(
            f'lab "{state.name}"',
            "has no HBase, because its plan has none",
            "build one from a plan with --workload ycsb, or give --conf DIR",
        )
    if not state.rootless:
        join_network(state.name)
    conf = ClientConf.read(state.client_conf)
    names = dict(state.names)
    telemetry = open_telemetry(conf, names)
    shared = beneath(state)
    target = HBaseTarget(
        with_ycsb(installation),
        state.client_conf,
        tuple(_places(state)),
        (*lab_telemetry(state, conf, telemetry), *shared),
        tuple(_logs(state)),
        LabMembers(state, conf, telemetry, names),
        laboratory_of(state, shared[0].machine),
    )
    return replace(_asked(target, telemetry, state.plan, f'lab "{state.name}"'), state=state)


def _logs(state: LabState) -> Iterator[ServerLogs]:
    for daemon in daemons.planned(state):
        if daemon.role in OF_HBASE:
            yield ServerLogs(daemon.machine.name, daemon.program, daemon.log, daemon.collector_log)


def _places(state: LabState) -> Iterator[ClientPlace]:
    """First where jobs are submitted, which no limit slows; then the workers, beside what they serve."""
    options = tuple(name_options(state))
    environment = daemons.surroundings(state, daemons.configured(state, state.client_conf))
    yield ClientPlace(CLIENT, client_prefix(state), environment, options)
    for machine in state.machines:
        if machine.kind == "worker":
            prefix, own = daemons.inside(state, machine), daemons.environment(state, machine, {})
            yield ClientPlace(machine.name, prefix, own, options)


def reach_own_hbase(directory: Path, plan_file: Path | None, host: str) -> ReachedHBase:
    """Ask a user's HBase what it is; raises UserError where it does not answer or contradicts the plan.

    ``host`` is what this machine is called: all clients run here.
    """
    if not (directory / _SITE).is_file():
        raise UserError(
            f"--conf {directory}", f"has no {_SITE}", "give the directory of HBase's client configuration"
        )
    planned = _read_plan(plan_file) if plan_file else None
    target = HBaseTarget(with_ycsb(find_hbase()), directory, places_here(host))
    conf = ClientConf.read(directory)
    reached = _asked(target, open_telemetry(conf), planned, f"HBase of {directory}")
    if planned is not None and plan_file is not None:
        _check_plan(planned, plan_file, reached.status)
    return reached


def _asked(target: HBaseTarget, telemetry: Web, plan: Plan | None, called: str) -> ReachedHBase:
    with ExitStack() as stack:
        stack.callback(telemetry.close)
        admin = stack.enter_context(opened(target))
        status = check_status(admin)
        if target.lab is None:
            sources = (*this_machine(target.places[0].name), *_daemons(status, telemetry))
            target = HBaseTarget(target.installation, target.conf_dir, target.places, sources)
        line = f"{called}: {format_counted(len(status.servers), 'RegionServer')} · HBase {status.version}"
        return ReachedHBase(target, admin, status, plan or _found(status), line, stack.pop_all())


def _daemons(status: HBaseStatus, telemetry: Web) -> Iterator[Source]:
    """What the cluster's daemons tell of themselves."""
    master = status.master
    yield from server_sources(master.host, "hmaster", f"http://{master.host}:{master.info_port}", telemetry)
    for server in status.servers:
        url = f"http://{server.host}:{server.info_port}"
        yield from server_sources(server.host, "regionserver", url, telemetry)


def _found(status: HBaseStatus) -> WorkerPlan:
    """The plan of a cluster that nobody planned here: its RegionServers as they report themselves."""
    workers = tuple(
        Worker(
            name=server.host,
            map_slots=0,
            reduce_slots=0,
            memory_bytes=server.heap_bytes,
            roles=(Role.REGIONSERVER,),
        )
        for server in status.servers
    )
    return WorkerPlan(platform="as found", workers=workers, settings=())


def _read_plan(file: Path) -> ClusterPlan:
    # Most runs have none, and do without what reads one.
    from howdah.documents.files import read_plan  # noqa: PLC0415

    return read_plan(file)


def _check_plan(plan: ClusterPlan, file: Path, status: HBaseStatus) -> None:
    planned = {worker.name for worker in placed_workers(plan.cluster)}
    strange = sorted({server.host for server in status.servers} - planned)
    if strange:
        raise UserError(
            f"--plan {file}",
            f"lists no worker {strange[0]}, which serves this cluster",
            "give the plan of this cluster",
        )
