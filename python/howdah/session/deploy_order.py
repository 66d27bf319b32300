"""In which order daemons restart and change their release, and how an upgrade of HDFS ends."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from howdah.deploy.ansible import PlaybookRun, ReportStep, check_ansible, host_problems, run_playbook
from howdah.errors import UserError
from howdah.hadoop.daemons import BY_NAME, DAEMONS, QUORUM, RESTARTING, UPGRADING, at_once
from howdah.hadoop.readers import Unrollable, stopped_for, unrollable
from howdah.model.plan import Role, planned_text
from howdah.releases.catalogue import default_of, hadoop, hbase
from howdah.releases.values import read_positive
from howdah.session.deploy_project import (
    Agree,
    Deployed,
    DeployedHost,
    DeployOptions,
    Target,
    found_states,
    look_at,
    outcome,
    project,
)
from howdah.units import format_names, listed

_LONGEST_VALUE = 60
_NAMENODE = "namenode"
_SHOWN = 8


class UnrollableChange(NamedTuple):
    """A setting that running daemons have another value of, which they cannot change a few at a time."""

    key: str
    before: str
    after: str
    why: Unrollable
    roles: tuple[Role, ...]  # The daemons that run with the former value.

    def text(self) -> str:
        """The change and why it cannot roll, as a line."""
        return f"{self.key}: {_short(self.before)} to {_short(self.after)}: {self.why.reason}"


class Downtime(NamedTuple):
    """The daemons that are stopped and started for such changes, in the order of starting."""

    changes: tuple[UnrollableChange, ...]
    daemons: tuple[str, ...]

    def steps(self) -> Iterator[str]:
        """What is done, in words."""
        for change in self.changes:
            yield f"needs --downtime: {change.text()}"
        yield f"stop every {', '.join(reversed(self.daemons))}"
        yield f"start every {', '.join(self.daemons)}"


def downtime_for(target: Target, states: Mapping[str, DeployedHost]) -> Downtime | None:
    """What has to be stopped for what a plan changes of daemons that run; None where nothing has to be."""
    changes: dict[str, UnrollableChange] = {}
    releases = hadoop(target.cluster.request.hadoop), hbase(target.cluster.request.hbase)
    settings = (
        (BY_NAME[daemon["name"]], setting)
        for state in states.values()
        for daemon in state.daemons
        for setting in daemon.get("settings") or ()
    )
    for role, setting in settings:
        key = str(setting["key"])
        usual = default_of(key, *releases) or ""
        before, after = str(setting["running"]) or usual, str(setting["planned"]) or usual
        why = unrollable(key, before, after) if before != after else None
        if why is not None:
            change = changes.setdefault(key, UnrollableChange(key, before, after, why, ()))
            if role not in change.roles:
                changes[key] = change._replace(roles=(*change.roles, role))
    if not changes:
        return None
    stopped = stopped_for(role for change in changes.values() for role in change.roles)
    names = (kind.name for role, kind in DAEMONS.items() if role in stopped and target.on(role))
    return Downtime(tuple(changes[key] for key in sorted(changes)), tuple(names))


def check_downtime(target: Target, options: DeployOptions, way: Way, downtime: Downtime) -> None:
    """Raise UserError unless these changes may be made now."""
    listed = "".join(f"\n  {change.text()}" for change in downtime.changes)
    if moved := [change.key for change in downtime.changes if change.why.moves_data]:
        hint = f"stop them (--stop), move their data to the new {moved[0]}, then deploy"
        raise UserError(target.file, f"moves the data directories of running daemons:{listed}", hint)
    if way is not Way.CHANGE:
        problem = f"changes the release and values that cannot change while daemons run:{listed}"
        raise UserError(target.file, problem, "change the release and the values in separate deployments")
    if not options.downtime:
        problem = f"changes values that cannot change while the cluster runs:{listed}"
        hint = f"give --downtime to stop and start every {', '.join(downtime.daemons)} for it"
        raise UserError(target.file, problem, hint)


def _short(value: str) -> str:
    if not value:
        return "nothing"
    return value if len(value) <= _LONGEST_VALUE else f"{value[: _LONGEST_VALUE - 1]}…"


def steps(
    target: Target, states: Mapping[str, DeployedHost], way: Way, downtime: Downtime | None = None
) -> tuple[str, ...]:
    """What is done to the cluster beside the hosts' own changes, in order."""
    # Ansible goes through hosts as the inventory has them, not as they answered.
    reached = {name: states[name] for name in target.systems if name in states} | dict(states)
    if downtime is None:
        return tuple(_steps(target, reached, way))
    for name, state in reached.items():
        # Daemons that are stopped and started are not restarted.
        rolling = tuple(daemon for daemon in state.daemons if daemon["name"] not in downtime.daemons)
        reached[name] = state._replace(daemons=rolling)
    return (*downtime.steps(), *_steps(target, reached, way))


def _steps(target: Target, states: Mapping[str, DeployedHost], way: Way) -> Iterator[str]:
    upgraded = way is Way.UPGRADE
    if upgraded and upgrade_under_way(states) is None:
        yield "HDFS keeps an image of its namespace and deleted blocks for a rollback"
    copies = read_positive(planned_text(target.plan, "dfs.replication")) or 1
    for step in UPGRADING if upgraded else RESTARTING:
        yield from _restarts(states, step, copies)
    if way in (Way.UPGRADE, Way.BACK):
        yield "HDFS keeps the rollback image until howdah deploy --finalize"


def _restarts(states: Mapping[str, DeployedHost], step: Sequence[Role], copies: int) -> Iterator[str]:
    role = step[-1]
    kind = DAEMONS[role]
    names = [DAEMONS[role_of_step].name for role_of_step in step]
    stale = [state for state in states.values() if set(state.to_restart).intersection(names)]
    if not stale:
        return
    restarted = [name for name in reversed(names) if any(name in state.to_restart for state in stale)]
    leading = [state.host for state in stale if _leads(state, kind.name)]
    followers = [state.host for state in stale if state.host not in leading]
    places = [format_names(followers, _SHOWN)] if followers else []
    if leading:
        places.append(f"{leading[0]}, whose {kind.name} fails over first")
    limit = f", {at_once(role, copies)} at a time" if len(followers) > 1 and not leading else ""
    yield f"restart {listed(restarted)} on {', then on '.join(places)}{limit}"


def _leads(state: DeployedHost, name: str) -> bool:
    return any(daemon["name"] == name and daemon.get("leads") for daemon in state.daemons)


def switch(
    target: Target,
    options: DeployOptions,
    report: ReportStep,
    agree: Agree,
    *,
    playbook: str,
    hosts: Sequence[str] = (),
) -> Deployed:
    """Run ``stop`` or ``start`` on all or some hosts once agreed to; leading masters hand over first."""
    check_hosts(target, playbook, hosts)
    check_ansible()
    begun = time.monotonic()
    # Daemons that run on the same hosts are one step.
    together: dict[str, list[str]] = {}
    for name in hosts or target.systems:
        names = ", ".join(DAEMONS[role].name for role in target.systems[name])
        together.setdefault(names, []).append(name)
    steps = [f"{playbook} {names} on {format_names(group, _SHOWN)}" for names, group in together.items()]
    agree(outcome(target, PlaybookRun(), {}, begun, steps=steps))
    with project(target, options.disks) as folder:
        done = run_playbook(folder, f"{playbook}.yaml", options.login, report, limit=hosts or None)
    made = outcome(target, done, {}, begun)
    return made._replace(hosts={name: made.hosts[name] for name in hosts}) if hosts else made


def check_hosts(target: Target, playbook: str, hosts: Sequence[str]) -> None:
    """Raise UserError for hosts that are not the plan's, or whose stop would take a majority away."""
    for name in hosts:
        if name not in target.systems:
            raise UserError(f"--host {name}", f"is not in {target.file}", "name a host of the plan")
    for role in QUORUM:
        members = target.on(role)
        stopped = [name for name in members if name in hosts]
        remaining = len(members) - len(stopped)
        if playbook == "stop" and stopped and remaining and remaining <= len(members) // 2:
            problem = f"leaves {remaining} of {len(members)} {role.value}s, fewer than a majority"
            hint = "stop and start one host after another, or all with --stop alone"
            raise UserError(f"--host {stopped[-1]}", problem, hint)


class Way(StrEnum):
    """How hosts become what is planned, by the playbook that does it."""

    CHANGE = "site.yaml"
    UPGRADE = "upgrade.yaml"
    BACK = "downgrade.yaml"
    DOWNTIME = "downtime.yaml"


class HdfsUpgrade(NamedTuple):
    """A rolling upgrade of HDFS that is under way: it can be finalized, or gone back from."""

    began_s: float | None  # When it was prepared, in seconds since 1970; None where no NameNode answers.
    image: bool  # Whether the image to go back to is written.
    origin: str  # The release that it began from; empty before the first NameNode is upgraded.


def upgrade_under_way(states: Mapping[str, DeployedHost]) -> HdfsUpgrade | None:
    """What the NameNode that leads says of an upgrade, or another one where none leads."""
    masters = sorted(states.values(), key=lambda state: not _leads(state, _NAMENODE))
    active = [state for state in masters if state.namenode and state.namenode["active"] == "active"]
    leaders = [state for state in active if _leads(state, _NAMENODE)]
    upgrades = [state.upgrade for state in leaders or active]
    upgrade = next((upgrade for upgrade in upgrades if upgrade), None)
    origin = next((state.upgraded_from for state in masters if state.upgraded_from), "")
    if upgrade:
        return HdfsUpgrade(upgrade["startTime"] / 1000, bool(upgrade["createdRollbackImages"]), origin)
    return HdfsUpgrade(None, False, origin) if origin and not upgrades else None


def way(target: Target, options: DeployOptions, states: Mapping[str, DeployedHost]) -> Way:
    """How the hosts get to the release that is wanted; raises UserError where there is no way to it."""
    release = next((_hadoop(state.planned) for state in states.values() if _hadoop(state.planned)), "")
    # Workers may have been away while the others were upgraded: they follow.
    applied = {_hadoop(state.trees) for state in states.values() if state.namenode} - {""}
    under_way = upgrade_under_way(states)
    if not applied or (under_way is None and applied == {release}):
        return Way.CHANGE
    newest = max(applied, key=_number)
    if under_way is not None:
        chosen = _continued(release, applied, under_way.origin)
    elif _number(release) > _number(newest):
        chosen = Way.UPGRADE
    else:
        reason = "no upgrade that could be rolled back is under way"
        problem = f"is older than HDFS's release ({newest}), and {reason}"
        hint = f"plan with --hadoop {newest.removeprefix('hadoop-')}, or a newer one"
        raise UserError(release, problem, hint)
    if chosen is not Way.CHANGE and len(target.on(Role.NAMENODE)) < 2 and not options.downtime:
        problem = f"has only one NameNode: HDFS stops while it restarts with {release}"
        hint = "give --downtime to accept that, or plan two with --protect-masters ha"
        raise UserError(target.file, problem, hint)
    return chosen


def _continued(release: str, applied: set[str], origin: str) -> Way:
    """The way while an upgrade is under way: on to its end, or back to where it began."""
    newest = max(applied, key=_number)
    if release == (origin or newest):
        return Way.BACK if origin else Way.CHANGE
    if release in applied or (applied == {origin or newest} and _number(release) > _number(newest)):
        return Way.UPGRADE
    hint = "end that upgrade first: --finalize, or --rollback and then --finalize"
    raise UserError(release, f"is not part of HDFS's upgrade from {origin} to {newest}", hint)


def _hadoop(trees: tuple[str, ...]) -> str:
    return next((tree for tree in trees if tree.startswith("hadoop-")), "")


def _number(tree: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", tree)))


def finalize(target: Target, options: DeployOptions, report: ReportStep, agree: Agree) -> Deployed:
    """End HDFS's upgrade once that is agreed to; raises UserError if a host is not on the new release."""
    check_ansible()
    begun = time.monotonic()
    with project(target, options.disks) as folder:
        report(f"inspecting {len(target.systems)} hosts")
        looked = look_at(folder, options, report)
        states = found_states(looked)
        if looked.failures:
            return outcome(target, PlaybookRun(), states, begun, tuple(host_problems(looked.failures)))
        if differing := [state.host for state in states.values() if not state.settled]:
            problem = f"{differing[0]} differs from {target.file}, or not all of its daemons run"
            hint = f"howdah deploy {target.file} first; --diff shows what differs"
            raise UserError("--finalize", problem, hint)
        unfinished = any(state.upgraded_from for state in states.values())
        upgrade = upgrade_under_way(states)
        if upgrade is None and not unfinished:
            return outcome(target, PlaybookRun(), states, begun)
        origin = (upgrade.origin if upgrade else "") or "the release before"
        end = f"finalize HDFS's upgrade from {origin}; it cannot be rolled back afterwards"
        agree(outcome(target, PlaybookRun(), states, begun, steps=(end,)))
        done = run_playbook(folder, "finalize.yaml", options.login, report)
    return outcome(target, done, states, begun)
