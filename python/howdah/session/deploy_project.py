"""What is sent to hosts: a plan's project of Ansible, and the releases that it needs."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from howdah.deploy.ansible import (
    HostProblem,
    PlaybookRun,
    ReportStep,
    SshLogin,
    host_problems,
    run_playbook,
)
from howdah.deploy.secrets import check_folder, collect_secrets
from howdah.documents.files import read_plan
from howdah.errors import UserError
from howdah.files import scratch_folder
from howdah.installation.digests import FETCHABLE
from howdah.installation.installation import HBaseInstallation, Installation, find_hbase, find_installation
from howdah.installation.tree import PackedTree, packed
from howdah.model.placement import placed_hosts, placed_systems
from howdah.model.plan import Cluster, ClusterPlan, ConfigSet, Role
from howdah.planner.document import source_text
from howdah.render.cluster import FOLDER, render
from howdah.render.secrets import host_secrets
from howdah.session.plan_checks import held_plan

_LISTS = ("changes", "daemons", "trees", "holds")
_TEXTS = ("revision", "previous", "cluster", "upgraded_from")


class Target(NamedTuple):
    """A plan, and what of it is sent to hosts."""

    file: str
    plan: ClusterPlan
    cluster: Cluster
    files: ConfigSet
    systems: Mapping[str, tuple[Role, ...]]  # The daemons of every host, by its name.

    @property
    def name(self) -> str:
        """The cluster's name."""
        return self.cluster.inventory.cluster

    def on(self, role: Role) -> list[str]:
        """The hosts that run a daemon."""
        return [name for name, roles in self.systems.items() if role in roles]


def read_target(path: Path, *, force: bool = False) -> Target:
    """Read a plan that is to be deployed; raises UserError for what is wrong with it, or not done yet."""
    plan = read_plan(path)
    files = render(plan, source_text)
    held_plan(plan, str(path), force=force)
    if plan.cluster.request.secure and any(
        Role.RESOURCEMANAGER in host.roles for host in plan.cluster.masters
    ):
        executor = "container-executor, a setuid program that howdah does not install"
        problem = f"needs Kerberos with YARN, which runs tasks by {executor}: nothing was started"
        hint = "plan HDFS or HBase only (--workload storage or ycsb), or render it and follow its README.md"
        raise UserError(str(path), problem, hint)
    placed = placed_systems(plan, placed_hosts(plan.cluster))
    systems = {system.name: system.roles for system in placed if system.roles}
    return Target(str(path), plan, plan.cluster, files, systems)


def releases(target: Target) -> tuple[PackedTree, ...]:
    """The releases that the plan needs, each as one file; raises UserError for one of another number."""
    request = target.cluster.request
    version = request.hadoop
    fetchable = version in FETCHABLE["hadoop"]
    # The user's own installation; the fetched one of that number where there is none, or another.
    own = find_installation() if os.environ.get("HADOOP_HOME") else None
    if own is None or (fetchable and own.version != version):
        own = find_installation(release=version) if fetchable else find_installation()
    if own.version != version:
        problem = f"is installed here, but {target.file} is for {version}"
        hint = f"set HADOOP_HOME to an installation of {version}, or plan with --hadoop {own.version}"
        raise UserError(f"Hadoop {own.version}", problem, hint)
    manifests = (file for file in target.files.files if file.path.startswith(f"{FOLDER}/manifests/"))
    if own.native is None and any(json.loads(file.content)["native"] for file in manifests):
        reason = "this Hadoop has no native library: no DataNode would start"
        problem = f"enables short-circuit reads, but {reason}"
        library = "set HADOOP_HOME to an installation with lib/native/libhadoop.so"
        hint = f"plan with --set dfs.client.read.shortcircuit=false, or {library}"
        raise UserError(target.file, problem, hint)
    installations: list[Installation | HBaseInstallation] = [own]
    installations += [find_hbase(request.hbase)] if request.hbase_used else []
    return tuple(map(packed, installations))


@contextmanager
def project(
    target: Target,
    disks: Mapping[str, Sequence[str]],
    secrets: Mapping[str, Mapping[str, Mapping[str, str]]] = {},
) -> Iterator[Path]:
    """The project in a folder that is removed afterwards; of ``secrets`` it has places and digests only."""
    with scratch_folder("project") as root:
        for file in target.files.files:
            if file.path.startswith(f"{FOLDER}/"):
                path = root / file.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(file.content, encoding="utf-8")
        for host in {**disks, **secrets}:
            path = root / FOLDER / "host_vars" / f"{host}.json"
            path.parent.mkdir(exist_ok=True)
            own: dict[str, object] = {"howdah_disks": list(disks[host])} if host in disks else {}
            own |= {"howdah_secrets": secrets[host]} if host in secrets else {}
            path.write_text(json.dumps(own))
        yield root / FOLDER


def secrets_of_hosts(
    target: Target, folder: Path | None
) -> tuple[Mapping[str, Mapping[str, Any]], list[HostProblem]]:
    """For each host its files with their SHA-256, and all problems; without a folder hosts keep theirs."""
    if folder is None:
        return {}, []
    if not target.cluster.request.secure:
        problem = f"needs a plan with Kerberos, and {target.file} has none"
        raise UserError(f"--secrets {folder}", problem, "leave it out, or plan with --secure")
    check_folder(folder)
    made: dict[str, Mapping[str, Any]] = {}
    wrong: list[HostProblem] = []
    for system in placed_systems(target.plan, placed_hosts(target.cluster)):
        required = [secret._asdict() for secret in host_secrets(target.plan, system.roles)]
        files, problems = collect_secrets(folder, system.name, required)
        made[system.name] = {
            secret.name: {"file": str(secret.file.absolute()), "sha256": secret.sha256} for secret in files
        }
        wrong += problems
    return made, wrong


def check_ssh_config(path: Path | None) -> None:
    """Raise UserError for a configuration of ssh's that ssh cannot read, with its reason."""
    if path is None:
        return
    where, fix = f"--ssh-config {path}", "give a file such as ~/.ssh/config"
    if not path.is_file():
        raise UserError(where, "is not a file", fix)
    # It prints how it would log in, and does not.
    command = ["ssh", "-G", "-F", str(path.absolute()), "host"]
    # A missing ssh is reported for all hosts that need it.
    with suppress(FileNotFoundError):
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            problem = (done.stderr.strip() or f"ssh -G: exit {done.returncode}").splitlines()[0]
            raise UserError(where, f"ssh cannot read it: {problem}", fix)


class DeployOptions(NamedTuple):
    """What is asked for, beside the plan."""

    ssh_config: Path | None = None
    ssh_password: str | None = None
    sudo_password: str | None = None
    forks: int = 50  # Hosts at once.
    mirror: str = ""  # Where hosts fetch releases from; from here if left out.
    disks: Mapping[str, Sequence[str]] = {}  # Data disks of hosts that have more empty ones than planned.
    secrets: Path | None = None  # The folder with what only the administrator has: keytabs, key stores.
    add: Sequence[str] = ()  # Hosts that are expected to be new to a cluster that is there.
    remove: Sequence[str] = ()  # Hosts that the plan has no longer, to be emptied first.
    only_look: bool = False
    diff: bool = False
    rollback: bool = False
    downtime: bool = False  # Daemons may stop together for what cannot roll, or to upgrade one NameNode.

    @property
    def login(self) -> SshLogin:
        """How to log in to hosts."""
        return SshLogin(self.ssh_config, self.ssh_password, self.sudo_password, self.forks)


class DeployedHost(NamedTuple):
    """What a host is, and what of it differs from what it is to be."""

    host: str
    changes: tuple[str, ...]
    daemons: tuple[Mapping[str, Any], ...]  # Its daemons: whether each runs, and on what is configured now.
    revision: str  # What was applied last; empty where nothing was.
    previous: str
    cluster: str
    trees: tuple[str, ...]  # The releases that were applied last.
    planned: tuple[str, ...]  # The releases that it is to run.
    upgrade: Mapping[str, Any] | None  # An upgrade of HDFS under way, as its NameNode reports it, if any.
    upgraded_from: str  # The release that its NameNode is being upgraded from; empty if it is not.
    holds: tuple[str, ...]  # Where it holds what must never be formatted over.
    diffs: tuple[Mapping[str, str], ...]

    @property
    def settled(self) -> bool:
        """Whether nothing is to be done."""
        return not (self.changes or self.to_start or self.to_restart)

    @property
    def namenode(self) -> Mapping[str, Any] | None:
        """Its NameNode among its daemons; None if it has none."""
        return next((daemon for daemon in self.daemons if daemon["name"] == "namenode"), None)

    @property
    def to_start(self) -> tuple[str, ...]:
        """The daemons that do not run."""
        return tuple(daemon["name"] for daemon in self.daemons if daemon["active"] != "active")

    @property
    def to_restart(self) -> tuple[str, ...]:
        """The daemons that run on what was configured before."""
        running = (daemon for daemon in self.daemons if daemon["active"] == "active")
        return tuple(daemon["name"] for daemon in running if not daemon["fresh"])


def look_at(folder: Path, options: DeployOptions, report: ReportStep, **variables: object) -> PlaybookRun:
    """Ask all hosts what would be done to them."""
    return run_playbook(
        folder, "apply.yaml", options.login, report, variables=variables, check=True, diff=options.diff
    )


def found_states(looked: PlaybookRun) -> dict[str, DeployedHost]:
    """The state of every host that told it."""
    states = {}
    for host, answer in looked.of("Apply the manifest").items():
        result = answer.result
        if not answer.unreachable and "revision" in result:
            fields: dict[str, Any] = {key: tuple(result.get(key) or ()) for key in _LISTS}
            fields |= {key: str(result.get(key) or "") for key in _TEXTS}
            fields |= {"planned": tuple(result.get("wanted") or ()), "diffs": tuple(result.get("diff") or ())}
            states[host] = DeployedHost(answer.host, **fields, upgrade=result.get("upgrade"))
    return states


class Deployed(NamedTuple):
    """What came of a deployment."""

    cluster: str
    hosts: Mapping[str, tuple[str, ...]]
    notes: Mapping[str, tuple[str, ...]]
    refused: tuple[HostProblem, ...]  # Problems of hosts because of which nothing was changed on any.
    failures: tuple[HostProblem, ...]
    states: Mapping[str, DeployedHost]
    elapsed_s: float
    steps: tuple[str, ...] = ()

    @property
    def changed(self) -> int:
        """How much was changed in all."""
        return sum(map(len, self.hosts.values()))


Agree = Callable[[Deployed], None]  # Shows what would be done, and raises unless it may be.


def outcome(
    target: Target,
    done: PlaybookRun,
    states: Mapping[str, DeployedHost],
    begun: float,
    refused: Sequence[HostProblem] = (),
    *,
    steps: Sequence[str] = (),
) -> Deployed:
    """What was changed on each host, and what failed."""
    hosts: dict[str, list[str]] = {name: [] for name in target.systems}
    notes: dict[str, list[str]] = {}
    for answer in done.answers:
        hosts.setdefault(answer.host, []).extend(answer.result.get("changes") or ())
        if texts := answer.result.get("notes"):
            notes.setdefault(answer.host, []).extend(texts)
    return Deployed(
        cluster=target.name,
        hosts={name: tuple(changes) for name, changes in hosts.items()},
        notes={name: tuple(texts) for name, texts in notes.items()},
        refused=tuple(refused),
        failures=tuple(host_problems(done.failures)),
        states=states,
        elapsed_s=time.monotonic() - begun,
        steps=tuple(steps),
    )
