"""``howdah deploy --stop`` and ``--start``: all daemons, or those of some hosts, as they are configured."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from howdah.deploy.ansible import PlaybookRun, Tell, check_ansible, run_playbook
from howdah.errors import UserError
from howdah.hadoop.daemons import DAEMONS
from howdah.model.plan import Role
from howdah.session.deploy.order import hosts_text
from howdah.session.deploy.outcome import Agree, Deployed, outcome
from howdah.session.deploy.project import Target, project
from howdah.session.deploy.states import DeployAsked


def switch(
    target: Target,
    asked: DeployAsked,
    tell: Tell,
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
    agree(outcome(target, PlaybookRun(), {}, begun, steps=tuple(_steps(target, playbook, hosts))))
    with project(target, asked.disks) as folder:
        done = run_playbook(folder, f"{playbook}.yaml", asked.login, tell, limit=hosts or None)
    made = outcome(target, done, {}, begun)
    return made._replace(hosts={name: made.hosts[name] for name in hosts}) if hosts else made


def _steps(target: Target, playbook: str, hosts: Sequence[str]) -> Iterator[str]:
    """Which daemons are stopped or started, those that run on the same hosts together."""
    together: dict[tuple[str, ...], list[str]] = {}
    for name in hosts or target.systems:
        names = tuple(DAEMONS[role].name for role in target.systems[name])
        together.setdefault(names, []).append(name)
    for names, some in together.items():
        yield f"{playbook} {', '.join(names)} on {hosts_text(some)}"


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
