"""A running cluster read from its own daemons, without changing it: its machines and its finished jobs."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from ipaddress import ip_address
from itertools import accumulate
from typing import NamedTuple
from urllib.parse import urlsplit

from howdah.hadoop.daemons import DAEMONS
from howdah.model.existing import Machine, Survey, Volume, Work
from howdah.model.host import Unread
from howdah.model.hostname import split_address
from howdah.model.plan import Role
from howdah.services.conf import ClientConf
from howdah.services.errors import RefusedByDaemon, ServiceError, Unexpected
from howdah.services.history import JobHistory
from howdah.services.job_facts import JobFacts, shared_bytes
from howdah.services.namenode import DataNode, NameNode, datanode_url
from howdah.services.resourcemanager import Node, ResourceManager
from howdah.services.web import JmxReader, Web
from howdah.units import MIB

_LOOPBACK = "127.0.0.1"

_SYSTEM = "java.lang:type=OperatingSystem"
_DATANODE = DAEMONS[Role.DATANODE].page.bean
_UNLIKE = 0.2  # Volumes whose sizes seem to differ by more are not disks of one kind.


class Identities:
    """One key for all names of a machine, by DataNodes' addresses, or by DNS where this command runs."""

    def __init__(self, registered: Iterable[tuple[str, str]]) -> None:
        """``registered`` are names and the addresses that they registered from."""
        self._named: dict[str, str] = {}
        for name, address in registered:
            self._named[name.lower()] = name.lower()
            self._named.setdefault(_address(address), name.lower())

    def of(self, name: str) -> str:
        """The same key for every name of one machine; the name itself where nothing else is known."""
        low = name.lower()
        if low not in self._named:
            addresses: list[str] = []
            with suppress(OSError, UnicodeError):
                spelt = (_address(str(info[4][0])) for info in socket.getaddrinfo(low, None))
                addresses += dict.fromkeys(spelt)
            machine = next((self._named[address] for address in addresses if address in self._named), low)
            # Whoever is asked for next by one of these addresses is this machine.
            self._named |= {address: machine for address in (low, *addresses) if address not in self._named}
        return self._named[low]


def _address(text: str) -> str:
    """An address in one spelling; all of a machine's loopback addresses are one."""
    try:
        address = ip_address(text.strip("[]"))
    except ValueError:
        return text.lower()
    return _LOOPBACK if address.is_loopback else str(address)


class MasterDaemon(NamedTuple):
    """A master daemon; ``url`` is its web server's where the configuration gives one."""

    host: str
    role: Role
    url: str | None


def posts(conf: ClientConf) -> Iterator[MasterDaemon]:
    served = conf.masters()
    if conf.explicit("mapreduce.jobhistory.webapp.address") or conf.explicit("mapreduce.jobhistory.address"):
        served[Role.JOB_HISTORY] = (conf.history(),)
    for role, addresses in served.items():
        for address in addresses:
            if host := urlsplit(address.url).hostname:
                yield MasterDaemon(host, role, address.url)
    for host in _hosts(urlsplit(conf.explicit("dfs.namenode.shared.edits.dir") or "").netloc):
        yield MasterDaemon(host, Role.JOURNALNODE, None)
    for host in _hosts(
        conf.explicit("ha.zookeeper.quorum") or conf.explicit("yarn.resourcemanager.zk-address") or ""
    ):
        yield MasterDaemon(host, Role.ZOOKEEPER, None)


def _hosts(text: str) -> Iterator[str]:
    """The hosts of ``h1:8485;h2:8485`` or ``h1:2181,h2:2181``."""
    for address in re.split(r"[;,]", text):
        if host := split_address(address)[0]:
            yield host


def system(jmx: JmxReader) -> dict[str, int]:
    """CPUs and memory of a daemon's machine, as Java sees them; raises ServiceError."""
    bean = jmx.bean(_SYSTEM) or {}
    # Java 14 gave memory another name; a container's limit is taken for it from then on.
    memory = bean.get("TotalMemorySize") or bean.get("TotalPhysicalMemorySize")
    threads = bean.get("AvailableProcessors")
    if not isinstance(memory, int) or not isinstance(threads, int):
        raise Unexpected(_SYSTEM, "does not report CPUs and memory", "is this Java from OpenJDK?")
    return {"threads": threads, "memory_bytes": memory}


def volumes(jmx: JmxReader, capacity_bytes: int) -> tuple[Volume, ...]:
    """A DataNode's volumes, whose sizes without reserves make up its capacity; raises ServiceError."""
    bean = jmx.bean(_DATANODE) or {}
    try:
        reported = list(json.loads(bean.get("VolumeInfo") or "{}").values())
        return tuple(_sized(reported, capacity_bytes))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Unexpected(_DATANODE, f"VolumeInfo is not understood: {error}") from error


def _sized(reported: list[dict[str, object]], capacity_bytes: int) -> Iterator[Volume]:
    """Volumes' sizes: used, free, reserved, and a part of what others used, reported only as a sum."""
    if not reported:
        return
    reserved = [_number(volume, "reservedSpace") for volume in reported]
    own = [_number(volume, "usedSpace") + _number(volume, "freeSpace") for volume in reported]
    others_bytes = max(0, capacity_bytes - sum(own)) // len(reported)
    sizes = [mine + held + others_bytes for mine, held in zip(own, reserved, strict=True)]
    if max(sizes) - min(sizes) <= _UNLIKE * max(sizes):
        sizes = [(capacity_bytes + sum(reserved)) // len(reported)] * len(reported)
    for volume, size in zip(reported, sizes, strict=True):
        yield Volume(storage=str(volume["storageType"]), size_bytes=size)


def _number(fields: dict[str, object], key: str) -> int:
    value = fields[key]
    if not isinstance(value, int):
        raise ValueError(f"{key} is {value!r}")
    return value


_AT_ONCE = 16  # Daemons queried at a time; one that does not answer holds up no other.
_SERVING = ("RUNNING", "UNHEALTHY", "DECOMMISSIONING", "NEW")


class _Answer(NamedTuple):
    system: Mapping[str, int] | None = None
    volumes: tuple[Volume, ...] = ()
    why_not: str = ""


def survey(web: Web, conf: ClientConf) -> Survey:
    """A cluster's machines; ``unread`` has what did not answer. Raises ServiceError without a NameNode."""
    unread: list[Unread] = []
    namenode = NameNode(web, conf)
    release = namenode.status().version
    datanodes = namenode.datanodes()
    nodes: Sequence[Node] = ()
    try:
        nodes = ResourceManager(web, conf).nodes()
    except ServiceError as error:
        unread.append(Unread(what="the ResourceManager's nodes", why=str(error)))
    live = [datanode for datanode in datanodes if datanode.live]
    running = [node for node in nodes if node.state in _SERVING]
    key = Identities((datanode.host, split_address(datanode.address)[0]) for datanode in datanodes).of
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="howdah-survey") as pool:
        stored = list(pool.map(partial(_ask_datanode, web, conf), live))
        with_datanode = {key(datanode.host) for datanode in live}
        alone = [node for node in running if key(node.host) not in with_datanode]
        computed = list(pool.map(partial(_ask_web, web), (conf.nodemanager_url(node.web) for node in alone)))
        masters = list(posts(conf))
        led = list(pool.map(partial(_ask_web, web), (master.url for master in masters)))
    unread += _silent("DataNodes", [datanode.host for datanode in live], stored)
    unread += _silent("NodeManagers", [node.host for node in alone], computed)
    merged = _Machines(key)
    for datanode, answered in zip(live, stored, strict=True):
        merged.datanode(datanode, answered)
    for node in running:
        merged.nodemanager(node)
    for node, answered in zip(alone, computed, strict=True):
        merged.answered(node.host, answered)
    for post, answered in zip(masters, led, strict=True):
        merged.master(post, answered)
    alive = {key(machine.name) for machine in merged.by_key.values()}
    lost = {datanode.host for datanode in datanodes if not datanode.live}
    lost |= {node.host for node in nodes if node.state == "LOST"}
    return Survey(
        name=urlsplit(conf.default_fs).hostname or "",
        hadoop=release,
        machines=tuple(merged.by_key.values()),
        dead=tuple(sorted(host for host in lost if key(host) not in alive)),
        node_groups=(conf.get("net.topology.impl") or "").endswith("NodeGroup"),
        unread=tuple(unread),
    )


class _Machines:
    """The machines so far, each under the name that it was found by first; each daemon adds what it knows."""

    def __init__(self, key: Callable[[str], str]) -> None:
        self._key = key
        self.by_key: dict[str, Machine] = {}

    def datanode(self, datanode: DataNode, answer: _Answer) -> None:
        machine = self._add(datanode.host, Role.DATANODE, datanode.location or "")
        # A host may have several DataNodes, each with disks of its own.
        self._put(machine, volumes=(*machine.volumes, *answer.volumes))
        self.answered(datanode.host, answer)

    def nodemanager(self, node: Node) -> None:
        machine = self._add(node.host, Role.NODEMANAGER, node.rack)
        memory = (node.used_memory_mib + node.available_memory_mib) * MIB
        cores = node.used_vcores + node.available_vcores
        self._put(machine, container_bytes=machine.container_bytes + memory, vcores=machine.vcores + cores)

    def master(self, post: MasterDaemon, answer: _Answer) -> None:
        self._add(post.host, post.role, "")
        self.answered(post.host, answer)

    def answered(self, host: str, answer: _Answer) -> None:
        machine = self.by_key[self._key(host)]
        if answer.system is not None and machine.threads is None:
            self._put(machine, **answer.system)

    def _add(self, host: str, role: Role, location: str) -> Machine:
        machine = self.by_key.get(self._key(host)) or Machine(name=host)
        levels = tuple(level for level in location.split("/") if level)
        roles = tuple(dict.fromkeys((*machine.roles, role)))
        return self._put(machine, location=machine.location or levels, roles=roles)

    def _put(self, machine: Machine, **added: object) -> Machine:
        changed = machine.model_copy(update=added)
        self.by_key[self._key(machine.name)] = changed
        return changed


def _ask_datanode(web: Web, conf: ClientConf, datanode: DataNode) -> _Answer:
    url = datanode_url(conf, datanode)
    if url is None:
        return _Answer(why_not="the NameNode does not report the address of its web server")
    return _ask_web(web, url, datanode.capacity_bytes)


def _ask_web(web: Web, url: str | None, capacity_bytes: int | None = None) -> _Answer:
    """What a daemon reports; ``capacity_bytes`` are those of a DataNode, which has volumes besides."""
    if url is None:
        return _Answer()
    jmx = JmxReader(web, url)
    try:
        return _Answer(system(jmx), () if capacity_bytes is None else volumes(jmx, capacity_bytes))
    except ServiceError as error:
        return _Answer(why_not=str(error))


def _silent(daemons: str, hosts: Sequence[str], answers: Sequence[_Answer]) -> Iterable[Unread]:
    """One line for all daemons of a kind that did not tell of their machine."""
    silent = [(host, answer.why_not) for host, answer in zip(hosts, answers, strict=True) if answer.why_not]
    if silent:
        host, why = silent[0]
        more = f", and {len(silent) - 1} more" if len(silent) > 1 else ""
        yield Unread(what=f"hardware from the {daemons} of {host}{more}", why=why)


_JOBS_AT_ONCE = 4
_MOST_JOBS = 2000  # The newest are looked at: each is a request to a server that others ask too.
_DAY_MS = 86_400_000


class _Job(NamedTuple):
    """One finished job; ``containers`` is how many it had on average while it ran."""

    failed: bool
    start_ms: int
    finish_ms: int
    read_bytes: int
    shuffled_bytes: int
    written_bytes: int
    containers: float


def observe(web: Web, conf: ClientConf, days: int, now_ms: int) -> Work | None:
    """Work finished in ``days`` before ``now_ms``, if any; raises ServiceError without a history server."""
    history = JobHistory(web, conf)
    begin_ms = now_ms - days * _DAY_MS
    ended = [job for job in history.jobs(finishedTimeBegin=begin_ms) if job.finish_ms]
    ended.sort(key=lambda job: -(job.finish_ms or 0))
    if len(ended) > _MOST_JOBS:
        ended = ended[:_MOST_JOBS]
        begin_ms = ended[-1].finish_ms or begin_ms
    with ThreadPoolExecutor(_JOBS_AT_ONCE, thread_name_prefix="howdah-history") as pool:
        jobs = [job for job in pool.map(partial(_observed, history), ended) if job is not None]
    if not jobs:
        return None
    length = (now_ms - begin_ms) / _DAY_MS

    def daily(value: Callable[[_Job], int]) -> int:
        return round(sum(map(value, jobs)) / length)

    begun = [(job.start_ms, job.containers) for job in jobs]
    gone = [(max(job.finish_ms, job.start_ms + 1), -job.containers) for job in jobs]
    return Work(
        since=datetime.fromtimestamp(begin_ms / 1000, UTC).isoformat(timespec="seconds"),
        days=round(length, 3),
        finished_jobs=len(jobs),
        failed_jobs=sum(job.failed for job in jobs),
        daily_read_bytes=daily(lambda job: job.read_bytes),
        daily_shuffled_bytes=daily(lambda job: job.shuffled_bytes),
        daily_written_bytes=daily(lambda job: job.written_bytes),
        largest_input_bytes=max(job.read_bytes for job in jobs),
        busiest_containers=round(max(accumulate(change for _, change in sorted([*begun, *gone]))), 1),
    )


def _observed(history: JobHistory, job: JobFacts) -> _Job | None:
    """A finished job; None for one whose history was removed for its age since it was listed."""
    try:
        counters = {name: sums.total for name, sums in history.counters(job.id).items()}
    except RefusedByDaemon as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        return None
    start, finish = job.start_ms or job.submit_ms, job.finish_ms or 0
    busy_ms = sum(counters.get(f"JobCounter.MILLIS_{kind}", 0) for kind in ("MAPS", "REDUCES"))
    return _Job(
        failed=job.state != "succeeded",
        start_ms=start,
        finish_ms=finish,
        read_bytes=shared_bytes(counters, "BYTES_READ"),
        shuffled_bytes=counters.get("TaskCounter.REDUCE_SHUFFLE_BYTES", 0),
        written_bytes=shared_bytes(counters, "BYTES_WRITTEN"),
        # Its application master is one more.
        containers=1 + busy_ms / max(1, finish - start),
    )
