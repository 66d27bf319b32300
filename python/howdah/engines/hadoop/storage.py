"""The directory in HDFS that a run works in: its owner, its room, its replicas, its removal."""

from __future__ import annotations

import logging
import posixpath
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

from pydantic import ValidationError

from howdah.engines.hadoop.target import HadoopTarget, NodeFinder, kill_applications, run_tag
from howdah.engines.processes import ProcessIdentity, is_dead, this_process
from howdah.errors import UserError
from howdah.model.base import Model
from howdah.model.cluster import ReplicaSpread
from howdah.model.hostname import split_address
from howdah.model.storage_policy import POLICIES
from howdah.model.workloads.base import Workload
from howdah.model.workloads.option import ERASURE_CODING, REPLICATION
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import ROW_BYTES, ROWS
from howdah.services.errors import RefusedByDaemon, ServiceError
from howdah.services.namenode import Block, DataNode, NameNode, datanode_names
from howdah.services.resourcemanager import ResourceManager
from howdah.units import format_bytes, format_count_short

FILE = ".howdah"
STAGING, HOME = "staging", "home"  # Folders of clients and application masters.
_REPLICATED = "REPLICATION"  # The policy of directories with replicas below one whose files are coded.
_TAKEN = ("FileAlreadyExistsException", "AlreadyBeingCreatedException", "RecoveryInProgressException")
"""HDFS's exceptions if another run's marker exists, or is being written at this moment."""
_LOG = logging.getLogger(__name__)


class HdfsMarker(Model):
    howdah: Literal[1] = 1
    run: str
    process: ProcessIdentity | None  # The process of the run; None after the run has ended and kept data.
    parents: tuple[str, ...] = ()  # Directories above it that howdah made, the innermost first.
    kept: tuple[str, ...] = ()  # The folders that hold whole data, kept on purpose.

    def content(self) -> bytes:
        """The text to write into the file."""
        return self.model_dump_json().encode()


def read_marker(content: bytes) -> HdfsMarker | None:
    """The marker that a file holds; None if it holds none, as after a kill in the middle of its writing."""
    try:
        return HdfsMarker.model_validate_json(content)
    except ValidationError:
        return None


class HdfsWorkspace:
    """A run's directory."""

    def __init__(
        self, namenode: NameNode, work_dir: str, run_id: str, *, keep: bool, policy: str | None = None
    ) -> None:
        self._namenode = namenode
        self._work_dir = work_dir
        self.path = posixpath.join(work_dir, run_id)
        self._run_id = run_id
        self._keep = keep
        self._policy = policy
        self._complete: list[str] = []
        self._parents: tuple[str, ...] = ()
        self._abandoned = False

    def claim(self) -> None:
        """Make it; raises UserError if it is there already."""
        if self._namenode.stat(self.path) is not None:
            raise self._taken()
        self._parents = missing_parents(self._namenode, self._work_dir)
        # Writing the file also creates the directory, so that none exists without a marker.
        marker = HdfsMarker(run=self._run_id, process=this_process(), parents=self._parents)
        try:
            self._namenode.write(self.folder(FILE), marker.content())
            if self._policy is not None:
                self._code(self._policy)
        except BaseException as error:
            if isinstance(error, RefusedByDaemon) and error.exception in _TAKEN:
                raise self._taken() from error
            # A write that a quota or an interrupt ended may have left the file without its content.
            with suppress(ServiceError):
                remove(self._namenode, self.path, self._parents)
            raise

    def _code(self, policy: str) -> None:
        """Have files coded, but for those of clients and application masters, which have to be flushed."""
        try:
            self._namenode.set_policy(self.path, policy)
        except RefusedByDaemon as error:
            problem = f"cannot be used: {error.message}"
            hint = f"only HDFS's superuser can enable it: hdfs ec -enablePolicy -policy {policy}"
            raise UserError(f"{ERASURE_CODING.flag} {policy}", problem, hint) from error
        for name in (STAGING, HOME):
            self._namenode.mkdirs(self.folder(name))
            self._namenode.set_policy(self.folder(name), _REPLICATED)

    def _taken(self) -> UserError:
        problem = (
            "already exists: it belongs to a run started in the same minute, or to one that kept its data"
        )
        return UserError(f"HDFS {self.path}", problem, "try again in a minute, or give another --hdfs-dir")

    def leave(self) -> None:
        """Leave it to the next run, as if this one had been killed: its jobs may still be writing there."""
        self._abandoned = True

    def release(self) -> None:
        """Remove it, but for whole data that is to be kept."""
        if self._abandoned:
            return
        if not (self._keep and self._complete):
            remove(self._namenode, self.path, self._parents)
            return
        for entry in self._namenode.list(self.path):
            if entry.name not in (FILE, *self._complete):
                self._namenode.delete(self.folder(entry.name))
        marker = HdfsMarker(run=self._run_id, process=None, parents=self._parents, kept=tuple(self._complete))
        self._namenode.write(self.folder(FILE), marker.content(), overwrite=True)

    def folder(self, name: str) -> str:
        """The path of a folder of that name; programs make their own."""
        return posixpath.join(self.path, name)

    def complete(self, name: str) -> None:
        """A folder's data is whole: it may be kept."""
        self._complete.append(name)

    def has(self, name: str) -> bool:
        """Whether this run created a folder of that name and it is complete."""
        return name in self._complete


def kept_data(namenode: NameNode, work_dir: str, name: str) -> str | None:
    """The path of the newest folder of that name that an earlier run kept."""
    marked = marked_directories(namenode, work_dir)
    kept = [(marker.run, posixpath.join(path, name)) for path, marker in marked if name in marker.kept]
    return max(kept)[1] if kept else None


def remove(namenode: NameNode, path: str, parents: tuple[str, ...]) -> None:
    """Remove a run's directory, and what was made above it unless something else is there by now."""
    namenode.delete(path)
    for parent in parents:
        # The marker that names them is a file in HDFS, which others may have written.
        if not path.startswith(f"{parent}/"):
            return
        try:
            namenode.delete(parent, recursive=False)
        except RefusedByDaemon:
            return


def missing_parents(namenode: NameNode, path: str) -> tuple[str, ...]:
    """A directory and those above it that are not there, the innermost first."""
    missing: list[str] = []
    # HDFS removes no directory under a name that ends in a slash.
    path = path.rstrip("/") or "/"
    while path != "/" and namenode.stat(path) is None:
        missing.append(path)
        path = posixpath.dirname(path)
    return tuple(missing)


def existing_parent(namenode: NameNode, path: str) -> str:
    """A directory, or the innermost above it that is there."""
    missing = missing_parents(namenode, path)
    return posixpath.dirname(missing[-1]) if missing else path


def marked_directories(namenode: NameNode, work_dir: str) -> list[tuple[str, HdfsMarker]]:
    """Every run's directory below the work directory that has howdah's marker and its own name in it."""
    try:
        entries = namenode.list(work_dir)
    except RefusedByDaemon as error:
        if error.exception == "FileNotFoundException":
            return []
        raise
    result = []
    for entry in entries:
        path = posixpath.join(work_dir, entry.name)
        # There may be no such file, or another user's.
        with suppress(RefusedByDaemon):
            marker = read_marker(namenode.read(posixpath.join(path, FILE))) if entry.is_directory else None
            if marker is not None and marker.run == entry.name:
                result.append((path, marker))
    return result


def clear_leftovers(target: HadoopTarget, namenode: NameNode, manager: ResourceManager) -> tuple[str, ...]:
    """End this machine's killed runs and remove their data; return other directories, maybe in use."""
    unknown: list[str] = []
    for path, marker in marked_directories(namenode, target.work_dir):
        if marker.process is None:
            continue
        dead = is_dead(marker.process)
        if dead is None:
            unknown.append(path)
        elif dead:
            try:
                kill_applications(target, manager, run_tag(path))
            except ServiceError as error:
                _LOG.info("%s", error)
                unknown.append(path)
                continue
            _LOG.info("removing %s, whose run was killed", path)
            remove(namenode, path, marker.parents)
    return tuple(unknown)


_FREE_SHARE = 0.95  # Of free space: DataNodes keep some for themselves, and are not filled evenly.


def enable_coding(namenode: NameNode, suite: Suite) -> str | None:
    """Enable a suite's erasure coding policy and return it; raises UserError if it cannot be used."""
    policy = suite.first(ERASURE_CODING)
    if policy is None:
        return None
    if suite.first(REPLICATION) is not None:
        problem = f"conflicts with {REPLICATION.flag}: coded files have no replicas"
        raise UserError(ERASURE_CODING.flag, problem, "omit one")
    live, needed = sum(datanode.live for datanode in namenode.datanodes()), POLICIES[policy].units
    if live < needed:
        fitting = [name for name, candidate in POLICIES.items() if candidate.units <= live]
        problem = f"needs {needed} DataNodes, and {live} are alive"
        hint = f"one of {', '.join(fitting)}" if fitting else "every policy needs at least 3; use replicas"
        raise UserError(f"{ERASURE_CODING.flag} {policy}", problem, hint)
    try:
        namenode.enable_policy(policy)
    except RefusedByDaemon as error:
        # Another user may have enabled it; HDFS refuses its use otherwise.
        if error.exception != "AccessControlException":
            raise
    return policy


def check_replicas(namenode: NameNode, suite: Suite) -> None:
    """Raise UserError for more requested replicas than DataNodes: HDFS never creates them."""
    live = sum(datanode.live for datanode in namenode.datanodes())
    for workload in suite.workloads:
        requested = REPLICATION.of(workload)
        if requested is not None and requested > live:
            option = next(candidate for candidate in workload.options if candidate.field == REPLICATION.field)
            problem = f"{requested} replicas of a block need {requested} DataNodes, and {live} are alive"
            raise UserError(option.flag, problem, f"give at most {live}")


def check_room(namenode: NameNode, target: HadoopTarget, suite: Suite) -> None:
    """Raise UserError if HDFS, or a quota of a directory above, cannot hold what the suite will write."""
    free_bytes = namenode.capacity().free_bytes
    needed = sum(_written_bytes(target, workload) for workload in suite.workloads)
    if needed > free_bytes * _FREE_SHARE:
        raise _too_much(suite, needed, free_bytes, f"HDFS has {format_bytes(free_bytes)} free")
    folder = existing_parent(namenode, target.work_dir)
    while needed and folder != "/":
        # Without the permission to read a quota it is not checked.
        with suppress(RefusedByDaemon):
            summary = namenode.summary(folder)
            remaining = max(0, summary.space_quota_bytes - summary.space_bytes)
            if summary.space_quota_bytes >= 0 and needed > remaining:
                where = f"the quota of {folder} leaves {format_bytes(remaining)}"
                raise _too_much(suite, needed, remaining, where)
        folder = posixpath.dirname(folder)


def _too_much(suite: Suite, needed: int, room: int, where: str) -> UserError:
    rows = ROWS.of(suite.workloads[0])
    problem = f"the suite needs {format_bytes(needed)} with all replicas; {where}"
    if rows is None:
        return UserError("HDFS", problem, "run with less data, or free some space")
    fitting = int(rows * room * _FREE_SHARE / needed)
    problem = f"{format_count_short(rows)} rows are {format_bytes(rows * ROW_BYTES)} and {problem}"
    hint = f"give at most --rows {format_count_short(fitting)}, or free some space"
    return UserError("--rows", problem, hint)


def _written_bytes(target: HadoopTarget, workload: Workload) -> int:
    """Bytes that a workload keeps in HDFS until the end of the run, including all replicas."""
    if not workload.written_bytes:
        return 0
    policy, key = ERASURE_CODING.of(workload), workload.replication_key
    if policy is not None:
        return round(workload.written_bytes * POLICIES[policy].overhead)
    # TeraSort's own default, of a key that no release lists, is 1.
    replication = REPLICATION.of(workload) or target.job_settings.get(key) or target.conf.get(key) or 1
    try:
        return workload.written_bytes * int(replication)
    except ValueError as error:
        where = f"--set {key}" if key in target.job_settings else target.conf.where(key)
        raise UserError(where, f"{replication!r} is not a number of replicas", "1, 2 or 3") from error


def replica_spread(namenode: NameNode, path: str, machines: NodeFinder) -> ReplicaSpread:
    """Ask the NameNode where the blocks below a path lie; raises ServiceError.

    Files that MapReduce passes over do not count: TeraSort asks for ten replicas of its
    ``_partition.lst``, more than a small cluster has hosts for.
    """
    blocks = [block for block in namenode.fsck(path) if not posixpath.basename(block.file).startswith("_")]
    stored_bytes = namenode.summary(path).space_bytes
    return spread(path, blocks, namenode.datanodes(), machines, stored_bytes)


def spread(
    path: str,
    blocks: Sequence[Block],
    datanodes: Sequence[DataNode],
    machines: NodeFinder,
    stored_bytes: int | None = None,
) -> ReplicaSpread:
    """Count replicas, or units, for each worker; a DataNode is its address with its port."""
    names = datanode_names(datanodes)
    worker_at = {datanode.address: machines.worker(names[datanode.address]) for datanode in datanodes}
    host_at = {datanode.address: machines.host(machines.worker(datanode.host)) for datanode in datanodes}
    per_worker: Counter[str] = Counter(dict.fromkeys((*machines.workers, *worker_at.values()), 0))
    sharing = 0
    for block in blocks:
        addresses = [replica.address for replica in block.replicas]
        for address in addresses:
            # The NameNode no longer lists this DataNode.
            if address not in worker_at:
                worker_at[address] = machines.worker(split_address(address)[0])
                host_at[address] = machines.host(worker_at[address])
        per_worker.update(worker_at[address] for address in addresses)
        together = max(Counter(host_at[address] for address in addresses).values(), default=0)
        # One replica on a host is safe, or as many units as the policy has parity units.
        sharing += together > (POLICIES[block.policy].parity if block.policy in POLICIES else 1)
    return ReplicaSpread(
        path=path,
        blocks=len(blocks),
        replicas=sum(len(block.replicas) for block in blocks),
        bytes=sum(block.size_bytes for block in blocks),
        per_worker=dict(sorted(per_worker.items())),
        sharing_host=sharing,
        under_replicated=sum(len(block.replicas) < (block.target or 0) for block in blocks),
        missing=sum(not block.replicas for block in blocks),
        policy=next((block.policy for block in blocks if block.policy), None),
        stored_bytes=stored_bytes,
    )
