"""Where the blocks of files lie, as the NameNode's fsck prints it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from howdah.services.errors import Refused, Unexpected

_FILE = re.compile(
    r"^(?P<path>/.*) \d+ bytes, (?:replicated: replication=(?P<target>\d+)|erasure-coded: policy=\S+),"
    r" \d+ block\(s\): "
)
_BLOCK = re.compile(
    r"^\d+\. (?P<id>\S+:blk_-?\d+_\d+) len=(?P<bytes>\d+) +(?:MISSING!|Live_repl=\d+ +(?P<replicas>\[.*\])?)"
)
_TOTAL = re.compile(r"^ Total (?:blocks|block groups) \(validated\):\t(\d+)", re.MULTILINE)
_ABSENT = re.compile(r"^Path '.*' does not exist$", re.MULTILINE)


class Replica(NamedTuple):
    """One replica of a block."""

    location: str
    """Where its DataNode is in the topology, ``/rack1`` or ``/rack1/nodegroup1``."""
    address: str
    """``ADDRESS:PORT`` of its DataNode, as in ``DataNode.address``."""


class Block(NamedTuple):
    """A block of a file."""

    file: str
    """The file's path."""
    id: str
    """The block's pool and name."""
    size_bytes: int
    """Bytes, once."""
    target: int | None
    """Replicas it is to have; None for one that is erasure-coded."""
    replicas: tuple[Replica, ...]
    """Those that are live; none for a block that is missing."""


def read_fsck(text: str, path: str) -> list[Block]:
    """Every block in the answer to a check with files, blocks, locations and racks.

    Raises Refused for a path that is not there, and Unexpected where the answer is not as Hadoop
    prints it or where its own totals disagree with what was read.
    """
    if _ABSENT.search(text):
        raise Refused(path, 404, "FileNotFoundException", "fsck finds no such path")
    if "\nStatus: " not in text:
        last = text.strip().rpartition("\n")[2]
        raise Unexpected(path, f"fsck did not finish: {last}", "ask as the owner or as HDFS's superuser")
    blocks = list(_blocks(text.partition("\nStatus: ")[0], path))
    totals = [int(total) for total in _TOTAL.findall(text)]
    if sum(totals) != len(blocks) or not totals:
        raise Unexpected(
            path, f"fsck counts {sum(totals)} blocks and lists {len(blocks)}", "is it being written?"
        )
    return blocks


def _blocks(listing: str, path: str) -> Iterator[Block]:
    file: re.Match[str] | None = None
    for line in listing.splitlines():
        if match := _FILE.match(line):
            file = match
        elif line.partition(".")[0].isdigit():
            block = _BLOCK.match(line)
            if block is None or file is None:
                raise Unexpected(
                    path, f"fsck's line is not understood: {line}", "is this a release howdah knows?"
                )
            target = file["target"]
            yield Block(
                file=file["path"],
                id=block["id"],
                size_bytes=int(block["bytes"]),
                target=int(target) if target else None,
                replicas=tuple(_replicas(block["replicas"])),
            )


def _replicas(text: str | None) -> Iterator[Replica]:
    """``[/rack1/10.0.0.2:9866, …]``; an erasure-coded block has the name of a part before each."""
    for one in (text or "[]")[1:-1].split(", "):
        _, slash, path = one.partition("/")
        if slash:
            location, _, address = f"/{path.partition('(')[0]}".rpartition("/")
            yield Replica(location, address)
