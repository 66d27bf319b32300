"""The command line of a program on Hadoop, and which properties of Spark a user may set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from howdah.engines.hadoop.reporters import ReportedJob, report_job
from howdah.engines.hadoop.storage import HOME, STAGING, HdfsWorkspace
from howdah.engines.hadoop.target import TABLES, HadoopContext, HadoopTarget
from howdah.errors import UserError
from howdah.hadoop.readers import intended_key
from howdah.installation.java_programs import BRIEF, java_command
from howdah.model.workloads.base import Workload
from howdah.model.workloads.option import BLOCK_SIZE, REPLICATION
from howdah.model.workloads.spark import EXECUTOR_MEMORY, executor_container_bytes
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import Codec, TeraSort
from howdah.releases.catalogue import DEFAULT_SPARK, default_of, hadoop, intended_spark_key, spark_keys
from howdah.releases.values import read_positive
from howdah.services.job_facts import JobFacts
from howdah.services.resourcemanager import Node
from howdah.units import MIB, format_memory

# TestDFSIO writes its numbers in the JVM's locale.
_OPTIONS = (*BRIEF, "-Duser.language=en", "-Duser.country=US")
_HISTORY = "mapreduce.jobhistory.intermediate-done-dir"

_KEYS = ("yarn.app.mapreduce.am.resource.mb", "mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb")
_MOST = "yarn.scheduler.maximum-allocation-mb"


class EndedJob(NamedTuple):
    """A job whose client has ended."""

    application: str
    lines: tuple[str, ...]  # The last lines that its client printed.
    seen: JobFacts | None  # The last report of its application master, if that was queried for its tasks.
    exit_code: int | None = 0  # Its client's; None if the client had other applications, too.


class Command(NamedTuple):
    """A program of Hadoop with its properties and arguments."""

    main: str
    properties: Mapping[str, str]
    arguments: tuple[str, ...]

    def vector(self, target: HadoopTarget, workspace: HdfsWorkspace, tag: str) -> list[str]:
        """The client's command line: the user's properties win, except over its directory and tag."""
        own = {
            "mapreduce.job.queuename": target.queue,
            "mapreduce.job.tags": tag,
            "yarn.app.mapreduce.am.staging-dir": workspace.folder(STAGING),
            # pi works below the user's home directory, which the client may choose.
            "dfs.user.home.dir.prefix": workspace.folder(HOME),
        }
        # Its default is below the cluster's staging directory.
        if history := target.conf.get(_HISTORY):
            own[_HISTORY] = history
        properties = {**self.properties, **target.job_settings, **own}
        words = (*(f"-D{key}={value}" for key, value in properties.items()), *self.arguments)
        java = java_command(target.installation, target.conf_dir, self.main, *words, options=_OPTIONS)
        return [*target.client_prefix, *java]

    def report(self, context: HadoopContext, workload: Workload, ended: EndedJob) -> ReportedJob:
        return report_job(
            context.target,
            ended.application.replace("application_", "job_", 1),
            context.clock,
            workload=workload,
            plan=context.job.plan,
            printed=ended.lines,
            seen=ended.seen,
            staging=context.workspace.folder(STAGING),
        )


def file_properties(workload: Workload) -> dict[str, str]:
    """Return the properties of a workload's output: block size and replication."""
    return _present({"dfs.blocksize": BLOCK_SIZE.of(workload), "dfs.replication": REPLICATION.of(workload)})


def sort_properties(workload: TeraSort) -> dict[str, str]:
    """Return the properties of a sort, the parameters of the papers."""
    codec = workload.codec
    return _present(
        {
            "dfs.blocksize": workload.block_bytes,
            "mapreduce.job.reduces": workload.reduces,
            # TeraSort's default is one replica of its output, regardless of dfs.replication.
            "mapreduce.terasort.output.replication": workload.replication,
            "mapreduce.terasort.partitions.sample": workload.partition_samples,
            "mapreduce.job.reduce.slowstart.completedmaps": workload.slowstart,
            "mapreduce.map.output.compress": codec and ("false" if codec is Codec.NONE else "true"),
            "mapreduce.map.output.compress.codec": TABLES["codecs"].get(codec),
        }
    )


def _present(values: Mapping[str, str | int | float | None]) -> dict[str, str]:
    return {key: f"{value}" for key, value in values.items() if value is not None}


def check_settings(settings: Mapping[str, str], *, flags: bool = True) -> None:
    """Raise UserError for a reserved, misspelt or unreadable property of ``--set``, or one with a flag."""
    release = hadoop()
    for name, value in settings.items():
        if name.startswith(SPARK_PREFIX):
            check_spark_setting(name, value)
            continue
        for key in release.replacement(name) or (name,):
            if misfit := release.misfit(key, value):
                problem = f"{value!r} {misfit}"
                raise UserError(f"--set {name}", problem, f"the default is {default_of(key, release)!r}")
            _check_free(name, key, TABLES["flags"] if flags else {}, TABLES["own"])
            if not release.has(key) and (meant := intended_key(key, release)):
                problem = f"no program of Hadoop {release.version} reads this key"
                hint = f"did you mean {meant}? Put your own properties into the client's configuration"
                raise UserError(f"--set {name}", problem, hint)


def _check_free(name: str, key: str, flags: Mapping[str, str], own: Mapping[str, str]) -> None:
    if key in flags:
        raise UserError(f"--set {name}", "has its own flag", f"write {flags[key]}")
    if key in own:
        raise UserError(f"--set {name}", f"is reserved for howdah: it {own[key]}", "leave it out")


def check_containers(target: HadoopTarget, nodes: Sequence[Node]) -> None:
    """Raise UserError for a container that is larger than the scheduler's maximum, or than any node."""
    largest_mib = max(node.used_memory_mib + node.available_memory_mib for node in nodes)
    limits = [(f"the largest NodeManager has {largest_mib} MiB", largest_mib)]
    maximum = target.conf.explicit(_MOST)
    if most := read_positive(maximum):
        limits.append((f"{_MOST} is {maximum}", most))
    for key in _KEYS:
        requested = target.job_settings.get(key) or target.conf.get(key) or ""
        for limit, most_mib in limits:
            # With -1, Hadoop derives a container's size from the heap.
            if (read_positive(requested) or 0) > most_mib:
                where = f"--set {key}" if key in target.job_settings else target.conf.where(key)
                raise UserError(where, f"requests {requested} MiB; {limit}", f"give at most {most_mib}")


SPARK_PREFIX = "spark."
HADOOP_PREFIX = "spark.hadoop."  # Before a property of Hadoop, for Spark to pass it on.


def check_executors(suite: Suite, nodes: Sequence[Node]) -> None:
    """Raise UserError for executors that are larger than any node: YARN would refuse them after a while."""
    largest_bytes = max((node.used_memory_mib + node.available_memory_mib) * MIB for node in nodes)
    for workload in suite.workloads:
        heap = EXECUTOR_MEMORY.of(workload)
        if heap is not None and (needed := executor_container_bytes(heap)) > largest_bytes:
            needs = f"a heap of {format_memory(heap)} needs {format_memory(needed)} with its overhead"
            problem = f"{needs}; the largest NodeManager has {format_memory(largest_bytes)}"
            raise UserError(EXECUTOR_MEMORY.flag, problem, "give less")


def check_spark_setting(key: str, value: str) -> None:
    """Raise UserError for a property of Spark that is not the user's, misspelt, or of a wrong kind."""
    _check_free(key, key, TABLES["spark-flags"], TABLES["spark-own"])
    entry = spark_keys().get(key)
    if entry is None:
        if meant := intended_spark_key(key):
            problem = f"no code of Spark {DEFAULT_SPARK} reads this key"
            raise UserError(f"--set {key}", problem, f"did you mean {meant}?")
        return
    if misfit := entry.misfit(value):
        raise UserError(f"--set {key}", f"{value!r} {misfit}", f"the default is {entry.default!r}")
