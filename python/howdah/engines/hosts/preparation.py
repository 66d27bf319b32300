"""Preparation of a run on hosts without Hadoop: a lab's machines, or those that a command reaches."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Unpack

from howdah.documents.files import read_plan
from howdah.engines.base import Prepared, RunStart, new_job
from howdah.engines.hosts.engine import HostsEngine
from howdah.engines.hosts.tools import Ended, HostsTarget, Station, run
from howdah.engines.lab_members import hosts_telemetry, laboratory_of, shared_machine_sources
from howdah.engines.lab_runs import complete_lab
from howdah.errors import RunFailed, UserError
from howdah.lab.hadoop import daemons
from howdah.model.cluster import Laboratory
from howdah.model.engines import HOSTS, LAB, PLAN, REACH
from howdah.model.placement import AtOnce, placed_hosts
from howdah.model.plan import ClusterPlan
from howdah.model.run_request import RunRequest
from howdah.planner.suite.cluster import size_suite
from howdah.planner.suite.request import requested_programs, suite_line
from howdah.probe import probe_host
from howdah.telemetry.source import Source
from howdah.units import format_counted

_VERSION = re.compile(r"^iperf (\d+(?:\.\d+)*)", re.MULTILINE)
_OLDEST = (3, 7)  # The first version that can measure both directions at the same time.
_NOT_FOUND = 127
_SOON_S = 0.01
_USUAL_S = 0.2  # The shortest interval of older releases of ping for users other than root.
_AT_ONCE = 64  # Machines that are queried at the same time.


def find_tools(stations: Sequence[Station]) -> tuple[str, float | None]:
    """All machines' iperf3 and ping's interval; raises UserError for one out of reach or without iperf3."""

    async def query_all() -> list[tuple[str, float | None]]:
        room = asyncio.Semaphore(_AT_ONCE)

        async def query(station: Station) -> tuple[str, float | None]:
            async with room:
                return await _iperf(station), await _ping(station)

        return await asyncio.gather(*map(query, stations))

    tools = asyncio.run(query_all())
    allowed = [interval_s for _, interval_s in tools if interval_s is not None]
    versions = ", ".join(sorted({version for version, _ in tools}))
    return versions, max(allowed) if allowed and len(allowed) == len(tools) else None


async def _iperf(station: Station) -> str:
    answer, where = await _run_on(station, "iperf3", "--version"), f"host {station.name}"
    version = _VERSION.search(answer.output)
    if version is None:
        if answer.code == _NOT_FOUND or "No such file" in answer.errors:
            raise UserError(where, "has no iperf3", "install it there: apt-get or dnf install iperf3")
        raise UserError(where, f"cannot run a command: {answer.complaint}", _tried(station))
    if tuple(map(int, version[1].split("."))) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        raise UserError(where, f"has iperf3 {version[1]}", f"install {oldest} or later there")
    return version[1]


async def _ping(station: Station) -> float | None:
    """The shortest interval between pings that a machine permits this user."""
    for interval_s in (_SOON_S, _USUAL_S):
        words = ("ping", "-n", "-i", f"{interval_s:g}", "-c", "2", station.address)
        if (await _run_on(station, *words)).code == 0:
            return interval_s
    return None


async def _run_on(station: Station, *words: str) -> Ended:
    try:
        return await run(station, words, 5)
    except RunFailed as error:
        raise UserError(f"host {station.name}", error.what, _tried(station)) from error


def _tried(station: Station) -> str:
    return f"tried: {' '.join(station.prefix)} …" if station.prefix[:1] != ("sh",) else "is the lab up?"


_LEAST_HOSTS = 2


def prepare_hosts(request: RunRequest, **start: Unpack[RunStart]) -> Prepared:
    """Find machines with iperf3 and return the prepared job; raises UserError for one out of reach."""
    requested_programs(request, HOSTS)
    plan, target, line = _of_lab(request) if request.of(REACH) is None else _of_command(request)
    sized = size_suite(request, AtOnce(0, 0), engine=HOSTS, hosts=len(target.by_host()))
    plan = plan.model_copy(update={"settings": (*plan.settings, *sized.settings)})
    job = new_job(sized.suite, plan, probe_host(), sample_interval_s=sized.sample_interval_s, **start)
    return Prepared(
        job=job,
        engine=HostsEngine(target),
        introduction=(("hosts", f"{line} · iperf3 {target.iperf}"), ("plan", suite_line(sized.suite))),
        kept=dict,
    )


def _of_lab(request: RunRequest) -> tuple[ClusterPlan, HostsTarget, str]:
    if request.of(PLAN) is not None:
        problem = "names hosts, but no option gives a command to reach them"
        raise UserError(PLAN.flag, problem, f"give {REACH.flag} too")
    state = complete_lab(request.of(LAB), HOSTS, f"--plan FILE {REACH.flag} COMMAND")
    if state is None:
        hint = f"give --plan FILE {REACH.flag} 'ssh {{host}}', or build a lab: howdah lab up plan.yaml"
        raise UserError(f"--engine {HOSTS}", "there are no hosts to run on", hint)
    where = f'lab "{state.name}"'
    if state.spec is None:
        problem = "was built without root, so its machines have no separate network"
        raise UserError(where, problem, "build it as root")
    shared = shared_machine_sources(state)
    lab = laboratory_of(state, shared[0].machine)
    speeds = state.plan.cluster.port_bits_per_s
    workers = tuple(
        Station(
            name=machine.name,
            host=machine.host,
            address=machine.address,
            prefix=daemons.machine_prefix(state, machine),
            nominal_bits_per_s=speeds.get(machine.host),
            environment=daemons.environment(state, machine),
        )
        for machine in state.machines
        if machine.kind == "worker"
    )
    target = _target(workers, where, (*hosts_telemetry(state), *shared), lab)
    return state.plan, target, f"{where}: {_counted(target)}"


def _of_command(request: RunRequest) -> tuple[ClusterPlan, HostsTarget, str]:
    words, path = request.of(REACH), request.of(PLAN)
    if request.of(LAB) is not None:
        problem = f"conflicts with {REACH.flag}: they name different hosts"
        raise UserError(LAB.flag, problem, "leave one of them out")
    if path is None or words is None:
        problem = "gives a command to reach hosts, but no option names the hosts"
        raise UserError(REACH.flag, problem, "give --plan FILE")
    plan = read_plan(path)
    speeds = plan.cluster.port_bits_per_s
    workers = tuple(
        Station(
            name=worker.name,
            host=host.name,
            address=worker.name,
            # A plan's names consist of letters, digits, dots and hyphens, so they need no quotes.
            prefix=tuple(word.replace("{host}", worker.name) for word in words),
            nominal_bits_per_s=speeds[host.name],
        )
        for host in placed_hosts(plan.cluster)
        for worker in host.workers
    )
    target = _target(workers, f"--plan {path}")
    return plan, target, f"cluster {plan.cluster.inventory.cluster}: {_counted(target)}"


def _target(
    stations: tuple[Station, ...], where: str, sources: Sequence[Source] = (), lab: Laboratory | None = None
) -> HostsTarget:
    if len({station.host for station in stations}) < _LEAST_HOSTS:
        raise UserError(where, "has workers on one host only", "a network needs two hosts with workers")
    return HostsTarget(stations, *find_tools(stations), tuple(sources), lab)


def _counted(target: HostsTarget) -> str:
    hosts, workers = len(target.by_host()), len(target.stations)
    return f"{format_counted(hosts, 'host')}, {format_counted(workers, 'worker')}"
