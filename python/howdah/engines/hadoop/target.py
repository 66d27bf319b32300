"""The cluster that a run goes to, the plan's workers by Hadoop's names, and the context of its programs."""

from __future__ import annotations

import logging
import posixpath
import re
import subprocess
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from howdah.engines.base import RunClock, sha256
from howdah.engines.processes import PATIENCE_S, RunningProgram
from howdah.installation.installation import Installation
from howdah.installation.java_programs import BRIEF, PROGRAMS, SparkPrograms, java_command
from howdah.model.cluster import Laboratory
from howdah.model.placement import PlacedWorker, placed_workers
from howdah.model.plan import Plan
from howdah.model.tables import Job, SampleSink
from howdah.services.conf import ClientConf
from howdah.services.errors import ServiceError
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import AppFacts, ResourceManager
from howdah.services.web import Web
from howdah.telemetry.source import Follow, Member, Source

if TYPE_CHECKING:
    from howdah.engines.hadoop.storage import HdfsWorkspace

TABLES: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("tables.toml").read_text(encoding="utf-8"))
DEADLINE_S = 120.0  # Time without a container from the queue after which the job is given up.


@dataclass(frozen=True)
class HadoopTarget:
    """All that an engine needs of a cluster, the user's own or a lab."""

    installation: Installation
    conf_dir: Path  # The client's configuration directory, which is only read.
    conf: ClientConf
    web: Web
    work_dir: str = ""  # The directory in HDFS below which everything is written, known for a run.
    queue: str = "default"
    deadline_s: float = DEADLINE_S  # Time limit for the queue's first container.
    job_settings: Mapping[str, str] = field(default_factory=dict)  # The user's properties of jobs.
    machine_of: Mapping[str, str] = field(default_factory=dict)  # Workers by their nodes' names.
    sources: Sequence[Source] = ()
    follow: Follow | None = None
    joined: Mapping[str, Member] = field(default_factory=dict)  # The machines that came so far, by name.
    client_prefix: tuple[str, ...] = ()  # Begins every client's command, to enter a lab's namespaces.
    lab: Laboratory | None = None
    spark: SparkPrograms | None = None  # Spark and howdah's programs on it, if the suite has any.

    def machines(self, plan: Plan) -> NodeFinder:
        """Return the workers of a plan, and those that joined, by Hadoop's names."""
        return NodeFinder(self.machine_of, plan, self.joined)


class NodeFinder:
    """Worker, host and rack of Hadoop's nodes; an unplanned node is a worker on a separate host."""

    def __init__(
        self, machine_of: Mapping[str, str], plan: Plan, joined: Mapping[str, Member] | None = None
    ) -> None:
        self._machine_of = machine_of
        self._joined = {} if joined is None else joined
        placed = placed_workers(plan.cluster) if plan.cluster else ()
        self._placed: dict[str, PlacedWorker] = {worker.name: worker for worker in placed}

    @property
    def workers(self) -> tuple[str, ...]:
        """Every worker of the plan, in its order."""
        return tuple(self._placed)

    def worker(self, node: str) -> str:
        """The worker of a host name or an address."""
        return self._machine_of.get(node, node)

    def host(self, worker: str) -> str:
        """The host that a worker is on."""
        placed = self._placed.get(worker) or self._joined.get(worker)
        return placed.host if placed else worker

    def rack(self, worker: str) -> str | None:
        """Return the rack of a worker; None if it is not in the plan."""
        placed = self._placed.get(worker) or self._joined.get(worker)
        return placed.rack if placed else None


@dataclass
class HadoopContext:
    """The context of every program."""

    job: Job
    target: HadoopTarget
    namenode: NameNode
    manager: ResourceManager
    workspace: HdfsWorkspace
    clock: RunClock
    sink: SampleSink
    warn: Callable[[str, str], None]  # Adds a warning by code and text.
    afterwards: ExitStack  # At most one action, which must not delay the next job; closing does it, once.
    history: bool = True  # Without a history server, application masters are queried for more while they run.

    @property
    def machines(self) -> NodeFinder:
        """The plan's workers, and those that joined, by Hadoop's names."""
        return self.target.machines(self.job.plan)


_LOG = logging.getLogger(__name__)
_SUBMITTED = re.compile(r"Submitted application (application_\d+_\d+)")
QUEUED = frozenset(
    {"NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED"}
)  # States of applications without a container.
ENDED = frozenset({"FINISHED", "FAILED", "KILLED"})
_KILL_PATIENCE_S = 30.0
_CLIENT_S = 60.0
_POLL_S = 1.0


class Client(RunningProgram):
    """A running client; its submitted job continues without it."""

    def __init__(self, command: Sequence[str], directory: Path, patience_s: float = PATIENCE_S) -> None:
        self.application: str | None = None  # The application it submitted, once it has.
        super().__init__(command, directory, patience_s=patience_s)

    def read_line(self, line: str) -> None:
        """Note which application was submitted."""
        if self.application is None and (match := _SUBMITTED.search(line)):
            self.application = match[1]


def run_tag(path: str) -> str:
    """The tag of a run's applications in lower case, as YARN stores it; unique by the path's digest."""
    return f"howdah-{posixpath.basename(path)}-{sha256(path)[:8]}".lower()


def kill_applications(
    target: HadoopTarget, manager: ResourceManager, tag: str, patience_s: float = _KILL_PATIENCE_S
) -> None:
    """Kill all with a tag, by the client if the web server refuses; raises ServiceError if one stays."""
    for app in _at_work(manager, tag):
        _LOG.info("killing %s", app.id)
        try:
            manager.kill(app.id)
        except ServiceError as error:
            _LOG.info("%s", error)
            try:
                done = run_tool(target, "application", "application", "-kill", app.id, seconds=_CLIENT_S)
            except subprocess.TimeoutExpired:
                _LOG.info("the client did not end %s in %g s", app.id, _CLIENT_S)
            else:
                _LOG.info("%s", done.stderr[-2_000:])
    # The run's directory is removed next, so no container may write any more.
    end = time.monotonic() + patience_s
    while running := _at_work(manager, tag):
        if time.monotonic() > end:
            problem = f"was killed and has not ended within {patience_s:g} s"
            raise ServiceError(running[0].id, problem, f"yarn application -status {running[0].id}")
        time.sleep(_POLL_S)


def run_tool(
    target: HadoopTarget, program: str, *words: str, seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run one of Hadoop's client tools; raise TimeoutExpired after ``seconds``."""
    command = java_command(target.installation, target.conf_dir, PROGRAMS[program], *words, options=BRIEF)
    return subprocess.run(
        [*target.client_prefix, *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=seconds,
        check=False,
    )


def _at_work(manager: ResourceManager, tag: str) -> list[AppFacts]:
    return [app for app in manager.apps(applicationTags=tag) if app.state not in ENDED]
