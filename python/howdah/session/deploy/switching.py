"""``howdah deploy --stop`` and ``--start``: all daemons, or those of some hosts, as they are configured."""

from __future__ import annotations

import time
from collections.abc import Sequence

from howdah.deploy.ansible import Tell, check_ansible, run_playbook
from howdah.errors import UserError
from howdah.model.plan import Role
from howdah.session.deploy.outcome import Deployed, outcome
from howdah.session.deploy.project import Target, project
from howdah.session.deploy.states import DeployAsked


def switch(
    target: Target, asked: DeployAsked, tell: Tell, playbook: str, hosts: Sequence[str] = ()
) -> Deployed:
    """Run ``stop`` or ``start``; a host that fails is among the failures.

    On some hosts only if any are named; their masters that lead hand over before they are stopped. Raises
    UserError for hosts that cannot be named.
    """
    check_hosts(target, playbook, hosts)
    check_ansible()
    begun = time.monotonic()
    with project(target, asked.disks) as folder:
        done = run_playbook(folder, f"{playbook}.yaml", asked.login, tell, limit=hosts or None)
    made = outcome(target, done, {}, begun)
    return made._replace(hosts={name: made.hosts[name] for name in hosts}) if hosts else made


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
                f"leaves {left} of {len(members)} {role.value}s, which is no majority",
                "stop and start one host after another, or all with --stop alone",
            )
