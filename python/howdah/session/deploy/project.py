"""What is sent to hosts: a plan's project of Ansible, and the releases that it needs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from howdah.deploy.ansible import HostProblem
from howdah.deploy.secrets import SecretFile, check_folder, collect_secrets
from howdah.documents.files import read_plan
from howdah.errors import UserError
from howdah.installation.digests import FETCHABLE
from howdah.installation.installation import HBaseInstallation, Installation, find_hbase, find_installation
from howdah.installation.tree import PackedTree, packed
from howdah.model.placement import placed_hosts, placed_systems
from howdah.model.plan import Cluster, ClusterPlan, ConfigSet, Role
from howdah.planner.explanation import source_text
from howdah.render.cluster import render
from howdah.render.secrets import host_secrets
from howdah.scratch import scratch_folder
from howdah.session.plan.acceptance import held_plan

_FOLDER = "deploy"


class Target(NamedTuple):
    """A plan, and what of it is sent to hosts."""

    file: str
    """The plan's file, for messages."""
    plan: ClusterPlan
    cluster: Cluster
    files: ConfigSet
    systems: Mapping[str, tuple[Role, ...]]
    """The daemons of every host, by its name."""

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
    if plan.cluster.request.secure:
        _check_kerberos(path, plan.cluster)
    systems = {
        system.name: system.roles
        for system in placed_systems(plan, placed_hosts(plan.cluster))
        if system.roles
    }
    return Target(str(path), plan, plan.cluster, files, systems)


def _check_kerberos(path: Path, cluster: Cluster) -> None:
    """Raise UserError where a plan with Kerberos has more than what was seen to work with it."""
    if any(Role.RESOURCEMANAGER in master.roles for master in cluster.masters):
        raise UserError(
            str(path),
            "needs Kerberos with YARN, which runs tasks by container-executor, a setuid program that howdah "
            "does not install: nothing was started",
            "plan HDFS or HBase only (--workload storage or ycsb), or render it and follow its README.md",
        )


def releases(target: Target) -> tuple[PackedTree, ...]:
    """The releases that the plan needs, each as one file; raises UserError for one of another number."""
    request = target.cluster.request
    found: list[Installation | HBaseInstallation] = [_hadoop(request.hadoop)]
    if found[0].version != request.hadoop:
        raise UserError(
            f"Hadoop {found[0].version}",
            f"is installed here, but {target.file} is for {request.hadoop}",
            f"set HADOOP_HOME to an installation of {request.hadoop}, or plan with "
            f"--hadoop {found[0].version}",
        )
    if found[0].native is None and _needs_libhadoop(target):
        raise UserError(
            target.file,
            "enables short-circuit reads, but this Hadoop has no native library: no DataNode would start",
            "plan with --set dfs.client.read.shortcircuit=false, or set HADOOP_HOME to an installation with "
            "lib/native/libhadoop.so",
        )
    if request.hbase_used:
        found.append(find_hbase(request.hbase))
    return tuple(map(packed, found))


def _hadoop(version: str) -> Installation:
    """The user's own installation; the fetched one of that number where there is none, or another."""
    own = find_installation() if os.environ.get("HADOOP_HOME") else None
    if own and (own.version == version or version not in FETCHABLE["hadoop"]):
        return own
    return find_installation(release=version) if version in FETCHABLE["hadoop"] else find_installation()


def _needs_libhadoop(target: Target) -> bool:
    return any(
        json.loads(file.content)["native"]
        for file in target.files.files
        if file.path.startswith(f"{_FOLDER}/manifests/")
    )


@contextmanager
def project(
    target: Target,
    disks: Mapping[str, Sequence[str]],
    secrets: Mapping[str, Mapping[str, Mapping[str, str]]] = {},
) -> Iterator[Path]:
    """The project in a folder that is removed afterwards: what was done is on the hosts.

    ``secrets`` are the places and digests of what each host is handed; none of it is copied.
    """
    with scratch_folder("project") as root:
        for file in target.files.files:
            if file.path.startswith(f"{_FOLDER}/"):
                path = root / file.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(file.content, encoding="utf-8")
        for host in {**disks, **secrets}:
            path = root / _FOLDER / "host_vars" / f"{host}.json"
            path.parent.mkdir(exist_ok=True)
            own: dict[str, object] = {"howdah_disks": list(disks[host])} if host in disks else {}
            own |= {"howdah_secrets": secrets[host]} if host in secrets else {}
            path.write_text(json.dumps(own))
        yield root / _FOLDER


def secrets_of_hosts(
    target: Target, folder: Path | None
) -> tuple[Mapping[str, Mapping[str, Any]], list[HostProblem]]:
    """For each host its files, each with its place and SHA-256, and all that is wrong with any.

    Without a folder hosts keep what they were handed before. Raises UserError where the folder cannot be
    used, or the plan needs none.
    """
    if folder is None:
        return {}, []
    if not target.cluster.request.secure:
        raise UserError(
            f"--secrets {folder}",
            f"needs a plan with Kerberos, and {target.file} has none",
            "leave it out, or plan with --secure",
        )
    check_folder(folder)
    made: dict[str, Mapping[str, Any]] = {}
    wrong: list[HostProblem] = []
    for system in placed_systems(target.plan, placed_hosts(target.cluster)):
        wanted = [one._asdict() for one in host_secrets(target.plan, system.roles)]
        found, source_text = collect_secrets(folder, system.name, wanted)
        made[system.name] = {one.name: _named(one) for one in found}
        wrong += source_text
    return made, wrong


def _named(secret: SecretFile) -> dict[str, str]:
    return {"file": str(secret.file.absolute()), "sha256": secret.sha256}
