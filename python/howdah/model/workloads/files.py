"""Options of programs that write files of HDFS, or run tasks of MapReduce."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator

from howdah.errors import UserError
from howdah.model.erasure import POLICIES
from howdah.model.workloads.option import MOST_TASKS, Option, Refusal, StudiedAs, count, size
from howdah.units import MIB

CLUSTERS: Final = ("hadoop", "sim")
"""The engines that have HDFS, real or simulated."""
MOST_REPLICAS: Final = 512

_LEAST_BLOCK_BYTES = MIB
"""A NameNode takes none that is smaller, by default (dfs.namenode.fs-limits.min-block-size)."""
_MOST_BLOCK_BYTES = 8191 * 2**50
"""As many PiB as dfs.blocksize, a Java long, can hold."""
_CHECKED_BYTES = 512
"""A DataNode keeps a checksum of so much."""

BLOCKS: Final = "give from 1MiB to 8191PiB, in multiples of 512 bytes"
"""What to say to whoever gives another size of blocks."""


def is_block(size_bytes: int) -> bool:
    """Whether a block can have this size."""
    return _LEAST_BLOCK_BYTES <= size_bytes <= _MOST_BLOCK_BYTES and size_bytes % _CHECKED_BYTES == 0


def _refuse_block(size_bytes: int, engine: str) -> Refusal | None:
    if is_block(size_bytes):
        return None
    return Refusal(f"{size_bytes:,} bytes is not a block size of HDFS", BLOCKS)


def _policy(text: str, where: str) -> str:
    if text not in POLICIES:
        raise UserError(where, f"{text!r} is not an erasure coding policy", f"one of {', '.join(POLICIES)}")
    return text


def _studied_policy(text: str) -> str:
    if text not in POLICIES:
        raise ValueError(f"is not an erasure coding policy: one of {', '.join(POLICIES)}")
    return text


MAPS: Final = count("maps", "Number of map tasks.", most=MOST_TASKS, fact="map tasks")
BLOCK_SIZE: Final = size(
    "block_size",
    "HDFS block size of written files, such as 256MiB.",
    refuse=_refuse_block,
    engines=CLUSTERS,
    fact="block size",
)
REPLICATION: Final = count(
    "replication",
    "Number of replicas of generated and dfsio files.",
    most=MOST_REPLICAS,
    engines=CLUSTERS,
    fact="replicas",
)
ERASURE_CODING: Final = Option[str](
    name="erasure_coding",
    field="erasure_coding",
    help="Erasure coding policy of written files, such as XOR-2-1-1024k, instead of replicas.",
    metavar="POLICY",
    parse=_policy,
    studied=StudiedAs("erasure_coding", Annotated[str, AfterValidator(_studied_policy)]),
    engines=CLUSTERS,
    choices=tuple(POLICIES),
    fact="erasure coding",
)
