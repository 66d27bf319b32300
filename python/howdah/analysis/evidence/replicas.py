"""Where the replicas of a workload's output lie."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReplicaBalance:
    """Replicas per DataNode and whether replicas of one block share a host.

    ``names`` and ``replicas`` go together, workers without any included; ``hosts`` are the hosts of the
    same workers. ``kept_apart`` says whether the plan asks HDFS to keep replicas on different hosts, by
    node groups or upgrade domains; ``sharing_host`` must then be 0.
    """

    workload: str
    path: str
    blocks: int
    names: tuple[str, ...]
    hosts: tuple[str, ...]
    replicas: tuple[int, ...]
    max_over_mean: float
    sharing_host: int
    kept_apart: bool
    under_replicated: int
    missing: int
