"""Masters and workers that are lost during a run, and those that take over or return."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event as Flag
from threading import Lock, Thread
from urllib.parse import urlsplit

from howdah.engines.base import RunClock
from howdah.engines.hadoop.target import HadoopTarget, NodeFinder
from howdah.model.cluster import Event
from howdah.releases.values import read_seconds
from howdah.services.addresses import WebAddress
from howdah.services.errors import NotReachable, ServiceError
from howdah.services.namenode import DataNode, NameNode
from howdah.services.resourcemanager import Node, ResourceManager
from howdah.services.web import PlainClient

_UNANSWERED = 2  # Polls in a row without an answer; a single one may be a garbage collection.


@dataclass
class _Master:
    worker: str
    state: str = ""
    seen_s: float | None = None
    unanswered: int = 0

    @property
    def lost(self) -> bool:
        """Whether it has answered before and no longer does."""
        return self.seen_s is not None and self.unanswered >= _UNANSWERED


class MastersWatch:
    """Polls every master, also standbys."""

    def __init__(self, target: HadoopTarget, machines: NodeFinder, clock: RunClock) -> None:
        conf, line = target.conf, PlainClient(target.web)
        namenode = NameNode(target.web, conf, line)
        manager = ResourceManager(target.web, conf, line)

        def of_namenode(url: str) -> tuple[str, int]:
            status = namenode.status_at(url)
            return status.state, status.changed_ms

        def of_manager(url: str) -> tuple[str, int]:
            return manager.info_at(url).ha_state.lower(), 0

        def masters(addresses: Iterable[WebAddress]) -> dict[str, _Master]:
            hosts = {address.url: urlsplit(address.url).hostname or "" for address in addresses}
            return {url: _Master(machines.worker(host)) for url, host in hosts.items()}

        self._services = (
            _Service("NameNode", masters(conf.namenodes()), of_namenode, clock),
            _Service("ResourceManager", masters(conf.resource_managers()), of_manager, clock),
        )

    def poll(self) -> list[Event]:
        """Return the events since the last poll; none at the first poll."""
        return [event for service in self._services for event in service.poll()]


@dataclass
class _Service:
    """The masters of one kind; ``query`` returns a state and since when, 0 if that is unknown."""

    name: str
    masters: dict[str, _Master]  # By their URLs.
    query: Callable[[str], tuple[str, int]]
    clock: RunClock
    active: _Master | None = None

    def poll(self) -> Iterator[Event]:
        for url, master in self.masters.items():
            lost = master.lost
            try:
                state, changed_ms = self.query(url)
            except ServiceError:
                master.unanswered += 1
                if master.lost and not lost:
                    event = self._event(master, "lost", f"no longer answers; it was {master.state}")
                    yield event.model_copy(update={"seen_s": master.seen_s, "was": master.state})
                continue
            master.state, master.seen_s, master.unanswered = state, self.clock.now_s(), 0
            if lost:
                yield self._event(master, "back", f"answers again, {state}")
            if state == "active" and master is not self.active:
                if self.active is not None:
                    # It became active before this poll; some daemons report when.
                    since_s = self.clock.seconds(changed_ms) if changed_ms else None
                    text = f"has taken over from the one on {self.active.worker}"
                    yield self._event(master, "failover", text, since_s)
                self.active = master

    def _event(self, master: _Master, change: str, text: str, time_s: float | None = None) -> Event:
        return Event(
            time_s=self.clock.now_s() if time_s is None else time_s,
            worker=master.worker,
            kind=f"{self.name.lower()}-{change}",
            text=f"the {self.name} on {master.worker} {text}",
        )


_DEFAULT_HEARTBEAT_S = 3.0
_MISSED_HEARTBEATS = 4
_LEAST_SILENCE_S = 5.0  # A DataNode in a long garbage collection is not lost.
_AT_WORK = frozenset({"NEW", "RUNNING", "DECOMMISSIONING"})
_SILENT, _GIVEN_UP = "SILENT", "LOST"
_RELEASED, _DECOMMISSIONED = "released", "DECOMMISSIONED"  # Decommissioned daemons that leave are not lost.
_DRAINING, _DRAINED = "Decommission In Progress", "Decommissioned"
_POLLED_AT_ONCE = 8
_NO_BEAN = "Hadoop:service=none"

_PATIENCE_S = 10.0


class MachineWatch:
    """Compares the NameNode's and the ResourceManager's lists of machines with the lists before.

    By default HDFS declares a DataNode dead, and YARN a NodeManager lost, only after ten minutes. So a silent
    daemon is reported as lost with the time of its last answer, and as given up when Hadoop does.
    """

    def __init__(self, target: HadoopTarget, machines: NodeFinder, clock: RunClock) -> None:
        self._conf = conf = target.conf
        self._web, line = target.web, PlainClient(target.web)
        self._namenode = NameNode(target.web, conf, line)
        self._manager = ResourceManager(target.web, conf, line)
        self._machines = machines
        self._clock = clock
        heartbeat_s = read_seconds(conf.get("dfs.heartbeat.interval") or "") or _DEFAULT_HEARTBEAT_S
        self._silence_s = max(_LEAST_SILENCE_S, _MISSED_HEARTBEATS * heartbeat_s)
        self._datanodes: dict[str, str] = {}
        self._used_bytes: dict[str, int] = {}
        self._draining_s: dict[str, float] = {}
        self._nodemanagers: dict[str, str] = {}
        self._turn = 0
        self._unanswered: dict[str, int] = {}
        self._answered_s: dict[str, float] = {}
        self._unreachable: set[str] = set()
        self._lines: dict[str, PlainClient] = {}

    def poll(self) -> list[Event]:
        """The events since the last poll; none at the first one, or of a master that does not answer."""
        return [*self._poll_hdfs(), *self._poll_yarn()]

    def _poll_hdfs(self) -> Iterator[Event]:
        try:
            datanodes = self._namenode.datanodes()
        except ServiceError:
            return
        first = not self._datanodes
        for datanode in datanodes:
            address, before = datanode.address, self._datanodes.get(datanode.address)
            state = "dead"
            if datanode.state == _DRAINED:
                state = _RELEASED
            elif datanode.live:
                state = "silent" if datanode.silent_s > self._silence_s else "live"
            if before is None and not first and state != "live":
                # A DataNode that joins is listed before its first heartbeat.
                continue
            self._datanodes[address] = state
            if datanode.live:
                # A dead one lacks its used bytes.
                self._used_bytes[address] = datanode.used_bytes
            if datanode.state == _DRAINING:
                self._draining_s.setdefault(address, self._clock.now_s())
            elif datanode.state != _DRAINED:
                self._draining_s.pop(address, None)
            if before not in (None, state, _RELEASED):
                yield self._of_datanode(datanode, state)

    def _of_datanode(self, datanode: DataNode, state: str) -> Event:
        host, seen_s = datanode.host, self._clock.now_s() - datanode.silent_s
        silence = f"no heartbeat for {datanode.silent_s:.0f} s"
        used_bytes = self._used_bytes.get(datanode.address)
        match state:
            case "silent":
                text = f"the NameNode has lost contact with DataNode {host}: {silence}"
                return self._event(host, "datanode-lost", text, seen_s)
            case "dead":
                text = f"the NameNode declares DataNode {host} dead and replicates its blocks: {silence}"
                event = self._event(host, "datanode-given-up", text, seen_s)
                return event.model_copy(update={"held_bytes": used_bytes})
            case "released":
                text = f"the NameNode has decommissioned DataNode {host}: its blocks are on others"
                event = self._event(host, "datanode-drained", text)
                since_s = self._draining_s.get(datanode.address)
                return event.model_copy(update={"held_bytes": used_bytes, "since_s": since_s})
            case _:
                return self._event(host, "datanode-back", f"DataNode {host} sends heartbeats again")

    def _poll_yarn(self) -> Iterator[Event]:
        try:
            listed = self._manager.nodes()
        except ServiceError:
            return
        # A NodeManager that returned on another port is listed twice.
        nodes = {node.host: node for node in sorted(listed, key=lambda node: node.state in _AT_WORK)}
        answering = self._answering(nodes)
        for host, node in nodes.items():
            state = node.state if node.state not in _AT_WORK or answering.get(host, True) else _SILENT
            before = self._nodemanagers.get(host)
            self._nodemanagers[host] = state
            if before not in (None, state) and not (before in _AT_WORK and state in _AT_WORK):
                yield self._of_nodemanager(node, state)

    def _answering(self, nodes: Mapping[str, Node]) -> dict[str, bool]:
        """Whether running NodeManagers answer, a few at a time; those that never did may be unreachable."""
        now_s = self._clock.now_s()
        at_work = [host for host, node in nodes.items() if node.state in _AT_WORK and node.web]
        silent = [host for host in at_work if self._unanswered.get(host)]
        responsive = [host for host in at_work if host not in silent and host not in self._unreachable]
        turn = self._turn % len(responsive) if responsive else 0
        self._turn += _POLLED_AT_ONCE
        polled = [*silent, *(responsive[turn:] + responsive[:turn])][:_POLLED_AT_ONCE]
        # In parallel, because each lost one takes a timeout of seconds.
        with ThreadPoolExecutor(_POLLED_AT_ONCE) as pool:
            answers = list(pool.map(lambda host: self._answers(nodes[host]), polled))
        for host, answered in zip(polled, answers, strict=True):
            if answered:
                self._unanswered[host] = 0
                self._answered_s[host] = now_s
            elif host in self._unanswered:
                self._unanswered[host] += 1
            else:
                self._unreachable.add(host)
        return {host: count < _UNANSWERED for host, count in self._unanswered.items()}

    def _answers(self, node: Node) -> bool:
        line = self._lines.setdefault(node.host, PlainClient(self._web))
        try:
            line.get_json(f"{self._conf.nodemanager_url(node.web)}/jmx", qry=_NO_BEAN)
        except ServiceError as error:
            return not isinstance(error, NotReachable)
        return True

    def _of_nodemanager(self, node: Node, state: str) -> Event:
        if state in _AT_WORK:
            return self._event(node.host, "nodemanager-back", f"NodeManager {node.host} works again")
        if state == _DECOMMISSIONED:
            text = f"the ResourceManager has decommissioned NodeManager {node.host}: its tasks ended"
            return self._event(node.host, "nodemanager-drained", text)
        seen_s = self._answered_s.get(node.host)
        if state == _SILENT:
            text = f"NodeManager {node.host} no longer answers"
            return self._event(node.host, "nodemanager-lost", text, seen_s)
        why = f": {node.health}" if node.health else ""
        text = f"the ResourceManager declares NodeManager {node.host} {state.lower()}{why}"
        # An unhealthy or stopped NodeManager reports this itself, without a timeout.
        kind = "nodemanager-given-up" if state == _GIVEN_UP else "nodemanager-lost"
        return self._event(node.host, kind, text, seen_s)

    def _event(self, node: str, kind: str, text: str, seen_s: float | None = None) -> Event:
        worker = self._machines.worker(node)
        return Event(time_s=self._clock.now_s(), worker=worker, kind=kind, text=text, seen_s=seen_s)


class Watching:
    """Polls watchers of daemons, each in its own thread, because a lost daemon causes timeouts."""

    def __init__(self, intervals_s: Mapping[MastersWatch | MachineWatch, float]) -> None:
        self._events: list[Event] = []
        self._lock = Lock()
        self._stop = Flag()
        self._threads = [
            Thread(target=self._run, args=arguments, name="howdah-watch", daemon=True)
            for arguments in intervals_s.items()
        ]

    @property
    def events(self) -> tuple[Event, ...]:
        """The events so far, sorted by time."""
        with self._lock:
            return tuple(sorted(self._events, key=lambda event: event.time_s))

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop polling, without waiting for a long poll."""
        self._stop.set()
        for thread in self._threads:
            thread.join(_PATIENCE_S)

    def _run(self, watcher: MastersWatch | MachineWatch, interval_s: float) -> None:
        while True:
            happened = watcher.poll()
            with self._lock:
                self._events += happened
            if self._stop.wait(interval_s):
                return
