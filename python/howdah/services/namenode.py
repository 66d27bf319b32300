"""The NameNode: its state, its DataNodes and its blocks."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import Field

from howdah.hadoop.daemons import DAEMONS, is_https_only
from howdah.model.hostname import split_address
from howdah.model.plan import Role
from howdah.releases.values import is_true
from howdah.services.addresses import Active
from howdah.services.conf import ClientConf
from howdah.services.errors import RefusedByDaemon, Unexpected
from howdah.services.hdfs import Hdfs
from howdah.services.web import AnswerPart, JmxReader, JsonClient, Object, Web, parse_object

_FILE = re.compile(
    r"^(?P<path>/.*) \d+ bytes, "
    r"(?:replicated: replication=(?P<target>\d+)|erasure-coded: policy=(?P<policy>[^,\s]+)), \d+ block\(s\): "
)
_BLOCK = re.compile(
    r"^\d+\. (?P<id>\S+:blk_-?\d+_\d+) len=(?P<bytes>\d+) +(?:MISSING!|Live_repl=\d+ +(?P<replicas>\[.*\])?)"
)
_TOTAL = re.compile(r"^ Total (?:blocks|block groups) \(validated\):\t(\d+)", re.MULTILINE)
_ABSENT = re.compile(r"^Path '.*' does not exist$", re.MULTILINE)

_BEAN = DAEMONS[Role.NAMENODE].bean("")


class Replica(NamedTuple):
    location: str  # Its DataNode's place in the topology, ``/rack1`` or ``/rack1/nodegroup1``.
    address: str  # ``ADDRESS:PORT`` of its DataNode, as in ``DataNode.address``.


class Block(NamedTuple):
    file: str
    id: str
    size_bytes: int
    target: int | None  # Its replication factor; None if it is erasure-coded.
    replicas: tuple[Replica, ...]  # Its live replicas; none for a missing block.
    policy: str | None = None  # The erasure coding policy of its file; None for replicas.


def read_fsck(text: str, path: str) -> list[Block]:
    """Every block in fsck's answer; raises RefusedByDaemon without the path, Unexpected for other totals."""
    if _ABSENT.search(text):
        raise RefusedByDaemon(path, 404, "FileNotFoundException", "fsck finds no such path")
    if "\nStatus: " not in text:
        last = text.strip().rpartition("\n")[2]
        raise Unexpected(path, f"fsck did not finish: {last}", "run as the owner or as HDFS's superuser")
    blocks = list(_blocks(text.partition("\nStatus: ")[0], path))
    totals = [int(total) for total in _TOTAL.findall(text)]
    if sum(totals) != len(blocks) or not totals:
        problem = f"fsck counts {sum(totals)} blocks and lists {len(blocks)}"
        raise Unexpected(path, problem, "is the file being written?")
    return blocks


def _blocks(listing: str, path: str) -> Iterator[Block]:
    file: re.Match[str] | None = None
    for line in listing.splitlines():
        if match := _FILE.match(line):
            file = match
        elif line.partition(".")[0].isdigit():
            block = _BLOCK.match(line)
            if block is None or file is None:
                problem = f"fsck's line is not understood: {line}"
                raise Unexpected(path, problem, "does howdah support this release?")
            target = int(file["target"]) if file["target"] else None
            # ``[/rack1/10.0.0.2:9866, …]``; erasure-coded ones follow a part's name.
            listed = (replica.partition("/") for replica in (block["replicas"] or "[]")[1:-1].split(", "))
            places = (f"/{place.partition('(')[0]}".rpartition("/") for _, slash, place in listed if slash)
            replicas = tuple(Replica(location, address) for location, _, address in places)
            yield Block(file["path"], block["id"], int(block["bytes"]), target, replicas, file["policy"])


class NameNodeStatus(AnswerPart):
    version: str
    state: str  # ``active``, ``standby`` or ``observer``.
    host_and_port: str  # The address of its RPC server.
    safe_mode: str | None  # The reason of its safe mode; None outside safe mode.
    changed_ms: int = 0  # When it became active or standby, milliseconds since 1970; 0 without failover.


class HdfsSpace(AnswerPart):
    """The space of all live DataNodes, with every replica."""

    capacity_bytes: int = Field(alias="CapacityTotal")
    free_bytes: int = Field(alias="CapacityRemaining")
    used_bytes: int = Field(alias="CapacityUsed")


class DataNode(AnswerPart):
    host: str
    address: str = Field(alias="xferaddr")  # ``ADDRESS:PORT`` of its data transfer, as fsck prints it.
    live: bool
    web: str | None = Field(None, alias="infoAddr")  # ``ADDRESS:PORT`` of its web server; None if it is dead.
    secure_web: str | None = Field(None, alias="infoSecureAddr")  # The same for HTTPS; port 0 without HTTPS.
    location: str | None = None  # Its place in the topology, ``/rack1/nodegroup1``; None if it is dead.
    state: str | None = Field(None, alias="adminState")  # ``In Service``, ``Decommissioned`` …
    capacity_bytes: int = Field(0, alias="capacity")
    used_bytes: int = Field(0, alias="used")
    free_bytes: int = Field(0, alias="remaining")
    blocks: int = Field(0, alias="numBlocks")
    silent_s: float = Field(0, alias="lastContact")  # Seconds since its last heartbeat.
    version: str | None = None  # Its release; None if it is dead.


def datanode_url(conf: ClientConf, datanode: DataNode) -> str | None:
    """Return the URL of a DataNode's web server; None if it is dead."""
    https = is_https_only(conf.get("dfs.http.policy"))
    address = datanode.secure_web if https else datanode.web
    if not address:
        return None
    # Certificates and tickets are for names, and clients that must use names may not reach the addresses
    # that DataNodes register with; otherwise the address is more reliable.
    if https or conf.secure or is_true(conf.get("dfs.client.use.datanode.hostname")):
        address = f"{datanode.host}:{address.rpartition(':')[2]}"
    return f"{'https' if https else 'http'}://{address}"


def datanode_names(datanodes: Sequence[DataNode]) -> dict[str, str]:
    """Return each DataNode's name by its address: its host, with its port if the host has several."""
    alive = Counter(datanode.host for datanode in datanodes if datanode.live)
    return {
        datanode.address: datanode.host
        if alive[datanode.host] == (1 if datanode.live else 0)
        else f"{datanode.host}:{datanode.address.rpartition(':')[2]}"
        for datanode in datanodes
    }


class NameNode(Hdfs):
    """The active NameNode, awaited for ``patience_s``; ``client`` reads its beans. Raises ServiceError."""

    def __init__(
        self, web: Web, conf: ClientConf, client: JsonClient | None = None, *, patience_s: float = 0.0
    ) -> None:
        addresses = conf.namenodes()
        self._client = client or web
        key, state = addresses[0].key, lambda url: self.status_at(url).state
        super().__init__(web, Active("NameNode", addresses, state, key, patience_s=patience_s))

    def bean(self, name: str) -> Object:
        """Return one of its beans, ``FSNamesystem``."""
        return self._active.query(lambda url: self._bean_at(url, name))

    def status(self) -> NameNodeStatus:
        """Return its release, its state, and whether it is in safe mode."""
        return self._active.query(self.status_at)

    def capacity(self) -> HdfsSpace:
        # The bean FSNamesystem has the same metrics, but their values may be ten seconds old.
        bean = "FSNamesystemState"
        return parse_object(HdfsSpace, self.bean(bean), bean)

    def datanodes(self) -> list[DataNode]:
        """Return its DataNodes, live ones first; a host may have several."""
        info = self.bean("NameNodeInfo")
        return [*_datanodes(info, "LiveNodes", live=True), *_datanodes(info, "DeadNodes", live=False)]

    def fsck(self, path: str) -> list[Block]:
        flags = {"files": 1, "blocks": 1, "locations": 1, "racks": 1}

        def blocks(url: str) -> list[Block]:
            # A standby's refusal is in the middle of a page that begins normally.
            return read_fsck(self._web.get_text(f"{url}/fsck", ugi=self._web.user, path=path, **flags), path)

        return self._active.query(blocks)

    def status_at(self, url: str) -> NameNodeStatus:
        """Return the same for one NameNode of a pair, active or not."""
        status, info = self._bean_at(url, "NameNodeStatus"), self._bean_at(url, "NameNodeInfo")
        fields = {
            "version": str(info.get("SoftwareVersion", "")),
            "state": status.get("State"),
            "host_and_port": status.get("HostAndPort"),
            "safe_mode": info.get("Safemode") or None,
            "changed_ms": status.get("LastHATransitionTime") or 0,
        }
        return parse_object(NameNodeStatus, fields, url)

    def _bean_at(self, url: str, name: str) -> Object:
        bean = JmxReader(self._client, url).bean(_BEAN + name)
        if bean is None:
            hint = "is this a NameNode, and has it started?"
            raise Unexpected(f"{url}/jmx", f"has no bean {_BEAN}{name}", hint)
        return bean


def _datanodes(info: Object, key: str, *, live: bool) -> list[DataNode]:
    # A bean's value is text, and this text is JSON.
    try:
        nodes = dict(json.loads(info.get(key) or "{}"))
    except (TypeError, ValueError) as error:
        raise Unexpected(key, f"is not understood: {error}", "does howdah support this release?") from error
    hosts = [{"host": split_address(name)[0], "live": live, **node} for name, node in nodes.items()]
    return [parse_object(DataNode, fields, key) for fields in hosts]
