"""What a lab writes for its machines and users: configuration, and the commands that users type."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from howdah.installation.command import BRIEF, PROGRAMS, java_command
from howdah.installation.installation import HBaseInstallation, Installation
from howdah.lab import rootless
from howdah.lab.hadoop.redirect import (
    DIRECTORIES,
    SITES,
    RedirectedProperty,
    Surroundings,
    client_files,
    deviations,
    machine_files,
    moved,
    properties,
    redirected_files,
    redirections,
)
from howdah.lab.installed import Installed
from howdah.lab.registry import CLIENT
from howdah.lab.state import LabState, LabSystem
from howdah.model.cluster import Deviation
from howdah.model.configset import ConfigSet
from howdah.model.plan import Role

# What users of a cluster type, by the program's name in PROGRAMS; the first word after hdfs or yarn chooses.
_HDFS = ("dfs", "dfsadmin", "haadmin", "fsck")
_COMMANDS: Mapping[str, Mapping[str, str]] = {
    "hdfs": {name: PROGRAMS[name] for name in _HDFS},
    "yarn": {
        "application": PROGRAMS["application"],
        "app": PROGRAMS["application"],
        "node": PROGRAMS["node"],
        "rmadmin": PROGRAMS["rmadmin"],
    },
    "mapred": {"job": PROGRAMS["job"]},
    "hadoop": {
        "fs": PROGRAMS["dfs"],
        "version": PROGRAMS["version"],
        "jar": "org.apache.hadoop.util.RunJar",
    },
}
_HBASE: Mapping[str, str] = {
    "version": "org.apache.hadoop.hbase.util.VersionInfo",
    "canary": "org.apache.hadoop.hbase.tool.CanaryTool",
    "pe": "org.apache.hadoop.hbase.PerformanceEvaluation",
    "ltt": "org.apache.hadoop.hbase.util.LoadTestTool",
}
_TAKES_ITS_NAME = PROGRAMS["application"]
_LASTING = frozenset({"jar", "pe", "ltt"})
"""What may run for long, so that code is worth compiling well."""


def write_scripts(state: LabState, found: Installed) -> None:
    """Write a script for each command."""
    made = {name: _script(state, name, words, found.hadoop) for name, words in _COMMANDS.items()}
    if found.hbase is not None:
        made["hbase"] = _script(state, "hbase", _HBASE, found.hbase)
    for name, content in made.items():
        path = state.directory / "bin" / name
        write_file(path, content)
        path.chmod(0o755)


def _script(
    state: LabState, name: str, words: Mapping[str, str], installation: Installation | HBaseInstallation
) -> str:
    known = ", ".join(words) + (" and classes" if name == "hbase" else "")
    return "\n".join(
        [
            "#!/bin/sh",
            f'# {name} of lab "{state.name}": {known}.',
            'case "${1-}" in',
            *_cases(state, words, installation),
            *([_any_class(state, installation)] if name == "hbase" else []),
            f'  *) echo "{name}: in a lab it supports {known}" >&2; exit 2 ;;',
            "esac",
            "",
        ]
    )


def _cases(
    state: LabState, words: Mapping[str, str], installation: Installation | HBaseInstallation
) -> Iterator[str]:
    for word, main in words.items():
        first = ["application"] if main == _TAKES_ITS_NAME else []
        brief = [] if word in _LASTING else [*BRIEF, "-XX:-UsePerfData"]
        command = java_command(
            installation, state.client_conf, main, *first, options=[*brief, *name_options(state)]
        )
        yield f'  {word}) shift; exec {shlex.join(command)} "$@" ;;'


def _any_class(state: LabState, installation: Installation | HBaseInstallation) -> str:
    """As HBase's own script has it, the name of a class runs that class."""
    *command, _ = java_command(installation, state.client_conf, "", options=name_options(state))
    return f'  *.*) exec {shlex.join(command)} "$@" ;;'


_METRICS = ("hadoop-metrics2.properties", "hadoop-metrics2-hbase.properties")
_FRESH = Deviation(
    key="*.period",
    planned="",
    used="1",
    why="daemons update /jmx every second instead of every ten, so that samples match short phases",
)
_ZOOKEEPER = "zookeeper/zoo.cfg"
_OPTIONS = "zookeeper-env.sh"
_ZOOKEEPER_DATA, _ZOOKEEPER_LOG = "dataDir=", "dataLogDir="


def write_files(state: LabState, rendered: ConfigSet, found: Installed) -> tuple[Deviation, ...]:
    """Write every machine's and the clients' configuration; returns what is not as rendered."""
    lines = (f"{address} {name}\n" for name, address in state.names.items())
    own = f"{state.spec.client_address} {CLIENT}\n" if state.spec else rootless.hosts_lines()
    _write_names(state.hosts_file, "127.0.0.1 localhost\n" + own + "".join(lines))
    around = Surroundings(
        task_class_path=found.hadoop.task_class_path,
        native=found.hadoop.native is not None,
        task_options=(*name_options(state), cpu_option(_least_threads(state))),
    )
    result: dict[str, Deviation] = {}
    for number, machine in enumerate(state.machines):
        for file in _machine_files(state, machine, number, rendered, around):
            result.setdefault(file.key, file)
    for file in _client_files(state, rendered, around):
        result.setdefault(file.key, file)
    return tuple(result[key] for key in sorted(result))


def _write_names(path: Path, content: str) -> None:
    """Write /etc/hosts of all machines, where it is in place: running daemons have this very file mounted."""
    if not path.exists():
        write_file(path, content)
    elif path.read_text() != content:
        with path.open("r+") as file:
            file.write(content)
            file.truncate()


def name_options(state: LabState) -> tuple[str, ...]:
    """The Java options by which a program finds the machines' names; with root /etc/hosts has them."""
    return (f"-Djdk.net.hosts.file={state.hosts_file}",) if state.rootless else ()


def cpu_option(threads: int) -> str:
    """The Java option that says how many CPUs there are: as planned, not those of this machine."""
    return f"-XX:ActiveProcessorCount={threads}"


def _least_threads(state: LabState) -> int:
    return min(machine.threads for machine in state.machines if machine.kind == "worker")


def directories(machine: LabSystem) -> Iterable[Path]:
    """The local directories that a machine's configuration names, which its daemons expect or make."""
    for file in SITES:
        path = machine.conf / file
        values = properties(path.read_text()) if path.exists() else {}
        for key in DIRECTORIES:
            for folder in values.get(key, "").split(","):
                if (local := folder.removeprefix("file://")).startswith("/"):
                    yield Path(local)


def _machine_files(
    state: LabState, machine: LabSystem, number: int, rendered: ConfigSet, around: Surroundings
) -> tuple[Deviation, ...]:
    files = machine_files(rendered, machine)
    wanted = list(redirections(files, machine.conf, machine.directory, around))
    if state.rootless:
        wanted += rootless.changes(machine, number, _all(files))
    made = redirected_files(files, wanted)
    if state.rootless:
        made = rootless.shared_files(made, state.machines)
    _place(machine.conf, made)
    for name in _METRICS:
        write_file(machine.conf / name, f"{_FRESH.key}={_FRESH.used}\n")
    if Role.ZOOKEEPER in machine.roles:
        _place_zookeeper(state, machine, rendered)
    return (*deviations(files, wanted, machine.directory), _FRESH)


def _client_files(state: LabState, rendered: ConfigSet, around: Surroundings) -> tuple[Deviation, ...]:
    files = client_files(rendered)
    root = state.client_conf.parent
    wanted: list[RedirectedProperty] = list(redirections(files, state.client_conf, root, around))
    if state.rootless:
        wanted += rootless.changes(None, 0, _all(files))
    _place(state.client_conf, redirected_files(files, wanted))
    return deviations(files, wanted, root)


def _all(files: Mapping[str, str]) -> dict[str, str]:
    return {key: value for name in SITES if name in files for key, value in properties(files[name]).items()}


def _place_zookeeper(state: LabState, machine: LabSystem, rendered: ConfigSet) -> None:
    content = {file.path: file.content for file in rendered.files}
    lines = content[_ZOOKEEPER].splitlines()
    data = Path()
    for index, line in enumerate(lines):
        if line.startswith(_ZOOKEEPER_DATA):
            data = Path(moved(line.removeprefix(_ZOOKEEPER_DATA), machine.conf, machine.directory))
            lines[index] = f"{_ZOOKEEPER_DATA}{data}"
        elif line.startswith(_ZOOKEEPER_LOG):
            log = moved(line.removeprefix(_ZOOKEEPER_LOG), machine.conf, machine.directory)
            lines[index] = f"{_ZOOKEEPER_LOG}{log}"
    extra = rootless.zookeeper_lines(machine) if state.rootless else ""
    write_file(machine.conf / "zoo.cfg", "\n".join(lines) + f"\n{extra}")
    if options := content.get(f"zookeeper/{_OPTIONS}"):
        write_file(machine.conf / _OPTIONS, options)
    # A ZooKeeper without others has no number: it is told of no other and needs none.
    if number := content.get(f"zookeeper/{machine.name}/myid"):
        write_file(data / "myid", number)


def _place(folder: Path, files: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write_file(folder / name, content)
        if name.endswith(".sh"):
            (folder / name).chmod(0o755)


def write_file(path: Path, content: str) -> None:
    """Write a file unless it holds just that: a running daemon may be reading it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.read_text() == content:
        return
    staged = path.with_name(f".{path.name}.new")
    staged.write_text(content)
    staged.replace(path)
