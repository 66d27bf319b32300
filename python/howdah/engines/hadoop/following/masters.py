"""NameNodes and ResourceManagers that are lost during a run, and those that take over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from howdah.engines.clock import RunClock
from howdah.engines.hadoop.target import HadoopTarget, NodeFinder
from howdah.model.cluster import Event
from howdah.services.addresses import WebAddress
from howdah.services.errors import ServiceError
from howdah.services.namenode import NameNode
from howdah.services.resourcemanager import ResourceManager
from howdah.services.web import Line

Daemon = Literal["namenode", "resourcemanager"]

_CALLED: dict[Daemon, str] = {"namenode": "NameNode", "resourcemanager": "ResourceManager"}
_UNANSWERED = 2
"""Looks in a row without an answer: one alone may be a garbage collection."""


class _State(NamedTuple):
    """What a master says of itself, and since when, milliseconds since 1970, 0 where it does not say."""

    name: str
    changed_ms: int = 0


class _Master:
    """One master: what it said last, and when."""

    def __init__(self, worker: str) -> None:
        self.worker = worker
        self.state = ""
        self.seen_s: float | None = None
        self.unanswered = 0

    @property
    def lost(self) -> bool:
        """Whether it has answered once and does so no more."""
        return self.seen_s is not None and self.unanswered >= _UNANSWERED


class MastersWatch:
    """Asks every master by itself: of those that stand in for one another others hear only the active one."""

    def __init__(self, target: HadoopTarget, machines: NodeFinder, clock: RunClock) -> None:
        conf, line = target.conf, Line(target.web)
        namenode = NameNode(target.web, conf, line)
        manager = ResourceManager(target.web, conf, line)
        self._services = (
            _Service("namenode", conf.namenodes(), lambda at: _of_namenode(namenode, at), machines, clock),
            _Service(
                "resourcemanager",
                conf.resource_managers(),
                lambda at: _of_manager(manager, at),
                machines,
                clock,
            ),
        )

    def look(self) -> list[Event]:
        """What has happened since the last look; the first one only takes note of what is there."""
        return [event for service in self._services for event in service.look()]


def _of_namenode(namenode: NameNode, address: WebAddress) -> _State:
    status = namenode.status_at(address)
    return _State(status.state, status.changed_ms)


def _of_manager(manager: ResourceManager, address: WebAddress) -> _State:
    return _State(manager.info_at(address).ha_state.lower())


class _Service:
    """The masters of one kind."""

    def __init__(
        self,
        daemon: Daemon,
        addresses: tuple[WebAddress, ...],
        ask: Callable[[WebAddress], _State],
        machines: NodeFinder,
        clock: RunClock,
    ) -> None:
        self._daemon = daemon
        self._ask = ask
        self._clock = clock
        self._masters = {
            address: _Master(machines.worker(urlsplit(address.url).hostname or "")) for address in addresses
        }
        self._active: _Master | None = None

    def look(self) -> Iterator[Event]:
        for address, master in self._masters.items():
            lost = master.lost
            try:
                state = self._ask(address)
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
        # It was active before anybody looked, and says since when where it knows.
        since_s = self._clock.seconds(state.changed_ms) if state.changed_ms else self._clock.now_s()
        return self._event(master, "failover", text, time_s=since_s)

    def _event(
        self,
        master: _Master,
        what: Literal["lost", "back", "failover"],
        text: str,
        *,
        time_s: float | None = None,
    ) -> Event:
        return Event(
            time_s=self._clock.now_s() if time_s is None else time_s,
            worker=master.worker,
            kind=f"{self._daemon}-{what}",
            text=f"the {_CALLED[self._daemon]} on {master.worker} {text}",
        )
