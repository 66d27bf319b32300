"""Where the replicas of a directory's blocks lie, as the NameNode's fsck lists them."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Sequence

from howdah.engines.hadoop.target import NodeFinder
from howdah.model.cluster import ReplicaSpread
from howdah.services.namenode import Block, DataNode, NameNode, datanode_names


def replica_spread(namenode: NameNode, path: str, machines: NodeFinder) -> ReplicaSpread:
    """Ask the NameNode where the blocks below a path lie; raises ServiceError.

    Files that MapReduce passes over do not count: TeraSort asks for ten replicas of its
    ``_partition.lst``, more than a small cluster has hosts for.
    """
    blocks = [block for block in namenode.fsck(path) if not posixpath.basename(block.file).startswith("_")]
    return spread(path, blocks, namenode.datanodes(), machines)


def spread(
    path: str, blocks: Sequence[Block], datanodes: Sequence[DataNode], machines: NodeFinder
) -> ReplicaSpread:
    """Count replicas for each worker, and the blocks that have two or more on one host.

    fsck names a DataNode by its address, which several may share on one machine: with its port it is one.
    Parts of an erasure-coded block count as its replicas.
    """
    names = datanode_names(datanodes)
    worker_at = {datanode.address: machines.worker(names[datanode.address]) for datanode in datanodes}
    host_at = {datanode.address: machines.host(machines.worker(datanode.host)) for datanode in datanodes}
    per_worker: Counter[str] = Counter(dict.fromkeys((*machines.workers, *worker_at.values()), 0))
    sharing = 0
    for block in blocks:
        addresses = [replica.address for replica in block.replicas]
        per_worker.update(worker_at.get(address) or _unknown(address, machines) for address in addresses)
        hosts = [host_at.get(address) or machines.host(_unknown(address, machines)) for address in addresses]
        sharing += len(set(hosts)) < len(hosts)
    return ReplicaSpread(
        path=path,
        blocks=len(blocks),
        replicas=sum(len(block.replicas) for block in blocks),
        bytes=sum(block.size_bytes for block in blocks),
        per_worker=dict(sorted(per_worker.items())),
        sharing_host=sharing,
        under_replicated=sum(len(block.replicas) < (block.target or 0) for block in blocks),
        missing=sum(not block.replicas for block in blocks),
    )


def _unknown(address: str, machines: NodeFinder) -> str:
    """The worker of a DataNode that the NameNode no longer lists."""
    return machines.worker(address.rpartition(":")[0])
