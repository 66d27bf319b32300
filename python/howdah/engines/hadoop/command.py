"""The command line of a program, with all that every job of a run has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from howdah.engines.hadoop.target import HadoopTarget
from howdah.engines.hadoop.workspace import Workspace
from howdah.installation.command import java_command

_OPTIONS = (
    # TestDFSIO writes its numbers in the JVM's locale.
    "-Duser.language=en",
    "-Duser.country=US",
)
_HISTORY = "mapreduce.jobhistory.intermediate-done-dir"


class Command(NamedTuple):
    """A program of Hadoop's and what it is asked to do."""

    main: str
    """Its class."""
    properties: Mapping[str, str]
    """What the workload sets."""
    arguments: tuple[str, ...]
    """What comes after them."""


def argument_vector(target: HadoopTarget, workspace: Workspace, command: Command, tag: str) -> list[str]:
    """The client's whole command line, no shell in between.

    What the user insists on wins over what the workload asks for, but not over what keeps a job within
    the run's own directory and findable by its tag.
    """
    properties = {**command.properties, **target.job_settings, **_own(target, workspace, tag)}
    words = [f"-D{key}={value}" for key, value in properties.items()]
    java = java_command(
        target.installation, target.conf_dir, command.main, *words, *command.arguments, options=_OPTIONS
    )
    return [*target.client_prefix, *java]


def staging(workspace: Workspace) -> str:
    """Where the run's clients and application masters keep what their jobs need."""
    return workspace.folder("staging")


def _own(target: HadoopTarget, workspace: Workspace, tag: str) -> dict[str, str]:
    own = {
        "mapreduce.job.queuename": target.queue,
        "mapreduce.job.tags": tag,
        "yarn.app.mapreduce.am.staging-dir": staging(workspace),
        # pi works below the user's home directory, whose place is the client's to choose.
        "dfs.user.home.dir.prefix": workspace.folder("home"),
    }
    history = target.conf.get(_HISTORY)
    # Its default lies below the staging directory, which is another one now.
    return own | ({_HISTORY: history} if history else {})
