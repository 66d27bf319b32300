"""Whether the containers that a job asks for can be given at all."""

from __future__ import annotations

from collections.abc import Sequence

from howdah.engines.hadoop.target import HadoopTarget
from howdah.errors import UserError
from howdah.services.resourcemanager import Node

_KEYS = ("yarn.app.mapreduce.am.resource.mb", "mapreduce.map.memory.mb", "mapreduce.reduce.memory.mb")
_MOST = "yarn.scheduler.maximum-allocation-mb"


def check_containers(target: HadoopTarget, nodes: Sequence[Node]) -> None:
    """Raise UserError for a container that is larger than the scheduler gives, or than any node has."""
    largest_mib = max(node.used_memory_mib + node.available_memory_mib for node in nodes)
    limits = [(f"the largest NodeManager has {largest_mib} MiB", largest_mib)]
    given = target.conf.given(_MOST)
    if given is not None and given.isdigit():
        limits.append((f"{_MOST} is {given}", int(given)))
    for key in _KEYS:
        asked = target.job_settings.get(key) or target.conf.get(key) or ""
        for limit, most_mib in limits:
            # A reduce or map may be left at -1: Hadoop then derives it from the heap.
            if asked.isdigit() and int(asked) > most_mib:
                where = f"--set {key}" if key in target.job_settings else target.conf.where(key)
                raise UserError(where, f"asks for {asked} MiB; {limit}", f"give at most {most_mib}")
