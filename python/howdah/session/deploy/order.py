"""The order in which daemons are restarted, and changes that a running cluster cannot make."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from howdah.deploy.ansible import PlaybookRun, ReportStep, check_ansible, run_playbook
from howdah.errors import UserError
from howdah.hadoop.daemons import BY_NAME, DAEMONS
from howdah.hadoop.restarts import RESTARTING, UPGRADING, Unrollable, at_once, stopped_for, unrollable
from howdah.model.plan import Role, planned_text
from howdah.releases.catalogue import default_of, hadoop, hbase
from howdah.session.deploy.project import Target, project
from howdah.session.deploy.states import Agree, Deployed, DeployedHost, DeployOptions, outcome
from howdah.session.deploy.upgrading import Way, upgrade_under_way

_LONGEST_VALUE = 60
"""As many characters of a value as a line shows."""


class UnrollableChange(NamedTuple):
    """A setting that running daemons have another value of, which they cannot change a few at a time."""

    key: str
    before: str
    after: str
    why: Unrollable
    roles: tuple[Role, ...]
    """The daemons that run with the former value."""

    def text(self) -> str:
        """The change and why it cannot roll, as a line."""
        return f"{self.key}: {_short(self.before)} to {_short(self.after)}: {self.why.reason}"


class Downtime(NamedTuple):
    """What is stopped and started so that such changes can be made."""

    changes: tuple[UnrollableChange, ...]
    daemons: tuple[str, ...]
    """The daemons by their names, in the order of starting."""

    def steps(self) -> Iterator[str]:
        """What is done, in words."""
        for change in self.changes:
            yield f"needs --downtime: {change.text()}"
        yield f"stop every {', '.join(reversed(self.daemons))}"
        yield f"start every {', '.join(self.daemons)}"


def downtime_for(target: Target, states: Mapping[str, DeployedHost]) -> Downtime | None:
    """What has to be stopped for what a plan changes of daemons that run; None where nothing has to be."""
    found: dict[str, UnrollableChange] = {}
    releases = hadoop(target.cluster.request.hadoop), hbase(target.cluster.request.hbase)
    for state in states.values():
        for daemon in state.daemons:
            for setting in daemon.get("settings") or ():
                key = str(setting["key"])
                before, after = (
                    str(setting[part]) or default_of(key, *releases) or "" for part in ("running", "planned")
                )
                why = unrollable(key, before, after) if before != after else None
                if why is None:
                    continue
                role = BY_NAME[daemon["name"]]
                known = found.setdefault(key, UnrollableChange(key, before, after, why, ()))
                if role not in known.roles:
                    found[key] = known._replace(roles=(*known.roles, role))
    if not found:
        return None
    stopped = stopped_for(role for change in found.values() for role in change.roles)
    names = (kind.name for role, kind in DAEMONS.items() if role in stopped and target.on(role))
    return Downtime(tuple(found[key] for key in sorted(found)), tuple(names))


def check_downtime(target: Target, options: DeployOptions, way: Way, downtime: Downtime) -> None:
    """Raise UserError unless these changes may be made now."""
    listed = "".join(f"\n  {change.text()}" for change in downtime.changes)
    if moved := [change.key for change in downtime.changes if change.why.moves_data]:
        raise UserError(
            target.file,
            f"moves the data directories of running daemons:{listed}",
            f"stop them (--stop), move their data to the new {moved[0]}, then deploy",
        )
    if way is not Way.CHANGE:
        raise UserError(
            target.file,
            f"changes the release and values that cannot change while daemons run:{listed}",
            "change the release and the values in separate deployments",
        )
    if not options.downtime:
        raise UserError(
            target.file,
            f"changes values that cannot change while the cluster runs:{listed}",
            f"give --downtime to stop and start every {', '.join(downtime.daemons)} for it",
        )


def _short(value: str) -> str:
    if not value:
        return "nothing"
    return value if len(value) <= _LONGEST_VALUE else f"{value[: _LONGEST_VALUE - 1]}…"


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
    daemons_to_restart = [
        name for name in reversed(names) if any(name in state.to_restart for state in stale)
    ]
    action = f"restart {' and '.join(daemons_to_restart)}"
    leading = [state.host for state in stale if _leads(state, kind.name)]
    followers = [state.host for state in stale if state.host not in leading]
    if not leading:
        together = at_once(role, copies)
        each = f", {together} at a time" if len(followers) > 1 else ""
        yield f"{action} on {hosts_text(followers)}{each}"
    elif followers:
        yield f"{action} on {hosts_text(followers)}, then on {leading[0]}, whose {kind.name} fails over first"
    else:
        yield f"{action} on {leading[0]}, whose {kind.name} fails over first"


def _leads(state: DeployedHost, name: str) -> bool:
    return any(one["name"] == name and one.get("leads") for one in state.daemons)


def hosts_text(names: Sequence[str]) -> str:
    """The names of hosts, the first of them where there are many."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def switch(
    target: Target,
    options: DeployOptions,
    tell: ReportStep,
    agree: Agree,
    *,
    playbook: str,
    hosts: Sequence[str] = (),
) -> Deployed:
    """Run ``stop`` or ``start`` once it is agreed to; a host that fails is among the failures.

    On some hosts only if any are named; their masters that lead hand over before they are stopped. Raises
    UserError for hosts that cannot be named.
    """
    check_hosts(target, playbook, hosts)
    check_ansible()
    begun = time.monotonic()
    agree(outcome(target, PlaybookRun(), {}, begun, steps=tuple(_switch_steps(target, playbook, hosts))))
    with project(target, options.disks) as folder:
        done = run_playbook(folder, f"{playbook}.yaml", options.login, tell, limit=hosts or None)
    made = outcome(target, done, {}, begun)
    return made._replace(hosts={name: made.hosts[name] for name in hosts}) if hosts else made


def _switch_steps(target: Target, playbook: str, hosts: Sequence[str]) -> Iterator[str]:
    """Which daemons are stopped or started, those that run on the same hosts together."""
    together: dict[tuple[str, ...], list[str]] = {}
    for name in hosts or target.systems:
        names = tuple(DAEMONS[role].name for role in target.systems[name])
        together.setdefault(names, []).append(name)
    for names, group in together.items():
        yield f"{playbook} {', '.join(names)} on {hosts_text(group)}"


def check_hosts(target: Target, playbook: str, hosts: Sequence[str]) -> None:
    """Raise UserError for hosts that are not the plan's, or whose stop would take a majority away."""
    for name in hosts:
        if name not in target.systems:
            raise UserError(f"--host {name}", f"it is not in {target.file}", "name a host of the plan")
    for role in (Role.JOURNALNODE, Role.ZOOKEEPER):
        members = target.on(role)
        stopped = [name for name in members if name in hosts]
        left = len(members) - len(stopped)
        if playbook == "stop" and stopped and left and left <= len(members) // 2:
            raise UserError(
                f"--host {stopped[-1]}",
                f"leaves {left} of {len(members)} {role.value}s, fewer than a majority",
                "stop and start one host after another, or all with --stop alone",
            )
