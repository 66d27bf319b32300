"""The command line of a program on Hadoop, and which properties of Spark a user may set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from howdah.engines.hadoop.reporters import ReportedJob, report_job
from howdah.engines.hadoop.storage import HOME, STAGING, HdfsWorkspace
from howdah.engines.hadoop.target import HadoopContext, HadoopTarget
from howdah.errors import UserError
from howdah.hadoop.readers import intended_key
from howdah.installation.java_programs import BRIEF, java_command
from howdah.model.workloads.base import Workload
from howdah.model.workloads.option import BLOCK_SIZE, REPLICATION
from howdah.model.workloads.spark import EXECUTOR_MEMORY, executor_container_bytes
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import Codec, TeraSort
from howdah.releases.catalogue import DEFAULT_SPARK, default_of, hadoop, intended_spark_key, spark_keys
from howdah.services.job_facts import JobFacts
from howdah.services.resourcemanager import Node
from howdah.units import MIB, format_memory

# TestDFSIO writes its numbers in the JVM's locale.
_OPTIONS = (*BRIEF, "-Duser.language=en", "-Duser.country=US")
_HISTORY = "mapreduce.jobhistory.intermediate-done-dir"

_CODECS = {
    Codec.LZ4: "org.apache.hadoop.io.compress.Lz4Codec",
    Codec.SNAPPY: "org.apache.hadoop.io.compress.SnappyCodec",
    Codec.ZSTD: "org.apache.hadoop.io.compress.ZStandardCodec",
}
_FLAGS = {
    "dfs.blocksize": "--block-size", "dfs.replication": "--replication",
    "mapreduce.job.maps": "--maps", "mapreduce.job.queuename": "--queue",
    "mapreduce.job.reduce.slowstart.completedmaps": "--slowstart", "mapreduce.job.reduces": "--reduces",
    "mapreduce.terasort.num-rows": "--rows", "mapreduce.terasort.output.replication": "--output-replication",
    "mapreduce.terasort.partitions.sample": "--partition-samples",
}  # fmt: skip
"""Properties with flags: the record has the flags' values, which a property would make wrong."""
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
    lines: tuple[str, ...]  # The last lines that its client printed.
    seen: JobFacts | None  # The last report of its application master, if that was queried for its tasks.
    exit_code: int | None = 0  # Its client's; None if the client had other applications, too.


class Command(NamedTuple):
    """A program of Hadoop with its properties and arguments."""

    main: str
    properties: Mapping[str, str]
    arguments: tuple[str, ...]

    def vector(self, target: HadoopTarget, workspace: HdfsWorkspace, tag: str) -> list[str]:
        """The client's whole command line, without a shell.

        The user's properties override the workload's, but not those that keep a job within the run's
        directory and identify it by its tag.
        """
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
    properties = _present(
        {
            "dfs.blocksize": workload.block_bytes,
            "mapreduce.job.reduces": workload.reduces,
            # TeraSort's default is one replica of its output, regardless of dfs.replication.
            "mapreduce.terasort.output.replication": workload.replication,
            "mapreduce.terasort.partitions.sample": workload.partition_samples,
            "mapreduce.job.reduce.slowstart.completedmaps": workload.slowstart,
        }
    )
    if workload.codec is not None:
        properties["mapreduce.map.output.compress"] = "false" if workload.codec is Codec.NONE else "true"
    if workload.codec in _CODECS:
        properties["mapreduce.map.output.compress.codec"] = _CODECS[workload.codec]
    return properties


def _present(values: dict[str, int | float | None]) -> dict[str, str]:
    return {key: f"{value}" for key, value in values.items() if value is not None}


def check_settings(settings: Mapping[str, str], *, flags: bool = True) -> None:
    """Raise UserError for a property of ``--set`` that is reserved, or that Hadoop could not read.

    With ``flags``, properties with their own flag are refused, too. Unknown properties may be the cluster's
    own, but names close to one of Hadoop's are refused as misspelt.
    """
    release = hadoop()
    for name, value in settings.items():
        if name.startswith(SPARK_PREFIX):
            check_spark_setting(name, value)
            continue
        for key in release.replacement(name) or (name,):
            if misfit := release.misfit(key, value):
                problem = f"{value!r} {misfit}"
                raise UserError(f"--set {name}", problem, f"the default is {default_of(key, release)!r}")
            if flags and key in _FLAGS:
                raise UserError(f"--set {name}", "has its own flag", f"write {_FLAGS[key]}")
            if key in _OWN:
                raise UserError(f"--set {name}", f"is reserved for howdah: it {_OWN[key]}", "leave it out")
            if not release.has(key) and (meant := intended_key(key, release)):
                problem = f"no program of Hadoop {release.version} reads this key"
                hint = f"did you mean {meant}? Put your own properties into the client's configuration"
                raise UserError(f"--set {name}", problem, hint)


def check_containers(target: HadoopTarget, nodes: Sequence[Node]) -> None:
    """Raise UserError for a container that is larger than the scheduler's maximum, or than any node."""
    largest_mib = max(node.used_memory_mib + node.available_memory_mib for node in nodes)
    limits = [(f"the largest NodeManager has {largest_mib} MiB", largest_mib)]
    maximum = target.conf.explicit(_MOST)
    if maximum is not None and maximum.isdigit():
        limits.append((f"{_MOST} is {maximum}", int(maximum)))
    for key in _KEYS:
        requested = target.job_settings.get(key) or target.conf.get(key) or ""
        for limit, most_mib in limits:
            # With -1, Hadoop derives a container's size from the heap.
            if requested.isdigit() and int(requested) > most_mib:
                where = f"--set {key}" if key in target.job_settings else target.conf.where(key)
                raise UserError(where, f"requests {requested} MiB; {limit}", f"give at most {most_mib}")


SPARK_PREFIX = "spark."
HADOOP_PREFIX = "spark.hadoop."  # Before a property of Hadoop, for Spark to pass it on.
_SPARK_FLAGS = {
    "spark.default.parallelism": "--partitions", "spark.dynamicAllocation.enabled": "--allocation",
    "spark.executor.cores": "--executor-cores", "spark.executor.instances": "--executors",
    "spark.executor.memory": "--executor-memory", "spark.sql.shuffle.partitions": "--partitions",
    "spark.submit.deployMode": "--deploy-mode", "spark.yarn.queue": "--queue",
}  # fmt: skip
_OWN_OF_SPARK = {
    "spark.app.name": "identifies the program",
    "spark.eventLog.dir": "keeps what applications write in the run's directory",
    "spark.eventLog.enabled": "must be true, because the report is made from the event log",
    "spark.jars": "holds howdah's programs",
    "spark.master": "must be yarn",
    "spark.yarn.stagingDir": "keeps what applications write in the run's directory",
    "spark.yarn.tags": "identifies the run's applications",
}


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
    if key in _SPARK_FLAGS:
        raise UserError(f"--set {key}", "has its own flag", f"write {_SPARK_FLAGS[key]}")
    if key in _OWN_OF_SPARK:
        raise UserError(f"--set {key}", f"is reserved for howdah: it {_OWN_OF_SPARK[key]}", "leave it out")
    entry = spark_keys().get(key)
    if entry is None:
        if meant := intended_spark_key(key):
            problem = f"no code of Spark {DEFAULT_SPARK} reads this key"
            raise UserError(f"--set {key}", problem, f"did you mean {meant}?")
        return
    if misfit := entry.misfit(value):
        raise UserError(f"--set {key}", f"{value!r} {misfit}", f"the default is {entry.default!r}")
