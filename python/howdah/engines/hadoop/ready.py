"""Check a cluster's preconditions before anything is written to it."""

from __future__ import annotations

import json
import os
import posixpath
import re
from contextlib import suppress

from howdah.engines.base import Generated
from howdah.engines.hadoop.command import check_containers, check_executors
from howdah.engines.hadoop.storage import HdfsWorkspace, existing_parent, kept_data
from howdah.engines.hadoop.target import HadoopTarget
from howdah.errors import UserError
from howdah.installation.installation import java_fault, java_home, java_version
from howdah.model.cluster import ClusterState
from howdah.model.tables import Job
from howdah.model.workloads.base import Workload
from howdah.model.workloads.dfsio import DfsioFiles
from howdah.model.workloads.spark import SparkTeraSort
from howdah.model.workloads.suite import programs
from howdah.model.workloads.terasort import INPUT, ROW_BYTES, TeraRows, TeraSort
from howdah.services.errors import RefusedByDaemon, ServiceError
from howdah.services.hdfs import FileStatus
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import Queue, ResourceManager

FILE = "_TERAGEN"  # The local engine writes the same; MapReduce passes over names with an underscore.
DFSIO_DATA = "io_data"  # Its own folder of the files, below that one.


def read_generated(namenode: NameNode, folder: str) -> Generated | None:
    """The record in a folder, whose sum has the low 64 bits; None where there is none, or one cut off."""
    listed = any(entry.name == FILE for entry in namenode.list(folder))
    return Generated.read(namenode.read(f"{folder}/{FILE}")) if listed else None


def write_generated(namenode: NameNode, folder: str, generated: Generated) -> None:
    """Leave the record with the rows."""
    content = json.dumps(generated._asdict(), separators=(",", ":"))
    namenode.write(f"{folder}/{FILE}", content.encode())


def find_source(
    namenode: NameNode, work_dir: str, workload: Workload, workspace: HdfsWorkspace | None = None
) -> str | None:
    """The path that a workload reads, if it reads any; raises UserError if no run has left its input."""
    name = programs()[workload.reads].folder if workload.reads else None
    if name is None:
        return None
    inputs = INPUT.of(workload)
    if inputs:
        if len(inputs) > 1:
            raise UserError("--input", f"{len(inputs)} are given", "Hadoop's TeraSort reads one directory")
        if not inputs[0].startswith("/"):
            raise UserError(f"--input {inputs[0]}", "is not a path in HDFS", "give a path that begins with /")
        if namenode.stat(inputs[0]) is None:
            raise UserError(f"--input {inputs[0]}", "is not in HDFS", "give a directory of 100-byte rows")
        return inputs[0]
    if workspace is not None and workspace.has(name):
        return workspace.folder(name)
    kept = kept_data(namenode, work_dir, name)
    if kept is None:
        hint = f"run `howdah run {workload.reads} --engine hadoop --keep-data` first"
        raise UserError(f"HDFS {work_dir}", f"contains no input for {workload.kind}", hint)
    return kept


def tera_rows(namenode: NameNode, path: str) -> int:
    """The number of rows in a folder; raises UserError where they are no whole number."""
    files = [status for status in namenode.list(path) if _is_data(status)]
    for file in files:
        if file.size_bytes % ROW_BYTES:
            problem = f"is {file.size_bytes:,} bytes long, which is not a multiple of {ROW_BYTES}"
            hint = "it is truncated or does not consist of TeraSort's 100-byte rows"
            raise UserError(f"HDFS {path}/{file.name}".rstrip("/"), problem, hint)
    if not files:
        raise UserError(f"HDFS {path}", "contains no rows", "give a directory of TeraSort's part files")
    return sum(file.size_bytes for file in files) // ROW_BYTES


def _is_data(entry: FileStatus) -> bool:
    """Whether MapReduce takes it for input: neither hidden nor a directory."""
    return entry.kind == "FILE" and not entry.name.startswith(("_", "."))


def dfsio_files(namenode: NameNode, path: str) -> list[FileStatus]:
    """The files of a dfsio-write."""
    return [status for status in namenode.list(posixpath.join(path, DFSIO_DATA)) if _is_data(status)]


_STRANGE = re.compile(r"[^\w/.+=@~-]")
_WINDING = re.compile(r"//|/\.\.?(?=/|$)")
_PATIENCE = ("yarn.nm.liveness-monitor.expiry-interval-ms", "yarn.am.liveness-monitor.expiry-interval-ms")


def check_ready(job: Job, target: HadoopTarget, namenode: NameNode, manager: ResourceManager) -> ClusterState:
    """The cluster as it is; raises UserError if the job would fail on it, ServiceError if it is silent."""
    client = target.installation.version
    check_java(client)
    key = "mapreduce.framework.name"
    if target.conf.get(key) != "yarn":
        problem = f"is {target.conf.get(key)!r}, which runs jobs inside the client"
        raise UserError(target.conf.where(key), problem, "set it to yarn")
    check_path(target.work_dir)
    status, hdfs = namenode.status(), f"HDFS {target.conf.default_fs}"
    # Clients and servers of one major release understand each other; that is what Hadoop promises.
    if client.partition(".")[0] != status.version.partition(".")[0]:
        problem = f"runs Hadoop {status.version}, the client's jars are {client}"
        raise UserError(hdfs, problem, "set HADOOP_HOME to an installation of the cluster's release")
    if status.safe_mode:
        hint = "wait until HDFS leaves safe mode, or see `hdfs dfsadmin -safemode get`"
        raise UserError(hdfs, f"is in safe mode: {status.safe_mode}", hint)
    datanodes = [node.host for node in namenode.datanodes() if node.live]
    if not datanodes:
        raise UserError(hdfs, "has no live DataNode", "start one, and see its log")
    nodes = [node for node in manager.nodes() if node.state == "RUNNING"]
    if not nodes:
        raise UserError("YARN", "has no running NodeManager", "see `yarn node -list -all` for the reason")
    queue = _check_queue(target, manager)
    check_containers(target, nodes)
    check_executors(job.suite, nodes)
    try:
        refused = namenode.access(existing_parent(namenode, target.work_dir))
    except RefusedByDaemon as error:
        # A directory above may deny even the query.
        refused = error.message
    if refused:
        hint = "give a directory with --hdfs-dir that you may write to"
        raise UserError(f"HDFS {target.work_dir}", refused, hint)
    for workload in job.suite.workloads[:1]:
        _check_source(namenode, target, workload)
    for workload in job.suite.workloads:
        log = job.results_dir / workload.log if workload.log else None
        if log and not os.access(log if log.exists() else job.results_dir, os.W_OK):
            hint = f"run {workload.kind} in a directory you may write to"
            raise UserError(str(log), "cannot be written to", hint)
    patience: dict[str, str] = {}
    capacity = namenode.capacity()
    for key in _PATIENCE:
        with suppress(ServiceError):
            patience[key] = manager.running(key)
    return ClusterState(
        hadoop_version=status.version,
        client_version=client,
        default_fs=target.conf.default_fs,
        work_dir=target.work_dir,
        secure=target.conf.secure,
        free_bytes=capacity.free_bytes,
        capacity_bytes=capacity.capacity_bytes,
        datanodes=tuple(sorted(datanodes)),
        nodemanagers=tuple(sorted(node.host for node in nodes)),
        queue=queue.path,
        patience=patience,
        lab=target.lab,
    )


def check_java(hadoop: str) -> None:
    """Raise UserError unless there is a Java that can run that release of Hadoop."""
    home = java_home()
    if fault := java_fault(java_version(home), hadoop):
        raise UserError(str(home), fault, "set JAVA_HOME to a newer one")


def check_path(work_dir: str) -> None:
    """Raise UserError for a directory that Hadoop's programs cannot all work in."""
    where = f"--hdfs-dir {work_dir}"
    if not work_dir.startswith("/"):
        raise UserError(where, "is not a path in HDFS", "give a path that begins with /")
    # Characters of patterns, lists and URIs: some of Hadoop's programs accept them, others fail half-way.
    if strange := _STRANGE.search(work_dir):
        problem = f"contains {strange[0]!r}, which some Hadoop programs reject in a path"
        raise UserError(where, problem, "use letters, digits and . _ - + = @ ~")
    if _WINDING.search(work_dir):
        raise UserError(where, "contains //, . or ..", "write the path that it resolves to")


def _check_queue(target: HadoopTarget, manager: ResourceManager) -> Queue:
    queues, where = [queue for queue in manager.queues() if queue.leaf], f"--queue {target.queue}"
    chosen = next((queue for queue in queues if target.queue in (queue.path, queue.name)), None)
    if chosen is None:
        names = ", ".join(queue.path for queue in queues)
        raise UserError(where, "is not a queue of this cluster", f"one of {names}")
    if not chosen.running:
        raise UserError(where, "is stopped and accepts no applications", "start it, or give another queue")
    return chosen


def _check_source(namenode: NameNode, target: HadoopTarget, workload: Workload) -> None:
    """The first workload of a suite may read what an earlier run left; later ones read this run's."""
    path = find_source(namenode, target.work_dir, workload)
    if path is None:
        return
    if isinstance(workload, TeraSort | SparkTeraSort):
        rows, generated = tera_rows(namenode, path), read_generated(namenode, path)
        if generated and generated.rows != rows:
            problem = f"contains {rows:,} of the {generated.rows:,} rows that teragen wrote"
            raise UserError(f"HDFS {path}", problem, "generate them again")
    elif isinstance(workload, TeraRows):
        # Only checks that rows exist: TeraValidate finds lost ones.
        tera_rows(namenode, path)
    elif isinstance(workload, DfsioFiles) and not dfsio_files(namenode, path):
        raise UserError(f"HDFS {path}", "contains no files to read", "run dfsio-write again")
