"""The engine of hosts without Hadoop for the contract suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from howdah.engines.base import Engine
from howdah.engines.hosts.engine import HostsEngine
from howdah.engines.hosts.preparation import find_tools
from howdah.engines.hosts.tools import HostsTarget, Station
from howdah.model.engines import HOSTS as HOSTS_ENGINE
from howdah.model.placement import AtOnce
from howdah.model.tables import Job
from howdah.planner.suite.cluster import size_suite
from support.own_hosts import HOSTS, NOMINAL, OwnHosts
from support.requests import run_request
from support.rigs import rig_job


@dataclass(frozen=True)
class HostsRig:
    """The engine on hosts in a small network; it runs no tasks and leaves no data."""

    hosts: OwnHosts
    root: Path

    @property
    def engine(self) -> Engine:
        """An engine that enters the hosts' network namespaces."""
        stations = tuple(
            Station(
                name=host,
                host=host,
                address=host,
                prefix=tuple(self.hosts.network.inside(host)),
                nominal_bits_per_s=NOMINAL,
            )
            for host in HOSTS
        )
        return HostsEngine(HostsTarget(stations, *find_tools(stations)))

    def small_job(self) -> Job:
        """One round of pairs, a second each."""
        return self.make_job("network", rounds=1, seconds=1, pairs_at_once=2)

    def make_job(
        self, suite: str, *, keep_data: bool = False, input_rows: int | None = None, **values: object
    ) -> Job:
        """A small job on the hosts."""
        del input_rows
        request = run_request(suite, **values)
        sized = size_suite(request, AtOnce(0, 0), engine=HOSTS_ENGINE, hosts=len(HOSTS))
        return rig_job(self.hosts.plan, sized.suite, self.root, keep_data=keep_data)

    def left(self) -> Sequence[str]:
        """The programs that still measure."""
        return self.hosts.at_work()
