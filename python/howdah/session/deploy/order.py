"""In which order daemons are restarted, in words: what a dry run shows of a change."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from howdah.hadoop.daemons import DAEMONS
from howdah.hadoop.order import RESTARTING, UPGRADING, at_once
from howdah.model.plan import Role
from howdah.model.value import planned_text
from howdah.session.deploy.downtime import Downtime
from howdah.session.deploy.project import Target
from howdah.session.deploy.states import DeployedHost
from howdah.session.deploy.upgrading import Way, upgrade_under_way

_SHOWN = 8
"""As many hosts as one line names."""


def steps(
    target: Target, states: Mapping[str, DeployedHost], way: Way, downtime: Downtime | None = None
) -> tuple[str, ...]:
    """What is done to the cluster beside the hosts' own changes, in order."""
    # Ansible goes through hosts as the inventory has them, not as they answered.
    ordered = {name: states[name] for name in target.systems if name in states}
    found = {**ordered, **states}
    if downtime is None:
        return tuple(_steps(target, found, way))
    return (*downtime.steps(), *_steps(target, without(found, downtime.daemons), way))


def without(states: Mapping[str, DeployedHost], stopped: Collection[str]) -> dict[str, DeployedHost]:
    """The hosts without those daemons, which are not restarted because they are stopped and started."""
    return {
        name: state._replace(daemons=tuple(one for one in state.daemons if one["name"] not in stopped))
        for name, state in states.items()
    }


def _steps(target: Target, states: Mapping[str, DeployedHost], way: Way) -> Iterator[str]:
    upgraded = way is Way.UPGRADE
    if upgraded and upgrade_under_way(states) is None:
        yield "HDFS keeps an image of its namespace and deleted blocks for a rollback"
    replication = planned_text(target.plan, "dfs.replication")
    copies = int(replication) if replication.isdigit() else 1
    for step in UPGRADING if upgraded else RESTARTING:
        yield from _restarts(states, step, copies)
    if way in (Way.UPGRADE, Way.BACK):
        yield "HDFS keeps the rollback image until howdah deploy --finalize"


def _restarts(states: Mapping[str, DeployedHost], step: Sequence[Role], copies: int) -> Iterator[str]:
    role = step[-1]
    kind = DAEMONS[role]
    names = [DAEMONS[one].name for one in step]
    stale = [state for state in states.values() if set(state.to_restart).intersection(names)]
    if not stale:
        return
    told = [name for name in reversed(names) if any(name in state.to_restart for state in stale)]
    what = f"restart {' and '.join(told)}"
    leading = [state.host for state in stale if _leads(state, kind.name)]
    others = [state.host for state in stale if state.host not in leading]
    if not leading:
        together = at_once(role, copies)
        each = f", {together} at a time" if len(others) > 1 else ""
        yield f"{what} on {hosts_text(others)}{each}"
    elif others:
        yield f"{what} on {hosts_text(others)}, then on {leading[0]}, whose {kind.name} fails over first"
    else:
        yield f"{what} on {leading[0]}, whose {kind.name} fails over first"


def _leads(state: DeployedHost, name: str) -> bool:
    return any(one["name"] == name and one.get("leads") for one in state.daemons)


def hosts_text(names: Sequence[str]) -> str:
    """The names of hosts, the first of them where there are many."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
