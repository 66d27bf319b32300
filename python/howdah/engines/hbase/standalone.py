"""HBase on this machine alone: master, RegionServer and ZooKeeper in one JVM, on the local file system.

It is started for a run and ended with it. HBase calls this stand-alone, and it is not how anybody serves
data: its log is never synced beyond the file system. It shows that everything works, and what HBase itself
costs where no HDFS and no network are in the way.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from xml.sax.saxutils import escape

from howdah.engines.hbase.admin import opened
from howdah.engines.hbase.engine import HBaseConnection
from howdah.engines.hbase.target import HBaseTarget, places_here
from howdah.engines.local.workspace import Workspace
from howdah.engines.processes import RunningProgram
from howdah.errors import UserError
from howdah.installation.command import PROGRAMS, gc_log_option, java_command
from howdah.installation.installation import HBaseInstallation
from howdah.model.job import Job
from howdah.services.errors import ServiceError
from howdah.services.jmx import JmxReader
from howdah.services.web import Web
from howdah.telemetry.daemons import OFTEN_S, server_sources
from howdah.telemetry.server_logs import ServerLogs
from howdah.telemetry.source import this_machine
from howdah.units import MIB

LOOPBACK = "127.0.0.1"
FOLDER = "hbase"
_START_S = 180.0
_POLL_S = 0.5
_END_S = 30.0
_MASTER = "Hadoop:service=HBase,name=Master,sub=Server"
_READY = ("masterFinishedInitializationTime", "numRegionServers")
"""Numbers of this bean that are above zero once there is somebody to ask."""
_PORTS = (
    "hbase.master.port",
    "hbase.master.info.port",
    "hbase.regionserver.port",
    "hbase.regionserver.info.port",
    "hbase.zookeeper.property.clientPort",
)


@contextmanager
def standing_alone(job: Job, installation: HBaseInstallation) -> Iterator[HBaseConnection]:
    """Start HBase in the plan's data directory, and end and remove it afterwards.

    Raises UserError where it does not come up, with the last that it said.
    """
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
        yield HBaseConnection(target, stack.enter_context(opened(target)))


class _StandAlone(RunningProgram):
    """Its JVM, which logs to howdah's log and to a file that its events are read from."""

    def __init__(self, command: Sequence[str], folder: Path, log: Path) -> None:
        self._log = log.open("w", encoding="utf-8")
        super().__init__(command, folder, environment=_environment(folder), patience_s=_END_S)

    def said(self, line: str) -> None:
        """Keep it."""
        self._log.write(f"{line}\n")
        self._log.flush()

    def end(self) -> None:
        """End it, and its log."""
        super().end()
        self._log.close()


def _await(server: RunningProgram, beans: JmxReader) -> None:
    end = time.monotonic() + _START_S
    while time.monotonic() < end:
        if server.wait(_POLL_S):
            said = next(
                (line for line in reversed(server.lines) if "ERROR" in line or "Exception" in line), ""
            )
            raise UserError(
                "HBase", f"did not start: {said or f'exit code {server.exit_code()}'}", "see its log"
            )
        try:
            bean = beans.bean(_MASTER)
        except ServiceError:
            continue
        if (
            bean
            and bean.get("masterFinishedInitializationTime", 0) > 0
            and bean.get("numRegionServers", 0) > 0
        ):
            return
    raise UserError("HBase", f"was not ready within {_START_S:g} s", "see howdah's log")


def _site(folder: Path, ports: Mapping[str, int]) -> str:
    values: dict[str, str | int] = {
        "hbase.rootdir": f"file://{folder}/data",
        "hbase.tmp.dir": f"{folder}/tmp",
        "hbase.cluster.distributed": "false",
        # The local file system cannot say that what was written is on the disk.
        "hbase.unsafe.stream.capability.enforce": "false",
        "hbase.zookeeper.property.dataDir": f"{folder}/zookeeper",
        "hbase.zookeeper.quorum": LOOPBACK,
        "hbase.master.hostname": "localhost",
        "hbase.regionserver.hostname": "localhost",
        "hbase.master.ipc.address": LOOPBACK,
        "hbase.regionserver.ipc.address": LOOPBACK,
        "hbase.master.info.bindAddress": LOOPBACK,
        "hbase.regionserver.info.bindAddress": LOOPBACK,
        **ports,
    }
    lines = [
        f"  <property><name>{key}</name><value>{escape(str(value))}</value></property>"
        for key, value in values.items()
    ]
    return "\n".join(["<configuration>", *lines, "</configuration>", ""])


def _free_ports(count: int) -> list[int]:
    """Ports of this machine that nobody listens at; held all at once, so that no two are one."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for held_socket in sockets:
            held_socket.bind((LOOPBACK, 0))
        return [int(held_socket.getsockname()[1]) for held_socket in sockets]


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of the user's own configuration of HBase gets in."""
    return {key: value for key, value in os.environ.items() if not key.startswith(("HBASE_", "HADOOP_"))} | {
        "HOME": str(folder)
    }
