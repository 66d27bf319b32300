"""The command line of a program: what every job of a run has, and what a workload and its user set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from howdah.engines.hadoop.context import HadoopContext
from howdah.engines.hadoop.history.reporters import ReportedJob, report_job
from howdah.engines.hadoop.programs.spark_settings import SPARK_PREFIX, check_spark_setting
from howdah.engines.hadoop.storage import HOME, STAGING, HdfsWorkspace
from howdah.engines.hadoop.target import HadoopTarget
from howdah.errors import UserError
from howdah.hadoop.misspelt import intended_key
from howdah.installation.command import BRIEF, java_command
from howdah.model.workloads.base import Workload
from howdah.model.workloads.files import BLOCK_SIZE, REPLICATION
from howdah.model.workloads.terasort import Codec, TeraSort
from howdah.releases.catalogue import default_of, hadoop
from howdah.services.job_facts import JobFacts
from howdah.services.job_rest import AppMaster
from howdah.services.resourcemanager import Node, ResourceManager

_OPTIONS = (
    *BRIEF,
    # TestDFSIO writes its numbers in the JVM's locale.
    "-Duser.language=en",
    "-Duser.country=US",
)
_HISTORY = "mapreduce.jobhistory.intermediate-done-dir"

_CODECS = {
    Codec.LZ4: "org.apache.hadoop.io.compress.Lz4Codec",
    Codec.SNAPPY: "org.apache.hadoop.io.compress.SnappyCodec",
    Codec.ZSTD: "org.apache.hadoop.io.compress.ZStandardCodec",
}
_FLAGS = {
    "dfs.blocksize": "--block-size",
    "dfs.replication": "--replication",
    "mapreduce.job.maps": "--maps",
    "mapreduce.job.queuename": "--queue",
    "mapreduce.job.reduce.slowstart.completedmaps": "--slowstart",
    "mapreduce.job.reduces": "--reduces",
    "mapreduce.terasort.num-rows": "--rows",
    "mapreduce.terasort.output.replication": "--output-replication",
    "mapreduce.terasort.partitions.sample": "--partition-samples",
}
"""What the record says of a run: a property would make it say something else than what ran."""
_OWN = {
    "dfs.user.home.dir.prefix": "keeps what jobs write in the run's directory",
    "fs.defaultFS": "is that of the inspected cluster",
    "mapreduce.framework.name": "must be yarn",
    "mapreduce.job.tags": "identifies the run's jobs",
    "yarn.app.mapreduce.am.staging-dir": "keeps what jobs write in the run's directory",
}
_KEYS = ("yarn.app.mapreduce.am.resource.mb", "mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb")
_MOST = "yarn.scheduler.maximum-allocation-mb"


class EndedJob(NamedTuple):
    """A job whose client has ended."""

    application: str
    """The application that it was."""
    lines: tuple[str, ...]
    """The last lines that its client printed."""
    seen: JobFacts | None
    """The last report of its application master, if that was queried for its tasks."""
    exit_code: int | None = 0
    """Its client's; None if the client had other applications, too."""


class Command(NamedTuple):
    """A program of Hadoop's and what it is asked to do."""

    main: str
    """Its class."""
    properties: Mapping[str, str]
    """What the workload sets."""
    arguments: tuple[str, ...]
    """What comes after them."""

    def vector(self, target: HadoopTarget, workspace: HdfsWorkspace, tag: str) -> list[str]:
        """The client's whole command line; see ``argument_vector``."""
        return argument_vector(target, workspace, self, tag)

    def master(self, manager: ResourceManager, application: str) -> AppMaster:
        """What reports the job's progress while it runs."""
        return manager.app_master(application)

    def report(self, context: HadoopContext, workload: Workload, ended: EndedJob) -> ReportedJob:
        """The result of the job."""
        return report_job(
            context.target,
            ended.application.replace("application_", "job_", 1),
            context.clock,
            workload=workload,
            plan=context.job.plan,
            printed=ended.lines,
            seen=ended.seen,
            staging=staging(context.workspace),
        )


def argument_vector(target: HadoopTarget, workspace: HdfsWorkspace, command: Command, tag: str) -> list[str]:
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


def staging(workspace: HdfsWorkspace) -> str:
    """Where the run's clients and application masters keep what their jobs need."""
    return workspace.folder(STAGING)


def _own(target: HadoopTarget, workspace: HdfsWorkspace, tag: str) -> dict[str, str]:
    own = {
        "mapreduce.job.queuename": target.queue,
        "mapreduce.job.tags": tag,
        "yarn.app.mapreduce.am.staging-dir": staging(workspace),
        # pi works below the user's home directory, whose place is the client's to choose.
        "dfs.user.home.dir.prefix": workspace.folder(HOME),
    }
    history = target.conf.get(_HISTORY)
    # Its default lies below the staging directory, which is another one now.
    return own | ({_HISTORY: history} if history else {})


def file_properties(workload: Workload) -> dict[str, str]:
    """How the files that a workload writes are cut and replicated."""
    return _given({"dfs.blocksize": BLOCK_SIZE.of(workload), "dfs.replication": REPLICATION.of(workload)})


def sort_properties(workload: TeraSort) -> dict[str, str]:
    """The papers' parameters of a sort."""
    properties = _given(
        {
            "dfs.blocksize": workload.block_bytes,
            "mapreduce.job.reduces": workload.reduces,
            # TeraSort replicates its output once unless it is told otherwise, whatever dfs.replication says.
            "mapreduce.terasort.output.replication": workload.replication,
            "mapreduce.terasort.partitions.sample": workload.partition_samples,
            "mapreduce.job.reduce.slowstart.completedmaps": workload.slowstart,
        }
    )
    return properties | _compression(workload.codec)


def _compression(codec: Codec | None) -> dict[str, str]:
    if codec is None:
        return {}
    if codec is Codec.NONE:
        return {"mapreduce.map.output.compress": "false"}
    return {
        "mapreduce.map.output.compress": "true",
        "mapreduce.map.output.compress.codec": _CODECS[codec],
    }


def _given(values: dict[str, int | float | None]) -> dict[str, str]:
    return {key: f"{value}" for key, value in values.items() if value is not None}


def check_settings(settings: Mapping[str, str], *, flags: bool = True) -> None:
    """Raise UserError for a property of ``--set`` that is not the user's, or that Hadoop could not read.

    With ``flags``, those that have a flag of their own are refused as well.

    A cluster may know properties of its own; only a name that is nearly one of Hadoop's is taken for it,
    misspelt: no program would read it, and the run would say that it was set.
    """
    release = hadoop()
    for given, value in settings.items():
        if given.startswith(SPARK_PREFIX):
            check_spark_setting(given, value)
            continue
        for key in release.replacement(given) or (given,):
            if misfit := release.misfit(key, value):
                raise UserError(
                    f"--set {given}", f"{value!r} {misfit}", f"the default is {default_of(key, release)!r}"
                )
            if flags and key in _FLAGS:
                raise UserError(f"--set {given}", "has its own flag", f"write {_FLAGS[key]}")
            if key in _OWN:
                raise UserError(f"--set {given}", f"is reserved for howdah: it {_OWN[key]}", "leave it out")
            if not release.has(key) and (meant := intended_key(key, release)):
                raise UserError(
                    f"--set {given}",
                    f"no program of Hadoop {release.version} reads this key",
                    f"did you mean {meant}? Put your own properties into the client's configuration",
                )


def check_containers(target: HadoopTarget, nodes: Sequence[Node]) -> None:
    """Raise UserError for a container that is larger than the scheduler gives, or than any node has."""
    largest_mib = max(node.used_memory_mib + node.available_memory_mib for node in nodes)
    limits = [(f"the largest NodeManager has {largest_mib} MiB", largest_mib)]
    given = target.conf.explicit(_MOST)
    if given is not None and given.isdigit():
        limits.append((f"{_MOST} is {given}", int(given)))
    for key in _KEYS:
        asked = target.job_settings.get(key) or target.conf.get(key) or ""
        for limit, most_mib in limits:
            # A reduce or map may be left at -1: Hadoop then derives it from the heap.
            if asked.isdigit() and int(asked) > most_mib:
                where = f"--set {key}" if key in target.job_settings else target.conf.where(key)
                raise UserError(where, f"requests {asked} MiB; {limit}", f"give at most {most_mib}")
