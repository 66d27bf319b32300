"""What users type, ``hdfs``, ``yarn``, ``mapred``, ``hadoop``, ``hbase``, on the clients' configuration."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from howdah.installation import BRIEF, PROGRAMS, HBaseInstallation, Installation, java_command
from howdah.lab.hadoop.files import name_options, write_file
from howdah.lab.installed import Installed
from howdah.lab.state import LabState

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
