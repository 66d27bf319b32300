"""Hosts added to a laboratory that works, and taken away from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from howdah.errors import UserError
from howdah.lab import registry
from howdah.lab.hadoop.daemons import Daemon
from howdah.lab.hadoop.redundancy import Behind
from howdah.lab.hadoop.starting import ReportStep
from howdah.lab.resizing import await_drained, build_extension, extended_state, remove_drained, start_drain
from howdah.lab.shared_hosts import refuse_shared
from howdah.lab.state import LabState
from howdah.model.placement import placed_hosts
from howdah.planner.cluster import with_hosts, without_hosts
from howdah.render.cluster import render
from howdah.session.lab.laboratories import state_of

_PATIENCE_S = 3600.0


class HostsAdded(NamedTuple):
    """Hosts that a laboratory has more."""

    state: LabState
    hosts: tuple[str, ...]
    started: tuple[Daemon, ...]
    behind: tuple[Behind, ...]
    """What is not redundant yet."""


class HostsRemoved(NamedTuple):
    """Hosts that a laboratory has no more."""

    state: LabState
    hosts: tuple[str, ...]


def add(name: str, hosts: Sequence[str], like: str | None, tell: ReportStep) -> HostsAdded:
    """Give a laboratory more hosts, each like one that it has; what runs goes on.

    Raises UserError for what cannot be added, before anything is made.
    """
    with registry.locked(name):
        state = _whole(name)
        plan = with_hosts(state.plan, hosts, like or _only_like(state))
        more = extended_state(state, plan, hosts, like or _only_like(state))
        brought = build_extension(more, render(plan, leaving=more.leaving), tell)
    return HostsAdded(brought.state, tuple(hosts), brought.started, brought.behind)


def remove(name: str, hosts: Sequence[str], tell: ReportStep) -> HostsRemoved:
    """Take hosts away from a laboratory once others have their data and tasks; what runs goes on.

    Asked again it goes on with what was stopped. Raises UserError for what cannot be taken away.
    """
    with registry.locked(name):
        state = _whole(name)
        # Hosts that others take away meanwhile count for nothing any more.
        away = {machine.host for machine in state.machines if machine.name in state.leaving}
        without_hosts(state.plan, {*hosts, *away})
        leaving = [machine.name for machine in state.machines if machine.host in hosts]
        state = state.model_copy(update={"leaving": tuple(dict.fromkeys([*state.leaving, *leaving]))})
        start_drain(state, render(state.plan, leaving=state.leaving))
    # The lock is let go meanwhile: data may take long, and faults and runs go on.
    await_drained(state, _PATIENCE_S, tell)
    with registry.locked(name):
        # Others may have come or gone since.
        state = state_of(name)
        plan = without_hosts(state.plan, hosts)
        state = remove_drained(state, plan, hosts, render(plan, leaving=_still_leaving(state, hosts)))
    return HostsRemoved(state, tuple(hosts))


def _still_leaving(state: LabState, hosts: Sequence[str]) -> tuple[str, ...]:
    """Machines of hosts that somebody else takes away."""
    gone = {machine.name for machine in state.machines if machine.host in hosts}
    return tuple(name for name in state.leaving if name not in gone)


def _whole(name: str) -> LabState:
    """A laboratory whose hosts can come and go; raises UserError for one that is not up, or not root's."""
    state = state_of(name)
    if state.rootless:
        raise UserError(
            f'lab "{name}"', "was built without root: its hosts have no links", "build it as root"
        )
    if not state.complete:
        raise UserError(f'lab "{name}"', "is not complete", "howdah lab up PLAN completes it")
    refuse_shared(state, "hosts cannot be added or removed until then")
    return state


def _only_like(state: LabState) -> str:
    """The host that new ones are like where nobody says so; raises UserError where hosts differ."""
    first = {
        host.group: host.name
        for host in reversed(list(placed_hosts(state.plan.cluster)))
        if host.workers and not host.masters
    }
    if not first:
        raise UserError(
            "howdah lab add",
            "has no host to copy: every host with workers also has masters",
            "plan the larger cluster, and build the lab again",
        )
    if len(first) > 1:
        raise UserError(
            "--like",
            "is missing, because hosts with workers differ",
            f"one of {', '.join(first.values())}",
        )
    return next(iter(first.values()))
