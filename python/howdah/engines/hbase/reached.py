"""An HBase that can be queried: a lab's, a user's own, or one that stands alone on this machine."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from xml.sax.saxutils import escape

from howdah.engines.hadoop.reached import check_plan, join_lab, open_telemetry, read_plan_file
from howdah.engines.hbase.admin import HBaseAdmin, check_status, opened
from howdah.engines.hbase.target import ClientPlace, HBaseTarget, places_here
from howdah.engines.local.workspace import Workspace
from howdah.engines.processes import RunningProgram
from howdah.errors import UserError
from howdah.hadoop.daemons import DAEMONS, OF_HBASE
from howdah.installation.installation import HBaseInstallation, find_hbase
from howdah.installation.java_programs import PROGRAMS, gc_log_option, java_command, with_ycsb
from howdah.lab.hadoop import daemons
from howdah.lab.hadoop.files import installed, name_options
from howdah.lab.kernel.namespaces import client_prefix
from howdah.lab.state import LabState
from howdah.model.cluster import LAB_CLIENT, HBaseStatus
from howdah.model.plan import Plan, Role, Worker, WorkerPlan
from howdah.model.tables import Job
from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError
from howdah.services.web import JmxReader, Web
from howdah.telemetry.daemons import OFTEN_S, ServerLogs, server_sources
from howdah.telemetry.source import this_machine
from howdah.units import MIB, format_counted

LOOPBACK = "127.0.0.1"
FOLDER = "hbase"
_START_S = 180.0
_POLL_S = 0.5
_END_S = 30.0
_PORTS = (
    "hbase.master.port", "hbase.master.info.port", "hbase.regionserver.port", "hbase.regionserver.info.port",
    "hbase.zookeeper.property.clientPort",
)  # fmt: skip


@contextmanager
def standing_alone(job: Job, installation: HBaseInstallation) -> Iterator[tuple[HBaseTarget, HBaseAdmin]]:
    """Run HBase in the plan's data directory; raises UserError with its last output if it does not start."""
    worker = job.plan.workers[0]
    with ExitStack() as stack:
        workspace = stack.enter_context(Workspace(worker.data_dirs, job.run_id, keep=False))
        folder = workspace.fresh(FOLDER, scratch=True)[0]
        conf, ports = folder / "conf", _free_ports(len(_PORTS))
        conf.mkdir()
        values = dict(zip(_PORTS, ports, strict=True))
        (conf / "hbase-site.xml").write_text(_site(folder, values))
        heap = worker.memory_bytes // MIB
        logs = ServerLogs(job.host.name, "regionserver", folder / "hbase.log", folder / "gc.log")
        options = (f"-Xms{heap}m", f"-Xmx{heap}m", gc_log_option(str(logs.collector)))
        (conf / "hadoop-metrics2-hbase.properties").write_text("*.period=1\n")
        command = java_command(installation, conf, PROGRAMS["hmaster"], "start", options=options)
        server = _StandAlone(command, folder, logs.own)
        stack.callback(server.end)
        web = stack.enter_context(Web())
        url = f"http://{LOOPBACK}:{values['hbase.master.info.port']}"
        _await(server, JmxReader(web, url))
        name = job.host.name
        # All of it is one process, and either web server shows all beans.
        sources = (*this_machine(name), *server_sources(name, "regionserver", url, web, OFTEN_S))
        target = HBaseTarget(installation, conf, places_here(name), sources, (logs,))
        yield target, stack.enter_context(opened(target))


class _StandAlone(RunningProgram):
    """Its JVM, which logs to howdah's log and to a file that its events are read from."""

    def __init__(self, command: Sequence[str], folder: Path, log: Path) -> None:
        self._log = log.open("w", encoding="utf-8")
        # Nothing of the user's own configuration of HBase gets in.
        own = {key: value for key, value in os.environ.items() if not key.startswith(("HBASE_", "HADOOP_"))}
        super().__init__(command, folder, environment=own | {"HOME": str(folder)}, patience_s=_END_S)

    def read_line(self, line: str) -> None:
        self._log.write(f"{line}\n")
        self._log.flush()

    def end(self) -> None:
        super().end()
        self._log.close()


def _await(server: RunningProgram, beans: JmxReader) -> None:
    end = time.monotonic() + _START_S
    while time.monotonic() < end:
        if server.wait(_POLL_S):
            wrong = [line for line in server.lines if "ERROR" in line or "Exception" in line]
            why = wrong[-1] if wrong else f"exit code {server.exit_code()}"
            raise UserError("HBase", f"did not start: {why}", "see its log")
        try:
            bean = beans.bean(DAEMONS[Role.HMASTER].page.bean) or {}
        except ServiceError:
            continue
        if bean.get("masterFinishedInitializationTime", 0) > 0 and bean.get("numRegionServers", 0) > 0:
            return
    raise UserError("HBase", f"was not ready within {_START_S:g} s", "see howdah's log")


def _site(folder: Path, ports: Mapping[str, int]) -> str:
    values: dict[str, str | int] = {
        "hbase.rootdir": f"file://{folder}/data",
        "hbase.tmp.dir": f"{folder}/tmp",
        "hbase.cluster.distributed": "false",
        # The local file system cannot confirm that data is on the disk.
        "hbase.unsafe.stream.capability.enforce": "false",
        "hbase.zookeeper.property.dataDir": f"{folder}/zookeeper",
        "hbase.zookeeper.quorum": LOOPBACK,
        **dict.fromkeys(("hbase.master.hostname", "hbase.regionserver.hostname"), "localhost"),
        **dict.fromkeys(("hbase.master.ipc.address", "hbase.regionserver.ipc.address"), LOOPBACK),
        **dict.fromkeys(("hbase.master.info.bindAddress", "hbase.regionserver.info.bindAddress"), LOOPBACK),
        **ports,
    }
    lines = [
        f"  <property><name>{key}</name><value>{escape(str(value))}</value></property>"
        for key, value in values.items()
    ]
    return "\n".join(["<configuration>", *lines, "</configuration>", ""])


def _free_ports(count: int) -> list[int]:
    """Return free ports of this machine; all are bound at once, so that they differ."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for bound in sockets:
            bound.bind((LOOPBACK, 0))
        return [int(bound.getsockname()[1]) for bound in sockets]


_SITE = "hbase-site.xml"


@dataclass(frozen=True)
class ReachedHBase:
    """An HBase, its plan, and how to reach it."""

    target: HBaseTarget
    admin: HBaseAdmin
    status: HBaseStatus
    plan: Plan
    line: str
    close: ExitStack  # Ends what was opened to ask it.
    state: LabState | None = None


def reach_lab_hbase(state: LabState) -> ReachedHBase:
    """Join a lab's network with the whole process, before any thread starts, and query its HBase."""
    installation = installed(state).hbase
    if installation is None:
        hint = "build one from a plan with --workload ycsb, or give --conf DIR"
        raise UserError(f'lab "{state.name}"', "has no HBase, because its plan has none", hint)
    lab = join_lab(state)
    logs = tuple(
        ServerLogs(daemon.machine.name, daemon.program, daemon.log, daemon.collector_log)
        for daemon in daemons.planned(state)
        if daemon.role in OF_HBASE
    )
    ycsb, conf, places = with_ycsb(installation), state.client_conf, tuple(_places(state))
    target = HBaseTarget(ycsb, conf, places, lab.sources, logs, lab.follow, lab.laboratory)
    return replace(_query_cluster(target, lab.telemetry, state.plan, f'lab "{state.name}"'), state=state)


def _places(state: LabState) -> Iterator[ClientPlace]:
    options = tuple(name_options(state))
    yield ClientPlace(LAB_CLIENT, client_prefix(state), daemons.environment(state), options)
    for machine in state.machines:
        if machine.kind == "worker":
            prefix, own = daemons.machine_prefix(state, machine), daemons.environment(state, machine)
            yield ClientPlace(machine.name, prefix, own, options)


def reach_own_hbase(directory: Path, plan_file: Path | None, host: str) -> ReachedHBase:
    """Query a user's HBase from ``host``, this machine; raises UserError if it contradicts the plan."""
    if not (directory / _SITE).is_file():
        problem = f"has no {_SITE}"
        raise UserError(f"--conf {directory}", problem, "give the directory of HBase's client configuration")
    planned = read_plan_file(plan_file) if plan_file else None
    target = HBaseTarget(with_ycsb(find_hbase()), directory, places_here(host))
    telemetry = open_telemetry(ClientConf.read(directory))
    reached = _query_cluster(target, telemetry, planned, f"HBase of {directory}")
    if planned is not None:
        check_plan(planned, plan_file, [server.host for server in reached.status.servers], "serves")
    return reached


def _query_cluster(target: HBaseTarget, telemetry: Web, plan: Plan | None, called: str) -> ReachedHBase:
    with ExitStack() as stack:
        stack.callback(telemetry.close)
        admin = stack.enter_context(opened(target))
        status = check_status(admin)
        if target.lab is None:
            sources, master = list(this_machine(target.places[0].name)), status.master
            pages = [("hmaster", master.host, master.info_port)]
            pages += [("regionserver", server.host, server.info_port) for server in status.servers]
            for name, host, port in pages:
                sources += server_sources(host, name, f"http://{host}:{port}", telemetry)
            target = HBaseTarget(target.installation, target.conf_dir, target.places, sources)
        if plan is None:
            # RegionServers as they report themselves.
            fields = {"map_slots": 0, "reduce_slots": 0, "roles": (Role.REGIONSERVER,)}
            workers = tuple(
                Worker(name=server.host, memory_bytes=server.heap_bytes, **fields)
                for server in status.servers
            )
            plan = WorkerPlan(platform="as found", workers=workers, settings=())
        line = f"{called}: {format_counted(len(status.servers), 'RegionServer')} · HBase {status.version}"
        return ReachedHBase(target, admin, status, plan, line, stack.pop_all())
