"""What killed runs left in HDFS and on YARN goes when the next run starts."""

from __future__ import annotations

import logging

from howdah.engines.hadoop.marker import is_dead
from howdah.engines.hadoop.stopping import kill_applications, run_tag
from howdah.engines.hadoop.target import HadoopTarget
from howdah.engines.hadoop.workspace import marked_directories, remove
from howdah.services.errors import ServiceError
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import ResourceManager

_LOG = logging.getLogger(__name__)


def clear_leftovers(target: HadoopTarget, namenode: NameNode, manager: ResourceManager) -> tuple[str, ...]:
    """End the jobs of runs of this machine that were killed, and remove their directories.

    Returns the directories that are left alone, for somebody may still write there: those of runs of
    other machines, of which nobody knows here whether they run, and of jobs that do not end.
    """
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
