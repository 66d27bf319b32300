"""The NameNode: its state, its DataNodes, its blocks, and the files it names."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import Field

from howdah.services.active import Active
from howdah.services.addresses import WebAddress
from howdah.services.answer import AnswerPart, Object, parse_object
from howdah.services.conf import ClientConf
from howdah.services.errors import RefusedByDaemon, Unexpected
from howdah.services.hdfs import Hdfs
from howdah.services.jmx import Asker, JmxReader
from howdah.services.web import Web

_FILE = re.compile(
    r"^(?P<path>/.*) \d+ bytes, "
    r"(?:replicated: replication=(?P<target>\d+)|erasure-coded: policy=(?P<policy>[^,\s]+)), \d+ block\(s\): "
)
_BLOCK = re.compile(
    r"^\d+\. (?P<id>\S+:blk_-?\d+_\d+) len=(?P<bytes>\d+) +(?:MISSING!|Live_repl=\d+ +(?P<replicas>\[.*\])?)"
)
_TOTAL = re.compile(r"^ Total (?:blocks|block groups) \(validated\):\t(\d+)", re.MULTILINE)
_ABSENT = re.compile(r"^Path '.*' does not exist$", re.MULTILINE)

_BEAN = "Hadoop:service=NameNode,name="


class Replica(NamedTuple):
    """One replica of a block."""

    location: str
    """Where its DataNode is in the topology, ``/rack1`` or ``/rack1/nodegroup1``."""
    address: str
    """``ADDRESS:PORT`` of its DataNode, as in ``DataNode.address``."""


class Block(NamedTuple):
    """A block of a file."""

    file: str
    id: str
    """The block's pool and name."""
    size_bytes: int
    """Bytes, once."""
    target: int | None
    """Replicas it is to have; None for one that is erasure-coded."""
    replicas: tuple[Replica, ...]
    """Those that are live; none for a block that is missing."""
    policy: str | None = None
    """The erasure coding policy of its file; None for replicas."""


def read_fsck(text: str, path: str) -> list[Block]:
    """Every block in the answer to a check with files, blocks, locations and racks.

    Raises Refused for a path that is not there, and Unexpected where the answer is not as Hadoop
    prints it or where its own totals disagree with what was read.
    """
    if _ABSENT.search(text):
        raise RefusedByDaemon(path, 404, "FileNotFoundException", "fsck finds no such path")
    if "\nStatus: " not in text:
        last = text.strip().rpartition("\n")[2]
        raise Unexpected(path, f"fsck did not finish: {last}", "run as the owner or as HDFS's superuser")
    blocks = list(_blocks(text.partition("\nStatus: ")[0], path))
    totals = [int(total) for total in _TOTAL.findall(text)]
    if sum(totals) != len(blocks) or not totals:
        raise Unexpected(
            path, f"fsck counts {sum(totals)} blocks and lists {len(blocks)}", "is the file being written?"
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
                    path, f"fsck's line is not understood: {line}", "does howdah support this release?"
                )
            target = file["target"]
            yield Block(
                file=file["path"],
                id=block["id"],
                size_bytes=int(block["bytes"]),
                target=int(target) if target else None,
                replicas=tuple(_replicas(block["replicas"])),
                policy=file["policy"],
            )


def _replicas(text: str | None) -> Iterator[Replica]:
    """``[/rack1/10.0.0.2:9866, …]``; an erasure-coded block has the name of a part before each."""
    for replica in (text or "[]")[1:-1].split(", "):
        _, slash, path = replica.partition("/")
        if slash:
            location, _, address = f"/{path.partition('(')[0]}".rpartition("/")
            yield Replica(location, address)


class NameNodeStatus(AnswerPart):
    """What a NameNode says of itself."""

    version: str
    """Its release, ``3.5.0``."""
    state: str
    """``active``, ``standby`` or ``observer``."""
    host_and_port: str
    """Where its RPC server listens."""
    safe_mode: str | None
    """Why it takes no writes; None outside safe mode."""
    changed_ms: int = 0
    """When it became active or standby, milliseconds since 1970; 0 where it does not fail over."""


class HdfsSpace(AnswerPart):
    """The space of HDFS, every replica counted."""

    capacity_bytes: int = Field(alias="CapacityTotal")
    """That of all live DataNodes' volumes."""
    free_bytes: int = Field(alias="CapacityRemaining")
    """What blocks may still take."""
    used_bytes: int = Field(alias="CapacityUsed")
    """What blocks take."""


class DataNode(AnswerPart):
    """A DataNode as the NameNode knows it."""

    host: str
    """The name it registered with."""
    address: str = Field(alias="xferaddr")
    """``ADDRESS:PORT`` of its data transfer, by which fsck names it."""
    live: bool
    """Whether its heartbeats come."""
    web: str | None = Field(None, alias="infoAddr")
    """``ADDRESS:PORT`` of its web server; a dead one's is not told."""
    secure_web: str | None = Field(None, alias="infoSecureAddr")
    """The same for HTTPS; port 0 where it has none."""
    location: str | None = None
    """Where it is in the topology, ``/rack1/nodegroup1``; a dead one's is not told."""
    state: str | None = Field(None, alias="adminState")
    """``In Service``, ``Decommissioned`` …"""
    capacity_bytes: int = Field(0, alias="capacity")
    """The space of its volumes."""
    used_bytes: int = Field(0, alias="used")
    """What its blocks take."""
    free_bytes: int = Field(0, alias="remaining")
    """What its blocks may still take."""
    blocks: int = Field(0, alias="numBlocks")
    """Replicas it holds."""
    silent_s: float = Field(0, alias="lastContact")
    """Seconds since its last heartbeat."""
    version: str | None = None
    """Its release; a dead one's is not told."""


def datanode_url(conf: ClientConf, datanode: DataNode) -> str | None:
    """The web server of a DataNode; None for one that is dead."""
    # A certificate is a name's, and so is a ticket; without either the address is what surely leads there.
    if conf.get("dfs.http.policy") == "HTTPS_ONLY":
        return f"https://{datanode.host}:{_port(datanode.secure_web)}" if datanode.secure_web else None
    # Clients that are told to use names may not even reach the addresses that DataNodes register with.
    if conf.secure or conf.get("dfs.client.use.datanode.hostname") == "true":
        return f"http://{datanode.host}:{_port(datanode.web)}" if datanode.web else None
    return f"http://{datanode.web}" if datanode.web else None


def _port(address: str) -> str:
    return address.rpartition(":")[2]


def datanode_names(datanodes: Sequence[DataNode]) -> dict[str, str]:
    """What to call each DataNode, by its address: its host, with its port where another one lives there."""
    alive = Counter(datanode.host for datanode in datanodes if datanode.live)
    return {
        datanode.address: datanode.host
        if alive[datanode.host] == (1 if datanode.live else 0)
        else f"{datanode.host}:{datanode.address.rpartition(':')[2]}"
        for datanode in datanodes
    }


class NameNode(Hdfs):
    """The active NameNode of a configuration; every method raises ServiceError.

    ``asker`` asks for its beans: a Line of ``web``'s where they are wanted again and again. Of several, one
    that is active is waited for as long as ``patience_s``.
    """

    def __init__(
        self, web: Web, conf: ClientConf, asker: Asker | None = None, *, patience_s: float = 0.0
    ) -> None:
        addresses = conf.namenodes()
        self._asker = asker or web
        active = Active("NameNode", addresses, self._state, addresses[0].key, patience_s=patience_s)
        super().__init__(web, active)

    def bean(self, name: str) -> Object:
        """One of its beans, ``FSNamesystem``."""
        return self._active.ask(lambda url: self._bean_at(url, name))

    def status(self) -> NameNodeStatus:
        """Its release, its state, and whether it is in safe mode."""
        return self._active.ask(self._status)

    def status_at(self, address: WebAddress) -> NameNodeStatus:
        """The same of one of those that fail over, whether it is active or not."""
        return self._status(address.url)

    def capacity(self) -> HdfsSpace:
        """The space of HDFS."""
        # The bean FSNamesystem has the same, but its metrics' values may be ten seconds old.
        bean = "FSNamesystemState"
        return parse_object(HdfsSpace, self.bean(bean), bean)

    def datanodes(self) -> list[DataNode]:
        """Its DataNodes, live ones first; a host may have several."""
        info = self.bean("NameNodeInfo")
        return [*_datanodes(info, "LiveNodes", live=True), *_datanodes(info, "DeadNodes", live=False)]

    def fsck(self, path: str) -> list[Block]:
        """Every block below a path with where its replicas lie."""
        flags = {"files": 1, "blocks": 1, "locations": 1, "racks": 1}

        def blocks(url: str) -> list[Block]:
            # One that stands by says so in the middle of a page that begins well.
            return read_fsck(self._web.get_text(f"{url}/fsck", ugi=self._web.user, path=path, **flags), path)

        return self._active.ask(blocks)

    def _state(self, url: str) -> str:
        return self._status(url).state

    def _status(self, url: str) -> NameNodeStatus:
        status = self._bean_at(url, "NameNodeStatus")
        info = self._bean_at(url, "NameNodeInfo")
        return parse_object(
            NameNodeStatus,
            {
                "version": str(info.get("SoftwareVersion", "")),
                "state": status.get("State"),
                "host_and_port": status.get("HostAndPort"),
                "safe_mode": info.get("Safemode") or None,
                "changed_ms": status.get("LastHATransitionTime") or 0,
            },
            url,
        )

    def _bean_at(self, url: str, name: str) -> Object:
        bean = JmxReader(self._asker, url).bean(_BEAN + name)
        if bean is None:
            raise Unexpected(
                f"{url}/jmx", f"has no bean {_BEAN}{name}", "is this a NameNode, and has it started?"
            )
        return bean


def _datanodes(info: Object, key: str, *, live: bool) -> list[DataNode]:
    # A bean's value is text, and this text is JSON.
    try:
        nodes = dict(json.loads(info.get(key) or "{}"))
    except (TypeError, ValueError) as error:
        raise Unexpected(key, f"is not understood: {error}", "does howdah support this release?") from error
    return [
        parse_object(DataNode, {"host": name.rpartition(":")[0], "live": live, **node}, key)
        for name, node in nodes.items()
    ]
