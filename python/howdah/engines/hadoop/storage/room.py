"""How much of HDFS a run takes, known before it starts."""

from __future__ import annotations

import posixpath

from howdah.engines.hadoop.storage.workspace import existing_parent
from howdah.engines.hadoop.target import HadoopTarget
from howdah.errors import UserError
from howdah.model.workloads.base import Workload
from howdah.model.workloads.files import REPLICATION
from howdah.model.workloads.suite import Suite
from howdah.model.workloads.terasort import ROW_BYTES, ROWS
from howdah.services.errors import RefusedByDaemon
from howdah.services.namenode import NameNode
from howdah.units import format_bytes, format_count_short

_FREE_SHARE = 0.95
"""Of free space: DataNodes keep some for themselves, and are not filled evenly."""


def check_replicas(namenode: NameNode, suite: Suite) -> None:
    """Raise UserError for more replicas than DataNodes: HDFS takes such a file, and never makes them.

    What the cluster's own configuration asks for is its own affair.
    """
    live = sum(datanode.live for datanode in namenode.datanodes())
    for workload in suite.workloads:
        asked = REPLICATION.of(workload)
        if asked is not None and asked > live:
            option = next(each for each in workload.options if each.field == REPLICATION.field)
            raise UserError(
                option.flag,
                f"{asked} replicas of a block need {asked} DataNodes, and {live} are alive",
                f"give at most {live}",
            )


def check_room(namenode: NameNode, target: HadoopTarget, suite: Suite) -> None:
    """Raise UserError if HDFS, or a quota of a directory above, cannot hold what the suite will write."""
    free_bytes = namenode.capacity().free_bytes
    needed = sum(_written_bytes(target, workload) for workload in suite.workloads)
    if needed > free_bytes * _FREE_SHARE:
        raise _too_much(suite, needed, free_bytes, f"HDFS has {format_bytes(free_bytes)} free")
    folder = existing_parent(namenode, target.work_dir)
    while needed and folder != "/":
        left = _left_bytes(namenode, folder)
        if left is not None and needed > left:
            raise _too_much(suite, needed, left, f"the quota of {folder} leaves {format_bytes(left)}")
        folder = posixpath.dirname(folder)


def _left_bytes(namenode: NameNode, folder: str) -> int | None:
    """What a directory's quota leaves; None without one, or where the user may not look."""
    try:
        summary = namenode.summary(folder)
    except RefusedByDaemon:
        return None
    if summary.space_quota_bytes < 0:
        return None
    return max(0, summary.space_quota_bytes - summary.space_bytes)


def _too_much(suite: Suite, needed: int, room: int, where: str) -> UserError:
    rows = ROWS.of(suite.workloads[0])
    what = f"the suite needs {format_bytes(needed)} with all replicas; {where}"
    if rows is None:
        return UserError("HDFS", what, "run with less data, or free some space")
    fitting = int(rows * room * _FREE_SHARE / needed)
    return UserError(
        "--rows",
        f"{format_count_short(rows)} rows are {format_bytes(rows * ROW_BYTES)} and {what}",
        f"give at most --rows {format_count_short(fitting)}, or free some space",
    )


def _written_bytes(target: HadoopTarget, workload: Workload) -> int:
    """What a workload leaves in HDFS until the end of the run, every replica counted."""
    if not workload.written_bytes:
        return 0
    return workload.written_bytes * _replicas(target, workload, workload.replication_key)


def _replicas(target: HadoopTarget, workload: Workload, key: str) -> int:
    """TeraSort's own default, of a key that no release lists, is 1."""
    given = REPLICATION.of(workload) or target.job_settings.get(key) or target.conf.get(key) or 1
    try:
        return int(given)
    except ValueError as error:
        where = f"--set {key}" if key in target.job_settings else target.conf.where(key)
        raise UserError(where, f"{given!r} is not a number of replicas", "1, 2 or 3") from error
