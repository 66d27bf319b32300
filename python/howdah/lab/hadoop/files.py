"""Files that a lab writes for its machines and users, and the installations that it runs."""

from __future__ import annotations

import shlex
import socket
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from howdah.installation.digests import release_of
from howdah.installation.installation import (
    HBaseInstallation,
    Installation,
    fetched_hbase,
    find_hbase,
    find_installation,
    own_hbase,
)
from howdah.installation.java_programs import BRIEF, PROGRAMS, java_command, tools
from howdah.lab.hadoop import redirect
from howdah.lab.state import Jars, LabState, LabSystem
from howdah.model.cluster import LAB_CLIENT, Deviation
from howdah.model.plan import Cluster, ConfigSet, Role
from howdah.releases.values import read_list

# Commands of users by script and first argument.
_COMMANDS: Mapping[str, Mapping[str, str]] = {
    "hdfs": tools("hdfs", "dfs dfsadmin haadmin fsck"),
    "yarn": tools("yarn", "application app node rmadmin"),
    "mapred": tools("mapred", "job"),
    "hadoop": tools("hadoop", "fs version jar"),
}
_HBASE = tools("hbase", "version canary pe ltt")
_APPLICATION_MAIN = PROGRAMS["application"]
_LASTING = frozenset({"jar", "pe", "ltt"})  # These may run long and need the optimising compiler.


def write_scripts(state: LabState, installations: Installed) -> None:
    scripts = {name: _script(state, name, words, installations.hadoop) for name, words in _COMMANDS.items()}
    if installations.hbase is not None:
        scripts["hbase"] = _script(state, "hbase", _HBASE, installations.hbase)
    for name, content in scripts.items():
        path = state.directory / "bin" / name
        write_file(path, content)
        path.chmod(0o755)


def _script(
    state: LabState, name: str, words: Mapping[str, str], installation: Installation | HBaseInstallation
) -> str:
    supported = ", ".join(words) + (" and classes" if name == "hbase" else "")
    conf, names = state.client_conf, name_options(state)
    lines = ["#!/bin/sh", f'# {name} of lab "{state.name}": {supported}.', 'case "${1-}" in']
    for word, main in words.items():
        first = ["application"] if main == _APPLICATION_MAIN else []
        brief = [] if word in _LASTING else [*BRIEF, "-XX:-UsePerfData"]
        command = java_command(installation, conf, main, *first, options=[*brief, *names])
        lines.append(f'  {word}) shift; exec {shlex.join(command)} "$@" ;;')
    if name == "hbase":
        # A class name, which HBase's own script also runs.
        *command, _ = java_command(installation, conf, "", options=names)
        lines.append(f'  *.*) exec {shlex.join(command)} "$@" ;;')
    last = f'  *) echo "{name}: in a lab it supports {supported}" >&2; exit 2 ;;'
    return "\n".join([*lines, last, "esac", ""])


_METRICS = ("hadoop-metrics2.properties", "hadoop-metrics2-hbase.properties")
_FRESH = Deviation(
    key="*.period",
    planned="",
    used="1",
    why="daemons update /jmx every second instead of every ten, so that samples match short phases",
)
_OPTIONS = "zookeeper-env.sh"


def write_files(state: LabState, rendered: ConfigSet, installations: Installed) -> tuple[Deviation, ...]:
    """Write every machine's and the clients' configuration; return the deviations from the rendered one."""
    lines = (f"{address} {name}\n" for name, address in state.names.items())
    # Without root, clients resolve this machine itself.
    own = (
        f"{state.spec.client_address} {LAB_CLIENT}\n" if state.spec else f"127.0.0.1 {socket.gethostname()}\n"
    )
    names = "127.0.0.1 localhost\n" + own + "".join(lines)
    if not state.hosts_file.exists():
        write_file(state.hosts_file, names)
    elif state.hosts_file.read_text() != names:
        # It is written in place, because running daemons have this file mounted.
        with state.hosts_file.open("r+") as file:
            file.write(names)
            file.truncate()
    least_threads = min(machine.threads for machine in state.machines if machine.kind == "worker")
    common = redirect.CommonSettings(
        task_class_path=installations.hadoop.task_class_path,
        native=installations.hadoop.native is not None,
        task_options=(*name_options(state), cpu_option(least_threads)),
    )
    differences: list[Deviation] = []
    for number, machine in enumerate(state.machines):
        differences += _machine_files(state, machine, number, rendered, common)
    client, root = redirect.configuration_files(rendered), state.client_conf.parent
    changes = list(redirect.redirections(client, state.client_conf, root, common))
    if state.rootless:
        changes += redirect.changes(None, 0, redirect.all_properties(client))
    _place(state.client_conf, redirect.redirected_files(client, changes))
    differences += redirect.deviations(client, changes, root)
    # The first of a key counts.
    result = {deviation.key: deviation for deviation in reversed(differences)}
    return tuple(result[key] for key in sorted(result))


def name_options(state: LabState) -> tuple[str, ...]:
    """Return the Java options with the machines' names; with root /etc/hosts has them."""
    return (f"-Djdk.net.hosts.file={state.hosts_file}",) if state.rootless else ()


def cpu_option(threads: int) -> str:
    """Return the Java option with the planned number of CPUs in place of this machine's."""
    return f"-XX:ActiveProcessorCount={threads}"


def is_configured(machine: LabSystem) -> bool:
    """Whether a machine's site files are complete: those of metrics are written after them."""
    return all((machine.conf / name).exists() for name in _METRICS)


def directories(machine: LabSystem) -> Iterable[Path]:
    """Yield the local directories in a machine's configuration."""
    for file in redirect.SITES:
        path = machine.conf / file
        values = redirect.properties(path.read_text()) if path.exists() else {}
        for key in redirect.DIRECTORIES:
            for folder in read_list(values.get(key, "")):
                if (local := folder.removeprefix("file://")).startswith("/"):
                    yield Path(local)


def _machine_files(
    state: LabState, machine: LabSystem, number: int, rendered: ConfigSet, common: redirect.CommonSettings
) -> tuple[Deviation, ...]:
    files = redirect.configuration_files(rendered, machine.worker_kind)
    changes = list(redirect.redirections(files, machine.conf, machine.directory, common))
    if state.rootless:
        changes += redirect.changes(machine, number, redirect.all_properties(files))
    changed = redirect.redirected_files(files, changes)
    if state.rootless:
        changed = redirect.shared_files(changed, state.machines)
    _place(machine.conf, changed)
    for name in _METRICS:
        write_file(machine.conf / name, f"{_FRESH.key}={_FRESH.used}\n")
    if Role.ZOOKEEPER in machine.roles:
        _place_zookeeper(state, machine, rendered)
    return (*redirect.deviations(files, changes, machine.directory), _FRESH)


def _place_zookeeper(state: LabState, machine: LabSystem, rendered: ConfigSet) -> None:
    content = {file.path: file.content for file in rendered.files}
    lines, data = [], ""
    for line in content["zookeeper/zoo.cfg"].splitlines():
        key, equals, path = line.partition("=")
        if key in ("dataDir", "dataLogDir"):
            path = redirect.moved(path, machine.conf, machine.directory)
            data = path if key == "dataDir" else data
        lines.append(f"{key}{equals}{path}\n")
    if state.rootless:
        # There are several servers on this machine.
        lines.append(f"clientPortAddress={machine.address}\nadmin.enableServer=false\n")
    write_file(machine.conf / "zoo.cfg", "".join(lines))
    if options := content.get(f"zookeeper/{_OPTIONS}"):
        write_file(machine.conf / _OPTIONS, options)
    # A single ZooKeeper has no number.
    if number := content.get(f"zookeeper/{machine.name}/myid"):
        write_file(Path(data, "myid"), number)


def _place(folder: Path, files: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write_file(folder / name, content)
        if name.endswith(".sh"):
            (folder / name).chmod(0o755)


def write_file(path: Path, content: str) -> None:
    """Write a file, unless its content is the same: a running daemon may be reading it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.read_text() == content:
        return
    staged = path.with_name(f".{path.name}.new")
    staged.write_text(content)
    staged.replace(path)


class Installed(NamedTuple):
    """Hadoop, and HBase if the plan has it."""

    hadoop: Installation
    hbase: HBaseInstallation | None = None


def find_installed(cluster: Cluster) -> Installed:
    """Return the installations for a cluster's plan; raise UserError with a hint if one is missing."""
    hadoop, request = find_installation(), cluster.request
    if not request.hbase_used:
        return Installed(hadoop)
    return _with_native_library(hadoop, find_hbase(request.hbase))


def installed(state: LabState) -> Installed:
    """Return the installations that a lab runs; raise UserError if one no longer exists."""
    jars = state.jars
    hadoop = find_installation(release=jars.version) if jars.fetched else find_installation(home=jars.home)
    if (own := state.hbase) is None:
        return Installed(hadoop)
    if own.fetched:
        return _with_native_library(hadoop, fetched_hbase(release_of("hbase", own.version)))
    return _with_native_library(hadoop, own_hbase(own.home, str(own.home)))


def _with_native_library(hadoop: Installation, hbase: HBaseInstallation) -> Installed:
    """Return the installations; HBase uses Hadoop's libhadoop, if it exists."""
    return Installed(hadoop, hbase._replace(native=hadoop.native))


def jars_of(installation: Installation | HBaseInstallation) -> Jars:
    """Return what a lab's state says of an installation."""
    return Jars(home=installation.home, version=installation.version, fetched=installation.fetched)
