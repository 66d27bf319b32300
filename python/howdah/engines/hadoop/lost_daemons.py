"""Masters and workers that are lost during a run, and those that take over or return."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Event as Flag
from threading import Lock, Thread
from typing import Literal, NamedTuple, Protocol
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

Daemon = Literal["namenode", "resourcemanager"]

_NAMES: dict[Daemon, str] = {"namenode": "NameNode", "resourcemanager": "ResourceManager"}
_UNANSWERED = 2
"""Polls in a row without an answer; a single one may be a garbage collection."""


class _State(NamedTuple):
    """A master's state, and its start in milliseconds since 1970, 0 if unknown."""

    name: str
    changed_ms: int = 0


class _Master:
    """One master: its last known state, and when it answered."""

    def __init__(self, worker: str) -> None:
        self.worker = worker
        self.state = ""
        self.seen_s: float | None = None
        self.unanswered = 0

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
        self._services = (
            _Service("namenode", conf.namenodes(), lambda at: _of_namenode(namenode, at), machines, clock),
            _Service(
                "resourcemanager",
                conf.resource_managers(),
                lambda at: _State(manager.info_at(at).ha_state.lower()),
                machines,
                clock,
            ),
        )

    def poll(self) -> list[Event]:
        """Return the events since the last poll; none at the first poll."""
        return [event for service in self._services for event in service.poll()]


def _of_namenode(namenode: NameNode, address: WebAddress) -> _State:
    status = namenode.status_at(address)
    return _State(status.state, status.changed_ms)


class _Service:
    """The masters of one kind."""

    def __init__(
        self,
        daemon: Daemon,
        addresses: tuple[WebAddress, ...],
        query: Callable[[WebAddress], _State],
        machines: NodeFinder,
        clock: RunClock,
    ) -> None:
        self._daemon = daemon
        self._query = query
        self._clock = clock
        self._masters = {
            address: _Master(machines.worker(urlsplit(address.url).hostname or "")) for address in addresses
        }
        self._active: _Master | None = None

    def poll(self) -> Iterator[Event]:
        for address, master in self._masters.items():
            lost = master.lost
            try:
                state = self._query(address)
            except ServiceError:
                master.unanswered += 1
                if master.lost and not lost:
                    yield self._lost(master)
                continue
            master.state, master.seen_s, master.unanswered = state.name, self._clock.now_s(), 0
            if lost:
                yield self._event(master, "back", f"answers again, {state.name}")
            if state.name == "active" and master is not self._active:
                if self._active is not None:
                    yield self._failover(master, self._active, state)
                self._active = master

    def _lost(self, master: _Master) -> Event:
        lost = self._event(master, "lost", f"no longer answers; it was {master.state}")
        return lost.model_copy(update={"seen_s": master.seen_s, "was": master.state})

    def _failover(self, master: _Master, before: _Master, state: _State) -> Event:
        text = f"has taken over from the one on {before.worker}"
        # It became active before this poll; some daemons report when.
        since_s = self._clock.seconds(state.changed_ms) if state.changed_ms else self._clock.now_s()
        return self._event(master, "failover", text, time_s=since_s)

    def _event(
        self,
        master: _Master,
        change: Literal["lost", "back", "failover"],
        text: str,
        *,
        time_s: float | None = None,
    ) -> Event:
        return Event(
            time_s=self._clock.now_s() if time_s is None else time_s,
            worker=master.worker,
            kind=f"{self._daemon}-{change}",
            text=f"the {_NAMES[self._daemon]} on {master.worker} {text}",
        )


EventKind = Literal[
    "datanode-lost",
    "datanode-given-up",
    "datanode-back",
    "datanode-drained",
    "nodemanager-lost",
    "nodemanager-given-up",
    "nodemanager-back",
    "nodemanager-drained",
]

_DEFAULT_HEARTBEAT_S = 3.0
_MISSED_HEARTBEATS = 4
_LEAST_SILENCE_S = 5.0
"""A DataNode in a long garbage collection is not lost."""

_AT_WORK = frozenset({"NEW", "RUNNING", "DECOMMISSIONING"})
_SILENT, _GIVEN_UP = "SILENT", "LOST"
_RELEASED, _DECOMMISSIONED = "released", "DECOMMISSIONED"
"""Decommissioned daemons that leave are not lost."""
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
        self._web = target.web
        self._line = PlainClient(target.web)
        self._namenode = NameNode(target.web, conf, self._line)
        self._manager = ResourceManager(target.web, conf, self._line)
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
        """Return the events since the last poll; none at the first poll.

        A master that does not answer is polled again next time.
        """
        return [*self._poll_hdfs(), *self._poll_yarn()]

    def _poll_hdfs(self) -> Iterator[Event]:
        try:
            datanodes = self._namenode.datanodes()
        except ServiceError:
            return
        first = not self._datanodes
        for datanode in datanodes:
            before, state = self._datanodes.get(datanode.address), self._state(datanode)
            if before is None and not first and state != "live":
                # A DataNode that joins is listed before its first heartbeat.
                continue
            self._datanodes[datanode.address] = state
            self._note(datanode)
            if before not in (None, state) and before != _RELEASED:
                yield self._of_datanode(datanode, state)

    def _note(self, datanode: DataNode) -> None:
        """Remember a DataNode's used bytes, which a dead one lacks, and the start of its drain."""
        if datanode.live:
            self._used_bytes[datanode.address] = datanode.used_bytes
        if datanode.state == _DRAINING:
            self._draining_s.setdefault(datanode.address, self._clock.now_s())
        elif datanode.state != _DRAINED:
            self._draining_s.pop(datanode.address, None)

    def _state(self, datanode: DataNode) -> str:
        if datanode.state == _DRAINED:
            return _RELEASED
        if not datanode.live:
            return "dead"
        return "silent" if datanode.silent_s > self._silence_s else "live"

    def _of_datanode(self, datanode: DataNode, state: str) -> Event:
        seen_s = self._clock.now_s() - datanode.silent_s
        silence = f"no heartbeat for {datanode.silent_s:.0f} s"
        match state:
            case "silent":
                text = f"the NameNode has lost contact with DataNode {datanode.host}: {silence}"
                return self._event(datanode.host, "datanode-lost", text, seen_s)
            case "dead":
                text = (
                    f"the NameNode declares DataNode {datanode.host} dead and replicates its blocks: "
                    f"{silence}"
                )
                event = self._event(datanode.host, "datanode-given-up", text, seen_s)
                return event.model_copy(update={"held_bytes": self._used_bytes.get(datanode.address)})
            case "released":
                used_bytes = self._used_bytes.get(datanode.address)
                text = f"the NameNode has decommissioned DataNode {datanode.host}: its blocks are on others"
                event = self._event(datanode.host, "datanode-drained", text)
                since_s = self._draining_s.get(datanode.address)
                return event.model_copy(update={"held_bytes": used_bytes, "since_s": since_s})
            case _:
                return self._event(
                    datanode.host, "datanode-back", f"DataNode {datanode.host} sends heartbeats again"
                )

    def _poll_yarn(self) -> Iterator[Event]:
        try:
            nodes = _by_host(self._manager.nodes())
        except ServiceError:
            return
        answering = self._answering(nodes)
        for host, node in nodes.items():
            state = node.state if node.state not in _AT_WORK or answering.get(host, True) else _SILENT
            before = self._nodemanagers.get(host)
            self._nodemanagers[host] = state
            if before is None or before == state:
                continue
            if state == _DECOMMISSIONED:
                text = f"the ResourceManager has decommissioned NodeManager {node.host}: its tasks ended"
                yield self._event(host, "nodemanager-drained", text)
            elif not (before in _AT_WORK and state in _AT_WORK):
                yield self._of_nodemanager(node, state)

    def _answering(self, nodes: Mapping[str, Node]) -> dict[str, bool]:
        """Return whether running NodeManagers answer; polls a few at a time, silent ones each time.

        By default the ResourceManager declares one lost only after ten minutes. NodeManagers that never
        answered are ignored: their web servers may be unreachable from this machine.
        """
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
        except NotReachable:
            return False
        except ServiceError:
            return True
        return True

    def _of_nodemanager(self, node: Node, state: str) -> Event:
        if state in _AT_WORK:
            return self._event(node.host, "nodemanager-back", f"NodeManager {node.host} works again")
        seen_s = self._answered_s.get(node.host)
        if state == _SILENT:
            text = f"NodeManager {node.host} no longer answers"
            return self._event(node.host, "nodemanager-lost", text, seen_s)
        text = f"the ResourceManager declares NodeManager {node.host} {state.lower()}"
        text = f"{text}: {node.health}" if node.health else text
        # An unhealthy or stopped NodeManager reports this itself, without a timeout.
        kind: EventKind = "nodemanager-given-up" if state == _GIVEN_UP else "nodemanager-lost"
        return self._event(node.host, kind, text, seen_s)

    def _event(self, node: str, kind: EventKind, text: str, seen_s: float | None = None) -> Event:
        worker = self._machines.worker(node)
        return Event(time_s=self._clock.now_s(), worker=worker, kind=kind, text=text, seen_s=seen_s)


def _by_host(nodes: Iterable[Node]) -> dict[str, Node]:
    """Return the NodeManager of each host; one that returned on another port is listed twice."""
    return {node.host: node for node in sorted(nodes, key=lambda listed: listed.state in _AT_WORK)}


class Watcher(Protocol):
    """Polls some daemons of a cluster."""

    def poll(self) -> list[Event]:
        """Return the events since the last poll."""


class Watching:
    """Polls several watchers at their intervals, from ``start`` to ``stop``.

    Each has its own thread, because a lost daemon causes timeouts.
    """

    def __init__(self, intervals_s: Mapping[Watcher, float]) -> None:
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
        """Start polling."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop polling, without waiting for a long poll."""
        self._stop.set()
        for thread in self._threads:
            thread.join(_PATIENCE_S)

    def _run(self, watcher: Watcher, interval_s: float) -> None:
        while True:
            happened = watcher.poll()
            with self._lock:
                self._events += happened
            if self._stop.wait(interval_s):
                return
